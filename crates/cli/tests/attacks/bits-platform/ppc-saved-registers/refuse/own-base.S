# its own base
    mr 20, 3
    lmw 20, 0(20)
