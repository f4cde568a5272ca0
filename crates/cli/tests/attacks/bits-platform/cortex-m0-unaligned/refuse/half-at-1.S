# HardFault
    adds r1, #1
    ldrh r3, [r1]
    subs r1, #1
    nop
