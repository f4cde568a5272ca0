# The function of the proof, without the last byte of its last jump, which is the byte of padding; there is another
# one.
# refused: its code ends at another place
.intel_syntax noprefix
.text
.balign 64
.globl cut
.type cut,@function
cut:
endbr64
cmp rcx,16
jb tail
loop:
vmovdqu xmm1,[rsi]
vpxor xmm1,xmm1,[rdi]
vaesenc xmm1,xmm1,[rdi+16]
vaesenc xmm1,xmm1,[rdi+32]
vaesenc xmm1,xmm1,[rdi+48]
vaesenc xmm1,xmm1,[rdi+64]
vaesenc xmm1,xmm1,[rdi+80]
vaesenc xmm1,xmm1,[rdi+96]
vaesenc xmm1,xmm1,[rdi+112]
vaesenc xmm1,xmm1,[rdi+128]
vaesenc xmm1,xmm1,[rdi+144]
vaesenclast xmm1,xmm1,[rdi+160]
vmovdqu [rdx],xmm1
add rsi,16
add rdx,16
sub rcx,16
cmp rcx,16
jae last
tail:
ret
back: .byte 0xe9
.long loop - . - 4
.fill 45,1,0x90
last: .byte 0xeb
.size cut, . - cut
.byte 0x00
ret
.balign 64
