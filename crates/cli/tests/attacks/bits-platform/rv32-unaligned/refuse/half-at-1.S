# may be a trap
    lhu t0, 1(a1)
