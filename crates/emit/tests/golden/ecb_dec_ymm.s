/* aes128-ecb-dec width=ymm interleave=2 distance=1 prefetch=register */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_ecb_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_ecb_dec: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_ecb_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_ecb_dec: AES-128 decryption of whole blocks (ECB)
 *
 * problem      aes128-ecb-dec
 * technique    vaes
 * variant      aes128-ecb-dec width=ymm keys=0x0000 interleave=2 distance=1 ii=0 prefetch=register source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step wipe=no
 * bytes        624, SHA-256 fcd7f3c8d20c626a70e50f5683c0809e8a05642eb5b101d45fc3dd3cc67f3ce9
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  in   16 (rcx / 16) bytes                          read
 * rdx  out  16 (rcx / 16) bytes, in or apart             written
 * rcx  len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_ecb_dec
	.type aesmith_aes128_ecb_dec, @function
aesmith_aes128_ecb_dec:
	.cfi_startproc
	endbr64
/* -- entry */
	cmp         $0x40, %rcx
	jb          .Laesmith_aes128_ecb_dec_tail
/* -- set-up */
/* -- loop */
/* -- body */
.Laesmith_aes128_ecb_dec_set_up:
	{evex} vmovdqu64 (%rsi), %ymm1
	{evex} vbroadcasti32x4 (%rdi), %ymm2
	{evex} vpxorq %ymm1, %ymm2, %ymm1
	{evex} vbroadcasti32x4 0x10(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 (%rdi), %ymm1
	{evex} vpxorq 0x20(%rsi), %ymm1, %ymm1
	{evex} vbroadcasti32x4 0x20(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0x10(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x30(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vbroadcasti32x4 0x20(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0x40(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x30(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vbroadcasti32x4 0x50(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0x40(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x60(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vbroadcasti32x4 0x50(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0x70(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x60(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vbroadcasti32x4 0x80(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0x70(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x90(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vbroadcasti32x4 0x80(%rdi), %ymm3
	{evex} vaesdec %ymm3, %ymm2, %ymm3
	{evex} vbroadcasti32x4 0xa0(%rdi), %ymm2
	{evex} vaesdeclast %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x90(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm3, %ymm1
	{evex} vmovdqu64 %ymm2, (%rdx)
	{evex} vbroadcasti32x4 0xa0(%rdi), %ymm2
	{evex} vaesdeclast %ymm2, %ymm1, %ymm2
	{evex} vmovdqu64 %ymm2, 0x20(%rdx)
/* -- body end */
	add         $0x40, %rsi
	add         $0x40, %rdx
	sub         $0x40, %rcx
	cmp         $0x40, %rcx
	jae         .Laesmith_aes128_ecb_dec_set_up
/* -- tail */
.Laesmith_aes128_ecb_dec_tail:
	cmp         $0x20, %rcx
	jb          .Laesmith_aes128_ecb_dec_single
	{evex} vbroadcasti32x4 (%rdi), %ymm1
	{evex} vpxorq (%rsi), %ymm1, %ymm1
	{evex} vbroadcasti32x4 0x10(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x20(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm2, %ymm1
	{evex} vbroadcasti32x4 0x30(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x40(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm2, %ymm1
	{evex} vbroadcasti32x4 0x50(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x60(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm2, %ymm1
	{evex} vbroadcasti32x4 0x70(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0x80(%rdi), %ymm1
	{evex} vaesdec %ymm1, %ymm2, %ymm1
	{evex} vbroadcasti32x4 0x90(%rdi), %ymm2
	{evex} vaesdec %ymm2, %ymm1, %ymm2
	{evex} vbroadcasti32x4 0xa0(%rdi), %ymm1
	{evex} vaesdeclast %ymm1, %ymm2, %ymm1
	{evex} vmovdqu64 %ymm1, (%rdx)
	add         $0x20, %rsi
	add         $0x20, %rdx
	sub         $0x20, %rcx
	jmp         .Laesmith_aes128_ecb_dec_tail
/* -- single */
.Laesmith_aes128_ecb_dec_single:
	cmp         $0x10, %rcx
	.byte 0x0f,0x82; .long .Laesmith_aes128_ecb_dec_leave - . - 4	# jb .Laesmith_aes128_ecb_dec_leave
	vmovdqu     (%rsi), %xmm2
	vpxor       (%rdi), %xmm2, %xmm2
	vaesdec     0x10(%rdi), %xmm2, %xmm2
	vaesdec     0x20(%rdi), %xmm2, %xmm2
	vaesdec     0x30(%rdi), %xmm2, %xmm2
	vaesdec     0x40(%rdi), %xmm2, %xmm2
	vaesdec     0x50(%rdi), %xmm2, %xmm2
	vaesdec     0x60(%rdi), %xmm2, %xmm2
	vaesdec     0x70(%rdi), %xmm2, %xmm2
	vaesdec     0x80(%rdi), %xmm2, %xmm2
	vaesdec     0x90(%rdi), %xmm2, %xmm2
	vaesdeclast 0xa0(%rdi), %xmm2, %xmm2
	vmovdqu     %xmm2, (%rdx)
	add         $0x10, %rsi
	add         $0x10, %rdx
	sub         $0x10, %rcx
	jmp         .Laesmith_aes128_ecb_dec_single
/* -- leave */
.Laesmith_aes128_ecb_dec_leave:
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_ecb_dec, . - aesmith_aes128_ecb_dec
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_ecb_dec + 624

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
