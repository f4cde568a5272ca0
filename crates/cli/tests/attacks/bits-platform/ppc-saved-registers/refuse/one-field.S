# register cr4
    mfcr 0
    cmpw 2, 3, 3
    cmpw 4, 3, 3
    mtcrf 0x20, 0
