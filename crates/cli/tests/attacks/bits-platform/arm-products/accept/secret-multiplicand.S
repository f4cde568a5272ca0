    ldr r12, [r1]
    mov r3, #27
    mul r12, r12, r3
    mov r12, #0
