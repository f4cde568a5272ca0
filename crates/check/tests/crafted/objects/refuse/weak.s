# The function of the proof, with a weak symbol for its constant: another object may have one of this name.
# refused: a linker chooses its constants
.intel_syntax noprefix
.text
.balign 64
.globl weak
.type weak,@function
weak:
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
jae loop
tail:
ret
.size weak, . - weak
.section .rodata,"a",@progbits
.balign 64
.weak pool
pool:
.zero 16
