# while interrupts may come
    in r26, 0x3d
    in r27, 0x3e
    sbiw r26, 32
    in r0, 0x3f
    out 0x3e, r27
    cli
    out 0x3d, r26
    out 0x3f, r0
    adiw r26, 32
    in r0, 0x3f
    cli
    out 0x3e, r27
    out 0x3f, r0
    out 0x3d, r26
