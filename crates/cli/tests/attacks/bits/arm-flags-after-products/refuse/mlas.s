/* ARMv4 leaves meaningless what these flags are behind a product; emulators keep them */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    mov r8, #0
    mov r9, #0
    mov r3, #1
    cmp r3, #0
    mlas r8, r3, r3, r3
    movcc r5, #0
