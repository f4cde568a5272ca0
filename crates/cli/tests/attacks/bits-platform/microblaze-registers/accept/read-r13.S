    addk r3, r13, r2
