/* a block that is entered at its first instruction, and once in its middle (A7.7.38) */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #2
    b .Lmiddle
.Lblock:
    cmp r3, r3
    it ne
.Lmiddle:
    movne r3, r3
    subs r3, #1
    bne .Lblock
