    mflr 0
    stw 0, 4(1)
    li 0, 0
    mtlr 0
    lwz 0, 4(1)
    mtlr 0
