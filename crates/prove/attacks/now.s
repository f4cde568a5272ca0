# Everything in a proof is counted from the blocks processed so far. What a turn leaves for the next is another block's
# by then: counters, text, chains, lengths and what was learnt of them.

#: case counter-of-the-turn-before
#: why the next counter is made before the counter is advanced
#: refused output block
#: whole aes128-ctr
    next_counter_early "counter_block xmm5; add r9, 1; adc r10, 0"

#: case counter-of-the-next-turn
#: why the next counter is made a turn ahead
#: proved CT2
#: whole aes128-ctr
    next_counter_early "add r9, 1; adc r10, 0; counter_block xmm5"

#: case counter-with-the-high-half-of-the-turn-before
#: why the carry into the high half comes a turn late
#: refused
#: whole aes128-ctr
    next_counter_early "add r9, 1; mov rax, 0; adc rax, 0; counter_block xmm5; add r10, rax"

#: case counter-from-the-stack
#: why both halves are kept on the stack and read again each turn
#: proved CT2
#: whole aes128-ctr
    next_counter_early "add r9, 1; adc r10, 0; mov [rsp - 8], r9; mov r9, [rsp - 8]; counter_block xmm5"

#: case counter-from-the-stack-of-the-turn-before
#: why the low half is read back before it is written
#: refused
#: whole aes128-ctr
    next_counter_early "mov rax, [rsp - 8]; add r9, 1; adc r10, 0; mov [rsp - 8], r9; counter_block xmm5, rax"

#: case text-of-the-turn-before
#: why the text is loaded a turn ahead, and not advanced
#: refused
#: whole aes128-ecb
    text_ahead "vmovdqu xmm5, [rsi]"

#: case text-of-the-next-turn
#: why it is that of the next block
#: proved CT2
#: whole aes128-ecb
    text_ahead "vmovdqu xmm5, [rsi + 16]"

#: case text-of-every-other-turn
#: why the text ahead is loaded in a turn where a number that changes is odd, and kept in the others
#: refused
#: whole aes128-ecb
    text_ahead "xor eax, 1; jz 93f; vmovdqu xmm5, [rsi + 16]; 93:", "xor eax, eax"

#: case chain-of-two-turns-before
#: why the chain is moved on before the block is
#: refused
#: whole aes128-cbc
    chained "vmovdqa xmm1, xmm2; vmovdqa xmm2, xmm0"

#: case chain-of-the-turn-before
#: why it is moved on behind the block
#: proved CT2
#: whole aes128-cbc
    chained "vmovdqa xmm2, xmm0; vmovdqa xmm1, xmm2"

#: case chain-from-the-output-written-before
#: why the chain is read from the memory that this turn has written
#: proved CT2
#: whole aes128-cbc
    chained "vmovdqu xmm1, [rcx]"

#: case chain-from-the-output-of-the-turn-before
#: why the chain is read one block before the one that this turn has written
#: refused
#: whole aes128-cbc
    chained "vmovdqu xmm1, [rcx - 16]"

#: case chain-of-decryption-read-too-late
#: why the text is the next block's chain, and is read after its place was written: in place it is gone
#: refused in place, that is the output
#: whole aes128-cbc-dec
    chained_back "vmovdqu [rcx], xmm0; vmovdqu xmm1, [rdx]"

#: case chain-of-decryption-read-in-time
#: why it is read before
#: proved CT2
#: whole aes128-cbc-dec
    chained_back "vmovdqu xmm1, [rdx]; vmovdqu [rcx], xmm0"

#: case chain-of-decryption-of-the-turn-before
#: why it is kept in a register a turn too long
#: refused
#: whole aes128-cbc-dec
    chained_back "vmovdqa xmm1, xmm5; vmovdqu xmm5, [rdx]; vmovdqu [rcx], xmm0", "vmovdqu xmm5, [rsi]"

#: case a-length-compared-once
#: why there are two blocks at first, and two more are taken in each turn while there is one
#: refused
#: whole aes128-ecb
    two_a_turn "cmp rcx, 1; jae 91b"

