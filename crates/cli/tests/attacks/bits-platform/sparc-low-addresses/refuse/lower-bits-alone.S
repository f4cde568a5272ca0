# a linker chooses
    .section .rodata.low, "a"
    .balign 8
.Llow:
    .long 0, 0
    .previous
    or %g0, %lo(.Llow), %g1
    lduw [%g1], %g1
    add %o0, %g1, %o0
