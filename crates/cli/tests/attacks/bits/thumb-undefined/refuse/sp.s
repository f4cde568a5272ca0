/* the stack pointer takes no register shifted to the right */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #8
    sub sp, #8
    .inst.w 0xeb0d0d13
    add sp, #8
