# What reaches the end of a message: opmasks of as many ones as bytes are left, and what is stored beside them.

#: case tail-under-a-mask
#: why up to 64 bytes under a mask of as many ones
#: proved CT2
#: whole aes128-ctr
    masked_tail

#: case tail-under-a-mask-of-one-more
#: why the mask has one more
#: refused
#: whole aes128-ctr
    masked_tail "lea rax, [r8 + 1]; mov r11, -1; bzhi r11, r11, rax; kmovq k1, r11"

#: case tail-under-a-mask-of-one-less
#: why the mask has one less
#: refused
#: whole aes128-ctr
    masked_tail "lea rax, [r8 - 1]; mov r11, -1; bzhi r11, r11, rax; kmovq k1, r11"

#: case tail-under-a-mask-of-half-as-many
#: why the mask has 32 ones at most
#: refused
#: whole aes128-ctr
    masked_tail "mov r11d, -1; bzhi r11d, r11d, r8d; kmovq k1, r11"

#: case tail-under-a-mask-of-the-lowest-half
#: why the mask is moved as 32 bits
#: refused
#: whole aes128-ctr
    masked_tail "mov r11, -1; bzhi r11, r11, r8; kmovd k1, r11d"

#: case tail-under-a-mask-of-what-was-left-before
#: why the mask is of the length before the loop
#: refused
#: whole aes128-ctr
    masked_tail "mov r11, -1; mov rax, [rsp - 8]; bzhi r11, r11, rax; kmovq k1, r11", "mov [rsp - 8], r8"

#: case tail-loaded-without-zeros
#: why what is not loaded stays what the register held: it is not stored either
#: refused a masked load must zero
#: whole aes128-ctr
    masked_tail , , "vmovdqu8 zmm1{k1}, [rdx]"

#: case tail-loaded-whole
#: why 64 bytes are read where fewer are left
#: refused
#: whole aes128-ctr
    masked_tail , , "vmovdqu8 zmm1, [rdx]"

#: case tail-stored-whole
#: why 64 bytes are written where fewer are left
#: refused
#: whole aes128-ctr
    masked_tail , , , "vmovdqu8 [rcx], zmm1"

#: case tail-stored-in-half
#: why 32 bytes at most are stored
#: refused
#: whole aes128-ctr
    masked_tail , , , "vmovdqu8 [rcx]{k1}, ymm1"

#: case tail-stored-under-another-mask
#: why the mask is that of no bytes
#: refused
#: whole aes128-ctr
    masked_tail , "kxorq k2, k2, k2", , "vmovdqu8 [rcx]{k2}, zmm1"

#: case tail-stored-twice
#: why it is stored twice: the second time is the same
#: proved CT2
#: whole aes128-ctr
    masked_tail , , , "vmovdqu8 [rcx]{k1}, zmm1; vmovdqu8 [rcx]{k1}, zmm1"

#: case tail-of-the-counters-before
#: why the tail is made of the counters of the last turn
#: refused
#: whole aes128-ctr
    masked_tail "mov r11, -1; bzhi r11, r11, r8; kmovq k1, r11; sub r9, 4; sbb r10, 0"

#: case tail-read-again-behind-its-store
#: why the text is read once more where it was written: in place it is gone
#: refused
#: whole aes128-ctr
    masked_tail , , , "vmovdqu8 [rcx]{k1}, zmm1; vmovdqu8 zmm2{k1}{z}, [rdx]"
