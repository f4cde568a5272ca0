# The function of the proof, with its constant in a section for constants.
.intel_syntax noprefix
.text
.balign 64
.globl apart
.type apart,@function
apart:
.include "loop.inc"
.size apart, . - apart
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
