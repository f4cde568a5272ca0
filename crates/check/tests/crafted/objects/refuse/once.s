# The function of the proof, with its constant in a section of which linkers take one by its name.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl once
.type once,@function
once:
.include "loop.inc"
.size once, . - once
.section .gnu.linkonce.r.once,"a",@progbits
.balign 64
pool:
.zero 16
