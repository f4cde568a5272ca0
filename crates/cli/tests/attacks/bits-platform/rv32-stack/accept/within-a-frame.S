    addi sp, sp, -32
    sw s0, 0(sp)
    sw s0, 28(sp)
    addi t0, sp, 28
    bgeu t0, sp, .Lwithin
    jalr zero, 0(ra)
.Lwithin:
    addi sp, sp, 32
