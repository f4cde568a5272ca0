    mov %g7, %g1
