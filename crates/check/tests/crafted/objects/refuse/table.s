# The function of the proof, with its constant in a section that linkers write a table of their own into.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl table
.type table,@function
table:
.include "loop.inc"
.size table, . - table
.section .got.plt,"a",@progbits
.balign 64
pool:
.zero 16
