# the stack pointer is set to no multiple of 16
    addi sp, sp, -6
    sw zero, 2(sp)
    addi sp, sp, 6
