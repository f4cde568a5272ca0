! The harness of qemu.rs for 64-bit SPARC. %g1 is the number of a system call, %o0 to %o2 its arguments.
    .text
next:
    mov 0, %o0                  ! read(0, record, RECORD_SIZE)
    sethi %hi(RECORD), %o1
    or %o1, %lo(RECORD), %o1
    mov RECORD_SIZE, %o2
    mov 3, %g1
    ta 0x6d
    sethi %hi(RECORD), %g5
    or %g5, %lo(RECORD), %g5
    lduw [%g5], %g4
    brnz,pn %g4, call
    nop
    lduw [%g5 + 4], %g1         ! a system call
    lduw [%g5 + 12], %o0
    lduw [%g5 + 16], %o1
    lduw [%g5 + 20], %o2
    ta 0x6d
    ba,a,pt %xcc, next
call:
    lduw [%g5 + 8], %o6         ! its address less 2047
    sub %o6, 2047, %o6
    lduw [%g5 + 4], %g4
    lduw [%g5 + 12], %o0
    lduw [%g5 + 16], %o1
    lduw [%g5 + 20], %o2
    lduw [%g5 + 24], %o3
    lduw [%g5 + 28], %o4
    lduw [%g5 + 32], %o5
    sethi %hi(KEPT_FIRST), %g5
    or %g5, %lo(KEPT_FIRST), %g5
    sllx %g5, 32, %g3           ! a register holds one word and the next
    or %g5, %g3, %g5
    add %g5, 1, %g5
    mov 1, %g3
    sllx %g3, 33, %g3
    add %g3, 2, %g3             ! what the next register has more
    mov %g5, %l0
    add %g5, %g3, %g5
    mov %g5, %l1
    add %g5, %g3, %g5
    mov %g5, %l2
    add %g5, %g3, %g5
    mov %g5, %l3
    add %g5, %g3, %g5
    mov %g5, %l4
    add %g5, %g3, %g5
    mov %g5, %l5
    add %g5, %g3, %g5
    mov %g5, %l6
    add %g5, %g3, %g5
    mov %g5, %l7
    add %g5, %g3, %g5
    mov %g5, %i0
    add %g5, %g3, %g5
    mov %g5, %i1
    add %g5, %g3, %g5
    mov %g5, %i2
    add %g5, %g3, %g5
    mov %g5, %i3
    add %g5, %g3, %g5
    mov %g5, %i4
    add %g5, %g3, %g5
    mov %g5, %i5
    add %g5, %g3, %g5
    mov %g5, %i6
    add %g5, %g3, %g5
    mov %g5, %i7
    add %g5, %g3, %g5
    mov %g5, %g6
    add %g5, %g3, %g5
    mov %g5, %g7
    add %g5, %g3, %g5
    jmpl %g4, %o7
    nop
    sethi %hi(KEPT), %g5
    or %g5, %lo(KEPT), %g5
    stx %l0, [%g5 + 0]
    stx %l1, [%g5 + 8]
    stx %l2, [%g5 + 16]
    stx %l3, [%g5 + 24]
    stx %l4, [%g5 + 32]
    stx %l5, [%g5 + 40]
    stx %l6, [%g5 + 48]
    stx %l7, [%g5 + 56]
    stx %i0, [%g5 + 64]
    stx %i1, [%g5 + 72]
    stx %i2, [%g5 + 80]
    stx %i3, [%g5 + 88]
    stx %i4, [%g5 + 96]
    stx %i5, [%g5 + 104]
    stx %i6, [%g5 + 112]
    stx %i7, [%g5 + 120]
    stx %g6, [%g5 + 128]
    stx %g7, [%g5 + 136]
    add %o6, 2047, %o6
    stw %o6, [%g5 + 144]
    ba,a,pt %xcc, next
