# something unknown
    ldr r12, [sp]
    add r12, r12, #0x70000000
    mov r12, r12, ror #28
    cmp r12, #0x27
    bxeq lr
