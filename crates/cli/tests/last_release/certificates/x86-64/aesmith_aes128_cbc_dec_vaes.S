/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_cbc_dec_vaes: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_cbc_dec_vaes: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_cbc_dec_vaes: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_cbc_dec_vaes: AES-128-CBC decryption
 *
 * problem      aes128-cbc-dec
 * technique    vaes
 * variant      aes128-cbc-dec width=zmm keys=0x7fff interleave=4 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no fold=no loop=bottom align=1 tail=step wipe=no
 * bytes        819, SHA-256 7eeb2818b6bed88ae6f1474e4903169f2329e06545651dc324f589231bec4a3b
 * certificate  E3, the mode is proved, for every key, text and length
 * timing       CT2, no secret in an address, branch or shift count; instructions on secrets are on Intel's list of data-independent timing (DOITM where there is one; AMD has no list)
 *
 * rdi  key  round keys in order of use                   read
 * rsi  iv   16 bytes                                     read, written
 * rdx  in   16 (r8 / 16) bytes                           read
 * rcx  out  16 (r8 / 16) bytes, in or apart              written
 * r8   len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_cbc_dec_vaes
	.type aesmith_aes128_cbc_dec_vaes, @function
aesmith_aes128_cbc_dec_vaes:
	.cfi_startproc
	endbr64
/* -- entry */
	vbroadcasti32x4 (%rsi), %zmm0
	cmp         $0x100, %r8
	jb          .Laesmith_aes128_cbc_dec_vaes_tail
/* -- set-up */
	vbroadcasti32x4 (%rdi), %zmm1
	vbroadcasti32x4 0x10(%rdi), %zmm2
	vbroadcasti32x4 0x20(%rdi), %zmm3
	vbroadcasti32x4 0x30(%rdi), %zmm4
	vbroadcasti32x4 0x40(%rdi), %zmm5
	vbroadcasti32x4 0x50(%rdi), %zmm6
	vbroadcasti32x4 0x60(%rdi), %zmm7
	vbroadcasti32x4 0x70(%rdi), %zmm8
	vbroadcasti32x4 0x80(%rdi), %zmm9
	vbroadcasti32x4 0x90(%rdi), %zmm10
	vbroadcasti32x4 0xa0(%rdi), %zmm11
/* -- loop */
/* -- body */
.Laesmith_aes128_cbc_dec_vaes_loop:
	vmovdqu64   (%rdx), %zmm12
	valignq     $6, %zmm0, %zmm12, %zmm12
	vmovdqu64   0xc0(%rdx), %zmm0
	vpxorq      0xc0(%rdx), %zmm1, %zmm13
	vpxorq      0x80(%rdx), %zmm1, %zmm14
	vpxorq      0x40(%rdx), %zmm1, %zmm15
	vpxorq      (%rdx), %zmm1, %zmm16
	vaesdec     %zmm2, %zmm13, %zmm13
	vaesdec     %zmm2, %zmm14, %zmm14
	vaesdec     %zmm2, %zmm15, %zmm15
	vaesdec     %zmm2, %zmm16, %zmm16
	vaesdec     %zmm3, %zmm13, %zmm13
	vaesdec     %zmm3, %zmm14, %zmm14
	vaesdec     %zmm3, %zmm15, %zmm15
	vaesdec     %zmm3, %zmm16, %zmm16
	vaesdec     %zmm4, %zmm13, %zmm13
	vaesdec     %zmm4, %zmm14, %zmm14
	vaesdec     %zmm4, %zmm15, %zmm15
	vaesdec     %zmm4, %zmm16, %zmm16
	vaesdec     %zmm5, %zmm13, %zmm13
	vaesdec     %zmm5, %zmm14, %zmm14
	vaesdec     %zmm5, %zmm15, %zmm15
	vaesdec     %zmm5, %zmm16, %zmm16
	vaesdec     %zmm6, %zmm13, %zmm13
	vaesdec     %zmm6, %zmm14, %zmm14
	vaesdec     %zmm6, %zmm15, %zmm15
	vaesdec     %zmm6, %zmm16, %zmm16
	vaesdec     %zmm7, %zmm13, %zmm13
	vaesdec     %zmm7, %zmm14, %zmm14
	vaesdec     %zmm7, %zmm15, %zmm15
	vaesdec     %zmm7, %zmm16, %zmm16
	vaesdec     %zmm8, %zmm13, %zmm13
	vaesdec     %zmm8, %zmm14, %zmm14
	vaesdec     %zmm8, %zmm15, %zmm15
	vaesdec     %zmm8, %zmm16, %zmm16
	vaesdec     %zmm9, %zmm13, %zmm13
	vaesdec     %zmm9, %zmm14, %zmm14
	vaesdec     %zmm9, %zmm15, %zmm15
	vaesdec     %zmm9, %zmm16, %zmm16
	vaesdec     %zmm10, %zmm13, %zmm13
	vaesdec     %zmm10, %zmm14, %zmm14
	vaesdec     %zmm10, %zmm15, %zmm15
	vaesdec     %zmm10, %zmm16, %zmm16
	vaesdeclast %zmm11, %zmm13, %zmm13
	vaesdeclast %zmm11, %zmm14, %zmm14
	vaesdeclast %zmm11, %zmm15, %zmm15
	vaesdeclast %zmm11, %zmm16, %zmm16
	vpxorq      0xb0(%rdx), %zmm13, %zmm13
	vpxorq      0x70(%rdx), %zmm14, %zmm14
	vpxorq      0x30(%rdx), %zmm15, %zmm15
	vpxorq      %zmm12, %zmm16, %zmm12
	vmovdqu64   %zmm13, 0xc0(%rcx)
	vmovdqu64   %zmm14, 0x80(%rcx)
	vmovdqu64   %zmm15, 0x40(%rcx)
	vmovdqu64   %zmm12, (%rcx)
