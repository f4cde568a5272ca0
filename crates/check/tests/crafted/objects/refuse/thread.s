# The function of the proof, with its constant in a section of which each thread has a copy.
# refused: a linker chooses its constants
.intel_syntax noprefix
.text
.balign 64
.globl thread
.type thread,@function
thread:
.include "loop.inc"
.size thread, . - thread
.section .tconst,"aT",@progbits
.balign 64
pool:
.zero 16
