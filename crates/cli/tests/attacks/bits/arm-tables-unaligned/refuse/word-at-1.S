/* a word of the program at 1: the processor rotates what it reads */
/* on: arm7tdmi */
/* with: state=sliced */
    adr r12, 8f+1
    ldr r12, [r12]
    b 9f
8:  .byte 0xaa,0,0,0,0,0,0,0
9:
