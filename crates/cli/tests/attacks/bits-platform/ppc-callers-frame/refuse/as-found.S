# where nothing was written
    lwz 0, 4(1)
    mtlr 0
