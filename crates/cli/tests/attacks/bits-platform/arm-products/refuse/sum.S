# variable time
    push {r4}
    ldr r12, [r1]
    mov r3, #27
    mla r4, r3, r12, r3
    pop {r4}
