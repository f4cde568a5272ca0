# which has offsets 0 to 15
    cmp %o4, 2
    bgeu,pt %xcc, .Lsome
    nop
    jmpl %o7+8, %g0
    nop
.Lsome:
