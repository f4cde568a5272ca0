# the caller's part of the stack is written
    stx %o0, [%sp + 2167]
