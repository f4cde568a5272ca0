    mv t0, gp
    add t0, t0, tp
