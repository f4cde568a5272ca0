/* movs r8, #0x80000000 sets it, and #0x400 clears it */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    movs r8, #0x80000000
    movcc r5, #0
    movs r8, #0x400
    movcs r5, #0
