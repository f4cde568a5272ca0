# at any address
    ldr r3, [r1, #1]
