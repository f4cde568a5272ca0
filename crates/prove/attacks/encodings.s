# Bytes that two processors read differently, or that are no instruction: refused; and what assemblers may choose.

#: case return-of-sixteen-bits
#: why 0x66 before ret makes AMD's processors pop 16 bits
#: refused read these bytes differently
#: entry
    test rcx, rcx
    jnz 1f
    .byte 0x66, 0xc3
    1:

#: case repeated-return
#: why 0xf3 before ret is a hint that old compilers wrote, and no part of ret
#: refused prefixes
#: entry
    test rcx, rcx
    jnz 1f
    .byte 0xf3, 0xc3
    1:

#: case bounded-return
#: why 0xf2 before ret is of an extension that is gone
#: refused prefixes
#: entry
    test rcx, rcx
    jnz 1f
    .byte 0xf2, 0xc3
    1:

#: case return-of-rex
#: why REX.W before ret is surplus
#: refused not how the instruction is encoded
#: entry
    test rcx, rcx
    jnz 1f
    .byte 0x48, 0xc3
    1:

#: case plain-return
#: why the control of the ones above: a return
#: proved CT2
#: entry
    test rcx, rcx
    jnz 1f
    ret
    1:

#: case jump-of-sixteen-bits
#: why 0x66 before jmp makes AMD's processors take a displacement of 16 bits, and the instruction pointer's low 16 bits
#: refused read these bytes differently
#: entry
    .byte 0x66, 0xe9, 0x00, 0x00, 0x00, 0x00

#: case short-jump-of-sixteen-bits
#: why the same of a short jump, whose length is the same for both
#: refused
#: entry
    .byte 0x66, 0xeb, 0x00

#: case branch-of-sixteen-bits
#: why the same of a conditional jump
#: refused read these bytes differently
#: entry
    test rcx, rcx
    .byte 0x66, 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00

#: case short-branch-of-sixteen-bits
#: why the same of a short one
#: refused
#: entry
    test rcx, rcx
    .byte 0x66, 0x74, 0x00

#: case branch-with-a-hint
#: why 0x3e before a branch is a hint on some processors and an ignored segment on others
#: refused prefixes
#: entry
    test rcx, rcx
    .byte 0x3e, 0x74, 0x00

#: case branch-with-a-hint-not-taken
#: why 0x2e the other way
#: refused prefixes
#: entry
    test rcx, rcx
    .byte 0x2e, 0x74, 0x00

#: case branch-bounded
#: why 0xf2 before a branch
#: refused prefixes
#: entry
    test rcx, rcx
    .byte 0xf2, 0x74, 0x00

#: case branch-of-rex
#: why REX before a branch is ignored
#: refused not how the instruction is encoded
#: entry
    test rcx, rcx
    .byte 0x48, 0x74, 0x00

#: case branches-of-both-lengths
#: why an assembler chooses between eight and 32 bits
#: proved CT2
#: entry
    test rcx, rcx
    .byte 0x74, 0x00
    .byte 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00
    .byte 0xeb, 0x00
    .byte 0xe9, 0x00, 0x00, 0x00, 0x00

#: case address-of-32-bits
#: why 0x67 cuts the address to 32 bits
#: refused
#: entry
    .byte 0x67, 0x8b, 0x07

#: case sum-of-32-bits
#: why 0x67 cuts what lea computes to 32 bits, and this one's pointer is used
#: refused
#: entry
    .byte 0x67, 0x48, 0x8d, 0x3f

#: case address-size-of-a-register-form
#: why 0x67 where there is no address
#: refused not how the instruction is encoded
#: entry
    .byte 0x67, 0x01, 0xc0

#: case address-size-of-a-constant
#: why 0x67 makes rip eip
#: refused
#: entry
    .byte 0x67, 0x8d, 0x05, 0x00, 0x00, 0x00, 0x00

#: case plain-sum
#: why lea without it
#: proved CT2
#: entry
    lea r9, [rdi]
    lea r9d, [rdi]
    lea r9, [rip]

#: case operand-size-twice
#: why 0x66 twice
#: refused
#: entry
    .byte 0x66, 0x66, 0x89, 0xc1

#: case operand-size-before-rex-w
#: why 0x66 before REX.W is ignored
#: refused
#: entry
    .byte 0x66, 0x48, 0x01, 0xc0

#: case operand-size-of-a-byte
#: why 0x66 where the operand has eight bits
#: refused
#: entry
    .byte 0x66, 0x04, 0x01

#: case rex-not-last
#: why REX before 0x66 is dropped: 16 bits are moved, not 64
#: refused
#: entry
    .byte 0x48, 0x66, 0x89, 0xc1

#: case rex-twice
#: why the first of two REX is dropped
#: refused
#: entry
    .byte 0x48, 0x40, 0x01, 0xc0

