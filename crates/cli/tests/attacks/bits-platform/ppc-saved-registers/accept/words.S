    stwu 1, -96(1)
    stmw 14, 8(1)
    li 14, 0
    mr 31, 14
    lmw 14, 8(1)
    addi 1, 1, 96
