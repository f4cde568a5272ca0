    li 0, -32
    stwux 1, 1, 0
    stwu 1, -16(1)
    addi 1, 1, 48
