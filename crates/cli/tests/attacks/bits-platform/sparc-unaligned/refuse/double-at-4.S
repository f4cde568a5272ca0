# is a trap
    ldx [%o1 + 4], %g1
