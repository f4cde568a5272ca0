    ldr r3, [r1]
    mul r3, r3, r3
