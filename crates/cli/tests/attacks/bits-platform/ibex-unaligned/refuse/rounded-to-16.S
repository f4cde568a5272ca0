# is rounded down to a multiple of
    andi a1, a1, -16
