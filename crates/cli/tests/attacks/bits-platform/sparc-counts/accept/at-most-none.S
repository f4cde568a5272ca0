    cmp %o4, 0
    bleu,pn %xcc, .Lnone
    nop
    cmp %o4, 0
.Lnone:
