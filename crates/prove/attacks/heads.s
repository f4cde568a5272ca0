# Loops whose heads are weakened: what is secret after a turn is secret at the head.

#: case weakened-at-the-head
#: why a register is zero at first and holds a key word after the first turn
#: refused a condition depends on
#: entry
    xor r9d, r9d
#: body
    test r9, r9
    jz 1f
1:  mov r9, [rdi]

#: case weakened-at-the-head-to-a-public-number
#: why the same with what the caller had
#: proved CT2
#: entry
    xor r9d, r9d
#: body
    test r9, r9
    jz 1f
1:  mov r9, rbx

#: case slot-weakened-at-the-head
#: why the same in a slot of the stack
#: refused a condition depends on
#: entry
    xor r9d, r9d
    mov [rsp - 8], r9
#: body
    mov r9, [rsp - 8]
    test r9, r9
    jz 1f
1:  mov r9, [rdi]
    mov [rsp - 8], r9

#: case part-of-a-slot-weakened-at-the-head
#: why a byte of the key in the midst of a slot of the stack
#: refused a condition depends on
#: entry
    xor r9d, r9d
    mov [rsp - 8], r9
#: body
    mov r9, [rsp - 8]
    test r9, r9
    jz 1f
1:  movzx r9d, byte ptr [rdi]
    mov [rsp - 5], r9b

#: case flags-from-the-turn-before
#: why the flags at the loop's head are those of a key word after the first turn
#: refused a condition depends on
#: whole aes128-ecb
    shr rcx, 4
    jz 92f
    xor r9d, r9d
91: jz 1f
1:  vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jz 92f
    mov rax, [rdi]
    test rax, rax
    jmp 91b
92: ret

#: case public-flags-from-the-turn-before
#: why the same with what the caller had
#: proved CT2
#: whole aes128-ecb
    shr rcx, 4
    jz 92f
    xor r9d, r9d
91: jz 1f
1:  vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jz 92f
    test rbx, rbx
    jmp 91b
92: ret

#: case text-read-back-from-the-stack
#: why a block of the message, spilled as a vector and read back by bytes across two slots
#: refused a condition depends on
#: body
    vmovdqu xmm1, [rsi]
    vmovdqu [rsp - 16], xmm1
    movzx eax, word ptr [rsp - 9]
    test eax, eax
    jz 1f
1:

#: case block-before-decides
#: why the block before is the IV at first, and then what key and message made
#: refused a condition depends on
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm1, [rsi]
    cbc_loop xmm1, "vmovq rax, xmm1; test rax, rax; jz 1f; 1:"
    vmovdqu [rsi], xmm1
92: ret

#: case block-before-is-chained
#: why the same, and nothing but the next block depends on it
#: proved CT2
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm1, [rsi]
    cbc_loop xmm1
    vmovdqu [rsi], xmm1
92: ret

#: case block-before-in-an-address
#: why the block before decides where a constant is read
#: refused
#: whole aes128-cbc
    shr r8, 4
    jz 92f
    vmovdqu xmm1, [rsi]
    cbc_loop xmm1, "vmovq rax, xmm1; and eax, 15; movzx eax, byte ptr [rdi + rax]"
    vmovdqu [rsi], xmm1
92: ret
