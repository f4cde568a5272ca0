/* the encoding of a move that assemblers choose in a block */
/* on: cortex-m3 */
/* with: rounds=looped */
    cmp r0, r0
    it eq
    .inst.n 0x461b
