    cmp %o4, 0
    bgu,pt %xcc, .Lsome
    nop
    jmpl %o7+8, %g0
    nop
.Lsome:
