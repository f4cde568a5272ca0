# no multiple of 16
    addi sp, sp, -16
    addi sp, sp, 8
    addi sp, sp, 8
