/* a move that would set flags elsewhere cannot stand in a block (A7.7.77, encoding T2) */
/* on: cortex-m3 */
/* with: rounds=looped */
    cmp r0, r0
    it eq
    .inst.n 0x001b
