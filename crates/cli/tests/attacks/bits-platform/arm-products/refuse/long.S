# variable time
    ldr r12, [r1]
    push {r4}
    umull r3, r4, r12, r12
    pop {r4}
