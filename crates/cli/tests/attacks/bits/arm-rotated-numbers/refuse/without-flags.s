/* another encoding of mov r8, #64: what bytes do is known of the one that assemblers write */
/* on: arm7tdmi */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    .inst 0xe3a08d01
