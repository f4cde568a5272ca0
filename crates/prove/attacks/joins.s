# Where ways meet at a loop's head, what is secret on one of them is secret on all. Loops that write no output are
# gone round as often as they go; all the ways of a turn wait at the head for each other.

#: case secret-flags-of-one-way
#: why the head branches on flags that are of a key word on one of two ways
#: refused a condition depends on
#: entry
    mov r9d, 3
    test rcx, rcx
2:  js 3f
3:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    mov rax, [rdi]
    test rax, rax
    jmp 2b
4:  test rcx, rcx
    jmp 2b
5:  xor eax, eax

#: case secret-flags-of-the-other-way
#: why the same with the ways exchanged
#: refused a condition depends on
#: entry
    mov r9d, 3
    test rcx, rcx
2:  js 3f
3:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    test rcx, rcx
    jmp 2b
4:  mov rax, [rdi]
    test rax, rax
    jmp 2b
5:  xor eax, eax

#: case public-flags-of-both-ways
#: why the same with flags of what the caller left
#: proved CT2
#: entry
    mov r9d, 3
    test rcx, rcx
2:  js 3f
3:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    test r10, r10
    jmp 2b
4:  test rcx, rcx
    jmp 2b
5:  xor eax, eax

#: case slot-written-on-one-way
#: why a key word is left on the stack on one of two ways
#: proved CT2 unwiped
#: exit
    vzeroall
    mov r9d, 2
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    jmp 2b
4:  xor eax, eax
    jmp 2b
5:  test ecx, ecx

#: case slot-written-on-the-other-way
#: why the same with the ways exchanged
#: proved CT2 unwiped
#: exit
    vzeroall
    mov r9d, 2
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    xor eax, eax
    jmp 2b
4:  mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    jmp 2b
5:  test ecx, ecx

#: case slot-written-and-cleared-on-one-way
#: why what was left is overwritten behind the loop
#: proved CT2 wiped
#: exit
    vzeroall
    mov r9d, 2
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    jmp 2b
4:  xor eax, eax
    jmp 2b
5:  mov [rsp - 8], rax
    test ecx, ecx

#: case register-of-one-way
#: why a register holds a key word on one of two ways, and decides a branch behind the loop
#: refused a condition depends on
#: entry
    mov r9d, 2
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    mov rax, [rdi]
    jmp 2b
4:  mov rax, rcx
    jmp 2b
5:  test rax, rax
    jz 6f
6:  xor eax, eax

#: case opmask-of-one-way
#: why an opmask holds the signs of a round key on one of two ways
#: proved CT2 unwiped
#: exit
    vmovdqu xmm1, [rdi]
    mov r9d, 2
    kxorq k3, k3, k3
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    vpmovb2m k3, xmm1
    jmp 2b
4:  kxorq k3, k3, k3
    jmp 2b
5:  vzeroall
    test ecx, ecx

#: case opmask-of-the-other-way
#: why the same with the ways exchanged
#: proved CT2 unwiped
#: exit
    vmovdqu xmm1, [rdi]
    mov r9d, 2
    kxorq k3, k3, k3
2:  dec r9d
    jz 5f
    test r8, r8
    jz 4f
    kxorq k3, k3, k3
    jmp 2b
4:  vpmovb2m k3, xmm1
    jmp 2b
5:  vzeroall
    test ecx, ecx

#: case slot-that-the-loop-makes-secret
#: why a slot is zero before the loop, whose body writes a round key there; the loop is left at its head
#: proved CT2 unwiped
#: whole aes128-ecb
    vpxor xmm1, xmm1, xmm1
    vmovdqu [rsp - 16], xmm1
    shr rcx, 4
91: test rcx, rcx
    jz 92f
    vmovdqu xmm1, [rdi + 16]
    vmovdqu [rsp - 16], xmm1
    vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .irp round, 1, 2, 3, 4, 5, 6, 7, 8, 9
    vaesenc xmm0, xmm0, [rdi + 16 * \round]
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jmp 91b
92: vzeroall
    test ecx, ecx
    ret
