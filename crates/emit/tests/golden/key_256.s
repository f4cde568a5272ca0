/* aes256-key schedule=aesenclast */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes256_key: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes256_key: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes256_key: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes256_key: key schedule of AES-256
 *
 * problem      aes256-key
 * technique    aesni
 * variant      aes256-key schedule=aesenclast wipe=no
 * bytes        800, SHA-256 10be82e23256fcf5310e0c403075d2daa41ce2deb46d27dca9463b3afe69c3e9
 * certificate  none: these bytes are not proved
 *
 * rdi  key        round keys in order of use             written
 * rsi  key_bytes  the cipher key                         read
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes256_key
	.type aesmith_aes256_key, @function
aesmith_aes256_key:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     (%rsi), %xmm0
	vmovdqu     0x10(%rsi), %xmm1
	vmovdqu     %xmm0, (%rdi)
	vmovdqu     %xmm1, 0x10(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_2(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0x20(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x30(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_5(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0x40(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x50(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_6(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0x60(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x70(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_7(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0x80(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x90(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_8(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0xa0(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0xb0(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_9(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0xc0(%rdi)
	vpshufb     .Laesmith_aes256_key_constant_3(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpslldq     $8, %xmm1, %xmm3
	vpxor       %xmm3, %xmm1, %xmm1
	vpxor       %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0xd0(%rdi)
	vpshufb     .Laesmith_aes256_key_constant(%rip), %xmm1, %xmm2
	vaesenclast .Laesmith_aes256_key_constant_10(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, 0xe0(%rdi)
/* -- leave */
	ret
	.cfi_endproc
	.size aesmith_aes256_key, . - aesmith_aes256_key
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes256_key + 629

	.section .rodata
	.p2align 6
	.type aesmith_aes256_key_constants, @object
aesmith_aes256_key_constants:
.Laesmith_aes256_key_constant:
	/* one value in each lane */
	.byte 0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c
.Laesmith_aes256_key_constant_2:
	/* one value in each lane */
	.byte 0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00
.Laesmith_aes256_key_constant_3:
	/* one value in each lane */
	.byte 0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f
.Laesmith_aes256_key_constant_4:
	/* 0 in the low quadword of each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes256_key_constant_5:
	/* one value in each lane */
	.byte 0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00
.Laesmith_aes256_key_constant_6:
	/* one value in each lane */
	.byte 0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00
.Laesmith_aes256_key_constant_7:
	/* one value in each lane */
	.byte 0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00
.Laesmith_aes256_key_constant_8:
	/* one value in each lane */
	.byte 0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00
.Laesmith_aes256_key_constant_9:
	/* one value in each lane */
	.byte 0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00
.Laesmith_aes256_key_constant_10:
	/* one value in each lane */
	.byte 0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00
	.size aesmith_aes256_key_constants, . - aesmith_aes256_key_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
