    addk r18, r0, r0
