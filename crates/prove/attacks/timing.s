# The class of timing: CT2 is for instructions on Intel's list; what is on no list and handles a secret makes CT1.

#: case permutation-by-a-secret
#: why VPERMB is on no list, and its order is the key's
#: proved CT1
#: entry
    vmovdqu xmm3, [rdi]
    vpermb xmm4, xmm3, xmm5

#: case permutation-of-a-secret
#: why VPERMB is on no list, and moves the key's bytes
#: proved CT1
#: entry
    vmovdqu xmm3, [rdi]
    vpxor xmm4, xmm4, xmm4
    vpermb xmm4, xmm4, xmm3

#: case permutation-of-two-by-a-secret
#: why VPERMI2B is on no list
#: proved CT1
#: entry
    vmovdqu xmm3, [rdi]
    vpermi2b xmm3, xmm4, xmm5

#: case permutation-of-two-with-a-secret-order-that-is-overwritten
#: why both tables are zeros: the result is public, and the order that is overwritten was the key's
#: proved CT1
#: entry
    vmovdqu xmm3, [rdi]
    vpxor xmm4, xmm4, xmm4
    vpermi2b xmm3, xmm4, xmm4

#: case permutation-of-a-table-by-a-secret
#: why VPERMT2B is on no list
#: proved CT1
#: entry
    vmovdqu xmm3, [rdi]
    vpermt2b xmm4, xmm3, xmm5

#: case permutation-of-public-bytes
#: why none of what it handles is secret
#: proved CT2
#: entry
    vpxor xmm3, xmm3, xmm3
    vpxor xmm4, xmm4, xmm4
    vpermb xmm5, xmm4, xmm3

#: case shuffle-by-a-secret
#: why VPSHUFB is on the list, whatever its order is
#: proved CT2
#: entry
    vmovdqu xmm3, [rdi]
    vpshufb xmm4, xmm3, xmm3

#: case zeroed-bits-of-a-secret
#: why BZHI is on no list
#: proved CT1
#: entry
    mov rax, [rdi]
    mov r9d, 5
    bzhi rax, rax, r9

#: case zeroed-bits-of-a-number
#: why nothing of it is secret
#: proved CT2
#: entry
    mov eax, -1
    mov r9d, 5
    bzhi rax, rax, r9

#: case swapped-load-of-a-secret
#: why MOVBE is on no list
#: proved CT1
#: entry
    movbe rax, [rdi]

#: case byte-swapped-secret
#: why BSWAP is on the list since 2026
#: proved CT2
#: entry
    mov rax, [rdi]
    bswap rax

#: case rotated-secret
#: why ROR and RORX are on the list since 2026
#: proved CT2
#: entry
    mov rax, [rdi]
    ror rax, 7
    rorx r9, rax, 3

#: case pushed-secret
#: why PUSH and POP are on the list
#: proved CT2
#: entry
    mov rax, [rdi]
    push rax
    pop r9

#: case shifted-secret
#: why SHL and SHR by a constant are on the list
#: proved CT2
#: entry
    mov rax, [rdi]
    shl rax, 7
    shr rax, 9

#: case shift-by-a-secret
#: why a count in a register has no row, and a secret one would be none of what the list promises
#: refused
#: entry
    mov rcx, [rdi]
    shl rax, cl

#: case division
#: why div has no row: its time depends on its data
#: refused
#: entry
    xor edx, edx
    mov eax, 7
    mov r9d, 3
    div r9d

#: case multiplication
#: why mul has no row
#: refused
#: entry
    mov rax, [rdi]
    imul rax, rax

#: case count-of-bits
#: why popcnt has no row and is on no list
#: refused
#: entry
    popcnt rax, [rdi]

#: case matrices-and-logic-of-a-secret
#: why GFNI's and VPTERNLOG are on the list
#: proved CT2
#: entry
    vmovdqu xmm3, [rdi]
    vgf2p8affineqb xmm4, xmm3, xmm3, 0x63
    vgf2p8mulb xmm4, xmm4, xmm3
    vpternlogq xmm4, xmm3, xmm3, 0xca
