# what the system keeps there
    mov %g6, %g1
    mov %g0, %g6
    mov %g1, %g6
