# it returns after 0 more blocks
    cmp %o4, 2
    bgeu,pt %xcc, .Lsome
    nop
    jmpl %o7+8, %g0
    nop
.Lsome:
