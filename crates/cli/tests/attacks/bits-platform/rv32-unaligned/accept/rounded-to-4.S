    andi a1, a1, -4
