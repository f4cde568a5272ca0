/* aes128-gcm-dec width=ymm interleave=2 wipe=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_gcm_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: there is no other form of it yet"
#elif defined(__ILP32__)
#error "aesmith_aes128_gcm_dec: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): there is no other form of it yet"
#elif !defined(__ELF__)
#error "aesmith_aes128_gcm_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): there is no other form of it yet"
#else

	.text

/*
 * aesmith_aes128_gcm_dec: AES-128-GCM decryption of text, with its part of GHASH
 *
 * problem      aes128-gcm-dec
 * technique    vaes
 * variant      aes128-gcm-dec width=ymm interleave=2 cached=0 counter=swap tail=step product=schoolbook absorb=kept wipe=yes
 * bytes        1408, SHA-256 d26a39384eecb9197d1ad0c269b90704585d5b6926640436f023f644b43856df
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys, then powers of the hash key      read
 * rsi  iv   32 bytes: big-endian counter, GHASH          read, written
 * rdx  in   r8 bytes                                     read
 * rcx  out  r8 bytes, in or apart                        written
 * r8   len  bytes; a block that is begun is used up
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_gcm_dec
	.type aesmith_aes128_gcm_dec, @function
aesmith_aes128_gcm_dec:
	.cfi_startproc
	endbr64
/* -- entry */
	{evex} vmovdqu64 .Laesmith_aes128_gcm_dec_constant(%rip), %ymm2
	{evex} vbroadcasti32x4 (%rsi), %ymm0
	{evex} vpshufb %ymm2, %ymm0, %ymm0
	vmovdqu     0x10(%rsi), %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	{evex} vpaddd .Laesmith_aes128_gcm_dec_constant_2(%rip), %ymm0, %ymm0
	{evex} vbroadcasti32x4 (%rdi), %ymm13
	{evex} vbroadcasti32x4 0x10(%rdi), %ymm14
	{evex} vbroadcasti32x4 0x20(%rdi), %ymm15
	{evex} vbroadcasti32x4 0x30(%rdi), %ymm16
	{evex} vbroadcasti32x4 0x40(%rdi), %ymm17
	{evex} vbroadcasti32x4 0x50(%rdi), %ymm18
	{evex} vbroadcasti32x4 0x60(%rdi), %ymm19
	{evex} vbroadcasti32x4 0x70(%rdi), %ymm20
	{evex} vbroadcasti32x4 0x80(%rdi), %ymm21
	{evex} vbroadcasti32x4 0x90(%rdi), %ymm22
	{evex} vbroadcasti32x4 0xa0(%rdi), %ymm23
	cmp         $0x40, %r8
	jb          .Laesmith_aes128_gcm_dec_body_end
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x44,0x00,0x00	# nopw (%rax,%rax)
/* -- body */
.Laesmith_aes128_gcm_dec_body:
	{evex} vmovdqu64 (%rdx), %ymm11
	{evex} vpshufb %ymm2, %ymm11, %ymm11
	{evex} vmovdqu64 0x20(%rdx), %ymm12
	{evex} vpshufb %ymm2, %ymm12, %ymm12
	{evex} vpclmullqlqdq 0x2e0(%rdi), %ymm12, %ymm3
	{evex} vpshufb %ymm2, %ymm0, %ymm9
	{evex} vpclmulhqhqdq 0x2e0(%rdi), %ymm12, %ymm4
	{evex} vpaddd .Laesmith_aes128_gcm_dec_constant_3(%rip), %ymm0, %ymm0
	{evex} vpclmulhqlqdq 0x2e0(%rdi), %ymm12, %ymm5
	{evex} vpshufb %ymm2, %ymm0, %ymm10
	{evex} vpaddd .Laesmith_aes128_gcm_dec_constant_3(%rip), %ymm0, %ymm0
	{evex} vpclmullqhqdq 0x2e0(%rdi), %ymm12, %ymm6
	{evex} vpxorq %ymm13, %ymm9, %ymm9
	{evex} vpxorq %ymm6, %ymm5, %ymm5
	{evex} vpxorq %ymm13, %ymm10, %ymm10
	{evex} vaesenc %ymm14, %ymm9, %ymm9
	{evex} vpxorq %ymm1, %ymm11, %ymm11
	{evex} vaesenc %ymm14, %ymm10, %ymm10
	{evex} vpclmullqlqdq 0x2c0(%rdi), %ymm11, %ymm6
	{evex} vaesenc %ymm15, %ymm9, %ymm9
	{evex} vaesenc %ymm15, %ymm10, %ymm10
	{evex} vpxorq %ymm6, %ymm3, %ymm3
	{evex} vaesenc %ymm16, %ymm9, %ymm9
	{evex} vpclmulhqhqdq 0x2c0(%rdi), %ymm11, %ymm6
	{evex} vaesenc %ymm16, %ymm10, %ymm10
	{evex} vpxorq %ymm6, %ymm4, %ymm4
	{evex} vaesenc %ymm17, %ymm9, %ymm9
	{evex} vaesenc %ymm17, %ymm10, %ymm10
	{evex} vpclmulhqlqdq 0x2c0(%rdi), %ymm11, %ymm6
	{evex} vaesenc %ymm18, %ymm9, %ymm9
	{evex} vpclmullqhqdq 0x2c0(%rdi), %ymm11, %ymm7
	{evex} vaesenc %ymm18, %ymm10, %ymm10
	{evex} vaesenc %ymm19, %ymm9, %ymm9
	{evex} vpternlogd $-0x6a, %ymm7, %ymm6, %ymm5
	{evex} vaesenc %ymm19, %ymm10, %ymm10
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm3, %ymm6
	{evex} vaesenc %ymm20, %ymm9, %ymm9
	{evex} vaesenc %ymm20, %ymm10, %ymm10
	{evex} vpshufd $0x4e, %ymm3, %ymm3
	{evex} vaesenc %ymm21, %ymm9, %ymm9
	{evex} vpternlogd $-0x6a, %ymm6, %ymm3, %ymm5
	{evex} vaesenc %ymm21, %ymm10, %ymm10
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm5, %ymm6
	{evex} vaesenc %ymm22, %ymm9, %ymm9
	{evex} vaesenc %ymm22, %ymm10, %ymm10
	{evex} vpshufd $0x4e, %ymm5, %ymm5
	{evex} vaesenclast %ymm23, %ymm9, %ymm9
	{evex} vpternlogd $-0x6a, %ymm6, %ymm5, %ymm4
	{evex} vaesenclast %ymm23, %ymm10, %ymm10
	{evex} vpxorq (%rdx), %ymm9, %ymm9
	{evex} vshufi32x4 $1, %ymm4, %ymm4, %ymm6
	{evex} vmovdqu64 %ymm9, (%rcx)
	vpxor       %xmm6, %xmm4, %xmm1
	{evex} vpxorq 0x20(%rdx), %ymm10, %ymm10
	{evex} vmovdqu64 %ymm10, 0x20(%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	sub         $0x40, %r8
	cmp         $0x40, %r8
	jae         .Laesmith_aes128_gcm_dec_body
/* -- body end */
/* -- tail */
.Laesmith_aes128_gcm_dec_body_end:
	cmp         $0x20, %r8
	jb          .Laesmith_aes128_gcm_dec_last
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	{evex} vmovdqu64 (%rdx), %ymm11
	{evex} vpshufb %ymm2, %ymm11, %ymm11
	{evex} vpxorq %ymm1, %ymm11, %ymm11
	{evex} vpshufb %ymm2, %ymm0, %ymm9
	{evex} vpclmullqlqdq 0x2e0(%rdi), %ymm11, %ymm3
	{evex} vpaddd .Laesmith_aes128_gcm_dec_constant_3(%rip), %ymm0, %ymm0
	{evex} vpclmulhqhqdq 0x2e0(%rdi), %ymm11, %ymm4
	{evex} vpxorq %ymm13, %ymm9, %ymm9
	{evex} vpclmulhqlqdq 0x2e0(%rdi), %ymm11, %ymm5
	{evex} vaesenc %ymm14, %ymm9, %ymm9
	{evex} vpclmullqhqdq 0x2e0(%rdi), %ymm11, %ymm6
	{evex} vaesenc %ymm15, %ymm9, %ymm9
	{evex} vpxorq %ymm6, %ymm5, %ymm5
	{evex} vaesenc %ymm16, %ymm9, %ymm9
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm3, %ymm6
	{evex} vaesenc %ymm17, %ymm9, %ymm9
	{evex} vpshufd $0x4e, %ymm3, %ymm3
	{evex} vaesenc %ymm18, %ymm9, %ymm9
	{evex} vpternlogd $-0x6a, %ymm6, %ymm3, %ymm5
	{evex} vaesenc %ymm19, %ymm9, %ymm9
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm5, %ymm6
	{evex} vaesenc %ymm20, %ymm9, %ymm9
	{evex} vpshufd $0x4e, %ymm5, %ymm5
	{evex} vaesenc %ymm21, %ymm9, %ymm9
	{evex} vpternlogd $-0x6a, %ymm6, %ymm5, %ymm4
	{evex} vaesenc %ymm22, %ymm9, %ymm9
	{evex} vshufi32x4 $1, %ymm4, %ymm4, %ymm6
	{evex} vaesenclast %ymm23, %ymm9, %ymm9
	vpxor       %xmm6, %xmm4, %xmm1
	{evex} vpxorq (%rdx), %ymm9, %ymm9
	{evex} vmovdqu64 %ymm9, (%rcx)
	add         $0x20, %rdx
	add         $0x20, %rcx
	sub         $0x20, %r8
	cmp         $0x20, %r8
/* -- last */
.Laesmith_aes128_gcm_dec_last:
	test        %r8, %r8
	je          .Laesmith_aes128_gcm_dec_leave
	lea         0xf(%r8), %rax
	shr         $4, %rax
	.byte 0x4c,0x8b,0xd0	# mov %rax, %r10
	shl         $4, %r10
	neg         %r10
	.byte 0x4c,0x03,0xd7	# add %rdi, %r10
	{evex} vpshufb %ymm2, %ymm0, %ymm9
	{evex} vpxorq %ymm13, %ymm9, %ymm9
	{evex} vaesenc %ymm14, %ymm9, %ymm9
	{evex} vaesenc %ymm15, %ymm9, %ymm9
	{evex} vaesenc %ymm16, %ymm9, %ymm9
	{evex} vaesenc %ymm17, %ymm9, %ymm9
	{evex} vaesenc %ymm18, %ymm9, %ymm9
	{evex} vaesenc %ymm19, %ymm9, %ymm9
	{evex} vaesenc %ymm20, %ymm9, %ymm9
	{evex} vaesenc %ymm21, %ymm9, %ymm9
	{evex} vaesenc %ymm22, %ymm9, %ymm9
	{evex} vaesenclast %ymm23, %ymm9, %ymm9
	mov         $-1, %r11
	bzhi        %r8, %r11, %r11
	kmovq       %r11, %k1
	{evex} vmovdqu8 (%rdx), %ymm11{%k1}{z}
	{evex} vpxorq %ymm11, %ymm9, %ymm9
	{evex} vmovdqu8 %ymm9, (%rcx){%k1}
	{evex} vmovdqu8 %ymm11, %ymm11{%k1}{z}
	{evex} vpshufb %ymm2, %ymm11, %ymm11
	{evex} vpxorq %ymm1, %ymm11, %ymm11
	{evex} vpclmullqlqdq 0x300(%r10), %ymm11, %ymm3
	{evex} vpclmulhqhqdq 0x300(%r10), %ymm11, %ymm4
	{evex} vpclmulhqlqdq 0x300(%r10), %ymm11, %ymm5
	{evex} vpclmullqhqdq 0x300(%r10), %ymm11, %ymm6
	{evex} vpxorq %ymm6, %ymm5, %ymm5
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm3, %ymm6
	{evex} vpshufd $0x4e, %ymm3, %ymm3
	{evex} vpternlogd $-0x6a, %ymm6, %ymm3, %ymm5
	{evex} vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_4(%rip), %ymm5, %ymm6
	{evex} vpshufd $0x4e, %ymm5, %ymm5
	{evex} vpternlogd $-0x6a, %ymm6, %ymm5, %ymm4
	{evex} vshufi32x4 $1, %ymm4, %ymm4, %ymm6
	vpxor       %xmm6, %xmm4, %xmm1
	vmovd       %eax, %xmm6
	vpaddd      %xmm6, %xmm0, %xmm0
/* -- leave */
.Laesmith_aes128_gcm_dec_leave:
	vpshufb     %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, (%rsi)
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x10(%rsi)
	vpxord      %zmm16, %zmm16, %zmm16
	vpxord      %zmm17, %zmm17, %zmm17
	vpxord      %zmm18, %zmm18, %zmm18
	vpxord      %zmm19, %zmm19, %zmm19
	vpxord      %zmm20, %zmm20, %zmm20
	vpxord      %zmm21, %zmm21, %zmm21
	vpxord      %zmm22, %zmm22, %zmm22
	vpxord      %zmm23, %zmm23, %zmm23
	vpxord      %zmm24, %zmm24, %zmm24
	vpxord      %zmm25, %zmm25, %zmm25
	vpxord      %zmm26, %zmm26, %zmm26
	vpxord      %zmm27, %zmm27, %zmm27
	vpxord      %zmm28, %zmm28, %zmm28
	vpxord      %zmm29, %zmm29, %zmm29
	vpxord      %zmm30, %zmm30, %zmm30
	vpxord      %zmm31, %zmm31, %zmm31
	vzeroall
	ret
	.cfi_endproc
	.size aesmith_aes128_gcm_dec, . - aesmith_aes128_gcm_dec
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_gcm_dec + 1248

	.section .rodata
	.p2align 6
	.type aesmith_aes128_gcm_dec_constants, @object
aesmith_aes128_gcm_dec_constants:
.Laesmith_aes128_gcm_dec_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_gcm_dec_constant_2:
	/* the lane's own number */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_dec_constant_3:
	/* 2 in the low quadword of each lane */
	.byte 0x02,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x02,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_dec_constant_4:
	/* one value in each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.size aesmith_aes128_gcm_dec_constants, . - aesmith_aes128_gcm_dec_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
