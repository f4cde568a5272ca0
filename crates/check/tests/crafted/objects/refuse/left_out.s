# The function of the proof, with its constant in a section that linkers leave out by its name.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl left_out
.type left_out,@function
left_out:
.include "loop.inc"
.size left_out, . - left_out
.section .gnu.warning.left_out,"a",@progbits
.balign 64
pool:
.zero 16
