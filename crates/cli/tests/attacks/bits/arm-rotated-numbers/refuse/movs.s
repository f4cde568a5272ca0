/* movs r8, #64 with another rotation clears the carry, which a number without one leaves */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #1
    cmp r3, #0
    .inst 0xe3b08d01
    movcc r5, #0
