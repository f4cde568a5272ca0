# the frame before
    stwu 1, -32(1)
    stwu 1, -16(1)
    stw 31, 16(1)
    addi 1, 1, 48
