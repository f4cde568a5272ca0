# Flags that an instruction leaves alone, or sets otherwise than its neighbours do.

#: case template
#: why the template by itself is right
#: proved CT2 unwiped

#: case rotate-keeps-zero-flag
#: why ror changes CF and OF alone: ZF is that of the xor, and the jump is taken
#: refused
#: entry
    xor r9d, r9d
    mov eax, 2
    ror eax, 1
    jz 1f
    jmp 2f
1:  ret
2:

#: case rotate-does-not-say-zero
#: why ZF is that of the xor, so that the jump is always taken and nothing of the rotation matters
#: proved CT2
#: entry
    xor r9d, r9d
    ror eax, 1
    jz 1f
    ret
1:

#: case secret-sign-behind-a-rotation
#: why SF is that of a word of the key: the rotation of a public register leaves it
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    test rax, rax
    ror r9, 1
    js 1f
1:

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

#: case decrement-overflows-and-is-not-less
#: why the same flags asked for the other way: jge is not taken, and the return is never reached
#: proved CT2
#: entry
    mov eax, 0x80000000
    dec eax
    jge 1f
    jmp 2f
1:  ret
2:

#: case increment-overflows
#: why 0x7fffffff + 1 is negative and overflowed, so it is greater than zero
#: refused
#: entry
    mov eax, 0x7fffffff
    inc eax
    jg 1f
    jmp 2f
1:  ret
2:

#: case sum-overflows
#: why the sign of the sum is that of the result, and OF says that it is not the sum's
#: refused
#: entry
    mov rax, 0x7fffffffffffffff
    add rax, rax
    jge 1f
    jmp 2f
1:  ret
2:

#: case increment-keeps-carry
#: why inc leaves the carry of the comparison, which was below: jae is not taken
#: refused
#: entry
    mov eax, 1
    cmp eax, 2
    mov eax, 0xffffffff
    inc eax
    jb 1f
    jmp 2f
1:  ret
2:

#: case test-has-no-carry-behind-an-increment
#: why inc leaves the carry clear that test made: jb is never taken
#: proved CT2
#: entry
    test eax, eax
    mov eax, 0xffffffff
    inc eax
    jae 1f
    ret
1:

#: case secret-carry-behind-an-increment
#: why inc leaves the carry, which is of a byte of the key
#: refused a condition depends on
#: entry
    mov al, [rdi]
    add al, 0x80
    inc r9d
    jb 1f
1:

#: case secret-carry-behind-a-decrement
#: why dec leaves the carry of a comparison with the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    cmp rax, r9
    dec r10
    jae 1f
1:

#: case secret-zero-of-an-increment-with-unknown-carry
#: why jbe reads ZF beside a carry that is only unknown
#: refused a condition depends on
#: entry
    movzx eax, byte ptr [rdi]
    inc eax
    jbe 1f
1:

#: case secret-above-of-a-decrement
#: why ja reads the ZF of a secret beside a carry of what the caller left
#: refused a condition depends on
#: body
    movzx eax, byte ptr [rsi]
    cmp r9, r10
    dec al
    ja 1f
1:

#: case public-carry-behind-a-secret-decrement
#: why dec leaves the public carry, and jae reads nothing else
#: proved CT2
#: entry
    movzx eax, byte ptr [rdi]
    cmp r9, r10
    dec eax
    jae 1f
1:

#: case secret-sign-of-a-decrement
#: why dec sets SF and OF of a secret
#: refused a condition depends on
#: entry
    movzx eax, byte ptr [rdi]
    xor r9d, r9d
    dec al
    jl 1f
1:

#: case secret-carry-of-a-rotation
#: why the carry is the bit of the key that came round
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    ror rax, 1
    jc 1f
1:

#: case secret-carry-of-a-rotation-chosen
#: why cmovc reads the carry that the rotation of a key word made
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    ror rax, 7
    cmovc r9, r10

