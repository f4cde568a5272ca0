# The function of the proof, with its constant in an expression of a description of frames, behind a second copy of a head that linkers leave out.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl unwinding
.type unwinding,@function
unwinding:
.include "loop.inc"
.size unwinding, . - unwinding
.section .eh_frame,"a",@progbits
.balign 64
cie1: .long 20
.long 0
.byte 1
.asciz "zR"
.byte 1,0x78,16,1,0x1b,0xc,7,8,0x90,1
.balign 8,0
fde1: .long 20
.long . - cie1
.long unwinding - .
.long 16
.byte 0
.balign 8,0
cie2: .long 20
.long 0
.byte 1
.asciz "zR"
.byte 1,0x78,16,1,0x1b,0xc,7,8,0x90,1
.balign 8,0
# A description of four bytes of code, and an expression of 48 bytes in it.
fde2: .long fde2_end - fde2 - 4
.long . - cie2
.long unwinding + 16 - .
.long 4
.byte 0
.byte 0x16, 3
.uleb128 2f - 1f
1:
.balign 64,1
pool: .zero 16
.fill 48,1,1
2:
.balign 8,0
fde2_end:
.long 0
