    addi sp, sp, -16
    sw zero, 4(sp)
    addi sp, sp, 16
