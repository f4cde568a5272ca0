# the frame before
    stwu 1, -32(1)
    stw 31, 0(1)
    lwz 31, 0(1)
    addi 1, 1, 32
