# while interrupts may come
    in r26, 0x3d
    in r27, 0x3e
    sbiw r26, 32
    out 0x3e, r27
    out 0x3d, r26
    adiw r26, 32
    out 0x3e, r27
    out 0x3d, r26