/* -- body end */
	add         $0x100, %rdx
	add         $0x100, %rcx
	sub         $0x100, %r8
	cmp         $0x100, %r8
	jae         .Laesmith_aes128_cbc_dec_vaes_loop
/* -- tail */
.Laesmith_aes128_cbc_dec_vaes_tail:
	cmp         $0x40, %r8
	jb          .Laesmith_aes128_cbc_dec_vaes_step
	vmovdqu64   (%rdx), %zmm1
	valignq     $6, %zmm0, %zmm1, %zmm1
	vmovdqu64   (%rdx), %zmm0
	vbroadcasti32x4 (%rdi), %zmm2
	vpxorq      (%rdx), %zmm2, %zmm2
	vbroadcasti32x4 0x10(%rdi), %zmm3
	vaesdec     %zmm3, %zmm2, %zmm3
	vbroadcasti32x4 0x20(%rdi), %zmm2
	vaesdec     %zmm2, %zmm3, %zmm2
	vbroadcasti32x4 0x30(%rdi), %zmm3
	vaesdec     %zmm3, %zmm2, %zmm3
	vbroadcasti32x4 0x40(%rdi), %zmm2
	vaesdec     %zmm2, %zmm3, %zmm2
	vbroadcasti32x4 0x50(%rdi), %zmm3
	vaesdec     %zmm3, %zmm2, %zmm3
	vbroadcasti32x4 0x60(%rdi), %zmm2
	vaesdec     %zmm2, %zmm3, %zmm2
	vbroadcasti32x4 0x70(%rdi), %zmm3
	vaesdec     %zmm3, %zmm2, %zmm3
	vbroadcasti32x4 0x80(%rdi), %zmm2
	vaesdec     %zmm2, %zmm3, %zmm2
	vbroadcasti32x4 0x90(%rdi), %zmm3
	vaesdec     %zmm3, %zmm2, %zmm3
	vbroadcasti32x4 0xa0(%rdi), %zmm2
	vpxorq      %zmm1, %zmm2, %zmm1
	vaesdeclast %zmm1, %zmm3, %zmm1
	vmovdqu64   %zmm1, (%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	sub         $0x40, %r8
	jmp         .Laesmith_aes128_cbc_dec_vaes_tail
.Laesmith_aes128_cbc_dec_vaes_step:
	vextracti32x4 $3, %zmm0, %xmm0
/* -- single */
.Laesmith_aes128_cbc_dec_vaes_single:
	cmp         $0x10, %r8
	.byte 0x0f,0x82; .long .Laesmith_aes128_cbc_dec_vaes_step_2 - . - 4	# jb .Laesmith_aes128_cbc_dec_vaes_step_2
	vmovdqu     (%rdx), %xmm2
	vmovdqu     %xmm0, %xmm2
	vmovdqu     (%rdx), %xmm0
	vmovdqu     (%rdx), %xmm3
	vpxor       (%rdi), %xmm3, %xmm3
	vaesdec     0x10(%rdi), %xmm3, %xmm3
	vaesdec     0x20(%rdi), %xmm3, %xmm3
	vaesdec     0x30(%rdi), %xmm3, %xmm3
	vaesdec     0x40(%rdi), %xmm3, %xmm3
	vaesdec     0x50(%rdi), %xmm3, %xmm3
	vaesdec     0x60(%rdi), %xmm3, %xmm3
	vaesdec     0x70(%rdi), %xmm3, %xmm3
	vaesdec     0x80(%rdi), %xmm3, %xmm3
	vaesdec     0x90(%rdi), %xmm3, %xmm3
	vpxor       0xa0(%rdi), %xmm2, %xmm2
	vaesdeclast %xmm2, %xmm3, %xmm2
	vmovdqu     %xmm2, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	jmp         .Laesmith_aes128_cbc_dec_vaes_single
.Laesmith_aes128_cbc_dec_vaes_step_2:
	vmovdqu     %xmm0, (%rsi)
/* -- leave */
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_cbc_dec_vaes, . - aesmith_aes128_cbc_dec_vaes

/*
 * aesmith_aes128_cbc_dec_vaes_schedule: key schedule of AES-128 for decryption
 *
 * problem      aes128-key-dec
 * technique    aesni
 * variant      aes128-key-dec schedule=aesenclast wipe=no
 * bytes        752, SHA-256 b7bacb9df5fd63c5ea10c7fe8a5fe010ff5b9c0be3c28cfd6baf801ddf5a245c
 * certificate  E3, the mode is proved, for every key, text and length
 * timing       CT2, no secret in an address, branch or shift count; instructions on secrets are on Intel's list of data-independent timing (DOITM where there is one; AMD has no list)
 *
 * rdi  key        round keys in order of use             written
 * rsi  key_bytes  the cipher key                         read
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_cbc_dec_vaes_schedule
	.hidden aesmith_aes128_cbc_dec_vaes_schedule
	.type aesmith_aes128_cbc_dec_vaes_schedule, @function
aesmith_aes128_cbc_dec_vaes_schedule:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     (%rsi), %xmm0
	vmovdqu     %xmm0, 0xa0(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_2(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x90(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_3(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x80(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_4(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x70(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_5(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x60(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_6(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x50(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_7(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x40(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_8(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x30(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_9(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x20(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_10(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vaesimc     %xmm0, %xmm4
	vmovdqu     %xmm4, 0x10(%rdi)
	vpshufb     .Laesmith_aes128_cbc_dec_vaes_schedule_constant(%rip), %xmm0, %xmm2
	vaesenclast .Laesmith_aes128_cbc_dec_vaes_schedule_constant_11(%rip), %xmm2, %xmm2
	vpslldq     $4, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpslldq     $8, %xmm0, %xmm3
	vpxor       %xmm3, %xmm0, %xmm0
	vpxor       %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, (%rdi)
/* -- leave */
	ret
	.cfi_endproc
	.size aesmith_aes128_cbc_dec_vaes_schedule, . - aesmith_aes128_cbc_dec_vaes_schedule

	.section .rodata
	.p2align 6
	.type aesmith_aes128_cbc_dec_vaes_schedule_constants, @object
aesmith_aes128_cbc_dec_vaes_schedule_constants:
.Laesmith_aes128_cbc_dec_vaes_schedule_constant:
	/* one value in each lane */
	.byte 0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c,0x0d,0x0e,0x0f,0x0c
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_2:
	/* one value in each lane */
	.byte 0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00,0x01,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_3:
	/* one value in each lane */
	.byte 0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00,0x02,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_4:
	/* one value in each lane */
	.byte 0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00,0x04,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_5:
	/* one value in each lane */
	.byte 0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00,0x08,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_6:
	/* one value in each lane */
	.byte 0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00,0x10,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_7:
	/* one value in each lane */
	.byte 0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00,0x20,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_8:
	/* one value in each lane */
	.byte 0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00,0x40,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_9:
	/* one value in each lane */
	.byte 0x80,0x00,0x00,0x00,0x80,0x00,0x00,0x00,0x80,0x00,0x00,0x00,0x80,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_10:
	/* one value in each lane */
	.byte 0x1b,0x00,0x00,0x00,0x1b,0x00,0x00,0x00,0x1b,0x00,0x00,0x00,0x1b,0x00,0x00,0x00
.Laesmith_aes128_cbc_dec_vaes_schedule_constant_11:
	/* one value in each lane */
	.byte 0x36,0x00,0x00,0x00,0x36,0x00,0x00,0x00,0x36,0x00,0x00,0x00,0x36,0x00,0x00,0x00
	.size aesmith_aes128_cbc_dec_vaes_schedule_constants, . - aesmith_aes128_cbc_dec_vaes_schedule_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
