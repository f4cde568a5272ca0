/* a byte of the text stored behind a stack pointer less lsr #32 of 4 */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    str r5, [sp, #-4]!
    mov r3, #4
    strb r3, [sp, r3, lsr #32]
    ldr r5, [sp], #4
