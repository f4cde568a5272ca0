# Memory operands: what the CPU accesses is an access, whatever comes of it.

#: case constant-logic-of-memory-at-zero
#: why the table 0xff gives ones whatever the operands are, and the operand at address 0 faults
#: refused address
#: entry
    xor eax, eax
    vpternlogq xmm3, xmm4, [rax], 0xff

#: case constant-logic-of-memory-zeros
#: why the same of the table 0x00
#: refused address
#: entry
    xor eax, eax
    vpternlogd ymm3, ymm4, [rax], 0

#: case constant-logic-of-a-broadcast
#: why the same of an element that is repeated
#: refused address
#: entry
    xor eax, eax
    vpternlogd ymm3, ymm4, dword ptr [rax]{1to8}, 0xff

#: case constant-logic-past-the-input
#: why the operand lies behind the last block
#: refused it may read outside of the input
#: body
    vpternlogq xmm3, xmm4, [rsi + 16], 0xff

#: case constant-logic-at-a-secret
#: why the address is of a byte of the key
#: refused the address is not public
#: entry
    movzx eax, byte ptr [rdi]
    vpternlogq xmm3, xmm4, [rdi + rax], 0xff

#: case constant-logic-of-registers
#: why no memory is read, and the result is ones
#: proved CT2
#: entry
    vpternlogq xmm3, xmm4, xmm5, 0xff

#: case constant-logic-of-the-key
#: why the operand is the first round key, which may be read
#: proved CT2
#: entry
    vpternlogq xmm3, xmm4, [rdi], 0xff

#: case logic-of-one-operand
#: why the table 0xf0 keeps the destination, and memory is read all the same
#: refused address
#: entry
    xor eax, eax
    vpternlogq xmm3, xmm4, [rax], 0xf0

#: case blend-of-nothing
#: why the selector takes nothing of the operand in memory, which is read
#: refused address
#: entry
    xor eax, eax
    vpblendd xmm3, xmm4, [rax], 0

#: case blend-of-no-words
#: why the same of words
#: refused address
#: entry
    xor eax, eax
    vpblendw xmm3, xmm4, [rax], 0

#: case lanes-that-are-zero
#: why the selector makes both lanes zero
#: refused address
#: entry
    xor eax, eax
    vperm2i128 ymm3, ymm4, [rax], 0x88

#: case bytes-shifted-out
#: why all bytes of both operands are shifted out
#: refused address
#: entry
    xor eax, eax
    vpalignr xmm3, xmm4, [rax], 40

#: case bits-shifted-out
#: why all bits are shifted out
#: refused address
#: entry
    xor eax, eax
    vpsrlq xmm3, [rax], 100

#: case lanes-of-the-other-operand
#: why the selector keeps the lanes of the first source
#: refused address
#: entry
    xor eax, eax
    vinserti64x4 zmm3, zmm4, [rax], 1

#: case move-that-does-not-happen
#: why cmov loads whatever its condition says
#: refused address
#: entry
    xor eax, eax
    cmovnz r9, [rax]

#: case move-that-does-not-happen-at-a-secret
#: why the load's address is of the key
#: refused depends on a key
#: entry
    movzx eax, byte ptr [rdi]
    xor r9d, r9d
    cmovnz r9, [rdi + rax]

#: case move-of-the-key-that-does-not-happen
#: why it may read the key, and keeps what it has
#: proved CT2
#: entry
    xor eax, eax
    cmovnz r9, [rdi]

#: case comparison-with-nothing
#: why a comparison whose flags are not read reads memory
#: refused address
#: entry
    xor eax, eax
    cmp [rax], r9

#: case test-behind-the-key
#: why the last byte of what is tested is behind the round keys
#: refused
#: entry
    test qword ptr [rdi + 169], 0

#: case test-of-the-key
#: why the flags are of a secret, and are not read
#: proved CT2
#: entry
    test qword ptr [rdi + 168], 0

#: case shuffle-behind-the-key
#: why it reads 16 bytes from the last of the key on
#: refused
#: entry
    vpshufd xmm3, [rdi + 161], 0

#: case widened-behind-the-key
#: why it reads 16 bytes to widen them, the last behind the key
#: refused
#: entry
    vpmovzxbd zmm3, [rdi + 161]

#: case widened-of-the-key
#: why it reads the last 16 bytes of the key
#: proved CT2
#: entry
    vpmovzxbd zmm3, [rdi + 160]

#: case rotation-of-the-key-by-nothing
#: why a rotation by nothing writes memory back, and the key is not the kernel's to write
#: refused
#: entry
    .byte 0x48, 0xc1, 0x0f, 0x40

#: case addition-of-nothing-to-the-key
#: why a sum with zero writes memory back
#: refused
#: entry
    add qword ptr [rdi], 0

#: case prefetch-of-a-secret
#: why the line of the cache says the byte of the key
#: refused a prefetch of an address that may be secret
#: entry
    movzx eax, byte ptr [rdi]
    prefetcht0 [rdi + 8 * rax]

#: case prefetch-of-a-secret-shifted
#: why the address is a sum of a secret, shifted before
#: refused a prefetch of an address that may be secret
#: entry
    movzx eax, byte ptr [rdi]
    shl rax, 6
    lea rax, [rdi + rax]
    prefetcht2 [rax]

#: case prefetch-of-a-key-word
#: why the address is a word of the key
#: refused a prefetch of an address that may be secret
#: entry
    mov rax, [rdi]
    prefetchnta [rax]

#: case prefetch-of-a-table-by-a-secret
#: why a prefetch of the constants at a secret place leaves its line in the cache
#: refused a prefetch of an address that may be secret
#: entry
    movzx eax, byte ptr [rdi]
    lea r9, [rip + 95f]
    prefetcht0 [r9 + rax]
