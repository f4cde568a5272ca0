# The function of the proof and its constant, in sections with longer names; an address before the constant is written.
.intel_syntax noprefix
.section .text.named,"ax",@progbits
.balign 64
.globl named
.type named,@function
named:
.include "loop.inc"
.size named, . - named
.section .rodata.named,"a",@progbits
.balign 64
.zero 56
.quad named
pool:
.zero 16
.long 0