#: case rex-before-a-mandatory-prefix
#: why REX before 0x66 0x0f is dropped: xmm0, not xmm8
#: refused
#: entry
    .byte 0x44, 0x66, 0x0f, 0xef, 0xc0

#: case rex-of-nothing
#: why 0x40 says nothing where no byte register is named
#: refused not how the instruction is encoded
#: entry
    .byte 0x40, 0x01, 0xc0

#: case rex-of-nothing-extended
#: why REX.X without an index
#: refused not how the instruction is encoded
#: entry
    .byte 0x42, 0x01, 0xc0

#: case rex-of-a-byte-register
#: why 0x40 before sil is needed
#: proved CT2
#: entry
    .byte 0x40, 0x88, 0xf0

#: case rex-before-vex
#: why REX before a VEX prefix is no instruction
#: refused no instruction
#: entry
    .byte 0x48, 0xc5, 0xf9, 0xef, 0xc0

#: case operand-size-before-vex
#: why 0x66 before a VEX prefix is no instruction
#: refused no instruction
#: entry
    .byte 0x66, 0xc5, 0xf9, 0xef, 0xc0

#: case repeat-before-an-addition
#: why 0xf3 before add is reserved
#: refused prefixes
#: entry
    .byte 0xf3, 0x01, 0xc0

#: case both-repeats-of-a-vector
#: why 0xf2 and 0xf3 before 0x0f: the last counts, for some
#: refused
#: entry
    .byte 0xf2, 0xf3, 0x0f, 0x6f, 0xc1

#: case operand-size-of-a-vector-move
#: why 0x66 beside 0xf3: the mandatory prefix is 0xf3, and 0x66 is ignored
#: refused
#: entry
    .byte 0x66, 0xf3, 0x0f, 0x6f, 0xc1

#: case locked-addition
#: why a locked addition has no meaning here
#: refused
#: entry
    .byte 0xf0, 0x48, 0x01, 0x07

#: case locked-register
#: why lock where nothing is written to memory is no instruction
#: refused
#: entry
    .byte 0xf0, 0x48, 0x01, 0xc0

#: case segment-fs
#: why the base of fs is not zero
#: refused prefixes
#: entry
    .byte 0x64, 0x48, 0x8b, 0x07

#: case segment-gs
#: why the base of gs is not zero
#: refused prefixes
#: entry
    .byte 0x65, 0x48, 0x8b, 0x07

#: case segment-ds
#: why ds is ignored in this mode
#: refused prefixes
#: entry
    .byte 0x3e, 0x48, 0x8b, 0x07

#: case segment-of-a-register-form
#: why a segment where there is no memory
#: refused prefixes
#: entry
    .byte 0x64, 0x48, 0x01, 0xc0

#: case segment-behind-fs
#: why of two segments the last counts, for some
#: refused prefixes
#: entry
    .byte 0x64, 0x3e, 0x48, 0x8b, 0x07

#: case segment-of-a-prefetch
#: why a prefetch in fs
#: refused prefixes
#: entry
    .byte 0x64, 0x0f, 0x18, 0x0f

#: case segment-of-an-address
#: why lea ignores segments
#: refused prefixes
#: entry
    .byte 0x64, 0x48, 0x8d, 0x07

#: case sixteen-bytes
#: why an instruction of more than 15 bytes faults
#: refused more than 15 bytes
#: entry
    .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90

#: case fifteen-bytes
#: why 0x66 twelve times and a nop of three is not among the paddings
#: refused
#: entry
    .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x1f, 0x00

#: case addition-of-fifteen-bytes
#: why fourteen bytes of ignored prefixes
#: refused prefixes
#: entry
    .byte 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e, 0x48, 0x01, 0xc0

#: case paddings
#: why what assemblers put between instructions, of every length
#: proved CT2
#: entry
    .byte 0x90
    .byte 0x66, 0x90
    .byte 0x0f, 0x1f, 0x00
    .byte 0x0f, 0x1f, 0x40, 0x00
    .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
    .byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00
    .byte 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
    .byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
    .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00

#: case padding-of-an-assembler
#: why what .p2align writes
#: proved CT2
#: entry
    .p2align 6

#: case pause
#: why 0xf3 0x90 is pause, and no padding
#: refused
#: entry
    .byte 0xf3, 0x90

#: case padding-of-rex
#: why 0x41 0x90 exchanges r8 and rax
#: refused
#: entry
    .byte 0x41, 0x90

#: case padding-with-another-segment
#: why 0x64 in place of 0x2e is not among the paddings
#: refused prefixes
#: entry
    .byte 0x66, 0x64, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00

#: case nop-of-a-reserved-place
#: why 0x0f 0x1f with another number in its register field is not the nop
#: refused
#: entry
    .byte 0x0f, 0x1f, 0x48, 0x00

#: case nop-of-another-page
#: why 0x0f 0x19 is a reserved nop: of an extension on some processors
#: refused
#: entry
    .byte 0x0f, 0x19, 0xc0

