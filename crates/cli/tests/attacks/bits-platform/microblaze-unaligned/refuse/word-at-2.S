# drops the lowest bits
    lwi r3, r6, 2
