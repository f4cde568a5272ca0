/* a product that sets no flags leaves them */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r8, #0
    mov r9, #0
    mov r3, #1
    cmp r3, #0
    umull r8, r9, r3, r3
    movcc r5, #0
