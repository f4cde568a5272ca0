    andi r6, r6, -4
