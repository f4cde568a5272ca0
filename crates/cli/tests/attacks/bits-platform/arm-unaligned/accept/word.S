    ldr r12, [r1, #4]
