# The function of the proof, and behind it one that calls another.
.intel_syntax noprefix
.text
.balign 64
.globl followed
.type followed,@function
followed:
.include "loop.inc"
.size followed, . - followed
.balign 64,0xcc
next:
call elsewhere
ret
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
