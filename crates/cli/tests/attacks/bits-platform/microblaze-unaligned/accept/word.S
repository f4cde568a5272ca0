    lwi r3, r6, 4
