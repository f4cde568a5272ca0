# variable time
    ldr r3, [r1]
    umull r3, r12, r3, r3
