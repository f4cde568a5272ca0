# thread pointer
    mv t0, tp
    lw tp, 0(a1)
    mv tp, t0
