    mov %g0, %g1
    mov %g0, %g5
