# is a trap
    lduw [%o1 + 2], %g1
