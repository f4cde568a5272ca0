    andi ra, ra, -4
