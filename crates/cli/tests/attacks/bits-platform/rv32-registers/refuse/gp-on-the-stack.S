# global pointer
    addi sp, sp, -16
    sw gp, 0(sp)
    li gp, 5
    lw gp, 0(sp)
    addi sp, sp, 16
