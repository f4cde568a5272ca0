# Loops by a count, or by an index that grows with the blocks.

#: case blocks-by-an-index
#: why one register counts bytes from zero on, beside both pointers
#: proved CT2
#: whole aes128-ecb
    by_index

#: case blocks-by-an-index-from-sixteen
#: why it begins a block too far
#: refused
#: whole aes128-ecb
    by_index "mov eax, 16"

#: case blocks-by-an-index-that-is-not-moved
#: why the second loop begins at the index from zero on
#: refused
#: whole aes128-ecb
    by_index_twice "xor eax, eax"

#: case blocks-by-an-index-that-goes-on
#: why the second loop goes on with it
#: proved CT2
#: whole aes128-ecb
    by_index_twice

#: case blocks-by-two-indices
#: why the text's index and the output's are two, which grow alike
#: proved CT2
#: whole aes128-ecb
    by_two_indices 16

#: case blocks-by-two-indices-that-part
#: why the output's grows by 32
#: refused
#: whole aes128-ecb
    by_two_indices 32

#: case blocks-by-an-index-of-32-bits
#: why the index wraps at 4 GiB
#: refused
#: whole aes128-ecb
    by_index , "add eax, 16; cmp rax, rcx"

#: case blocks-by-a-count-of-32-bits
#: why the count is a register's lower half: 2^36 bytes are none
#: refused
#: whole aes128-ecb
    by_count "shr rcx, 4; mov ecx, ecx"

#: case blocks-by-a-count-of-64-bits
#: why it is the whole register
#: proved CT2
#: whole aes128-ecb
    by_count "shr rcx, 4; mov rcx, rcx"

#: case blocks-by-a-count-that-is-rounded-up
#: why a part of a block counts as one
#: refused
#: whole aes128-ecb
    by_count "add rcx, 15; shr rcx, 4"

#: case blocks-by-a-count-that-is-rounded-down
#: why lower bits are cleared before
#: proved CT2
#: whole aes128-ecb
    by_count "and rcx, -16; shr rcx, 4"

#: case blocks-by-half-a-count
#: why the count is of 32 bytes
#: refused
#: whole aes128-ecb
    by_count "shr rcx, 5"

#: case blocks-while-the-count-is-signed
#: why the count is compared as a number with a sign: lengths are below 2^63
#: proved CT2
#: whole aes128-ecb
    by_count , "sub rcx, 1; jg 91b"

#: case blocks-while-the-count-is-not-negative
#: why one block too much is taken
#: refused
#: whole aes128-ecb
    by_count , "sub rcx, 1; jns 91b"

#: case blocks-while-there-is-no-borrow
#: why one block too much is taken
#: refused
#: whole aes128-ecb
    by_count , "sub rcx, 1; jnc 91b"

#: case blocks-up-to-an-address
#: why the loop ends at the text's end
#: proved CT2
#: whole aes128-ecb
    by_address "and rcx, -16; lea r9, [rsi + rcx]"

#: case blocks-up-to-an-address-one-byte-further
#: why the end is one byte further on
#: refused
#: whole aes128-ecb
    by_address "and rcx, -16; lea r9, [rsi + rcx + 1]"

#: case blocks-up-to-an-address-of-the-output
#: why the end is the output's, and the text's address is compared with it
#: refused
#: whole aes128-ecb
    by_address "and rcx, -16; lea r9, [rdx + rcx]"

#: case blocks-up-to-the-address-of-the-last-block
#: why without a block an input at zero has its last block above all addresses, and is read
#: refused
#: whole aes128-ecb
    by_last_block , "jb 92f"

#: case blocks-up-to-the-address-of-the-last-block-if-there-is-one
#: why the loop is entered for a block and more alone
#: proved CT2
#: whole aes128-ecb
    by_last_block "jz 92f"

#: case blocks-up-to-the-address-of-the-last-block-of-the-output
#: why the same of the output, which may be at zero as well
#: refused
#: whole aes128-ecb
    by_last_block , "jb 92f", rdx

#: case blocks-up-to-the-address-of-the-last-block-of-the-output-if-there-is-one
#: why the loop is entered for a block and more alone
#: proved CT2
#: whole aes128-ecb
    by_last_block "jz 92f", , rdx

#: case blocks-up-to-the-address-of-the-last-block-tested-first
#: why the test at the loop's head is the first one
#: refused
#: whole aes128-ecb
    by_last_block , "jmp 93f"

#: case blocks-up-to-the-address-of-the-last-block-tested-first-if-there-is-one
#: why there is a block where the test is done first
#: proved CT2
#: whole aes128-ecb
    by_last_block "jz 92f", "jmp 93f"
