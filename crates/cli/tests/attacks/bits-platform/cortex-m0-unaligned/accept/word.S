    ldr r3, [r1, #4]
