# The function of the proof, with its constant behind it in its section, where a linker writes an address.
# refused: a linker writes into its constants
.intel_syntax noprefix
.text
.balign 64
.globl written_behind
.type written_behind,@function
written_behind:
.include "loop.inc"
.size written_behind, . - written_behind

.balign 64,0xcc
pool:
.long elsewhere
.zero 12
