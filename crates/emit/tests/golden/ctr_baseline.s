/* aes128-ctr */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_ctr: AES-128-CTR
 *
 * problem      aes128-ctr
 * technique    aesni
 * variant      aes128-ctr width=xmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=0 counter=swap fold=no loop=bottom align=1 tail=step wipe=no
 * bytes        544, SHA-256 5d45a3cc7b81bab6da100852c10811d1387368692b8ee82e2848a5a3b2211be9
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use, counter table    read
 * rsi  iv   16 bytes, big-endian counter                 read, written
 * rdx  in   r8 bytes                                     read
 * rcx  out  r8 bytes, in or apart                        written
 * r8   len  bytes; a block that is begun is used up
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_ctr
	.type aesmith_aes128_ctr, @function
aesmith_aes128_ctr:
	.cfi_startproc
	endbr64
/* -- entry */
	test        %r8, %r8
	je          .Laesmith_aes128_ctr_leave
	mov         8(%rsi), %r9
	mov         (%rsi), %r10
	bswap       %r9
	bswap       %r10
	lea         0xf(%r8), %rax
	shr         $4, %rax
	.byte 0x4d,0x8b,0xd9	# mov %r9, %r11
	.byte 0x4c,0x03,0xd8	# add %rax, %r11
	jb          .Laesmith_aes128_ctr_carry
	bswap       %r11
	mov         %r11, 8(%rsi)
	cmp         $0x10, %r8
	jb          .Laesmith_aes128_ctr_tail
/* -- set-up */
	vmovq       %r9, %xmm0
	vpinsrq     $1, %r10, %xmm0, %xmm0
	vmovdqu     .Laesmith_aes128_ctr_constant(%rip), %xmm1
	vmovdqu     .Laesmith_aes128_ctr_constant_2(%rip), %xmm2
/* -- loop */
/* -- body */
.Laesmith_aes128_ctr_loop:
	vpshufb     %xmm1, %xmm0, %xmm3
	vpaddq      %xmm2, %xmm0, %xmm0
	vpxor       (%rdi), %xmm3, %xmm3
	vaesenc     0x10(%rdi), %xmm3, %xmm3
	vaesenc     0x20(%rdi), %xmm3, %xmm3
	vaesenc     0x30(%rdi), %xmm3, %xmm3
	vaesenc     0x40(%rdi), %xmm3, %xmm3
	vaesenc     0x50(%rdi), %xmm3, %xmm3
	vaesenc     0x60(%rdi), %xmm3, %xmm3
	vaesenc     0x70(%rdi), %xmm3, %xmm3
	vaesenc     0x80(%rdi), %xmm3, %xmm3
	vaesenc     0x90(%rdi), %xmm3, %xmm3
	vaesenclast 0xa0(%rdi), %xmm3, %xmm3
	vpxor       (%rdx), %xmm3, %xmm3
	vmovdqu     %xmm3, (%rcx)
/* -- body end */
	add         $0x10, %rdx
	add         $0x10, %rcx
	add         $1, %r9
	sub         $0x10, %r8
	cmp         $0x10, %r8
	jae         .Laesmith_aes128_ctr_loop
/* -- tail */
/* -- single */
.Laesmith_aes128_ctr_tail:
	cmp         $0x10, %r8
	jb          .Laesmith_aes128_ctr_step
	vmovq       %r9, %xmm1
	vpinsrq     $1, %r10, %xmm1, %xmm1
	vpshufb     .Laesmith_aes128_ctr_constant(%rip), %xmm1, %xmm1
	vpxor       (%rdi), %xmm1, %xmm2
	vaesenc     0x10(%rdi), %xmm2, %xmm2
	vaesenc     0x20(%rdi), %xmm2, %xmm2
	vaesenc     0x30(%rdi), %xmm2, %xmm2
	vaesenc     0x40(%rdi), %xmm2, %xmm2
	vaesenc     0x50(%rdi), %xmm2, %xmm2
	vaesenc     0x60(%rdi), %xmm2, %xmm2
	vaesenc     0x70(%rdi), %xmm2, %xmm2
	vaesenc     0x80(%rdi), %xmm2, %xmm2
	vaesenc     0x90(%rdi), %xmm2, %xmm2
	vmovdqu     (%rdx), %xmm3
	vpxor       0xa0(%rdi), %xmm3, %xmm3
	vaesenclast %xmm3, %xmm2, %xmm3
	vmovdqu     %xmm3, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	add         $1, %r9
	adc         $0, %r10
	jmp         .Laesmith_aes128_ctr_tail
.Laesmith_aes128_ctr_step:
	test        %r8, %r8
	.byte 0x0f,0x84; .long .Laesmith_aes128_ctr_leave - . - 4	# je .Laesmith_aes128_ctr_leave
	vmovq       %r9, %xmm1
	vpinsrq     $1, %r10, %xmm1, %xmm1
	vpshufb     .Laesmith_aes128_ctr_constant(%rip), %xmm1, %xmm1
	vpxor       (%rdi), %xmm1, %xmm1
	vaesenc     0x10(%rdi), %xmm1, %xmm1
	vaesenc     0x20(%rdi), %xmm1, %xmm1
	vaesenc     0x30(%rdi), %xmm1, %xmm1
	vaesenc     0x40(%rdi), %xmm1, %xmm1
	vaesenc     0x50(%rdi), %xmm1, %xmm1
	vaesenc     0x60(%rdi), %xmm1, %xmm1
	vaesenc     0x70(%rdi), %xmm1, %xmm1
	vaesenc     0x80(%rdi), %xmm1, %xmm1
	vaesenc     0x90(%rdi), %xmm1, %xmm1
	vaesenclast 0xa0(%rdi), %xmm1, %xmm1
	.byte 0x33,0xc0	# xor %eax, %eax
.Laesmith_aes128_ctr_step_2:
	{vex3} vmovd %xmm1, %r11d
	vpsrldq     $1, %xmm1, %xmm1
	xor         (%rdx,%rax), %r11b
	mov         %r11b, (%rcx,%rax)
	add         $1, %rax
	.byte 0x49,0x3b,0xc0	# cmp %r8, %rax
	jb          .Laesmith_aes128_ctr_step_2
/* -- leave */
.Laesmith_aes128_ctr_leave:
	ret
/* -- carry */
.Laesmith_aes128_ctr_carry:
	bswap       %r11
	mov         %r11, 8(%rsi)
	lea         1(%r10), %rax
	bswap       %rax
	mov         %rax, (%rsi)
	jmp         .Laesmith_aes128_ctr_tail
	.cfi_endproc
	.size aesmith_aes128_ctr, . - aesmith_aes128_ctr
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_ctr + 496

	.section .rodata
	.p2align 6
	.type aesmith_aes128_ctr_constants, @object
aesmith_aes128_ctr_constants:
.Laesmith_aes128_ctr_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_ctr_constant_2:
	/* 1 in the low quadword of each lane */
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.size aesmith_aes128_ctr_constants, . - aesmith_aes128_ctr_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
