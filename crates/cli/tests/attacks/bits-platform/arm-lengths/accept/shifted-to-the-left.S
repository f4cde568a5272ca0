    ldr r12, [sp]
    add r12, r12, #0x70000000
    mov r12, r12, lsl #4
    cmp r12, #0x27
    bxeq lr
