# bytes of stack
    lui t0, 0x80000
    add sp, sp, t0
    add sp, sp, t0
