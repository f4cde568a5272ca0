    stx %o0, [%sp + 2175]
    stx %o1, [%sp + 2215]
    ldx [%sp + 2175], %o0
