# Where ways meet at a loop's head, what is secret on one of them is secret on all. Loops that write no output are
# repeated as often as they go; all the ways of a turn wait at the head for each other.

#: case secret-flags-of-one-way
#: why the head branches on flags that are of a key word on one of two ways
#: refused a condition depends on
#: entry
    test rcx, rcx
    two_ways 3, "mov rax, [rdi]; test rax, rax", "test rcx, rcx", "js 3f"
    xor eax, eax

#: case secret-flags-of-the-other-way
#: why the same with the ways exchanged
#: refused a condition depends on
#: entry
    test rcx, rcx
    two_ways 3, "test rcx, rcx", "mov rax, [rdi]; test rax, rax", "js 3f"
    xor eax, eax

#: case public-flags-of-both-ways
#: why the same with flags of what the caller left
#: proved CT2
#: entry
    test rcx, rcx
    two_ways 3, "test r10, r10", "test rcx, rcx", "js 3f"
    xor eax, eax

#: case slot-written-on-one-way
#: why a key word is left on the stack on one of two ways
#: proved CT2 unwiped
#: exit
    vzeroall
    two_ways 2, "mov rax, [rdi]; mov [rsp - 8], rax; xor eax, eax", "xor eax, eax"
    test ecx, ecx

#: case slot-written-on-the-other-way
#: why the same with the ways exchanged
#: proved CT2 unwiped
#: exit
    vzeroall
    two_ways 2, "xor eax, eax", "mov rax, [rdi]; mov [rsp - 8], rax; xor eax, eax"
    test ecx, ecx

#: case slot-written-and-cleared-on-one-way
#: why what was left is overwritten behind the loop
#: proved CT2 wiped
#: exit
    vzeroall
    two_ways 2, "mov rax, [rdi]; mov [rsp - 8], rax; xor eax, eax", "xor eax, eax"
    mov [rsp - 8], rax
    test ecx, ecx

#: case register-of-one-way
#: why a register holds a key word on one of two ways, and decides a branch behind the loop
#: refused a condition depends on
#: entry
    two_ways 2, "mov rax, [rdi]", "mov rax, rcx"
    test rax, rax
    jz 6f
6:  xor eax, eax

#: case opmask-of-one-way
#: why an opmask holds the signs of a round key on one of two ways
#: proved CT2 unwiped
#: exit
    vmovdqu xmm1, [rdi]
    kxorq k3, k3, k3
    two_ways 2, "vpmovb2m k3, xmm1", "kxorq k3, k3, k3"
    vzeroall
    test ecx, ecx

#: case opmask-of-the-other-way
#: why the same with the ways exchanged
#: proved CT2 unwiped
#: exit
    vmovdqu xmm1, [rdi]
    kxorq k3, k3, k3
    two_ways 2, "kxorq k3, k3, k3", "vpmovb2m k3, xmm1"
    vzeroall
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
    aes128
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jmp 91b
92: vzeroall
    test ecx, ecx
    ret
