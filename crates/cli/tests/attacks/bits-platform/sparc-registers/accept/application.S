    mov %g0, %g2
    mov %g0, %g3
    mov %g0, %g4
