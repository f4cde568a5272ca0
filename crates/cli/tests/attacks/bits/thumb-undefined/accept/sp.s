/* the stack pointer takes a register as it is */
/* on: cortex-m3 */
/* with: rounds=looped */
    movs r3, #8
    sub sp, #8
    add.w sp, sp, r3
