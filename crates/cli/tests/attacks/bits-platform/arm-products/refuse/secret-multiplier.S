# variable time
    ldr r12, [r1]
    mov r3, #27
    mul r3, r3, r12
