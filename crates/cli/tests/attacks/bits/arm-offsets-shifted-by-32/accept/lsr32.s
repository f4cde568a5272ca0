/* lsr #32 of 4 is 0: word 0 */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #4
    ldr r4, [r1, r3, lsr #32]
