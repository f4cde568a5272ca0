# The function of the proof, with a symbol for its constant whose address a function computes.
# refused: a linker chooses its constants
.intel_syntax noprefix
.text
.balign 64
.globl indirect
.type indirect,@function
indirect:
.include "loop.inc"
.size indirect, . - indirect
.section .rodata,"a",@progbits
.balign 64
.type pool,@gnu_indirect_function
pool:
.zero 16
