/* a jump as the last of its block */
/* on: cortex-m3 */
/* with: rounds=looped */
    cmp r0, r0
    itt ne
    movne r3, r3
    bxne lr
