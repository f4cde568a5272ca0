    addk r3, r19, r0
    addk r19, r0, r0
    addk r19, r3, r0
