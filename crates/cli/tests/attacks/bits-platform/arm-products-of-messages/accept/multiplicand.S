    push {r4, r5}
    ldr r12, [r0]
    mov r5, #27
    mul r4, r12, r5
    pop {r4, r5}
