# the caller's part of the stack is written
    ldr r12, [sp]
    strd r12, r14, [sp]
