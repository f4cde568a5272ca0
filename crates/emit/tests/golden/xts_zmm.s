/* aes128-xts width=zmm interleave=2 */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_xts: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: there is no other form of it yet"
#elif defined(__ILP32__)
#error "aesmith_aes128_xts: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): there is no other form of it yet"
#elif !defined(__ELF__)
#error "aesmith_aes128_xts: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): there is no other form of it yet"
#else

	.text

/*
 * aesmith_aes128_xts: AES-128-XTS encryption of whole blocks, from the tweak of the first
 *
 * problem      aes128-xts
 * technique    vaes
 * variant      aes128-xts width=zmm interleave=2 wipe=no
 * bytes        976, SHA-256 973284277454621ad240c3c50b64c4e6e4ff86bfb612ef8ed8d63c3df7647300
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  iv   16 bytes, the tweak of the next block        read, written
 * rdx  in   16 (r8 / 16) bytes                           read
 * rcx  out  16 (r8 / 16) bytes, in or apart              written
 * r8   len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_xts
	.type aesmith_aes128_xts, @function
aesmith_aes128_xts:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     (%rsi), %xmm3
	vpsrlq      $0x3f, %xmm3, %xmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant_2(%rip), %xmm0, %xmm1
	vpslldq     $8, %xmm0, %xmm0
	vpsllq      $1, %xmm3, %xmm2
	vpxor       %xmm0, %xmm2, %xmm2
	vpxor       %xmm1, %xmm2, %xmm2
	vinserti32x4 $1, %xmm2, %zmm3, %zmm3
	vpsrlq      $0x3e, %xmm3, %xmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant_2(%rip), %xmm0, %xmm1
	vpslldq     $8, %xmm0, %xmm0
	vpsllq      $2, %xmm3, %xmm2
	vpxor       %xmm0, %xmm2, %xmm2
	vpxor       %xmm1, %xmm2, %xmm2
	vinserti32x4 $2, %xmm2, %zmm3, %zmm3
	vpsrlq      $0x3d, %xmm3, %xmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant_2(%rip), %xmm0, %xmm1
	vpslldq     $8, %xmm0, %xmm0
	vpsllq      $3, %xmm3, %xmm2
	vpxor       %xmm0, %xmm2, %xmm2
	vpxor       %xmm1, %xmm2, %xmm2
	vinserti32x4 $3, %xmm2, %zmm3, %zmm3
	vbroadcasti32x4 (%rdi), %zmm7
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vbroadcasti32x4 0x20(%rdi), %zmm9
	vbroadcasti32x4 0x30(%rdi), %zmm10
	vbroadcasti32x4 0x40(%rdi), %zmm11
	vbroadcasti32x4 0x50(%rdi), %zmm12
	vbroadcasti32x4 0x60(%rdi), %zmm13
	vbroadcasti32x4 0x70(%rdi), %zmm14
	vbroadcasti32x4 0x80(%rdi), %zmm15
	vbroadcasti32x4 0x90(%rdi), %zmm16
	vbroadcasti32x4 0xa0(%rdi), %zmm17
	cmp         $0x80, %r8
	jb          .Laesmith_aes128_xts_body_end
	vpsrlq      $0x3c, %zmm3, %zmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant(%rip), %zmm0, %zmm1
	vpslldq     $8, %zmm0, %zmm0
	vpsllq      $4, %zmm3, %zmm4
	vpternlogd  $-0x6a, %zmm1, %zmm0, %zmm4
/* -- body */
.Laesmith_aes128_xts_body:
	vpxorq      (%rdx), %zmm3, %zmm5
	vpxorq      0x40(%rdx), %zmm4, %zmm6
	vpxorq      %zmm7, %zmm5, %zmm5
	vpxorq      %zmm7, %zmm6, %zmm6
	vaesenc     %zmm8, %zmm5, %zmm5
	vaesenc     %zmm8, %zmm6, %zmm6
	vaesenc     %zmm9, %zmm5, %zmm5
	vaesenc     %zmm9, %zmm6, %zmm6
	vaesenc     %zmm10, %zmm5, %zmm5
	vaesenc     %zmm10, %zmm6, %zmm6
	vaesenc     %zmm11, %zmm5, %zmm5
	vaesenc     %zmm11, %zmm6, %zmm6
	vaesenc     %zmm12, %zmm5, %zmm5
	vaesenc     %zmm12, %zmm6, %zmm6
	vaesenc     %zmm13, %zmm5, %zmm5
	vaesenc     %zmm13, %zmm6, %zmm6
	vaesenc     %zmm14, %zmm5, %zmm5
	vaesenc     %zmm14, %zmm6, %zmm6
	vaesenc     %zmm15, %zmm5, %zmm5
	vaesenc     %zmm15, %zmm6, %zmm6
	vaesenc     %zmm16, %zmm5, %zmm5
	vaesenc     %zmm16, %zmm6, %zmm6
	vaesenclast %zmm17, %zmm5, %zmm5
	vaesenclast %zmm17, %zmm6, %zmm6
	vpxorq      %zmm3, %zmm5, %zmm5
	vmovdqu64   %zmm5, (%rcx)
	vpxorq      %zmm4, %zmm6, %zmm6
	vmovdqu64   %zmm6, 0x40(%rcx)
	vpsrldq     $0xf, %zmm3, %zmm0
	vpclmullqlqdq .Laesmith_aes128_xts_constant(%rip), %zmm0, %zmm0
	vpslldq     $1, %zmm3, %zmm3
	vpxorq      %zmm0, %zmm3, %zmm3
	vpsrldq     $0xf, %zmm4, %zmm0
	vpclmullqlqdq .Laesmith_aes128_xts_constant(%rip), %zmm0, %zmm0
	vpslldq     $1, %zmm4, %zmm4
	vpxorq      %zmm0, %zmm4, %zmm4
	add         $0x80, %rdx
	add         $0x80, %rcx
	sub         $0x80, %r8
	cmp         $0x80, %r8
	jae         .Laesmith_aes128_xts_body
