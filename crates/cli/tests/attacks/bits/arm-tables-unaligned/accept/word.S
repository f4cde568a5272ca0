/* a word of the program at a multiple of four */
/* on: arm7tdmi */
/* with: state=sliced */
    adr r12, 8f+4
    ldr r12, [r12]
    b 9f
8:  .byte 0xaa,0,0,0,0,0,0,0
9:
