# no multiple of 16
    addi sp, sp, -4
    addi sp, sp, 4
