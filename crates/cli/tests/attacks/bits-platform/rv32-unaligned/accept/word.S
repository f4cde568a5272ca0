    lw t0, 4(a1)
