# may be a trap
    lw t0, 2(a1)
