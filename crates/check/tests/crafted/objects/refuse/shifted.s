# The function of the proof, 16 bytes behind a multiple of 64.
# refused: not at a multiple of 64
.intel_syntax noprefix
.text
.balign 64
.zero 16
.globl shifted
.type shifted,@function
shifted:
.include "loop.inc"
.size shifted, . - shifted
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
