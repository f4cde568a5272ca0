# Addresses of the program are below 4 GiB
    .section .rodata.low, "a"
    .balign 8
.Llow:
    .long 0, 0
    .previous
    sethi %hi(.Llow), %g1
    or %g1, %lo(.Llow), %g1
    lduw [%g1], %g1
    add %o0, %g1, %o0
