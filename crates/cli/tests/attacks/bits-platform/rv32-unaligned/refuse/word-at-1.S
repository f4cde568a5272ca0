# may be a trap
    lw t0, 1(a1)
