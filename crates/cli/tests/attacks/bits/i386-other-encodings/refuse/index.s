/* an index byte without an index, with a factor for it */
/* on: pentium4 */
/* with: bytes=registers */
    .byte 0x8d,0x04,0x64
