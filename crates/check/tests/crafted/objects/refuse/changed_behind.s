# The function of the proof, with a relocation behind it for which linkers change bytes before it.
# refused: a linker may change its instructions
.intel_syntax noprefix
.text
.balign 64
.globl changed_behind
.type changed_behind,@function
changed_behind:
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
.size changed_behind, . - changed_behind
.byte 0
.reloc ., R_X86_64_REX_GOTPCRELX, elsewhere - 4
.long 0
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
