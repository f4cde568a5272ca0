# Behind the constants is a relocation for which linkers change an instruction, of which the constants are the first bytes.
# refused: a linker may change bytes near
.intel_syntax noprefix
.text
.balign 64
.globl relaxed_near
.type relaxed_near,@function
relaxed_near:
# The function of most proofs here: AES-128-ECB, one block an iteration, with a constant of zeros at `pool`.
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
vpxor xmm1,xmm1,[rip+pool+16]
vmovdqu [rdx],xmm1
add rsi,16
add rdx,16
sub rcx,16
cmp rcx,16
jae loop
tail:
ret
.size relaxed_near, . - relaxed_near
.section .rodata,"a",@progbits
.balign 64
pool:
.rept 2
.zero 13
.byte 0x48,0x8b,0x05
.endr
.reloc ., R_X86_64_REX_GOTPCRELX, relaxed_near - 4
.zero 4
