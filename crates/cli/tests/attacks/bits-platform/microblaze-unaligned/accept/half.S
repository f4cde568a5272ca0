    lhui r3, r6, 2
