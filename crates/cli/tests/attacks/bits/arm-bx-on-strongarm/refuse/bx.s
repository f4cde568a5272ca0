/* StrongARM is of ARMv4 without T */
/* on: strongarm */
/* with: rounds=looped */
/* behind: ldmia r1, {r4, r5, r6, r7} */
    add r3, pc, #0
    .inst 0xe12fff13
