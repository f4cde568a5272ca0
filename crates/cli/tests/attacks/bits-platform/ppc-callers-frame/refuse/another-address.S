# control goes to
    stw 3, 4(1)
    lwz 0, 4(1)
    mtlr 0
    blr
