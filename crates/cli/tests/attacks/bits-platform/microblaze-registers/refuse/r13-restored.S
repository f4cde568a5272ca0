# small data
    addk r3, r13, r0
    addk r13, r0, r0
    addk r13, r3, r0
