# The function of the proof, in a section that may be written.
# refused: in no section for code
.intel_syntax noprefix
.section .code,"awx",@progbits
.balign 64
.globl writable
.type writable,@function
writable:
.include "loop.inc"
.size writable, . - writable
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
