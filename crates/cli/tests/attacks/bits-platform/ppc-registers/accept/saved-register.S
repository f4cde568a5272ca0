    mr 0, 14
    li 14, 0
    mr 14, 0
