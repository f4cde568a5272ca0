# at any address
    lw t0, 1(a1)
