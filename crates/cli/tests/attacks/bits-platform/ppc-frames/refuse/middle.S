# the frame before
    stwu 1, -32(1)
    addi 0, 1, 16
    stw 0, 0(1)
    addi 1, 1, 32
