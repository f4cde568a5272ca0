# at offset 176 of the stack
    stx %o0, [%sp + 2223]
