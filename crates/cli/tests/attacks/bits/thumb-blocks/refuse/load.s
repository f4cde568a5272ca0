/* a load of the program counter that is not the last of its block (A7.7.99) */
/* on: cortex-m3 */
/* with: rounds=looped */
    cmp r0, r0
    itt ne
    .inst.n 0xbd00
    movne r3, r3
