# The function of the proof, and another global symbol beside it.
.intel_syntax noprefix
.text
.balign 64
.globl beside
.type beside,@function
beside:
.include "loop.inc"
.size beside, . - beside
.globl other
other:
ret
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