#: case rotation-of-a-secret-leaves-a-public-zero
#: why ZF is that of the xor, whatever was rotated since
#: proved CT2
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    ror rax, 1
    jz 1f
    ret
1:

#: case rotation-by-nothing
#: why a count of 32 is one of 0, and changes no flag: the carry is that of the comparison
#: refused
#: entry
    mov eax, 1
    cmp eax, 2
    mov eax, 0x40000000
    .byte 0xc1, 0xc8, 0x20
    jb 1f
    jmp 2f
1:  ret
2:

#: case shift-by-nothing
#: why a count of 0 changes no flag: ZF is that of the xor
#: refused
#: entry
    xor r9d, r9d
    mov eax, 2
    .byte 0xc1, 0xe0, 0x00
    jz 1f
    jmp 2f
1:  ret
2:

#: case shift-by-nothing-keeps-a-secret
#: why a count of 32 changes no flag: SF is that of the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    test rax, rax
    mov eax, 1
    .byte 0xc1, 0xe8, 0x20
    js 1f
1:

#: case shift-by-nothing-keeps-zero
#: why a count of 64 is one of 0, so that ZF is that of the xor
#: proved CT2
#: entry
    xor r9d, r9d
    mov eax, 2
    .byte 0x48, 0xc1, 0xe0, 0x40
    jz 1f
    ret
1:

#: case carry-of-a-shift-beyond-a-byte
#: why the carry of a shift of a byte by more than 8 is undefined: processors differ
#: refused a condition depends on
#: entry
    mov al, 1
    .byte 0xc0, 0xe0, 0x09
    jc 1f
1:

#: case overflow-of-a-shift-by-two
#: why OF is undefined for counts above 1
#: refused a condition depends on
#: entry
    mov eax, 1
    shl eax, 2
    jl 1f
1:

#: case sign-of-a-shift-by-two
#: why SF is defined whatever the count: 4 is not negative
#: proved CT2
#: entry
    mov eax, 1
    shl eax, 2
    jns 1f
    ret
1:

#: case overflow-of-a-rotation-by-two
#: why OF is undefined for counts above 1, though the sign is that of the xor
#: refused a condition depends on
#: entry
    xor eax, eax
    ror r9d, 2
    jle 1f
1:

#: case complement-keeps-flags
#: why not changes no flag: SF is that of the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    test rax, rax
    not r9
    js 1f
1:

#: case byte-swap-keeps-flags
#: why bswap changes no flag: ZF is that of the xor
#: proved CT2
#: entry
    xor r9d, r9d
    bswap rax
    jz 1f
    ret
1:

#: case secret-set-byte
#: why the flag of a secret is written to memory and then to a branch
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    test rax, rax
    sets r9b

#: case negation-has-a-carry
#: why neg sets the carry unless the operand is 0
#: refused
#: entry
    mov eax, 1
    neg eax
    jc 1f
    jmp 2f
1:  ret
2:

#: case secret-negation
#: why the carry of neg says whether the key's byte is 0
#: refused a condition depends on
#: entry
    movzx eax, byte ptr [rdi]
    neg eax
    sbb r9, r9
    test r9, r9
    jz 1f
1:

#: case secret-carry-added
#: why the carry of a secret is in the sum, which then decides
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    add rax, rax
    mov r9d, 0
    adc r9, 0
    jz 1f
1:

#: case parity-of-a-secret
#: why PF is of the low byte of the key
#: refused
#: entry
    mov rax, [rdi]
    test rax, rax
    jp 1f
1:

#: case flags-of-a-three-operand-rotation
#: why rorx changes no flag: SF is that of the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    test rax, rax
    rorx r9, r9, 3
    js 1f
1:

#: case flags-of-bzhi
#: why bzhi says in the carry that the index is beyond the word, and in SF the sign
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov r9d, 70
    bzhi rax, rax, r9
    js 1f
1:
