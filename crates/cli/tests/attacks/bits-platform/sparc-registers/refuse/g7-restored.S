# what the system keeps there
    mov %g7, %g1
    mov %g0, %g7
    mov %g1, %g7
