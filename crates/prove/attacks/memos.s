# What is remembered: two things that differ in anything the result depends on are two.

#: case table-of-two-lanes
#: why a permutation of a table of two known lanes: zeros
#: proved CT2
#: block
    zeros_and_ones
    vinserti128 ymm2, ymm2, xmm2, 1
    vpermb ymm3, ymm2, ymm1
    vpxor xmm0, xmm0, xmm3

#: case table-of-four-lanes-of-which-two-are-unknown
#: why the same indices into a table of which the upper lanes are not known, and used
#: refused
#: block
    zeros_and_ones 4
    vpaddd xmm5, xmm0, [rdi]
    vinserti32x4 zmm4, zmm1, xmm5, 2
    vinserti32x4 zmm4, zmm4, xmm5, 3
    vpermb zmm3, zmm2, zmm4
    vpxor xmm0, xmm0, xmm3

#: case both-tables-in-one-kernel
#: why the table of two lanes first, and then that of four
#: refused
#: block
    zeros_and_ones 4
    vpermb ymm3, ymm2, ymm1
    vpxor xmm0, xmm0, xmm3
    vpaddd xmm5, xmm0, [rdi]
    vinserti32x4 zmm4, zmm1, xmm5, 2
    vinserti32x4 zmm4, zmm4, xmm5, 3
    vpermb zmm3, zmm2, zmm4
    vpxor xmm0, xmm0, xmm3

#: case table-of-four-known-lanes
#: why the same with zeros in all lanes
#: proved CT2
#: block
    zeros_and_ones 4
    vpermb zmm3, zmm2, zmm1
    vpxor xmm0, xmm0, xmm3

#: case table-of-one-lane-and-of-two
#: why the same index beyond 15 into one lane, and into two of which the second is all ones
#: refused
#: block
    zeros_and_ones
    vpermb xmm3, xmm2, xmm1
    vpxor xmm0, xmm0, xmm3
    vinserti128 ymm4, ymm1, xmm2, 1
    vinserti128 ymm2, ymm2, xmm2, 1
    vpermb ymm3, ymm2, ymm4
    vpxor xmm0, xmm0, xmm3

#: case shuffle-and-permutation
#: why a shuffle makes zero of an index with its upper bit set, and a permutation does not
#: refused
#: block
    text_and_nibbles
    vpshufb xmm3, xmm2, xmm1
    vpermb xmm4, xmm1, xmm2
    add_difference xmm3, xmm4

#: case shuffle-twice
#: why the same shuffle twice cancels
#: proved CT2
#: block
    text_and_nibbles
    vpshufb xmm3, xmm2, xmm1
    vpshufb xmm4, xmm2, xmm1
    add_difference xmm3, xmm4

#: case shuffle-either-way-round
#: why the table by the text, and the text by the table
#: refused
#: block
    text_and_nibbles
    vpshufb xmm3, xmm2, xmm1
    vpshufb xmm4, xmm1, xmm2
    add_difference xmm3, xmm4

#: case two-ternary-functions
#: why two functions of the same three operands
#: refused
#: block
    two_ternary 0xca, 0xc8

#: case one-ternary-function
#: why the same function twice
#: proved CT2
#: block
    two_ternary 0xca, 0xca

#: case one-ternary-function-of-operands-in-another-order
#: why the operands are exchanged
#: refused
#: block
    two_ternary 0xca, 0xca, xmm2, xmm1

#: case affine-and-inverse
#: why the same matrix after an inversion, and without
#: refused
#: entry
    lea rax, [rip + 3f]
#: block
    two_affine vgf2p8affineqb, 0, vgf2p8affineinvqb, 0
#: constants
3:  identities

#: case affine-by-two-constants
#: why the same matrix with another constant
#: refused
#: entry
    lea rax, [rip + 3f]
#: block
    two_affine vgf2p8affineqb, 0x80, vgf2p8affineqb, 0
#: constants
3:  identities

#: case affine-twice
#: why the same twice
#: proved CT2
#: entry
    lea rax, [rip + 3f]
#: block
    two_affine vgf2p8affineqb, 0x80, vgf2p8affineqb, 0x80
#: constants
3:  identities

#: case shifts-of-two-elements
#: why the same count in words and in doublewords
#: refused
#: block
    two_shifts vpsrlw, vpsrld

#: case shifts-of-one-element
#: why a shift of words and another, which cancel
#: proved CT2
#: block
    two_shifts vpsrlw, vpsrlw

#: case shifts-either-way
#: why the same count to the left
#: refused
#: block
    two_shifts vpsrlw, vpsllw

#: case looked-up-at-two-places
#: why a byte of the key decides where in each of two tables that differ
#: refused
#: entry
    lea r9, [rip + 3f]
#: block
    two_look_ups 15, byte, "r9 + rax + 16"
#: constants
3:  numbers_twice 16

#: case looked-up-in-two-widths
#: why a byte and two bytes of the same table at the same places
#: refused
#: entry
    lea r9, [rip + 3f]
#: block
    two_look_ups 15, word, "r9 + rax"
#: constants
3:  numbers_twice 16

#: case looked-up-in-two-tables-that-are-the-same
#: why the tables are the same for all indices: their difference is zero
#: proved VT
#: entry
    lea r9, [rip + 3f]
#: block
    two_look_ups 15, byte, "r9 + rax + 16"
#: constants
3:  numbers_twice 15

#: case looked-up-by-a-factor
#: why the same byte once and twice as an index
#: refused
#: entry
    lea r9, [rip + 3f]
#: block
    two_look_ups 7, byte, "r9 + 2*rax"
#: constants
3:  numbers_twice 16

#: case same-table-of-other-constants
#: why the kernel before looked up in other constants at the same place
#: refused
#: entry
    lea r9, [rip + 3f]
#: block
    two_look_ups 15, byte, "r9 + rax + 16"
#: constants
3:  numbers_twice 14

#: case blends-by-signs-of-two-lanes
#: why the signs of the first and of the second lane select
#: refused
#: block
    vmovdqu xmm1, [rsi]
    vinserti128 ymm1, ymm1, [rdi], 1
    vpmovb2m k1, ymm1
    vmovdqu8 ymm2{k1}{z}, ymm1
    vextracti128 xmm3, ymm2, 1
    add_difference xmm2, xmm3

#: case products-in-another-order
#: why the conjunction of the same two lanes is the same, and with a third it is not
#: refused
#: block
    vmovdqu xmm1, [rsi]
    vpand xmm2, xmm1, [rdi]
    vmovdqu xmm3, [rdi]
    vpand xmm3, xmm3, xmm1
    add_difference xmm2, xmm3
    vpand xmm3, xmm1, [rdi + 16]
    vpxor xmm0, xmm0, xmm3

#: case products-that-cancel
#: why the conjunction of the same two lanes, either way round
#: proved CT2
#: block
    vmovdqu xmm1, [rsi]
    vpand xmm2, xmm1, [rdi]
    vmovdqu xmm3, [rdi]
    vpand xmm3, xmm3, xmm1
    add_difference xmm2, xmm3
