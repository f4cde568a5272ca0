# is rounded down to a multiple of
    bic r1, r1, #15
