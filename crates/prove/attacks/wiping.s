# What is left behind: registers, masks, flags and stack.

#: case all-cleared
#: why vector registers and flags are cleared
#: proved CT2 wiped
#: exit
    vzeroall
    xor eax, eax

#: case flags-compare-key-words
#: why the flags say which of two words of the key is greater
#: proved CT2 unwiped
#: exit
    mov rax, [rdi]
    cmp rax, [rdi + 8]
    mov eax, 0
    vzeroall

#: case flags-of-a-key-byte
#: why the flags say whether a byte of the key is zero
#: proved CT2 unwiped
#: exit
    vzeroall
    test byte ptr [rdi], 0xff

#: case flags-of-a-sum
#: why the carry of a sum of key words
#: proved CT2 unwiped
#: exit
    mov rax, [rdi]
    add rax, [rdi + 8]
    mov eax, 0
    vzeroall

#: case flags-of-a-shift
#: why the carry is a bit of the key
#: proved CT2 unwiped
#: exit
    mov rax, [rdi]
    shr rax, 3
    mov eax, 0
    vzeroall

#: case flags-of-an-increment
#: why inc leaves the carry of two key words
#: proved CT2 unwiped
#: exit
    mov rax, [rdi]
    cmp rax, [rdi + 8]
    mov eax, 0
    inc eax
    vzeroall

#: case flags-overwritten
#: why the comparison of key words is overwritten by that of a number
#: proved CT2 wiped
#: exit
    mov rax, [rdi]
    cmp rax, [rdi + 8]
    mov eax, 0
    vzeroall
    cmp eax, 0

#: case flags-that-a-shift-leaves-undefined
#: why without a block, the overflow flag is what the shift of the length left: no manual says what it is
#: proved CT2 unwiped
#: exit
    vzeroall

#: case flags-of-the-loop
#: why the flags are those of what is left of the length
#: proved CT2 wiped
#: exit
    vzeroall
    test rcx, rcx

#: case register-left
#: why a key word in a register
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    test ecx, ecx

#: case second-byte-left
#: why a byte of the key in ah
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    mov al, 0
    and eax, 0xff00
    test ecx, ecx

#: case second-byte-cleared
#: why all but al is cleared, and then al
#: proved CT2 wiped
#: exit
    vzeroall
    mov rax, [rdi]
    and eax, 0xff
    mov al, 0
    test al, al

#: case upper-half-left
#: why vzeroupper leaves the lower halves
#: proved CT2 unwiped
#: exit
    vzeroupper
    test ecx, ecx

#: case high-registers-left
#: why vzeroall leaves zmm16 and those above it
#: proved CT2 unwiped
#: exit
    vmovdqu8 zmm17, [rdi]
    vzeroall
    test ecx, ecx

#: case high-registers-cleared
#: why they are cleared by themselves
#: proved CT2 wiped
#: exit
    vmovdqu8 zmm17, [rdi]
    vpxord zmm17, zmm17, zmm17
    vzeroall
    test ecx, ecx

#: case high-register-cleared-in-part
#: why 32 bytes of 64 are cleared: that clears all of them
#: proved CT2 wiped
#: exit
    vmovdqu8 zmm17, [rdi]
    vpxord ymm17, ymm17, ymm17
    vzeroall
    test ecx, ecx

#: case mask-left
#: why a mask of the signs of a round key
#: proved CT2 unwiped
#: exit
    vmovdqu8 zmm1, [rdi]
    vpmovb2m k3, zmm1
    vzeroall
    test ecx, ecx

#: case mask-cleared
#: why the same cleared
#: proved CT2 wiped
#: exit
    vmovdqu8 zmm1, [rdi]
    vpmovb2m k3, zmm1
    kxorq k3, k3, k3
    vzeroall
    test ecx, ecx

#: case slot-left
#: why a key word in the red zone
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax

#: case slot-cleared
#: why the same overwritten
#: proved CT2 wiped
#: exit
    vzeroall
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    mov [rsp - 8], rax

#: case slot-cleared-in-part
#: why seven of eight bytes are overwritten
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    mov [rsp - 8], eax
    mov [rsp - 4], ax
    mov [rsp - 2], al

#: case slot-cleared-by-parts
#: why all of eight bytes are overwritten, by parts
#: proved CT2 wiped
#: exit
    vzeroall
    mov rax, [rdi]
    mov [rsp - 8], rax
    xor eax, eax
    mov [rsp - 8], eax
    mov [rsp - 4], ax
    mov [rsp - 2], ax

#: case slot-below-the-stack-pointer
#: why a slot that was left below the red zone
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    sub rsp, 512
    mov [rsp], rax
    add rsp, 512
    xor eax, eax

#: case slot-of-the-loops-body
#: why the body writes a round key to the stack, and the loop is left at its head
#: proved CT2 unwiped
#: whole aes128-ecb
    shr rcx, 4
