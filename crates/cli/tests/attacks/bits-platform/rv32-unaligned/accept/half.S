    lhu t0, 2(a1)
