# The function of the proof, where a linker writes the distance of a jump, as if it led to constants.
# refused: a linker writes into its instruction
.intel_syntax noprefix
.text
.balign 64
.globl jump
.type jump,@function
jump:
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
vmovdqu [rdx],xmm1
add rsi,16
add rdx,16
sub rcx,16
cmp rcx,16
.byte 0x0f,0x83
.long pool + -118 - 4 - .
tail:
ret
.size jump, . - jump
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
