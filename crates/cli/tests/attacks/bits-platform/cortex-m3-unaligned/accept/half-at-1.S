# at any address
    ldrh r3, [r1, #1]
