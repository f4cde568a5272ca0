    ldr r12, [sp]
    mov r12, r12, ror #28
    cmp r12, #0x27
    bxeq lr
