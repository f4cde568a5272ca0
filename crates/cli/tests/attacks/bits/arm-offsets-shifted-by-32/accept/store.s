/* the same word stored and loaded again by lsr #32 of 4 */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    sub sp, sp, #8
    mov r3, #4
    str r5, [sp, r3, lsr #32]
    ldr r5, [sp]
    add sp, sp, #8
