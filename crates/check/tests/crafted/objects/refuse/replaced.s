# The function of the proof, in an object with code for optimization by the linker, which then makes other code of it.
# refused: a linker may take other code
.intel_syntax noprefix
.text
.balign 64
.globl replaced
.type replaced,@function
replaced:
.include "loop.inc"
.size replaced, . - replaced
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 16
.section .gnu.lto_.decls.1,"e",@progbits
.zero 16
