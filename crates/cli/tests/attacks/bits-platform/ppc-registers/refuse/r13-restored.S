# small data
    mr 0, 13
    lwz 13, 0(4)
    mr 13, 0
