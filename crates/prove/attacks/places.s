# What lies where: text and output in place, the stack as a table, the chain in memory.

#: case text-read-again-behind-its-output
#: why the first block is made twice from the text: the second time, in place, from the output
#: refused in place, that is the output
#: whole aes128-ecb
    two_blocks_begin
    .rept 2
    vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    .endr
    vmovdqu xmm1, [rsi + 16]
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case text-read-in-another-order
#: why the second block is written first, and the first was not read yet
#: proved CT2
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm1, [rsi + 16]
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    two_blocks_end

#: case text-that-straddles-what-is-written
#: why a load of 16 bytes of which half lie in a block that was written
#: refused in place, that is the output
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    vmovdqu xmm2, [rsi + 8]
    vmovdqu xmm1, [rsi + 16]
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case output-written-before-it-is-right
#: why the block is written, and written again as it has to be: in between it is not read
#: refused output block 0
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    vmovdqu [rdx], xmm1
    aes128
    aes128 xmm1
    vmovdqu [rdx], xmm0
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case blocks-exchanged
#: why two blocks in each other's places
#: refused
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    aes128 xmm1
    vmovdqu [rdx], xmm1
    vmovdqu [rdx + 16], xmm0
    two_blocks_end

#: case blocks-exchanged-twice
#: why they go through the stack, and back into their places
#: proved CT2
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    aes128 xmm1
    vmovdqu [rsp - 16], xmm0
    vmovdqu [rsp - 32], xmm1
    vmovdqu xmm1, [rsp - 16]
    vmovdqu xmm0, [rsp - 32]
    vmovdqu [rdx], xmm1
    vmovdqu [rdx + 16], xmm0
    two_blocks_end

#: case a-spill-of-which-a-byte-is-overwritten
#: why a byte of what is kept on the stack is written over
#: refused
#: block
    vmovdqu [rsp - 16], xmm0
    mov byte ptr [rsp - 3], 0
    vmovdqu xmm0, [rsp - 16]

#: case a-spill-beside-what-is-overwritten
#: why the byte below it is
#: proved CT2
#: block
    vmovdqu [rsp - 16], xmm0
    mov byte ptr [rsp - 17], 0
    vmovdqu xmm0, [rsp - 16]

#: case a-spill-read-across
#: why it is read eight bytes further down
#: refused
#: block
    vmovdqu [rsp - 16], xmm0
    vmovdqu [rsp - 32], xmm0
    vmovdqu xmm0, [rsp - 24]

#: case a-spill-below-the-red-zone
#: why it lies where a signal's handler may write
#: refused more than 128 bytes below
#: whole aes128-ecb
    shr rcx, 4
    jz 92f
91: vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rsp - 144], xmm0
    vmovdqu xmm0, [rsp - 144]
    vmovdqu [rdx], xmm0
    add rsi, 16
    add rdx, 16
    dec rcx
    jnz 91b
92: ret

#: case a-spill-that-the-stack-pointer-has-left
#: why the stack pointer goes above it and below it again
#: refused
#: block
    sub rsp, 512
    vmovdqu [rsp], xmm0
    add rsp, 512
    sub rsp, 512
    vmovdqu xmm0, [rsp]
    add rsp, 512

#: case a-spill-that-the-stack-pointer-stays-below
#: why it goes further down and comes back
#: proved CT2
#: block
    sub rsp, 512
    vmovdqu [rsp], xmm0
    sub rsp, 512
    add rsp, 512
    vmovdqu xmm0, [rsp]
    add rsp, 512

#: case a-round-key-from-the-stack
#: why round keys are copied to the stack before the loop
#: proved CT2
#: whole aes128-ecb
    keys_on_the_stack

#: case a-round-key-from-the-stack-of-another-round
#: why the copy of one is written where another has to be
#: refused
#: whole aes128-ecb
    keys_on_the_stack "vmovdqu xmm1, [rdi + 48]; vmovdqu [rsp - 128 + 32], xmm1"

#: case a-round-key-on-the-stack-that-a-turn-changes
#: why it is written over behind its use in the first turn
#: refused
#: whole aes128-ecb
    keys_on_the_stack , "vmovdqu [rsp - 128 + 32], xmm0"

#: case a-round-key-on-the-stack-that-a-turn-restores
#: why it is written over with itself
#: proved CT2
#: whole aes128-ecb
    keys_on_the_stack , "vmovdqu xmm1, [rdi + 32]; vmovdqu [rsp - 128 + 32], xmm1"

#: case a-chain-kept-in-the-iv
#: why the chain goes through the IV's memory in each turn
#: proved CT2
#: whole aes128-cbc
    chain_in_memory "vmovdqu [rsi], xmm0"

#: case a-chain-of-which-half-is-kept
#: why one half of it is written
#: refused
#: whole aes128-cbc
    chain_in_memory "vmovq [rsi], xmm0"

#: case a-chain-kept-every-other-turn
#: why a turn of two blocks writes the chain of the first
#: refused
#: whole aes128-cbc
    chain_in_memory "vmovdqu [rsi], xmm0", "cmp r8, 1; je 92f; vpxor xmm0, xmm0, [rdx + 16]; aes128; vmovdqu [rcx + 16], xmm0; add rdx, 16; add rcx, 16; dec r8"

#: case a-chain-written-back-too-early
#: why the IV's memory gets the text that is about to be chained
#: refused
#: whole aes128-cbc-dec
    chained_back "vmovdqu xmm1, [rdx]; vmovdqu [rcx], xmm0; vmovdqu [rsi], xmm0; vmovdqu xmm1, [rsi]"

#: case output-read-again
#: why a block that was written is read and written once more: it is the specification's, in place or not
#: proved CT2
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    vmovdqu [rdx], xmm0
    vmovdqu xmm2, [rdx]
    vmovdqu [rdx], xmm2
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case output-read-before-it-is-written
#: why what the output held before is added twice
#: refused it reads output block 0, which it has not written
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    vmovdqu xmm2, [rdx]
    aes128
    add_difference xmm2, xmm2
    vmovdqu [rdx], xmm0
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case another-output-read-before-it-is-written
#: why the second block is read where only the first is written
#: refused it reads output block 1, which it has not written
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    vmovdqu [rdx], xmm0
    vmovdqu xmm2, [rdx + 16]
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case output-read-where-half-of-it-is-written
#: why eight bytes of a block are written before all of it is read
#: refused it reads output block 0, which it has not written
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    vmovq [rdx], xmm0
    vmovdqu xmm2, [rdx]
    vmovdqu [rdx], xmm0
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case output-read-before-its-first-block
#: why sixteen bytes in front of the output are read
#: refused it reads output block -1, which it has not written
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    vmovdqu xmm1, [rsi + 16]
    aes128
    vmovdqu [rdx], xmm0
    vmovdqu xmm2, [rdx - 16]
    aes128 xmm1
    vmovdqu [rdx + 16], xmm1
    two_blocks_end

#: case another-block-read-again
#: why the second block becomes the first, read from the output
#: refused output block 1
#: whole aes128-ecb
    two_blocks_begin
    vmovdqu xmm0, [rsi]
    aes128
    vmovdqu [rdx], xmm0
    vmovdqu xmm1, [rdx]
    vmovdqu [rdx + 16], xmm1
    two_blocks_end
