# HardFault
    adds r1, #2
    ldr r3, [r1]
    subs r1, #2
    nop
