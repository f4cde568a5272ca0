# beyond the stack pointer
    stmw 30, -8(1)
    lmw 30, -8(1)
