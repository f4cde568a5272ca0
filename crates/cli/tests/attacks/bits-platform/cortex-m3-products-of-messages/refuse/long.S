# variable time
    push {r4, r5}
    ldr r12, [r0]
    umull r4, r5, r12, r12
    pop {r4, r5}
