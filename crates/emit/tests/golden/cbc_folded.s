/* aes128-cbc xor=folded unroll=2 keys=0x07ff */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_cbc: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_cbc: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_cbc: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_cbc: AES-128-CBC encryption
 *
 * problem      aes128-cbc
 * technique    aesni
 * variant      aes128-cbc width=xmm keys=0x07ff unroll=2 together=no distance=0 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=folded loop=bottom align=1 wipe=no
 * bytes        377, SHA-256 532f9765856446e624084b778e46b7dada6eacc5e2189965cef004aeb568d74e
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  iv   16 bytes                                     read, written
 * rdx  in   16 (r8 / 16) bytes                           read
 * rcx  out  16 (r8 / 16) bytes, in or apart              written
 * r8   len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_cbc
	.type aesmith_aes128_cbc, @function
aesmith_aes128_cbc:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     (%rsi), %xmm0
	vmovdqu     (%rdi), %xmm1
	vmovdqu     0x10(%rdi), %xmm2
	vmovdqu     0x20(%rdi), %xmm3
	vmovdqu     0x30(%rdi), %xmm4
	vmovdqu     0x40(%rdi), %xmm5
	vmovdqu     0x50(%rdi), %xmm6
	vmovdqu     0x60(%rdi), %xmm7
	vmovdqu     0x70(%rdi), %xmm8
	vmovdqu     0x80(%rdi), %xmm9
	vmovdqu     0x90(%rdi), %xmm10
	vmovdqu     0xa0(%rdi), %xmm11
/* -- loop */
	cmp         $0x30, %r8
	jb          .Laesmith_aes128_cbc_single
	vpxor       (%rdx), %xmm1, %xmm12
	{vex3} vpxor %xmm12, %xmm0, %xmm0
/* -- body */
.Laesmith_aes128_cbc_body:
	vaesenc     %xmm2, %xmm0, %xmm12
	vaesenc     %xmm3, %xmm12, %xmm12
	vaesenc     %xmm4, %xmm12, %xmm12
	vaesenc     %xmm5, %xmm12, %xmm12
	vaesenc     %xmm6, %xmm12, %xmm12
	vaesenc     %xmm7, %xmm12, %xmm12
	vaesenc     %xmm8, %xmm12, %xmm12
	vaesenc     %xmm9, %xmm12, %xmm12
	vaesenc     %xmm10, %xmm12, %xmm12
	vpxor       0x10(%rdx), %xmm1, %xmm13
	{vex3} vpxor %xmm11, %xmm13, %xmm14
	vaesenclast %xmm14, %xmm12, %xmm14
	{vex3} vpxor %xmm14, %xmm13, %xmm13
	vmovdqu     %xmm13, (%rcx)
	vaesenc     %xmm2, %xmm14, %xmm14
	vaesenc     %xmm3, %xmm14, %xmm14
	vaesenc     %xmm4, %xmm14, %xmm14
	vaesenc     %xmm5, %xmm14, %xmm14
	vaesenc     %xmm6, %xmm14, %xmm14
	vaesenc     %xmm7, %xmm14, %xmm14
	vaesenc     %xmm8, %xmm14, %xmm14
	vaesenc     %xmm9, %xmm14, %xmm14
	vaesenc     %xmm10, %xmm14, %xmm14
	vpxor       0x20(%rdx), %xmm1, %xmm13
	{vex3} vpxor %xmm11, %xmm13, %xmm12
	vaesenclast %xmm12, %xmm14, %xmm0
	vpxor       %xmm0, %xmm13, %xmm13
	vmovdqu     %xmm13, 0x10(%rcx)
/* -- body end */
	add         $0x20, %rdx
	add         $0x20, %rcx
	sub         $0x20, %r8
	cmp         $0x30, %r8
	jae         .Laesmith_aes128_cbc_body
	vpxor       (%rdx), %xmm1, %xmm12
	{vex3} vpxor %xmm12, %xmm0, %xmm0
/* -- single */
.Laesmith_aes128_cbc_single:
	cmp         $0x10, %r8
	.byte 0x0f,0x82; .long .Laesmith_aes128_cbc_step - . - 4	# jb .Laesmith_aes128_cbc_step
/* -- body */
.Laesmith_aes128_cbc_body_2:
	vmovdqu     (%rdx), %xmm1
	vpxor       (%rdi), %xmm1, %xmm1
	vpxor       %xmm1, %xmm0, %xmm1
	vaesenc     0x10(%rdi), %xmm1, %xmm1
	vaesenc     0x20(%rdi), %xmm1, %xmm1
	vaesenc     0x30(%rdi), %xmm1, %xmm1
	vaesenc     0x40(%rdi), %xmm1, %xmm1
	vaesenc     0x50(%rdi), %xmm1, %xmm1
	vaesenc     0x60(%rdi), %xmm1, %xmm1
	vaesenc     0x70(%rdi), %xmm1, %xmm1
	vaesenc     0x80(%rdi), %xmm1, %xmm1
	vaesenc     0x90(%rdi), %xmm1, %xmm1
	vaesenclast 0xa0(%rdi), %xmm1, %xmm0
	vmovdqu     %xmm0, (%rcx)
/* -- body end */
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	cmp         $0x10, %r8
	jae         .Laesmith_aes128_cbc_body_2
.Laesmith_aes128_cbc_step:
	vmovdqu     %xmm0, (%rsi)
/* -- leave */
	ret
	.cfi_endproc
	.size aesmith_aes128_cbc, . - aesmith_aes128_cbc
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_cbc + 377

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
