/* aes128-ecb technique=gfni */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_ecb_gfni_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_ecb_gfni_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_ecb_gfni_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_ecb_gfni_xmm: AES-128 encryption of whole blocks (ECB)
 *
 * problem      aes128-ecb
 * technique    gfni
 * variant      aes128-ecb technique=gfni width=xmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step layout=blocks multiples=first wipe=no
 * bytes        720, SHA-256 8bb9f12c266a52d770350854eb7e973536b4f423e444386915e7beeaa699ac14
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  in   16 (rcx / 16) bytes                          read
 * rdx  out  16 (rcx / 16) bytes, in or apart             written
 * rcx  len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_ecb_gfni_xmm
	.type aesmith_aes128_ecb_gfni_xmm, @function
aesmith_aes128_ecb_gfni_xmm:
	.cfi_startproc
	endbr64
/* -- entry */
	cmp         $0x10, %rcx
	jb          .Laesmith_aes128_ecb_gfni_xmm_tail
/* -- set-up */
/* -- loop */
/* -- body */
.Laesmith_aes128_ecb_gfni_xmm_set_up:
	vmovdqu     (%rsi), %xmm1
	vpxor       (%rdi), %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_gfni_xmm_constant(%rip), %xmm2
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_gfni_xmm_constant_2(%rip), %xmm3
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vmovdqu     .Laesmith_aes128_ecb_gfni_xmm_constant_3(%rip), %xmm5
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vmovdqu     .Laesmith_aes128_ecb_gfni_xmm_constant_4(%rip), %xmm7
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm8
	{vex3} vpxor %xmm8, %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_gfni_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x10(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x20(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x30(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x40(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x50(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x60(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x70(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm9
	{vex3} vpxor %xmm9, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x80(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm4
	vpshufb     %xmm5, %xmm4, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	vgf2p8affineinvqb $-0x3a, %xmm7, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm1, %xmm5
	vpxor       %xmm5, %xmm1, %xmm1
	vpshufb     %xmm8, %xmm4, %xmm4
	vpxor       %xmm6, %xmm1, %xmm1
	vpxor       %xmm4, %xmm1, %xmm1
	vpxor       0x90(%rdi), %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vgf2p8affineinvqb $0x63, %xmm3, %xmm1, %xmm1
	vpxor       0xa0(%rdi), %xmm1, %xmm1
	vmovdqu     %xmm1, (%rdx)
/* -- body end */
	add         $0x10, %rsi
	add         $0x10, %rdx
	sub         $0x10, %rcx
	cmp         $0x10, %rcx
	jae         .Laesmith_aes128_ecb_gfni_xmm_set_up
/* -- tail */
/* -- single */
/* -- leave */
.Laesmith_aes128_ecb_gfni_xmm_tail:
	ret
	.cfi_endproc
	.size aesmith_aes128_ecb_gfni_xmm, . - aesmith_aes128_ecb_gfni_xmm
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_ecb_gfni_xmm + 599

	.section .rodata
	.p2align 6
	.type aesmith_aes128_ecb_gfni_xmm_constants, @object
aesmith_aes128_ecb_gfni_xmm_constants:
.Laesmith_aes128_ecb_gfni_xmm_constant:
	/* one value in each lane */
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
.Laesmith_aes128_ecb_gfni_xmm_constant_2:
	/* one value in each lane */
	.byte 0xf8,0x7c,0x3e,0x1f,0x8f,0xc7,0xe3,0xf1,0xf8,0x7c,0x3e,0x1f,0x8f,0xc7,0xe3,0xf1
.Laesmith_aes128_ecb_gfni_xmm_constant_3:
	/* one value in each lane */
	.byte 0x01,0x02,0x03,0x00,0x05,0x06,0x07,0x04,0x09,0x0a,0x0b,0x08,0x0d,0x0e,0x0f,0x0c
.Laesmith_aes128_ecb_gfni_xmm_constant_4:
	/* one value in each lane */
	.byte 0x7c,0x3e,0x1f,0x77,0x3f,0xe3,0x09,0xf8,0x7c,0x3e,0x1f,0x77,0x3f,0xe3,0x09,0xf8
.Laesmith_aes128_ecb_gfni_xmm_constant_5:
	/* one value in each lane */
	.byte 0x02,0x03,0x00,0x01,0x06,0x07,0x04,0x05,0x0a,0x0b,0x08,0x09,0x0e,0x0f,0x0c,0x0d
	.size aesmith_aes128_ecb_gfni_xmm_constants, . - aesmith_aes128_ecb_gfni_xmm_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
