    ldrh r3, [r1, #2]
    nop
