/* a count field of 0 is lsr #32, which leaves nothing of 4: word 0, and not word 1 */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #4
    ldr r5, [r1, r3, lsr #32]
