    stwu 1, -32(1)
    lwz 0, 0(1)
    stwu 0, -16(1)
    addi 1, 1, 48
