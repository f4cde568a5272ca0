# no multiple of 16
    stwu 1, -24(1)
    addi 1, 1, 24
