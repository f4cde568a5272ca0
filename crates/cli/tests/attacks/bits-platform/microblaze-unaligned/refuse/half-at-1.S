# drops the lowest bits
    lhui r3, r6, 1
