# interrupt
    addk r3, r14, r0
    lwi r14, r6, 0
    addk r14, r3, r0
