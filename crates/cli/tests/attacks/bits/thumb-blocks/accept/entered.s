/* the same block, entered at its first instruction both times */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #2
    b .Lblock
.Lblock:
    cmp r3, r3
    it ne
.Lmiddle:
    movne r3, r3
    subs r3, #1
    bne .Lblock
