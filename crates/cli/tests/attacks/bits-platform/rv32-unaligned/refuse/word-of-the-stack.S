# may be a trap
    addi sp, sp, -16
    sw zero, 0(sp)
    sw zero, 4(sp)
    lw t0, 2(sp)
    addi sp, sp, 16
