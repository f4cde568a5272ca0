/* a jump that is not the last of its block, whose condition does not hold (A7.7.20) */
/* on: cortex-m3 */
/* with: rounds=looped */
    cmp r0, r0
    itt ne
    .inst.n 0x4770
    movne r3, r3