/* -- body end */
/* -- tail */
.Laesmith_aes128_xts_body_end:
	cmp         $0x40, %r8
	jb          .Laesmith_aes128_xts_last
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopl (%rax,%rax)
.Laesmith_aes128_xts_step:
	vpxorq      (%rdx), %zmm3, %zmm5
	vpxorq      %zmm7, %zmm5, %zmm5
	vaesenc     %zmm8, %zmm5, %zmm5
	vaesenc     %zmm9, %zmm5, %zmm5
	vaesenc     %zmm10, %zmm5, %zmm5
	vaesenc     %zmm11, %zmm5, %zmm5
	vaesenc     %zmm12, %zmm5, %zmm5
	vaesenc     %zmm13, %zmm5, %zmm5
	vaesenc     %zmm14, %zmm5, %zmm5
	vaesenc     %zmm15, %zmm5, %zmm5
	vaesenc     %zmm16, %zmm5, %zmm5
	vaesenclast %zmm17, %zmm5, %zmm5
	vpxorq      %zmm3, %zmm5, %zmm5
	vmovdqu64   %zmm5, (%rcx)
	vpsrlq      $0x3c, %zmm3, %zmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant(%rip), %zmm0, %zmm1
	vpslldq     $8, %zmm0, %zmm0
	vpsllq      $4, %zmm3, %zmm3
	vpternlogd  $-0x6a, %zmm1, %zmm0, %zmm3
	add         $0x40, %rdx
	add         $0x40, %rcx
	sub         $0x40, %r8
	cmp         $0x40, %r8
	jae         .Laesmith_aes128_xts_step
/* -- last */
.Laesmith_aes128_xts_last:
	cmp         $0x10, %r8
	jb          .Laesmith_aes128_xts_leave
.Laesmith_aes128_xts_step_2:
	vpxor       (%rdx), %xmm3, %xmm2
	vpxor       (%rdi), %xmm2, %xmm2
	vaesenc     0x10(%rdi), %xmm2, %xmm2
	vaesenc     0x20(%rdi), %xmm2, %xmm2
	vaesenc     0x30(%rdi), %xmm2, %xmm2
	vaesenc     0x40(%rdi), %xmm2, %xmm2
	vaesenc     0x50(%rdi), %xmm2, %xmm2
	vaesenc     0x60(%rdi), %xmm2, %xmm2
	vaesenc     0x70(%rdi), %xmm2, %xmm2
	vaesenc     0x80(%rdi), %xmm2, %xmm2
	vaesenc     0x90(%rdi), %xmm2, %xmm2
	vaesenclast 0xa0(%rdi), %xmm2, %xmm2
	vpxor       %xmm3, %xmm2, %xmm2
	vmovdqu     %xmm2, (%rcx)
	vpsrlq      $0x3f, %xmm3, %xmm0
	vpclmulhqlqdq .Laesmith_aes128_xts_constant_2(%rip), %xmm0, %xmm1
	vpslldq     $8, %xmm0, %xmm0
	vpsllq      $1, %xmm3, %xmm3
	vpxor       %xmm0, %xmm3, %xmm3
	vpxor       %xmm1, %xmm3, %xmm3
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	cmp         $0x10, %r8
	jae         .Laesmith_aes128_xts_step_2
/* -- leave */
.Laesmith_aes128_xts_leave:
	vmovdqu     %xmm3, (%rsi)
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_xts, . - aesmith_aes128_xts
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_xts + 879

	.section .rodata
	.p2align 6
	.type aesmith_aes128_xts_constants, @object
aesmith_aes128_xts_constants:
.Laesmith_aes128_xts_constant:
	/* 135 in the low quadword of each lane */
	.byte 0x87,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x87,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x87,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x87,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_xts_constant_2:
	/* 135 in the low quadword of each lane */
	.byte 0x87,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.size aesmith_aes128_xts_constants, . - aesmith_aes128_xts_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
