# What the calling convention and the mode ask for at the return: registers of the caller, output, chain.

#: case saved-and-restored
#: why each register of the caller is back where it was
#: proved CT2
#: entry
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    xor ebx, ebx
    xor ebp, ebp
    xor r12d, r12d
    xor r13d, r13d
    xor r14d, r14d
    xor r15d, r15d
#: exit
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx

#: case rbx-changed
#: why rbx is the caller's
#: refused rbx
#: body
    inc rbx

#: case rbp-changed
#: why rbp is the caller's
#: refused rbp
#: exit
    mov ebp, ebp

#: case r12-changed
#: why r12 is the caller's
#: refused r12
#: exit
    mov r12, rdi

#: case r13-changed
#: why r13 is the caller's
#: refused r13
#: entry
    lea r13, [r13 + 1]

#: case r14-changed
#: why r14 is the caller's
#: refused r14
#: exit
    not r14

#: case r15-changed
#: why the lowest byte of r15 is the caller's as well
#: refused r15
#: exit
    mov r15b, 0

#: case restored-in-another-order
#: why rbx and rbp are exchanged
#: refused
#: entry
    push rbx
    push rbp
#: exit
    pop rbx
    pop rbp

#: case stack-pointer-lowered
#: why the caller finds its stack eight bytes below
#: refused
#: entry
    sub rsp, 8

#: case returns-over-the-caller
#: why the return takes the word above the return address
#: refused
#: exit
    add rsp, 8

#: case nothing-done-for-some-length
#: why messages of four blocks are not encrypted
#: refused
#: entry
    cmp rcx, 64
    je 92f

#: case last-block-left-out
#: why the last block is not encrypted
#: refused
#: entry
    sub rcx, 16

#: case blocks-of-the-first
#: why the input does not move: every block is the first
#: refused
#: block
    sub rsi, 16

#: case right-chain
#: why CBC as it is: the IV's place holds the last block of ciphertext
#: proved CT2
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm0, [rsi]
    cbc_loop
    vmovdqu [rsi], xmm0
92: ret

#: case chain-not-written
#: why the next call goes on from the IV of this one
#: refused
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm0, [rsi]
    cbc_loop
92: ret

#: case half-of-the-chain-written
#: why the upper half of the IV is that of this call
#: refused
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm0, [rsi]
    cbc_loop
    vmovq [rsi], xmm0
92: ret

#: case chain-written-for-no-block
#: why a message of no block leaves the IV as it is, and this clears it
#: refused
#: whole aes128-cbc
    vmovdqu xmm0, [rsi]
    shr r8, 4
    vpxor xmm1, xmm1, xmm1
    vmovdqu [rsi], xmm1
    jz 92f
    cbc_loop
    vmovdqu [rsi], xmm0
92: ret
