    lbu t0, 1(a1)
