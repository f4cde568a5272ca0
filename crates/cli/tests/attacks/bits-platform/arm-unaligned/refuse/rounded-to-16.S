    bic r1, r1, #15
