# The function of the proof, with a global symbol for its constant.
# refused: a linker chooses its constants
.intel_syntax noprefix
.text
.balign 64
.globl global
.type global,@function
global:
.include "loop.inc"
.size global, . - global
.section .rodata,"a",@progbits
.balign 64
.globl pool
pool:
.zero 16
