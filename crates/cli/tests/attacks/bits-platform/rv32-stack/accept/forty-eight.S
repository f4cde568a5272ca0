    addi sp, sp, -48
    sw s0, 44(sp)
    lw s0, 44(sp)
    addi sp, sp, 48