#: case endbr
#: why the landing place of an indirect jump
#: proved CT2
#: entry
    endbr64

#: case landing-of-the-shadow-stack
#: why 0xf3 0x0f 0x1e 0xc8 reads the shadow stack where there is one, and is a nop elsewhere
#: refused
#: entry
    .byte 0xf3, 0x0f, 0x1e, 0xc8

#: case both-directions
#: why the same addition with either operand in the register field
#: proved CT2
#: entry
    .byte 0x48, 0x01, 0xc0
    .byte 0x48, 0x03, 0xc0
    .byte 0x4d, 0x89, 0xc8
    .byte 0x4d, 0x8b, 0xc1

#: case immediates-of-both-widths
#: why the same comparison with a number of eight bits and of 32
#: proved CT2
#: entry
    .byte 0x48, 0x83, 0xf9, 0x01
    .byte 0x48, 0x81, 0xf9, 0x01, 0x00, 0x00, 0x00

#: case displacements-of-both-widths
#: why the same address with eight bits and with 32
#: proved CT2
#: entry
    .byte 0x48, 0x8d, 0x47, 0x08
    .byte 0x48, 0x8d, 0x87, 0x08, 0x00, 0x00, 0x00
    .byte 0x48, 0x8d, 0x47, 0x00

#: case vex-of-both-lengths
#: why the same logic with two bytes of prefix and with three
#: proved CT2
#: entry
    .byte 0xc5, 0xf9, 0xef, 0xc0
    .byte 0xc4, 0xe1, 0x79, 0xef, 0xc0

#: case compressed-displacements
#: why EVEX counts displacements of eight bits in vectors, and those of 32 in bytes
#: proved CT2
#: entry
    vmovdqu64 xmm3, [rdi + 16]
    {disp32} vmovdqu64 xmm3, [rdi + 16]

#: case index-of-nothing
#: why an index of none with a base that needs no such byte: our encoder and assemblers write it otherwise
#: refused not how the instruction is encoded
#: entry
    .byte 0x48, 0x8d, 0x04, 0x27

#: case scale-of-nothing
#: why a scale without an index
#: refused not how the instruction is encoded
#: entry
    .byte 0x48, 0x8b, 0x44, 0x64, 0x00

#: case vex-with-an-ignored-bit
#: why VEX.W of a logic that ignores it
#: refused not how the instruction is encoded
#: entry
    .byte 0xc4, 0xe1, 0xf9, 0xef, 0xc0

#: case vex-with-an-ignored-extension
#: why VEX.X where there is no index
#: refused not how the instruction is encoded
#: entry
    .byte 0xc4, 0xa1, 0x79, 0xef, 0xc0

#: case vex-with-a-source-too-many
#: why vvvv of an instruction of two operands has to be ones
#: refused no instruction
#: entry
    .byte 0xc5, 0xb1, 0x70, 0xc0, 0x00

#: case zeroing-without-a-mask
#: why EVEX.z without an opmask is no instruction
#: refused
#: entry
    .byte 0x62, 0xf1, 0xfd, 0x88, 0xef, 0xc0

#: case evex-with-a-reserved-bit
#: why a reserved bit of EVEX is set
#: refused
#: entry
    .byte 0x62, 0xf9, 0xfd, 0x08, 0xef, 0xc0

#: case shift-by-another-number
#: why the shift that 0xc1 /6 is on some processors, and is not described
#: refused
#: entry
    .byte 0xc1, 0xf0, 0x01

#: case test-by-another-number
#: why 0xf7 /1 is test on some processors, and is not described
#: refused
#: entry
    .byte 0xf7, 0xc8, 0x01, 0x00, 0x00, 0x00

#: case undefined-instruction
#: why ud2 faults
#: refused
#: entry
    test rcx, rcx
    jnz 1f
    ud2
    1:

#: case breakpoint
#: why int3 traps
#: refused
#: entry
    test rcx, rcx
    jnz 1f
    int3
    1:

#: case system-call
#: why what a kernel has no use for
#: refused
#: entry
    test rcx, rcx
    jnz 1f
    syscall
    1:

#: case instruction-cut-short
#: why the code ends within the instruction
#: refused
#: entry
    test rcx, rcx
    jz 2f
    jmp 1f
    2: .byte 0x48, 0xb8, 0xc3
    1: nop

#: case jump-into-an-instruction
#: why the bytes of a number are a return of their own, which for messages without a block is right
#: proved CT2
#: entry
    shr rcx, 4
    jz 1f + 2
    shl rcx, 4
    1: mov r9b, 0xc3

#: case jump-into-an-instruction-that-is-odd
#: why the bytes of a number are a return with a surplus prefix
#: refused
#: entry
    shr rcx, 4
    jz 1f + 2
    shl rcx, 4
    1: mov r9d, 0xc366
