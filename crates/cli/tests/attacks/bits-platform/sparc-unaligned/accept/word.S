    lduw [%o1 + 4], %g1
