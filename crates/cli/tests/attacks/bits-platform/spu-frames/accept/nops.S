    nop $127
    nop
