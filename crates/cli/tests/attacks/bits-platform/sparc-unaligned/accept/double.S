    ldx [%o1 + 8], %g1
