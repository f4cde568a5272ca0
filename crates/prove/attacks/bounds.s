# What may be read and written of each buffer: not a byte more, and no input that the output has overwritten.

#: case input-before-its-beginning
#: why the byte before the first block
#: refused outside of the input
#: body
    mov al, [rsi - 1]

#: case input-from-its-beginning
#: why the first byte of a block
#: proved CT2
#: body
    mov al, [rsi]

#: case input-one-byte-too-far
#: why a load of eight bytes that ends one byte behind the last block
#: refused outside of the input
#: body
    mov rax, [rsi + 9]

#: case input-to-its-end
#: why a load of eight bytes that ends with the block
#: proved CT2
#: body
    mov rax, [rsi + 8]

#: case vector-of-input-one-byte-too-far
#: why a vector that ends one byte behind the last block
#: refused outside of the input
#: body
    vmovdqu xmm1, [rsi + 1]

#: case input-without-a-block
#: why nothing is known of the length yet
#: refused outside of the input
#: entry
    mov al, [rsi]

#: case input-after-the-output
#: why in place, the output has overwritten the input
#: refused in place, that is the output
#: block
    vmovdqu [rdx], xmm0
    mov rax, [rsi]

#: case last-byte-of-input-after-the-output
#: why the same of one byte
#: refused in place, that is the output
#: block
    vmovdqu [rdx], xmm0
    mov al, [rsi + 15]

#: case input-before-the-output
#: why the block is read again before the output is written
#: proved CT2
#: block
    mov rax, [rsi]
    mov al, [rsi + 15]

#: case input-written
#: why the input is not to be changed
#: refused the input
#: body
    mov [rsi], rcx

#: case output-read
#: why the output holds what the caller left there
#: refused the output
#: body
    mov rax, [rdx]

#: case output-one-byte-too-far
#: why the byte behind the last block
#: refused of the output
#: block
    mov byte ptr [rdx + 16], 0

#: case output-before-its-beginning
#: why the byte before the first block
#: refused of the output
#: block
    mov byte ptr [rdx - 1], 0

#: case key-before-its-beginning
#: why the byte before the first round key
#: refused which has 176
#: entry
    mov al, [rdi - 1]

#: case key-one-byte-too-far
#: why a load of eight bytes that ends one byte behind the last round key of AES-128
#: refused which has 176
#: entry
    mov rax, [rdi + 169]

#: case key-to-its-end
#: why a load that ends with the last round key
#: proved CT2
#: entry
    mov rax, [rdi + 168]

#: case key-written
#: why the round keys are the caller's
#: refused it writes the key structure
#: entry
    mov [rdi], rcx
