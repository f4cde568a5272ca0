# variable time
    push {r4}
    ldr r12, [r0]
    mul r4, r12, r12
    pop {r4}
