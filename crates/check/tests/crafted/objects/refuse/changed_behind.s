# The function of the proof, with a relocation behind it for which linkers change bytes before it.
# refused: a linker may change bytes near
.intel_syntax noprefix
.text
.balign 64
.globl changed_behind
.type changed_behind,@function
changed_behind:
.include "loop.inc"
.size changed_behind, . - changed_behind
.byte 0
.reloc ., R_X86_64_REX_GOTPCRELX, elsewhere - 4
.long 0
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
