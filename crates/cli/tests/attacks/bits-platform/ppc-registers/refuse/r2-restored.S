# what the system keeps there
    mr 0, 2
    li 2, 0
    mr 2, 0
