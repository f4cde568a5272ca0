    stwu 1, -32(1)
    stw 31, 8(1)
    lwz 31, 8(1)
    lwz 1, 0(1)
