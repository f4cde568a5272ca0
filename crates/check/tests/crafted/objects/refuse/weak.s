# The function of the proof, with a weak symbol for its constant: another object may have one of this name.
# refused: a linker chooses its constants
.intel_syntax noprefix
.text
.balign 64
.globl weak
.type weak,@function
weak:
.include "loop.inc"
.size weak, . - weak
.section .rodata,"a",@progbits
.balign 64
.weak pool
pool:
.zero 16
