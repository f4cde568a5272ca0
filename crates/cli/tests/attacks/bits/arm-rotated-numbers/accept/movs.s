/* movs r8, #64 leaves the carry */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #1
    cmp r3, #0
    movs r8, #64
    movcc r5, #0
