# variable time
    push {r4}
    ldr r12, [r1]
    mov r3, #27
    mul r4, r3, r12
    pop {r4}
