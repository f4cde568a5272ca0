# Registers written in part, and flags that some instructions leave as they were.

#: case counter-of-32-bits
#: why the counter's low half is a register of 32 bits: what is above is cleared
#: refused
#: whole aes128-ctr
    next_counter_early "add r9d, 1; adc r10, 0; counter_block xmm5"

#: case counter-of-a-byte
#: why the counter's last byte counts without a carry
#: refused
#: whole aes128-ctr
    next_counter_early "add r9b, 1; adc r10, 0; counter_block xmm5"

#: case counter-moved-through-32-bits
#: why a move of 32 bits clears the upper half
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; adc r10, 0; mov r9d, r9d; counter_block xmm5"

#: case counter-moved-through-64-bits
#: why a move of 64 bits does not
#: proved CT2
#: whole aes128-ctr
    next_counter_early "add r9, 1; adc r10, 0; mov r9, r9; counter_block xmm5"

#: case carry-over-a-lea
#: why the carry is added behind a lea, which has no flags
#: proved CT2
#: whole aes128-ctr
    next_counter_early "add r9, 1; lea rax, [rax + 8]; adc r10, 0; counter_block xmm5"

#: case carry-over-an-increment
#: why the carry is added behind an increment, which leaves it
#: proved CT2
#: whole aes128-ctr
    next_counter_early "xor eax, eax; add r9, 1; inc eax; adc r10, 0; counter_block xmm5"

#: case carry-over-a-sum
#: why the carry is that of another sum
#: refused
#: whole aes128-ctr
    next_counter_early "xor eax, eax; add r9, 1; add eax, 1; adc r10, 0; counter_block xmm5"

#: case carry-over-a-comparison
#: why the carry is that of a comparison
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; cmp r8, 16; adc r10, 0; counter_block xmm5"

#: case carry-over-a-test
#: why a test clears it
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; test r8, r8; adc r10, 0; counter_block xmm5"

#: case carry-of-an-increment
#: why an increment has no carry
#: refused
#: whole aes128-ctr
    next_counter_early "test r9, r9; inc r9; adc r10, 0; counter_block xmm5"

#: case carry-over-a-shift-by-nothing
#: why a shift by zero bits leaves it
#: proved CT2
#: whole aes128-ctr
    next_counter_early "add r9, 1; shl rax, 0; adc r10, 0; counter_block xmm5"

#: case carry-over-a-shift-by-one
#: why a shift by a bit has its own
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; shl rax, 1; adc r10, 0; counter_block xmm5"

#: case carry-subtracted
#: why the carry is subtracted
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; sbb r10, 0; counter_block xmm5"

#: case carry-added-twice
#: why the high half gets it once, and what the second gives is another's
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; adc r10, 0; adc r10, 0; counter_block xmm5"

#: case block-inserted-over-the-lane-above
#: why an insertion by a prefix that clears what is above takes the second block away
#: refused
#: whole aes128-ecb
    two_kept_blocks "vmovdqa xmm1, xmm1"

#: case block-inserted-beside-the-lane-above
#: why an old encoding keeps what is above
#: proved CT2
#: whole aes128-ecb
    two_kept_blocks "movdqa xmm1, xmm1"

#: case block-of-which-a-half-is-cleared
#: why a move of 64 bits clears the other half
#: refused
#: block
    vmovq xmm0, xmm0

#: case block-of-which-a-half-is-kept
#: why an insertion of 64 bits keeps the other half
#: proved CT2
#: block
    vmovq rax, xmm0
    pinsrq xmm0, rax, 0

#: case second-byte-for-the-first
#: why ah is a byte of rax, and not its first
#: refused
#: block
    vmovq rax, xmm0
    mov al, ah
    pinsrq xmm0, rax, 0

#: case bytes-turned-all-the-way-round
#: why four bytes are rotated by one place and by three
#: proved CT2
#: block
    vmovd eax, xmm0
    ror eax, 8
    ror eax, 24
    pinsrd xmm0, eax, 0

#: case a-byte-of-the-count
#: why a byte of the count is written over itself with zeros above
#: refused
#: whole aes128-ecb
    by_count "shr rcx, 4; movzx ecx, cl"

#: case a-byte-beside-the-count
#: why a byte of another register is written
#: proved CT2
#: whole aes128-ecb
    by_count "shr rcx, 4; movzx eax, cl; mov al, 0"

#: case a-count-moved-on-a-condition-of-32-bits
#: why a move of 32 bits that does not happen clears the upper half all the same
#: refused
#: whole aes128-ecb
    by_count "shr rcx, 4; test rcx, rcx; cmovz ecx, ecx"

#: case a-count-moved-on-a-condition-of-64-bits
#: why of 64 bits it does nothing
#: proved CT2
#: whole aes128-ecb
    by_count "shr rcx, 4; test rcx, rcx; cmovz rcx, rcx"
