    clrrwi 4, 4, 5
