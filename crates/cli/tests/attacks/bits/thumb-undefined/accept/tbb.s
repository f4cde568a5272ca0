/* a table of distances behind the instruction, as compilers write it */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #1
    tbb [pc, r3]
1:  .byte 0, (2f - 1b) / 2
    .balign 2
2:
