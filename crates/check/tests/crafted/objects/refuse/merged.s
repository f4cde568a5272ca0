# The function of the proof, with its constant in a section whose entries linkers merge.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl merged
.type merged,@function
merged:
.include "loop.inc"
.size merged, . - merged
.section .rodata.cst16,"aM",@progbits,16
.balign 64
pool:
.zero 16
