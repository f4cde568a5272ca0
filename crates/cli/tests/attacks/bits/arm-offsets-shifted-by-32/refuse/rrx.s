/* a rotation by a field of 0 is rrx, which halves 4 with the carry above it */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r3, #4
    adds r3, r3, #0
    ldrb lr, [r1, r3, rrx]
    bic r5, r5, #255
    orr r5, r5, lr
