    clrrwi 4, 4, 4
