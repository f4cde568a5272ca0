/* the same on ARMv4T */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    add r3, pc, #0
    bx r3
