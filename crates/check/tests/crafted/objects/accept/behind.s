# The function of the proof, with its constant behind it in its section.
.intel_syntax noprefix
.text
.balign 64
.globl behind
.type behind,@function
behind:
.include "loop.inc"
.size behind, . - behind

.balign 64,0xcc
pool:
.zero 16
