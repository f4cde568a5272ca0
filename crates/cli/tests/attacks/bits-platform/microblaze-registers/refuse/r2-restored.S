# small data
    addk r3, r2, r0
    addk r2, r0, r0
    addk r2, r3, r0
