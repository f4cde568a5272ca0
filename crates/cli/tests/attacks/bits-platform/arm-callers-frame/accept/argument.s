    ldr r12, [sp]
    str r12, [sp]
