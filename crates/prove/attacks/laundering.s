# Secrets that are called public: where parts of values are put together, the more secret side counts.

#: case part-of-a-secret-slot-and-the-return-address
#: why four bytes of a key word and four of the return address, and a branch on them
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 8], rax
    mov r9, [rsp - 4]
    test r9, r9
    jz 1f
1:

#: case return-address-and-no-secret
#: why four bytes of a number and four of the return address decide a branch that changes nothing
#: proved CT2
#: entry
    mov qword ptr [rsp - 8], 5
    mov r9, [rsp - 4]
    test r9, r9
    jz 1f
1:

#: case two-bytes-of-a-secret-slot-and-the-return-address
#: why the same with two bytes of each
#: refused a condition depends on
#: entry
    mov rax, [rdi + 24]
    mov [rsp - 8], rax
    mov r9d, [rsp - 2]
    test r9d, r9d
    js 1f
1:

#: case unknown-slot-before-a-secret-one
#: why a load over a slot of which nothing is known but that it is public, and then one of the key
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 8], rax
    mov [rsp - 16], rbx
    mov r9, [rsp - 12]
    test r9, r9
    jz 1f
1:

#: case secret-slot-before-an-unknown-one
#: why the same the other way round
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 16], rax
    mov [rsp - 8], rbx
    mov r9, [rsp - 12]
    test r9, r9
    jz 1f
1:

#: case unknown-slots-beside-each-other
#: why both are what the caller had in registers: public
#: proved CT2
#: entry
    mov [rsp - 16], rbp
    mov [rsp - 8], rbx
    mov r9, [rsp - 12]
    test r9, r9
    jz 1f
1:

#: case last-byte-of-a-secret-slot
#: why seven bytes of a public slot, and one of the key before them
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 16], rax
    mov [rsp - 8], rbx
    mov r9, [rsp - 9]
    test r9, r9
    jz 1f
1:

#: case first-byte-of-a-secret-slot
#: why seven bytes of a public slot, and one of the key behind them
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 8], rax
    mov [rsp - 16], rbx
    mov r9, [rsp - 15]
    test r9, r9
    jz 1f
1:

#: case vector-over-a-secret-and-a-public-slot
#: why a vector of both, of which a quadword goes back to a register
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 8], rax
    mov [rsp - 16], rbx
    vmovdqu xmm1, [rsp - 16]
    vpextrq rax, xmm1, 1
    test rax, rax
    jz 1f
1:

#: case vector-over-public-slots
#: why the same of two words of the caller's
#: proved CT2
#: entry
    mov [rsp - 8], rbp
    mov [rsp - 16], rbx
    vmovdqu xmm1, [rsp - 16]
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:

#: case vector-unaligned-over-a-secret-and-a-public-slot
#: why a vector that begins inside of a slot
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 24], rbx
    mov [rsp - 16], rbp
    mov [rsp - 8], rax
    vmovdqu xmm1, [rsp - 20]
    vpextrq rax, xmm1, 1
    test rax, rax
    jz 1f
1:

#: case key-word-plus-a-number-of-the-caller
#: why the sum is unknown and secret
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    add rax, rbx
    test rax, rax
    jz 1f
1:

#: case key-word-plus-a-scaled-counter-byte
#: why the sum of a key word and 16 times the counter's last byte decides a branch
#: refused
#: whole aes128-ctr
    mov rax, [rsi + 8]
    bswap rax
    movzx eax, al
    mov r10, [rdi]
    shl rax, 4
    lea r9, [r10 + rax]
    test r9, r9
    jz 1f
1:  ret

#: case key-word-plus-a-scaled-counter-byte-in-an-address
#: why the same in an address
#: refused
#: whole aes128-ctr
    mov rax, [rsi + 8]
    bswap rax
    movzx eax, al
    mov r10, [rdi]
    lea r9, [r10 + 8*rax]
    mov r9, [r9]
    ret

#: case counter-bytes-overflow-a-factor-with-a-key-word
#: why a factor of the counter's byte that has no form, beside a key word
#: refused a condition depends on
#: whole aes128-ctr
    mov rax, [rsi + 8]
    bswap rax
    movzx eax, al
    shl rax, 7
    mov r10, [rdi]
    lea r9, [r10 + 8*rax]
    test r9, r9
    jz 1f
1:  ret

#: case key-word-under-two-counter-bytes
#: why two counter bytes and then a key word: the first two may not make the third public
#: refused a condition depends on
#: whole aes128-ctr
    mov rax, [rsi + 8]
    bswap rax
    movzx eax, al
    lea r11, [rax + 8*rax]
    mov r10, [rdi]
    lea r9, [r10 + r11]
    test r9, r9
    jz 1f
1:  ret

#: case part-of-a-slot-over-the-return-address
#: why a vector load over the red zone's last bytes and the return address, and no more
#: proved CT2
#: entry
    vpxor xmm1, xmm1, xmm1
    vmovdqu [rsp - 16], xmm1
    vmovdqu xmm1, [rsp - 8]
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:

#: case secret-beside-the-return-address-in-a-vector
#: why the lower half is a key word, and is known to be
#: refused a condition depends on
#: entry
    mov rax, [rdi]
    mov [rsp - 8], rax
    vmovdqu xmm1, [rsp - 8]
    vmovq rax, xmm1
    test rax, rax
    jz 1f
1:
