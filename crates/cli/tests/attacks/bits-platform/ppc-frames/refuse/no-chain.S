# the frame before
    addi 1, 1, -32
    addi 1, 1, 32