91: test rcx, rcx
    jz 92f
    vmovdqu xmm1, [rdi + 16]
    vmovdqu [rsp - 16], xmm1
    vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    vaesenc xmm0, xmm0, [rdi + 16]
    vaesenc xmm0, xmm0, [rdi + 32]
    vaesenc xmm0, xmm0, [rdi + 48]
    vaesenc xmm0, xmm0, [rdi + 64]
    vaesenc xmm0, xmm0, [rdi + 80]
    vaesenc xmm0, xmm0, [rdi + 96]
    vaesenc xmm0, xmm0, [rdi + 112]
    vaesenc xmm0, xmm0, [rdi + 128]
    vaesenc xmm0, xmm0, [rdi + 144]
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jmp 91b
92: vzeroall
    ret

#: case slot-of-the-loops-body-cleared-behind-it
#: why the same, overwritten behind the loop
#: proved CT2 wiped
#: whole aes128-ecb
    shr rcx, 4
91: test rcx, rcx
    jz 92f
    vmovdqu xmm1, [rdi + 16]
    vmovdqu [rsp - 16], xmm1
    vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    vaesenc xmm0, xmm0, [rdi + 16]
    vaesenc xmm0, xmm0, [rdi + 32]
    vaesenc xmm0, xmm0, [rdi + 48]
    vaesenc xmm0, xmm0, [rdi + 64]
    vaesenc xmm0, xmm0, [rdi + 80]
    vaesenc xmm0, xmm0, [rdi + 96]
    vaesenc xmm0, xmm0, [rdi + 112]
    vaesenc xmm0, xmm0, [rdi + 128]
    vaesenc xmm0, xmm0, [rdi + 144]
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jmp 91b
92: vzeroall
    vmovdqu [rsp - 16], xmm0
    test rcx, rcx
    ret

#: case slot-cleared-before-the-loop-only
#: why it is cleared before the loop, whose body writes it
#: proved CT2 unwiped
#: entry
    vpxor xmm1, xmm1, xmm1
    vmovdqu [rsp - 16], xmm1
#: block
    vmovdqu [rsp - 16], xmm0
#: exit
    vzeroall
    xor eax, eax

#: case slot-in-part-of-the-loops-body
#: why the body writes one byte of the text to the stack
#: proved CT2 unwiped
#: block
    vpextrb [rsp - 3], xmm0, 5
#: exit
    vzeroall
    xor eax, eax

#: case aligned-slot-of-the-loops-body
#: why the same in a frame that was aligned
#: proved CT2 unwiped
#: entry
    mov r11, rsp
    and rsp, -64
    sub rsp, 64
#: block
    vmovdqa [rsp], xmm0
#: exit
    vzeroall
    mov rsp, r11
    xor eax, eax

#: case aligned-slot-cleared
#: why the same, overwritten before the frame is left
#: proved CT2 wiped
#: entry
    mov r11, rsp
    and rsp, -64
    sub rsp, 64
#: block
    vmovdqa [rsp], xmm0
#: exit
    vzeroall
    vmovdqa [rsp], xmm0
    mov rsp, r11
    xor eax, eax

#: case left-on-one-way
#: why only one of two ways to the return clears
#: proved CT2 unwiped
#: exit
    test rbx, rbx
    jz 1f
    vzeroall
1:  xor eax, eax

#: case flags-left-on-one-way
#: why one of two ways to the return ends with a comparison of key words
#: proved CT2 unwiped
#: exit
    vzeroall
    test rbx, rbx
    jz 1f
    mov rax, [rdi]
    cmp rax, [rdi + 8]
    mov eax, 0
1:

#: case cleared-if-a-key-word-says-so
#: why a condition on the key decides whether registers are cleared
#: refused a condition depends on
#: exit
    mov rax, [rdi]
    test rax, rax
    mov eax, 0
    jz 1f
    vzeroall
1:  xor eax, eax

#: case flags-left-on-a-way-that-meets-others
#: why the ways meet long before the return, and one of them comes with a comparison of key words
#: proved CT2 unwiped
#: exit
    vzeroall
    xor eax, eax
    test rbp, rbp
    jz 1f
    test rbx, rbx
    jz 2f
    jmp 1f
2:  mov rax, [rdi]
    cmp rax, [rdi + 8]
    mov eax, 0
1:
    .rept 30
    lea r9, [rax + 1]
    .endr

#: case flags-of-ways-that-meet
#: why the same with a comparison of what the caller had
#: proved CT2 wiped
#: exit
    vzeroall
    xor eax, eax
    test rbp, rbp
    jz 1f
    test rbx, rbx
    jz 2f
    jmp 1f
2:  cmp rbx, rbp
    mov eax, 0
1:
    .rept 30
    lea r9, [rax + 1]
    .endr

#: case part-of-an-unknown-slot-left
#: why one byte is overwritten of a sum of key words, of which no byte is known
#: proved CT2 unwiped
#: exit
    vzeroall
    mov rax, [rdi]
    add rax, [rdi + 8]
    mov [rsp - 8], rax
    xor eax, eax
    mov [rsp - 8], al

#: case unknown-slot-cleared
#: why all of it is overwritten
#: proved CT2 wiped
#: exit
    vzeroall
    mov rax, [rdi]
    add rax, [rdi + 8]
    mov [rsp - 8], rax
    xor eax, eax
    mov [rsp - 8], rax
