    ldr r3, [r1, #4]
    nop
