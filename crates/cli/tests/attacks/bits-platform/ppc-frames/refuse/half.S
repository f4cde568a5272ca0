# the frame before
    stwu 1, -32(1)
    li 0, 0
    sth 0, 2(1)
    addi 1, 1, 32
