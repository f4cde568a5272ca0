    mfcr 0
    cmpw 2, 3, 3
    cmpw 4, 3, 3
    mtcrf 0x28, 0
