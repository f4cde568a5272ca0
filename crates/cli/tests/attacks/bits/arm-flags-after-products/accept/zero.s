/* N and Z are those of the product */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #1
    muls r8, r3, r3
    moveq r5, #0
