    stwu 1, -16(1)
    mflr 0
    stw 0, 20(1)
    lwz 0, 20(1)
    mtlr 0
    addi 1, 1, 16
