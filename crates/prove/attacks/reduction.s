# What differs from a right kernel by a little that a normal form might lose: each wrong case stands behind the right
# one that it could be taken for.

#: case slot-read-whole
#: why the length is kept on the stack, and read where it is
#: proved CT2
#: entry
    xor eax, eax
    mov [rsp - 16], rcx
    mov [rsp - 8], rax
    mov rcx, [rsp - 16]

#: case slot-read-from-its-middle
#: why eight bytes across two slots are half of the length and half of a zero
#: refused
#: entry
    xor eax, eax
    mov [rsp - 16], rcx
    mov [rsp - 8], rax
    mov rcx, [rsp - 12]

#: case part-of-a-slot-from-its-middle
#: why four bytes that begin in the middle of the length
#: refused
#: entry
    xor eax, eax
    mov [rsp - 16], rcx
    mov [rsp - 8], rax
    mov ecx, [rsp - 12]

#: case jump-into-a-constant
#: why both ways lead to the instruction that takes one from the length again
#: proved CT2
#: entry
    inc rcx
    test r8, r8
    .byte 0x74, 4
    # A move to r11; four bytes on, one to r10 that ends with it.
    .byte 0x49, 0xbb, 0, 0, 0x41, 0xba, 1, 2, 3, 4
    .byte 0x0f, 0x1f, 0x80, 1, 2, 3, 4
    dec rcx

#: case instruction-within-the-one-before
#: why what takes one from the length is the end of a padding, and is executed on one way only
#: refused
#: entry
    inc rcx
    test r8, r8
    .byte 0x74, 4
    # A move to r11; four bytes on, one to r10 that ends where `dec rcx` begins.
    .byte 0x41, 0xbb, 0, 0, 0x41, 0xba
    .byte 0x0f, 0x1f, 0x80, 1, 0x48, 0xff, 0xc9

#: case stack-pointer-lowered-and-back
#: why it goes down and comes back
#: proved CT2
#: entry
    lea rsp, [rsp - 256]
    lea rsp, [rsp + 256]

#: case stack-pointer-raised-and-back
#: why meanwhile nothing protects the return address from a signal's handler
#: refused the stack pointer leaves the kernel's own stack
#: entry
    lea rsp, [rsp + 256]
    lea rsp, [rsp - 256]

#: case aligned-stack-pointer
#: why it is aligned and comes back
#: proved CT2
#: entry
    mov r9, rsp
    and rsp, -64
    mov rsp, r9

#: case aligned-stack-pointer-raised
#: why it is counted from an aligned address, and lies above the return address
#: refused the stack pointer leaves the kernel's own stack
#: entry
    mov r9, rsp
    lea r10, [rsp]
    and r10, -64
    lea rsp, [r10 + 4096]
    mov rsp, r9

#: case aligned-and-far-below
#: why 64 KiB are the kernel's, and it goes lower in two steps
#: refused is lowered by more than
#: entry
    mov r9, rsp
    lea rsp, [rsp - 60000]
    and rsp, -64
    lea rsp, [rsp - 60000]
    mov rsp, r9

#: case two-slots-in-two-manners
#: why zeros are written as words on one way and as a vector on the other, and read at an index
#: proved CT2
#: entry
    vpxor xmm1, xmm1, xmm1
    xor r9d, r9d
    mov eax, 1
    shl eax, 3
    test r8, r8
    jz 1f
    mov [rsp - 16], r9
    mov [rsp - 8], r9
    jmp 2f
1:  vmovdqu [rsp - 16], xmm1
2:  vmovdqu xmm2, [rsp + rax - 24]
#: block
    vpxor xmm0, xmm0, xmm2

#: case two-slots-and-another-word
#: why on one of the ways it is no zero
#: refused
#: entry
    vpxor xmm1, xmm1, xmm1
    mov r9d, 5
    mov eax, 1
    shl eax, 3
    test r8, r8
    jz 1f
    mov [rsp - 16], r9
    mov [rsp - 8], r9
    jmp 2f
1:  vmovdqu [rsp - 16], xmm1
2:  vmovdqu xmm2, [rsp + rax - 24]
#: block
    vpxor xmm0, xmm0, xmm2

#: case pointer-from-the-stack
#: why a store through it meets no slot that is in use
#: proved CT2
#: entry
    lea r9, [rsp - 64]
    mov [rsp - 8], r9
    mov eax, 1
    shl eax, 3
    mov r10, [rsp + rax - 16]
    xor r11d, r11d
    mov [rsp - 56], rcx
    mov [r10], r11
    mov rcx, [rsp - 56]

