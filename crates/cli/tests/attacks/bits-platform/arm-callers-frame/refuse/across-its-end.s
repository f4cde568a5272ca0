# the caller's part of the stack is written
    ldr r12, [sp]
    stm sp, {r0, r12}
