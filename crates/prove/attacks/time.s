# Time: a proof ends soon, whatever the bytes. What shares its parts is not walked part by part, and what
# has more ways than anybody needs is given up.

#: case rounds-of-rounds-that-nothing-needs
#: why 120 rounds, each of the two before it: there are 2^120 ways through them, and they are cleared again
#: proved CT2 wiped
#: block
    vmovdqu xmm1, [rdi]
    vmovdqu xmm2, [rdi + 16]
    .rept 60
    vaesenc xmm1, xmm2, xmm1
    vaesenc xmm2, xmm1, xmm2
    .endr
#: exit
    vzeroall
    test ecx, ecx

#: case rounds-of-rounds-in-the-output
#: why the same in the output
#: refused output block 0 is
#: block
    vmovdqu xmm1, [rdi]
    vmovdqu xmm2, [rdi + 16]
    .rept 60
    vaesenc xmm1, xmm2, xmm1
    vaesenc xmm2, xmm1, xmm2
    .endr
    vpxor xmm0, xmm0, xmm1

#: case inverses-of-sums-of-inverses
#: why 50 times the sum of two inverses of the same bytes, which is then in the output
#: refused
#: entry
    lea rax, [rip + 3f]
#: block
    vmovdqu xmm3, [rax]
    vmovdqu xmm1, [rsi]
    .rept 50
    vpshufd xmm2, xmm1, 0x39
    vgf2p8affineinvqb xmm1, xmm1, xmm3, 0x63
    vgf2p8affineinvqb xmm2, xmm2, xmm3, 0x63
    vpxor xmm1, xmm1, xmm2
    .endr
    vpxor xmm0, xmm0, xmm1
#: constants
3:  .quad 0x8040201008040201, 0x8040201008040201

#: case inverses-of-sums-that-nothing-needs
#: why the same, cleared again, kept over the turns of the loop
#: proved CT2 wiped
#: entry
    lea rax, [rip + 3f]
#: body
    vmovdqu xmm3, [rax]
    vmovdqu xmm1, [rdi]
    .rept 50
    vpshufd xmm2, xmm1, 0x39
    vgf2p8affineinvqb xmm1, xmm1, xmm3, 0x63
    vgf2p8affineinvqb xmm2, xmm2, xmm3, 0x63
    vpxor xmm1, xmm1, xmm2
    .endr
    vmovq r9, xmm1
    vmovdqu [rsp - 16], xmm1
#: exit
    vzeroall
    vmovdqu [rsp - 16], xmm1
    xor r9d, r9d
#: constants
3:  .quad 0x8040201008040201, 0x8040201008040201

#: case ways-that-part-and-do-not-meet
#: why 40 conditions of which nothing is known: 2^40 ways
#: refused the proof was given up after
#: entry
    .rept 40
    test rbx, rbx
    jz 1f
    lea rax, [rax + 1]
1:
    .endr

#: case few-ways-that-part
#: why eight such conditions
#: proved CT2
#: entry
    .rept 8
    test rbx, rbx
    jz 1f
    lea rax, [rax + 1]
1:
    .endr

#: case a-loop-that-goes-nowhere
#: why a billion turns that write nothing
#: refused a loop that writes no output
#: entry
    mov eax, 1000000000
1:  dec eax
    jnz 1b

#: case loops-within-loops-that-go-nowhere
#: why sixteen million turns of two loops
#: refused the proof was given up after
#: entry
    mov eax, 4000
1:  mov r9d, 4000
2:  dec r9d
    jnz 2b
    dec eax
    jnz 1b

#: case a-loop-that-goes-a-little-way
#: why a thousand turns that write nothing
#: proved CT2
#: entry
    mov eax, 1000
1:  dec eax
    jnz 1b

#: case never-ends
#: why a jump to itself
#: refused
#: entry
1:  jmp 1b

#: case deep-look-ups
#: why 3000 inverses of inverses of one byte: deeper than is followed, and secret still
#: refused
#: entry
    lea rax, [rip + 3f]
    vmovdqu xmm3, [rax]
    vmovdqu xmm1, [rdi]
    .rept 3000
    vpshufb xmm1, xmm1, xmm3
    vgf2p8affineinvqb xmm1, xmm1, xmm3, 0x1f
    .endr
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:
#: constants
3:  .quad 0x8040201008040201, 0x8040201008040201

#: case byte-functions-that-nothing-needs
#: why 100 times two more functions of each byte, each of which is tried for an S-box
#: proved CT2
#: block
    byte_functions 100

#: case shift-of-a-length-by-sixteen
#: why a length's upper bits, for which there may be no form
#: proved CT2
#: entry
    mov rax, rcx
    shr rax, 16
    shr rax, 16
    shr rax, 16
    shr rax, 16

#: case shifts-of-a-length-by-much
#: why shifts, multiples and sums at the ends of what numbers hold
#: proved CT2
#: entry
    mov rax, rcx
    shl rax, 31
    shr rax, 31
    shr rax, 30
    shl rax, 62
    neg rax
    mov r9, 0x7fffffffffffffff
    add rax, r9
    lea rax, [rax + 8*rax]
    lea rax, [rax + 8*rax + 0x7fffffff]
    shr rax, 63
    mov rax, rcx
    and rax, -65536
    lea rax, [rax + 8*rax]
    shr rax, 16
    mov rax, rcx
    and rax, 0x7fffffff
    mov rax, rcx
    shl rax, 63
    mov eax, ecx
    shl eax, 31
    shr eax, 31

#: case length-decides-by-its-upper-bits
#: why a branch on the length shifted by 16: no output beyond a mebibyte
#: refused
#: entry
    mov rax, rcx
    shr rax, 20
    jz 1f
    ret
1:
