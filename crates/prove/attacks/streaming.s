# Streaming stores are weakly ordered: the caller's next stores may be seen before them, unless a fence stands
# between them and the return. The output has to be aligned for them, which the kernel finds out first.

#: case streaming-without-a-fence
#: why nothing orders the last block before what the caller stores next
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case streaming-with-a-fence
#: why the fence is behind the last block, on the only way to the return
#: proved CT2 unwiped
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
    sfence
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case streaming-with-a-fence-in-the-loop
#: why a fence behind each store is one too many, and enough
#: proved CT2 unwiped
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    sfence
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case streaming-behind-its-fence
#: why the fence stands before the store of the same pass, and none behind the last
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    sfence
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case fence-that-is-jumped-over
#: why for one block the return is reached beside the fence
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
    test rdx, 64
    jz 92f
    sfence
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case fence-of-the-other-path
#: why the fence is where nothing was streamed
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    sfence
    ret

#: case fence-of-another-kind
#: why a nop that looks like a fence orders nothing
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
    nop dword ptr [rax]
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case legacy-streaming-without-a-fence
#: why the SSE encoding streams too
#: refused a streaming store
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    movntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret

#: case legacy-streaming-with-a-fence
#: why the SSE encoding, fenced
#: proved CT2 unwiped
#: whole aes128-ecb
    test rdx, 15
    jnz 93f
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    movntdq [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
    sfence
92: ret
93: shr rcx, 4
    jz 92b
94: vmovdqu xmm0, [rsi]
    vpxor xmm0, xmm0, [rdi]
    .set r, 16
    .rept 9
    vaesenc xmm0, xmm0, [rdi + r]
    .set r, r + 16
    .endr
    vaesenclast xmm0, xmm0, [rdi + 160]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 94b
    ret
