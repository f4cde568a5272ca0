# at any address
    lwz 0, 1(4)
