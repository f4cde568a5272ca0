# The function of the proof, in a section of which linkers take one by its name.
# refused: in no section for code
.intel_syntax noprefix
.section .gnu.linkonce.t.code_once,"ax",@progbits
.balign 64
.globl code_once
.type code_once,@function
code_once:
.include "loop.inc"
.size code_once, . - code_once
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