#: case pointer-from-the-stack-to-a-slot
#: why the store through it overwrites the length
#: refused
#: entry
    lea r9, [rsp - 64]
    mov [rsp - 8], r9
    mov eax, 1
    shl eax, 3
    mov r10, [rsp + rax - 16]
    xor r11d, r11d
    mov [rsp - 64], rcx
    mov [r10], r11
    mov rcx, [rsp - 64]

#: case text-read-first-and-wiped
#: why eight bytes of text are read before the loop, and nothing of them stays
#: proved CT2 wiped
#: whole aes128-ecb
    shr rcx, 4
    jz 92f
    mov rax, [rsi]
    ecb_loop 91
92: vzeroall
    xor eax, eax
    test ecx, ecx
    ret

#: case text-read-first-and-left
#: why eight bytes of text stay in a register, read from where a counter mode has its IV
#: proved CT2 unwiped
#: whole aes128-ecb
    shr rcx, 4
    jz 92f
    mov rax, [rsi]
    ecb_loop 91
92: vzeroall
    test ecx, ecx
    ret

#: case length-moved-and-back
#: why all of the length is moved to a register and back
#: proved CT2
#: entry
    movzx eax, cl
    mov r9, rcx
    mov rcx, r9

#: case low-byte-for-the-whole
#: why only the lowest byte of the length comes back
#: refused
#: entry
    movzx eax, cl
    mov r9, rcx
    movzx ecx, r9b

#: case low-half-for-the-whole
#: why a move of 32 bits clears the upper half of the length
#: refused
#: entry
    movzx eax, cl
    mov r9, rcx
    mov ecx, r9d

#: case byte-of-another-register
#: why a move of 8 bits keeps what is above it of a register that the caller left
#: refused
#: entry
    movzx eax, cl
    mov r9, rcx
    mov r8b, r9b
    mov rcx, r8

#: case two-texts-before-their-stores
#: why two blocks are read before anything is stored
#: proved CT2
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm1, [rsi]
    vmovdqu xmm2, [rsi + 16]
    aes128 xmm1
    aes128 xmm2
    vmovdqu [rdx], xmm1
    vmovdqu [rdx + 16], xmm2
    two_blocks_end

#: case text-read-behind-its-store
#: why in place the second block is read at the first one's place, behind the store of the first
#: refused
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm1, [rsi]
    aes128 xmm1
    vmovdqu [rdx], xmm1
    vmovdqu xmm2, [rsi]
    aes128 xmm2
    vmovdqu [rdx + 16], xmm2
    two_blocks_end

#: case text-read-across-its-store
#: why two blocks are read behind a store of the first: in place that is no text any more
#: refused
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm1, [rsi]
    aes128 xmm1
    vmovdqu [rdx], xmm1
    vmovdqu ymm2, [rsi]
    vextracti128 xmm2, ymm2, 1
    aes128 xmm2
    vmovdqu [rdx + 16], xmm2
    two_blocks_end

#: case carry-kept
#: why `dec` keeps the carry, and here none is asked for
#: proved CT2
#: entry
    mov r9, rcx
    add r9, 1
    lea r9, [r9 - 1]
    mov rcx, r9

#: case carry-of-an-older-sum
#: why a carry of a register that the caller left is added to the length
#: refused
#: entry
    mov r9, rcx
    add r8, r8
    lea r9, [r9 + 1]
    dec r9
    adc r9, 0
    mov rcx, r9

#: case all-bytes-under-a-mask
#: why an opmask of ones moves the whole block
#: proved CT2
#: block
    vpcmpeqb xmm3, xmm3, xmm3
    vpmovb2m k1, xmm3
    vmovdqu8 xmm0{k1}{z}, xmm0

#: case half-of-the-bytes-under-a-mask
#: why the opmask has ones for eight of the sixteen bytes
#: refused
#: block
    vpcmpeqb xmm3, xmm3, xmm3
    vpsrldq xmm3, xmm3, 8
    vpmovb2m k1, xmm3
    vmovdqu8 xmm0{k1}{z}, xmm0

#: case eight-bits-of-a-mask
#: why a mask of bytes that is cut to eight elements takes half of the block
#: refused
#: block
    vpcmpeqb xmm3, xmm3, xmm3
    vpmovb2m k1, xmm3
    kmovb k1, k1
    vmovdqu8 xmm0{k1}{z}, xmm0

#: case decryption-of-encryption
#: why the rounds of another problem, with the same loads and stores
#: refused
#: whole aes128-ecb-dec
    shr rcx, 4
    jz 92f
    ecb_loop 91
92: ret
