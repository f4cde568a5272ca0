# reads r14
    addk r3, r14, r0