#: case a-length-compared-each-turn
#: why two more are taken while there are two
#: proved CT2
#: whole aes128-ecb
    two_a_turn "cmp rcx, 2; jae 91b"

#: case an-alignment-of-the-first-turn
#: why the output is a multiple of 32 at first, and 16 bytes further on in every other turn
#: refused an access that must be aligned to 32 bytes
#: whole aes128-ecb
    aligned_blocks "vmovdqu xmm0, [rsi]; aes128 xmm0; vmovdqu [rdx], xmm0; add rsi, 16; add rdx, 16; dec rcx; cmp rcx, 2; jb 92f"

#: case an-alignment-of-all-turns
#: why it advances by 32 in each
#: proved CT2
#: whole aes128-ecb
    aligned_blocks

#: case a-carry-known-of-fewer-counters
#: why the low half was found not to overflow in the next four counters, and counts on without its carry
#: refused
#: whole aes128-ctr
    carry_asked "cmp r9, -4; ja 96f", 1

#: case a-carry-known-of-all-counters
#: why the carry is asked for in each turn
#: proved CT2
#: whole aes128-ctr
    carry_asked , 1, "cmp r9, -4; ja 96f"

#: case ways-with-two-counters
#: why two ways meet of which one has advanced the counter beyond its block
#: refused
#: whole aes128-ctr
    ways_of_counters "add r9, 2; adc r10, 0", "add r9, 1; adc r10, 0"

#: case ways-with-one-counter
#: why both have advanced it by the block
#: proved CT2
#: whole aes128-ctr
    ways_of_counters "add r9, 1; adc r10, 0", "add r9, 1; adc r10, 0"

#: case ways-with-two-counters-the-other-way-round
#: why the way that is wrong is the other one
#: refused
#: whole aes128-ctr
    ways_of_counters "add r9, 1; adc r10, 0", "add r9, 2; adc r10, 0"

#: case a-rest-of-the-key-s-table-beyond-its-window
#: why the key structure's table is read with a rest of 256 counters before
#: refused
#: whole aes128-ctr
    counters_by_key , "counter_key_rest"

#: case a-rest-of-the-key-s-table-in-its-window
#: why the rest is made anew where the last byte wraps
#: proved CT2
#: whole aes128-ctr
    counters_by_key "counter_key_rest"

#: case an-address-of-the-turn-before
#: why the address of the output does not advance: all blocks are written over the first
#: refused
#: whole aes128-ecb
    output_at

#: case an-address-of-each-turn
#: why it advances by a block
#: proved CT2
#: whole aes128-ecb
    output_at "add rdx, 16"

#: case a-count-of-the-first-turn
#: why a second count says that there are two blocks, and no turn takes them from it
#: refused
#: whole aes128-ecb
    two_by_another_count

#: case a-count-of-each-turn
#: why each turn takes its blocks from it
#: proved CT2
#: whole aes128-ecb
    two_by_another_count "sub r11, 2"

#: case a-block-ahead-of-the-first-turn
#: why the second block was written before the loop, and those of later turns are not written
#: refused the order in which a loop writes its blocks
#: whole aes128-ecb
    block_ahead

#: case a-block-ahead-of-each-turn
#: why each turn writes the second block of the next
#: proved CT2
#: whole aes128-ecb
    block_ahead "vmovdqu xmm0, [rsi + 48]; aes128; vmovdqu [rdx + 48], xmm0"

#: case a-chain-of-the-loop-before
#: why a loop of two blocks a turn is followed by one of a block a turn, which leaves the chain as it was
#: refused
#: whole aes128-cbc
    chained_by_two_loops

#: case a-chain-of-both-loops
#: why both move it on, by one block and by two
#: proved CT2
#: whole aes128-cbc
    chained_by_two_loops "vmovdqa xmm1, xmm0"

#: case ways-with-the-high-half-of-the-counter-before
#: why one of two ways that meet loses the carry into the high half
#: refused
#: whole aes128-ctr
    ways_of_counters "add r9, 1", "add r9, 1; adc r10, 0"
