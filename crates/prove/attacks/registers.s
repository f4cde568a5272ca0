# Parts of registers, flags and masks: where public and secret are put together, the result is secret.

#: case second-byte-of-a-secret
#: why ah of a key word
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    movzx eax, ah
    test eax, eax
    jz 1f
1:

#: case low-byte-over-a-secret
#: why al is public now, and what is above it is not
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov al, bl
    test rax, rax
    jz 1f
1:

#: case low-byte-of-a-public
#: why the low byte of what the caller had is put into another public word
#: proved CT2
#: entry
    mov rax, r12
    mov al, bl
    test rax, rax
    jz 1f
1:

#: case low-byte-cleared-before
#: why the register is zero when the secret's byte is put into it: that is secret still
#: refused a condition depends on
#: entry
    xor eax, eax
    mov al, byte ptr [rdi]
    test rax, rax
    jz 1f
1:

#: case swapped-secret
#: why bswap of a key word
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    bswap rax
    test eax, eax
    jz 1f
1:

#: case low-half-of-a-secret
#: why a move of 32 bits clears the public half only
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov eax, eax
    test eax, eax
    jz 1f
1:

#: case secret-shifted-by-a-half
#: why the upper half of a key word
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    shr rax, 32
    jz 1f
1:

#: case secret-masked-to-a-bit
#: why one bit of a key word
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    and eax, 1
    jz 1f
1:

#: case secret-masked-to-nothing
#: why no bit of the key is left: zero is public
#: proved CT2
#: entry
    mov rax, [rdi]
    and eax, 0
    jz 1f
1:

#: case secret-cancelled
#: why a word of the key xored with itself is zero
#: proved CT2
#: entry
    mov rax, [rdi]
    xor rax, [rdi]
    jz 1f
1:

#: case carry-of-secrets
#: why adc takes the carry of a sum with a key word
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    add rax, [rdi + 8]
    mov r9d, 0
    adc r9, 0
    test r9, r9
    jz 1f
1:

#: case carry-through-a-chain
#: why a carry goes through a sum of public numbers
#: refused
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    xor r10d, r10d
    add rax, -1
    adc r9, -1
    adc r10, 0
    test r10, r10
    jz 1f
1:

#: case borrow-of-secrets
#: why sbb of a register with itself is the borrow
#: refused
#: entry
    mov rax, [rdi]
    sub rax, [rdi + 8]
    sbb r9, r9
    test r9, r9
    jz 1f
1:

#: case set-by-a-secret
#: why setc holds what the comparison of key words says
#: refused
#: entry
    mov rax, [rdi]
    cmp rax, [rdi + 8]
    setb al
    ret

#: case moved-by-a-secret
#: why a conditional move between public numbers by a condition on the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    mov r10d, 1
    test rax, rax
    cmovz r9, r10

#: case secret-moved-by-a-public
#: why a conditional move between a key word and a number is secret
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    xor r9d, r9d
    test rbx, rbx
    cmovz r9, rax
    test r9, r9
    jz 1f
1:

#: case public-moved-by-a-public
#: why the same of what the caller had
#: proved CT2
#: entry
    xor r9d, r9d
    test rbx, rbx
    cmovz r9, r12
    test r9, r9
    jz 1f
1:

#: case blended-by-a-public-mask
#: why a vector of which half is a round key under a mask that the caller had
#: refused a condition depends on
#: entry
    kmovq k1, rbx
    vpxord zmm1, zmm1, zmm1
    vmovdqu8 zmm2, [rdi]
    vmovdqu8 zmm1{k1}, zmm2
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:

#: case mask-of-secret-signs
#: why the signs of a round key as a mask, and back in a register
#: refused
#: entry
    vmovdqu8 zmm2, [rdi]
    vpmovb2m k1, zmm2
    kmovq rax, k1
    test rax, rax
    jz 1f
1:

#: case lane-inserted
#: why the upper half of a register is the key's, and one of its words decides
#: refused a condition depends on
#: entry
    vpxor xmm1, xmm1, xmm1
    vinserti128 ymm1, ymm1, [rdi], 1
    vextracti128 xmm2, ymm1, 1
    vmovq rax, xmm2
    test rax, rax
    jz 1f
1:

#: case lane-beside-an-inserted-one
#: why the lower half is zero still
#: proved CT2
#: entry
    vpxor xmm1, xmm1, xmm1
    vinserti128 ymm1, ymm1, [rdi], 1
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:

#: case word-inserted
#: why four bytes of the key stand between zeros
#: refused a condition depends on
#: entry
    vpxor xmm1, xmm1, xmm1
    vpinsrd xmm1, xmm1, [rdi], 3
    vpextrq rax, xmm1, 1
    test rax, rax
    jz 1f
1:

#: case word-beside-an-inserted-one
#: why the other half is zero
#: proved CT2
#: entry
    vpxor xmm1, xmm1, xmm1
    vpinsrd xmm1, xmm1, [rdi], 3
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:

#: case unknown-merged-with-a-secret-quadword
#: why a quadword of what the caller had beside one of the key
#: refused a condition depends on
#: entry
    vmovq xmm1, rbx
    vmovq xmm2, [rdi]
    vpunpcklqdq xmm1, xmm1, xmm2
    vpextrq rax, xmm1, 0
    vpextrq rax, xmm1, 1
    test rax, rax
    jz 1f
1:

#: case secret-in-a-shift
#: why a shift count that is a key byte
#: refused
#: entry
    mov rcx, [rdi]
    shl r9, cl
    ret
