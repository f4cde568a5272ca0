# The function of the proof, and a linker writes an address into the last bytes of its constant.
# refused: a linker writes into its constants
.intel_syntax noprefix
.text
.balign 64
.globl near_address
.type near_address,@function
near_address:
.include "loop.inc"
.size near_address, . - near_address
.section .rodata,"a",@progbits
.balign 64
pool:
.zero 8
.quad near_address
