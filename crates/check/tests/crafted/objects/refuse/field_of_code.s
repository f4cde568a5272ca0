# The function of the proof, with a relocation of an address in its code.
# refused: a linker writes into its code
.intel_syntax noprefix
.text
.balign 64
.globl field_of_code
.type field_of_code,@function
field_of_code:
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
.byte 0x48,0x81,0xe9
.reloc ., R_X86_64_32, elsewhere + 16
.long 16
cmp rcx,16
jae loop
tail:
ret
.size field_of_code, . - field_of_code
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
