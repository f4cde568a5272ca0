/* movs r8, #64 leaves the carry */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    cmp r3, r3
    movs r8, #64
    movcc r5, #0
