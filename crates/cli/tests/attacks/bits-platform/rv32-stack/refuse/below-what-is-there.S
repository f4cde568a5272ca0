    lui t0, 1
    sub t0, sp, t0
    bgeu sp, t0, .Lbelow
    jalr zero, 0(ra)
.Lbelow:
