    lvx 0, 0, 4
