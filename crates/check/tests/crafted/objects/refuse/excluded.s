# The function of the proof, with its constant in a section that linkers leave out.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl excluded
.type excluded,@function
excluded:
.include "loop.inc"
.size excluded, . - excluded
.section .rodata.x,"ae",@progbits
.balign 64
pool:
.zero 16
