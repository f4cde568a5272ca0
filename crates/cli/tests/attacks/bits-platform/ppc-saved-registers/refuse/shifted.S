# register r
    stwu 1, -96(1)
    stmw 14, 8(1)
    lmw 15, 8(1)
    addi 1, 1, 96
