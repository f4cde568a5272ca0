# register r
    stwu 1, -96(1)
    stmw 15, 12(1)
    li 14, 0
    lmw 15, 12(1)
    addi 1, 1, 96
