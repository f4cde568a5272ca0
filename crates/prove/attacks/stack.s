# The stack: what lies above the return address is the caller's, and 64 KiB below it are the kernel's.

#: case four-bytes-above-the-return-address
#: why a load of eight bytes from inside of the return address
#: refused of the stack, which is not its own
#: entry
    mov rax, [rsp + 4]

#: case one-byte-above-the-return-address
#: why the first byte of the caller's frame
#: refused of the stack, which is not its own
#: entry
    mov al, [rsp + 8]

#: case one-byte-beyond-the-return-address
#: why a load that ends one byte above it
#: refused of the stack, which is not its own
#: entry
    mov rax, [rsp + 1]

#: case return-address-itself
#: why the return address may be read: its last byte too
#: proved CT2
#: entry
    mov rax, [rsp]
    mov al, [rsp + 7]
    mov eax, [rsp + 4]

#: case vector-beyond-the-return-address
#: why a vector that ends four bytes above it
#: refused of the stack, which is not its own
#: entry
    vpxor xmm1, xmm1, xmm1
    vmovdqu [rsp - 16], xmm1
    vmovdqu xmm1, [rsp - 4]

#: case vector-at-the-return-address
#: why a vector of which half lies above it
#: refused of the stack, which is not its own
#: entry
    vmovdqu xmm1, [rsp]

#: case wide-vector-over-the-return-address
#: why a register of 64 bytes that ends twelve bytes above it
#: refused of the stack, which is not its own
#: entry
    vpxord zmm1, zmm1, zmm1
    vmovdqu64 [rsp - 64], zmm1
    vmovdqu64 zmm1, [rsp - 44]

#: case wide-vector-up-to-the-return-address
#: why the same up to its last byte
#: proved CT2
#: entry
    vpxord zmm1, zmm1, zmm1
    vmovdqu64 [rsp - 64], zmm1
    vmovdqu64 zmm1, [rsp - 56]

#: case return-address-overwritten-in-part
#: why one byte of the return address is written
#: refused of the stack, which is not its own
#: entry
    mov byte ptr [rsp + 3], 0

#: case slot-across-the-return-address-written
#: why eight bytes of which four are the return address's
#: refused of the stack, which is not its own
#: entry
    mov [rsp - 4], rbx

#: case return-address-moved
#: why a copy of the return address is returned to from below
#: refused
#: entry
    mov rax, [rsp]
    sub rsp, 16
    mov [rsp], rax
    ret

#: case return-address-copied
#: why it is copied and nothing is done with the copy
#: proved CT2
#: entry
    mov rax, [rsp]
    mov [rsp - 8], rax

#: case stack-pointer-lowered-by-a-gibibyte
#: why more stack than the contract has, for a moment
#: refused the stack pointer is lowered by more than
#: entry
    mov r9, rsp
    lea rsp, [rsp - 0x40000000]
    mov rsp, r9

#: case stack-pointer-lowered-by-terabytes
#: why the same by 16 TiB
#: refused the stack pointer is lowered by more than
#: entry
    mov r9, rsp
    mov r10, 0x100000000000
    sub rsp, r10
    mov rsp, r9

#: case stack-pointer-lowered-by-half
#: why the same by 2^63
#: refused the stack pointer
#: entry
    mov r9, rsp
    mov r10, 0x8000000000000000
    add rsp, r10
    mov rsp, r9

#: case stack-pointer-lowered-by-a-byte-too-much
#: why one byte more than 64 KiB
#: refused the stack pointer is lowered by more than
#: entry
    sub rsp, 65537
    add rsp, 65537

#: case stack-pointer-lowered-by-all-there-is
#: why 64 KiB exactly
#: proved CT2
#: entry
    sub rsp, 65536
    add rsp, 65536

#: case stack-lowered-twice
#: why half of it and half of it and eight bytes
#: refused the stack pointer is lowered by more than
#: entry
    sub rsp, 32768
    sub rsp, 32776
    add rsp, 65544

#: case pushed-below-all-there-is
#: why a push at the end of the stack
#: refused of the stack, which is not its own
#: entry
    sub rsp, 65536
    push rbx
    add rsp, 65544

#: case aligned-and-lowered
#: why an aligned stack pointer may lie up to 63 bytes lower: with those it is too much
#: refused the stack pointer is lowered by more than
#: entry
    mov r9, rsp
    and rsp, -64
    sub rsp, 65520
    mov rsp, r9

#: case aligned-and-lowered-by-less
#: why with them it is not
#: proved CT2
#: entry
    mov r9, rsp
    and rsp, -64
    sub rsp, 65472
    mov rsp, r9

#: case stack-pointer-raised
#: why above the return address anybody may write it
#: refused
#: entry
    add rsp, 16
    sub rsp, 16

#: case stack-pointer-in-the-key
#: why the stack pointer is an address of the key structure for a moment
#: refused
#: entry
    mov r9, rsp
    mov rsp, rdi
    mov rsp, r9

#: case below-the-red-zone
#: why a store 136 bytes below the stack pointer
#: refused 128 bytes below
#: entry
    mov [rsp - 136], rbx

#: case in-the-red-zone
#: why a store 128 bytes below it
#: proved CT2
#: entry
    mov [rsp - 128], rbx

#: case across-the-red-zones-end
#: why a store that begins a byte below it
#: refused 128 bytes below
#: entry
    mov [rsp - 129], bl

#: case read-what-a-signal-handler-may-have-written
#: why the slot lay below the red zone while the stack pointer was up
#: refused
#: entry
    sub rsp, 512
    mov [rsp], rbx
    add rsp, 512
    sub rsp, 512
    mov rax, [rsp]
    add rsp, 512

#: case pushed-and-popped
#: why a register goes through the stack
#: proved CT2
#: entry
    push rbx
    mov rbx, 5
    pop rbx

#: case popped-into-another
#: why a register that is the caller's gets another one's value
#: refused rbx does not hold
#: entry
    push rbp
    pop rbx

#: case never-written
#: why a slot is read that was not written
#: refused where it wrote nothing
#: entry
    mov rax, [rsp - 8]

#: case written-in-part-only
#: why half of a slot was never written
#: refused where it wrote nothing
#: entry
    xor eax, eax
    mov [rsp - 16], eax
    mov rax, [rsp - 16]

#: case written-on-one-way-only
#: why a slot that only one way here wrote is read
#: refused where it wrote nothing
#: body
    mov rax, [rsp - 8]
    mov [rsp - 8], rbx

#: case wide-vector-at-a-multiple-of-sixteen
#: why callers align the stack to 16 bytes, and the store wants a multiple of 32
#: refused aligned
#: entry
    vpxor xmm1, xmm1, xmm1
    vmovdqa [rsp - 56], ymm1

#: case vector-at-a-multiple-of-sixteen
#: why the same of 16 bytes
#: proved CT2
#: entry
    vpxor xmm1, xmm1, xmm1
    vmovdqa [rsp - 56], xmm1
