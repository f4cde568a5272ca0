# Tables of two rounds on the stack, which CTR reads by the counter's last byte. A rest, what an entry leaves of two
# rounds, cancels against entries of the same table only, and the table's blocks are counted from now.

#: case a-table-for-all-blocks
#: why a table that is made once, and a rest for each 256 counters
#: proved CT2
#: whole aes128-ctr
    counters_by_table counter_table, "counter_entry; counter_rest"

#: case a-table-made-again-from-the-counter
#: why the table is made anew each turn, with the counter's last byte in place of byte 1, and the rest is of the turn before
#: refused rest of 2 cached rounds
#: whole aes128-ctr
    counters_by_table , "counter_table r9d; counter_entry; counter_rest", "counter_table r9d"

#: case a-table-made-again-from-what-stays
#: why byte 1 is one of the counter's that stay
#: proved CT2
#: whole aes128-ctr
    counters_by_table , "counter_table r10d; counter_entry; counter_rest", "counter_table r10d"

#: case a-table-made-again-from-the-key
#: why byte 1 is the key's
#: proved CT2
#: whole aes128-ctr
    counters_by_table , "counter_table [rdi+3]; counter_entry; counter_rest", "counter_table [rdi+3]"

#: case a-table-made-again-from-another-byte-of-the-key
#: why byte 1 is another of the key's than that of the rest
#: refused rest of 2 cached rounds
#: whole aes128-ctr
    counters_by_table , "counter_table [rdi+3]; counter_entry; counter_rest", "counter_table [rdi+4]"

#: case a-table-made-again-of-the-same-window
#: why the counter's own bytes: they stay while the last byte does not wrap
#: proved CT2
#: whole aes128-ctr
    counters_by_table , "counter_table; counter_entry; counter_rest", counter_table

#: case a-table-made-again-where-the-rest-is-of-the-window-before
#: why the table is made anew for each 256 counters and the rest once
#: refused
#: whole aes128-ctr
    counters_by_table "counter_table [rdi+3], place=9; counter_entry; counter_rest", "counter_table [rdi+3], place=9; counter_entry"

#: case a-table-made-again-from-a-byte-that-counts-windows
#: why byte 14 stays for 256 blocks: the rest is made before the table of the next window
#: refused
#: whole aes128-ctr
    counters_by_table counter_table, "counter_entry; counter_rest; counter_table"

#: case a-table-made-again-from-the-text
#: why byte 1 is of the text, and the rest is of the turn before
#: refused rest of 2 cached rounds
#: whole aes128-ctr
    counters_by_table , "counter_table [rdx]; counter_entry; counter_rest", "counter_table [rdx]"

#: case a-table-made-again-from-the-text-with-its-rest
#: why byte 1 is of the text, and the rest is made anew with the table
#: proved CT2
#: whole aes128-ctr
    counters_by_table , counter_entry, "counter_table [rdx]; counter_rest"

#: case a-table-made-again-from-the-text-before
#: why byte 1 is the text's, of the block that the turn before had: it was kept in a register
#: refused
#: whole aes128-ctr
    counters_by_table "vmovdqu xmm7, [rdx]", "vpextrb esi, xmm7, 0; counter_table esi; counter_entry; counter_rest", "vpextrb esi, xmm7, 0; counter_table esi; vmovdqu xmm7, [rdx]"

#: case a-rest-of-another-table
#: why two tables that differ in byte 1: the rest is of the first, and the second is read
#: refused
#: whole aes128-ctr
    counters_by_table "counter_table [rdi+3]; counter_table [rdi+4], rsp+4096", "counter_entry; counter_rest; counter_entry rsp+4096", bytes=8192

#: case a-rest-of-the-same-of-two-tables
#: why the rest is of the second, too
#: proved CT2
#: whole aes128-ctr
    counters_by_table "counter_table [rdi+3]; counter_table [rdi+4], rsp+4096", "counter_entry rsp+4096; counter_rest", bytes=8192

#: case tables-of-two-ways
#: why on one of two ways that meet the table is made anew from another byte of the key
#: refused
#: whole aes128-ctr
    tables_of_two_ways [rdi+3], [rdi+4]

#: case the-same-table-on-two-ways
#: why it is made anew from the same byte
#: proved CT2
#: whole aes128-ctr
    tables_of_two_ways [rdi+3], [rdi+3]

#: case tables-of-two-ways-round-a-loop
#: why the ways of a loop that writes nothing make tables from two bytes of the key, and the rest is of one
#: refused
#: whole aes128-ctr
    tables_round_a_loop [rdi+3], [rdi+3], [rdi+4]

#: case tables-of-two-ways-round-a-loop-exchanged
#: why the same with the ways exchanged
#: refused
#: whole aes128-ctr
    tables_round_a_loop [rdi+3], [rdi+4], [rdi+3]

#: case the-same-table-on-two-ways-round-a-loop
#: why they make it from the same byte
#: proved CT2
#: whole aes128-ctr
    tables_round_a_loop [rdi+3], [rdi+3], [rdi+3]

#: case a-table-and-its-rest-made-where-a-window-ends
#: why one loop, in which every 256th turn makes table and rest for the next: at the head they are of each other
#: proved CT2
#: whole aes128-ctr
    tables_in_one_loop "counter_table; counter_entry; counter_rest"

#: case a-table-made-where-a-window-ends
#: why the rest is left as it was
#: refused
#: whole aes128-ctr
    tables_in_one_loop "counter_table [rdi+3], place=9; counter_entry", [rdi+3], 9

#: case a-rest-made-where-a-window-ends
#: why the rest is made before the table is
#: refused
#: whole aes128-ctr
    tables_in_one_loop "counter_entry; counter_rest; counter_table"

#: case a-table-of-which-a-turn-writes-over-an-entry
#: why an entry is overwritten behind its last use in these 256 blocks
#: refused
#: whole aes128-ctr
    counters_by_table counter_table, "counter_entry; counter_rest", , "mov [rsp + 64], r10"

#: case a-rest-of-the-block-before
#: why two blocks by one rest: where the last byte wraps between them, it is of other bytes
#: refused rest of 2 cached rounds
#: whole aes128-ctr
    two_by_one_rest

#: case a-rest-of-the-block-before-in-its-window
#: why the second block is made so only where the last byte does not wrap
#: proved CT2
#: whole aes128-ctr
    two_by_one_rest "test r9b, r9b; jz 91f"

#: case a-last-byte-of-the-first-turn
#: why the last byte is zero at first, and each turn takes three blocks by one rest: the last byte wraps among them
#: refused rest of 2 cached rounds
#: whole aes128-ctr
    blocks_by_one_rest 3

#: case a-last-byte-of-all-turns
#: why each takes four
#: proved CT2
#: whole aes128-ctr
    blocks_by_one_rest 4

#: case bytes-that-stay-asked-in-each-turn
#: why each turn asks again which bytes of the counter stay, from the next counter on
#: proved CT2
#: whole aes128-ctr
    counters_by_table counter_table, "counter_entry; counter_rest", , "lea rax, [r8 + 15]; shr rax, 4; add rax, r9; xor rax, r9; shr rax, 40; jne 91f"
