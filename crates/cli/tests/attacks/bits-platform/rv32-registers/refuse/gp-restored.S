# global pointer
    mv t0, gp
    mv gp, zero
    mv gp, t0
