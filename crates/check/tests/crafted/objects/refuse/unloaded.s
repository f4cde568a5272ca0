# The function of the proof, with its constant in a section that is not in memory.
# refused: in no section for them
.intel_syntax noprefix
.text
.balign 64
.globl unloaded
.type unloaded,@function
unloaded:
.include "loop.inc"
.size unloaded, . - unloaded
.section .comment2,"",@progbits
.balign 64
pool:
.zero 16
