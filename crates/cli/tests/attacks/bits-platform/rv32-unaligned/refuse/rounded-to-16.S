    andi a1, a1, -16
