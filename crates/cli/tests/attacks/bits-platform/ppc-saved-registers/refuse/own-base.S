# its own base
    mr 20, 3
    .long 0xba940000
