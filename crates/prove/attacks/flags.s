# Flags that an instruction leaves alone, or sets otherwise than its neighbours do.

#: case template
#: why the template by itself is right
#: proved CT2 unwiped

#: case decrement-overflows
#: why dec sets OF at the end of the range: 0x80000000 - 1 is positive and overflowed, so it is less
#: refused
#: entry
    mov eax, 0x80000000
    dec eax
    jl 1f
    jmp 2f
1:  ret
2:

#: case secret-zero-of-an-increment
#: why jbe reads ZF, which the increment of a secret byte sets
#: refused a condition depends on
#: entry
    movzx eax, byte ptr [rdi]
    xor r9d, r9d
    inc eax
    jbe 1f
1:
