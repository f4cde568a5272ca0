# is rounded down to a multiple of
    andi r6, r6, -16
