# The function of the proof, with its constant in a section that linkers may take from another object.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl group
.type group,@function
group:
.include "loop.inc"
.size group, . - group
.section .rodata.g,"aG",@progbits,group,comdat
.balign 64
pool:
.zero 16
