/* aes128-gcm-table width=xmm */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_gcm_table: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: there is no other form of it yet"
#elif defined(__ILP32__)
#error "aesmith_aes128_gcm_table: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): there is no other form of it yet"
#elif !defined(__ELF__)
#error "aesmith_aes128_gcm_table: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): there is no other form of it yet"
#else

	.text

/*
 * aesmith_aes128_gcm_table: powers of the hash key of AES-128-GCM
 *
 * problem      aes128-gcm-table
 * technique    aesni
 * variant      aes128-gcm-table width=xmm wipe=no
 * bytes        352, SHA-256 faea6292a1623dbcefc4fb7a6aeabb75bb10d88ebbe6cb2d4e8bcd284edebccc
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys read, bytes 256 to 815 written
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_gcm_table
	.type aesmith_aes128_gcm_table, @function
aesmith_aes128_gcm_table:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     .Laesmith_aes128_gcm_table_constant(%rip), %xmm2
	vmovdqu     (%rdi), %xmm0
	vaesenc     0x10(%rdi), %xmm0, %xmm0
	vaesenc     0x20(%rdi), %xmm0, %xmm0
	vaesenc     0x30(%rdi), %xmm0, %xmm0
	vaesenc     0x40(%rdi), %xmm0, %xmm0
	vaesenc     0x50(%rdi), %xmm0, %xmm0
	vaesenc     0x60(%rdi), %xmm0, %xmm0
	vaesenc     0x70(%rdi), %xmm0, %xmm0
	vaesenc     0x80(%rdi), %xmm0, %xmm0
	vaesenc     0x90(%rdi), %xmm0, %xmm0
	vaesenclast 0xa0(%rdi), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm8
	{vex3} vpsrlq $0x3f, %xmm8, %xmm6
	vpclmulhqlqdq .Laesmith_aes128_gcm_table_constant_2(%rip), %xmm6, %xmm7
	vpxor       %xmm6, %xmm7, %xmm7
	vpslldq     $8, %xmm7, %xmm7
	vpsrldq     $8, %xmm6, %xmm6
	vpxor       %xmm6, %xmm7, %xmm7
	{vex3} vpsllq $1, %xmm8, %xmm1
	vpxor       %xmm7, %xmm1, %xmm1
	{vex3} vmovdqu %xmm8, %xmm0
	lea         0x2f0(%rdi), %rsi
	mov         $0x20, %eax
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
.Laesmith_aes128_gcm_table_step:
	vpsrlq      $0x3f, %xmm0, %xmm6
	vpclmulhqlqdq .Laesmith_aes128_gcm_table_constant_2(%rip), %xmm6, %xmm7
	vpxor       %xmm6, %xmm7, %xmm7
	vpslldq     $8, %xmm7, %xmm7
	vpsrldq     $8, %xmm6, %xmm6
	vpxor       %xmm6, %xmm7, %xmm7
	vpsllq      $1, %xmm0, %xmm3
	vpxor       %xmm7, %xmm3, %xmm3
	vmovdqu     %xmm3, (%rsi)
	vpclmullqlqdq %xmm1, %xmm0, %xmm3
	vpclmulhqhqdq %xmm1, %xmm0, %xmm4
	vpclmulhqlqdq %xmm1, %xmm0, %xmm5
	vpclmullqhqdq %xmm1, %xmm0, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_table_constant_2(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_table_constant_2(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm0
	sub         $0x10, %rsi
	dec         %eax
	jne         .Laesmith_aes128_gcm_table_step
	vpxor       %xmm6, %xmm6, %xmm6
	vmovdqu     %xmm6, 0x300(%rdi)
	vmovdqu     %xmm6, 0x310(%rdi)
	vmovdqu     %xmm6, 0x320(%rdi)
/* -- leave */
	ret
	.cfi_endproc
	.size aesmith_aes128_gcm_table, . - aesmith_aes128_gcm_table
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_gcm_table + 317

	.section .rodata
	.p2align 6
	.type aesmith_aes128_gcm_table_constants, @object
aesmith_aes128_gcm_table_constants:
.Laesmith_aes128_gcm_table_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_gcm_table_constant_2:
	/* one value in each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.size aesmith_aes128_gcm_table_constants, . - aesmith_aes128_gcm_table_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