#: constants
95: .fill 256, 1, 0

#: case prefetch-to-write-of-a-secret
#: why it takes the line for itself
#: refused a prefetch of an address that may be secret
#: entry
    movzx eax, byte ptr [rdi]
    prefetchw [rdi + rax]

#: case prefetch-beyond-the-input
#: why a public address may be prefetched wherever it is: no address faults
#: proved CT2
#: entry
    prefetcht0 [rsi + 4096]
    xor eax, eax
    prefetchw [rax]

#: case nop-of-a-secret-address
#: why a nop with an operand accesses nothing
#: proved CT2
#: entry
    mov rax, [rdi]
    nop dword ptr [rax]

#: case address-of-a-secret
#: why lea computes and accesses nothing
#: proved CT2
#: entry
    mov rax, [rdi]
    lea r9, [rax + 8 * rax + 5]

#: case extraction-under-an-empty-mask
#: why the store of an extraction faults whatever its opmask is
#: refused under an opmask
#: entry
    kxorq k1, k1, k1
    xor eax, eax
    vextracti64x2 [rax]{k1}, ymm0, 0

#: case extraction-to-the-key-under-an-empty-mask
#: why the same of the key, which may be mapped read-only
#: refused under an opmask
#: entry
    kxorq k1, k1, k1
    vextracti32x4 [rdi]{k1}, zmm0, 0

#: case extraction-to-the-output
#: why without an opmask it is a store of the block, which comes again
#: proved CT2
#: block
    vextracti32x4 [rdx], zmm0, 0

#: case logic-under-an-empty-mask
#: why nothing is computed, at address 0
#: refused under an opmask
#: entry
    kxorq k1, k1, k1
    xor eax, eax
    vpxorq xmm3{k1}, xmm4, [rax]

#: case logic-under-a-secret-mask
#: why which elements are read of memory is a secret
#: refused under an opmask
#: entry
    vmovdqu xmm5, [rdi]
    vpmovb2m k1, xmm5
    vpxorq xmm3{k1}{z}, xmm4, [rdi]

#: case blend-under-a-secret-mask
#: why the same of a blend
#: refused under an opmask
#: entry
    vmovdqu xmm5, [rdi]
    vpmovb2m k1, xmm5
    vpblendmb xmm3{k1}, xmm4, [rdi]

#: case broadcast-under-an-empty-mask
#: why the repeated lanes are read of nowhere
#: refused under an opmask
#: entry
    kxorq k1, k1, k1
    xor eax, eax
    vbroadcasti32x4 zmm3{k1}{z}, [rax]

#: case load-under-a-secret-mask
#: why which bytes are read is a secret
#: refused
#: entry
    kmovq k1, [rdi]
    vmovdqu8 xmm3{k1}{z}, [rdi]

#: case load-under-the-signs-of-a-secret
#: why which bytes are read is the highest bits of the key's
#: refused
#: entry
    vmovdqu xmm5, [rdi]
    vpmovb2m k1, xmm5
    vmovdqu8 xmm3{k1}{z}, [rdi]

#: case load-under-a-mask-behind-the-key
#: why the first byte under the mask is behind the key
#: refused
#: entry
    kxnorq k1, k1, k1
    vmovdqu8 xmm3{k1}{z}, [rdi + 176]

#: case load-under-an-empty-mask
#: why a move of vectors touches nothing under a clear bit
#: proved CT2
#: entry
    kxorq k1, k1, k1
    vmovdqu8 xmm3{k1}{z}, [rdi + 4096]

#: case load-under-an-empty-mask-at-a-secret
#: why the address is a secret, though nothing is read there
#: refused the address is not public
#: entry
    kxorq k1, k1, k1
    movzx eax, byte ptr [rdi]
    vmovdqu8 xmm3{k1}{z}, [rdi + rax]

#: case store-under-a-secret-mask
#: why which bytes are written is a secret
#: refused
#: block
    kmovq k1, [rdi]
    vmovdqu8 [rdx]{k1}, xmm0

#: case element-inserted-from-nowhere
#: why a byte is read at address 0
#: refused address
#: entry
    xor eax, eax
    vpinsrb xmm3, xmm4, [rax], 0

#: case opmask-from-nowhere
#: why eight bytes are read at address 0
#: refused address
#: entry
    xor eax, eax
    kmovq k1, [rax]

#: case aligned-move-of-the-key
#: why the key's place is not known to be a multiple of 16, and the move faults elsewhere
#: refused must be aligned
#: entry
    vmovdqa xmm3, [rdi]

#: case legacy-operand-of-the-key
#: why legacy operands of whole vectors must be aligned too
#: refused must be aligned
#: entry
    pxor xmm3, [rdi]

#: case rotation-that-reads-nowhere
#: why rorx by nothing reads memory
#: refused address
#: entry
    xor eax, eax
    rorx r9, [rax], 0

#: case scaled-secret-beside-a-counter
#: why the sum of a public value that overflows its form and a secret is a secret
#: refused
#: entry
    movzx eax, byte ptr [rdi]
    mov r9, rcx
    shl r9, 7
    lea r10, [rax + 2 * r9]
    test r10, r10
    js 1f
1:

#: case opmask-of-a-key-word
#: why an opmask of a key word, which decides a branch
#: refused a secret
#: entry
    mov rax, [rdi]
    kmovq k1, rax
    kmovq rax, k1
    test rax, rax
    jz 1f
1:  xor eax, eax

#: case opmask-of-a-number
#: why the same of a number that the caller left
#: proved CT2
#: entry
    kmovq k1, r8
    kmovq rax, k1
    test rax, rax
    jz 1f
1:  xor eax, eax
