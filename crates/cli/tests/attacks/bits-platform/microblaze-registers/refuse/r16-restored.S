# break or an exception
    addk r3, r0, r0
    addk r16, r3, r0
