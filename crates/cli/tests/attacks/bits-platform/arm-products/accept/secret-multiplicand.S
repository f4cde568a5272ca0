    push {r4}
    ldr r12, [r1]
    mov r3, #27
    mul r4, r12, r3
    pop {r4}
