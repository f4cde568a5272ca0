    mv t0, s1
    mv s1, zero
    mv s1, t0
