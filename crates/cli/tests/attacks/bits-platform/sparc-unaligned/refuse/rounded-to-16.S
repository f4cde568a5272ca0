# is rounded down to a multiple of
    and %o1, -16, %o1
