/* lsr #1 of 8 is 4 */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #8
    ldr r5, [r1, r3, lsr #1]
