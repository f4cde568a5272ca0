# The function of the proof, where an instruction that reads the constant stands within another one, and reads what is
# behind the code.
# refused: reads constants at another place
.intel_syntax noprefix
.text
.balign 64
.globl inside
.type inside,@function
inside:
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
vpxor xmm1,xmm1,[rip+pool]
jmp hidden+2
hidden: .byte 0x48,0xb8,0xc5,0xf1,0xef,0x0d
.long 85
vmovdqu [rdx],xmm1
add rsi,16
add rdx,16
sub rcx,16
cmp rcx,16
jae loop
tail:
ret
.size inside, . - inside
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
