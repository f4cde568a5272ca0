/* aes128-gcm width=xmm interleave=7 counter=add product=karatsuba absorb=read tail=halve */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_gcm: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: there is no other form of it yet"
#elif defined(__ILP32__)
#error "aesmith_aes128_gcm: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): there is no other form of it yet"
#elif !defined(__ELF__)
#error "aesmith_aes128_gcm: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): there is no other form of it yet"
#else

	.text

/*
 * aesmith_aes128_gcm: AES-128-GCM encryption of text, with its part of GHASH
 *
 * problem      aes128-gcm
 * technique    aesni
 * variant      aes128-gcm width=xmm interleave=7 cached=0 counter=add tail=halve product=karatsuba absorb=read wipe=no
 * bytes        5536, SHA-256 f9602894e822d0fc9f4c49014f6ff57ddb91a6eef53abc8c610fff0c34f9c034
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
	.globl aesmith_aes128_gcm
	.type aesmith_aes128_gcm, @function
aesmith_aes128_gcm:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     .Laesmith_aes128_gcm_constant(%rip), %xmm2
	vmovdqu     (%rsi), %xmm0
	vpshufb     %xmm2, %xmm0, %xmm0
	vmovdqu     0x10(%rsi), %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	cmp         $0x70, %r8
	jb          .Laesmith_aes128_gcm_tail
	movzbl      0xf(%rsi), %eax
	vpshufb     %xmm2, %xmm0, %xmm8
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm9
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm10
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm11
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm12
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm13
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm14
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       (%rdi), %xmm8, %xmm8
	vpxor       (%rdi), %xmm9, %xmm9
	vpxor       (%rdi), %xmm10, %xmm10
	vpxor       (%rdi), %xmm11, %xmm11
	vpxor       (%rdi), %xmm12, %xmm12
	vpxor       (%rdi), %xmm13, %xmm13
	vpxor       (%rdi), %xmm14, %xmm14
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vaesenc     0x10(%rdi), %xmm9, %xmm9
	vaesenc     0x10(%rdi), %xmm10, %xmm10
	vaesenc     0x10(%rdi), %xmm11, %xmm11
	vaesenc     0x10(%rdi), %xmm12, %xmm12
	vaesenc     0x10(%rdi), %xmm13, %xmm13
	vaesenc     0x10(%rdi), %xmm14, %xmm14
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vaesenc     0x20(%rdi), %xmm9, %xmm9
	vaesenc     0x20(%rdi), %xmm10, %xmm10
	vaesenc     0x20(%rdi), %xmm11, %xmm11
	vaesenc     0x20(%rdi), %xmm12, %xmm12
	vaesenc     0x20(%rdi), %xmm13, %xmm13
	vaesenc     0x20(%rdi), %xmm14, %xmm14
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vaesenc     0x30(%rdi), %xmm9, %xmm9
	vaesenc     0x30(%rdi), %xmm10, %xmm10
	vaesenc     0x30(%rdi), %xmm11, %xmm11
	vaesenc     0x30(%rdi), %xmm12, %xmm12
	vaesenc     0x30(%rdi), %xmm13, %xmm13
	vaesenc     0x30(%rdi), %xmm14, %xmm14
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vaesenc     0x40(%rdi), %xmm9, %xmm9
	vaesenc     0x40(%rdi), %xmm10, %xmm10
	vaesenc     0x40(%rdi), %xmm11, %xmm11
	vaesenc     0x40(%rdi), %xmm12, %xmm12
	vaesenc     0x40(%rdi), %xmm13, %xmm13
	vaesenc     0x40(%rdi), %xmm14, %xmm14
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vaesenc     0x50(%rdi), %xmm9, %xmm9
	vaesenc     0x50(%rdi), %xmm10, %xmm10
	vaesenc     0x50(%rdi), %xmm11, %xmm11
	vaesenc     0x50(%rdi), %xmm12, %xmm12
	vaesenc     0x50(%rdi), %xmm13, %xmm13
	vaesenc     0x50(%rdi), %xmm14, %xmm14
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vaesenc     0x60(%rdi), %xmm9, %xmm9
	vaesenc     0x60(%rdi), %xmm10, %xmm10
	vaesenc     0x60(%rdi), %xmm11, %xmm11
	vaesenc     0x60(%rdi), %xmm12, %xmm12
	vaesenc     0x60(%rdi), %xmm13, %xmm13
	vaesenc     0x60(%rdi), %xmm14, %xmm14
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vaesenc     0x70(%rdi), %xmm9, %xmm9
	vaesenc     0x70(%rdi), %xmm10, %xmm10
	vaesenc     0x70(%rdi), %xmm11, %xmm11
	vaesenc     0x70(%rdi), %xmm12, %xmm12
	vaesenc     0x70(%rdi), %xmm13, %xmm13
	vaesenc     0x70(%rdi), %xmm14, %xmm14
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vaesenc     0x80(%rdi), %xmm9, %xmm9
	vaesenc     0x80(%rdi), %xmm10, %xmm10
	vaesenc     0x80(%rdi), %xmm11, %xmm11
	vaesenc     0x80(%rdi), %xmm12, %xmm12
	vaesenc     0x80(%rdi), %xmm13, %xmm13
	vaesenc     0x80(%rdi), %xmm14, %xmm14
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vaesenc     0x90(%rdi), %xmm9, %xmm9
	vaesenc     0x90(%rdi), %xmm10, %xmm10
	vaesenc     0x90(%rdi), %xmm11, %xmm11
	vaesenc     0x90(%rdi), %xmm12, %xmm12
	vaesenc     0x90(%rdi), %xmm13, %xmm13
	vaesenc     0x90(%rdi), %xmm14, %xmm14
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vaesenclast 0xa0(%rdi), %xmm9, %xmm9
	vaesenclast 0xa0(%rdi), %xmm10, %xmm10
	vaesenclast 0xa0(%rdi), %xmm11, %xmm11
	vaesenclast 0xa0(%rdi), %xmm12, %xmm12
	vaesenclast 0xa0(%rdi), %xmm13, %xmm13
	vaesenclast 0xa0(%rdi), %xmm14, %xmm14
	vpxor       (%rdx), %xmm8, %xmm8
	vmovdqu     %xmm8, (%rcx)
	vpxor       0x10(%rdx), %xmm9, %xmm9
	vmovdqu     %xmm9, 0x10(%rcx)
	vpxor       0x20(%rdx), %xmm10, %xmm10
	vmovdqu     %xmm10, 0x20(%rcx)
	vpxor       0x30(%rdx), %xmm11, %xmm11
	vmovdqu     %xmm11, 0x30(%rcx)
	vpxor       0x40(%rdx), %xmm12, %xmm12
	vmovdqu     %xmm12, 0x40(%rcx)
	vpxor       0x50(%rdx), %xmm13, %xmm13
	vmovdqu     %xmm13, 0x50(%rcx)
	vpxor       0x60(%rdx), %xmm14, %xmm14
	vmovdqu     %xmm14, 0x60(%rcx)
	add         $0x70, %rdx
	add         $0x70, %rcx
	.byte 0x80,0xc0,0x07	# add $7, %al
	sub         $0x70, %r8
	cmp         $0x70, %r8
	jb          .Laesmith_aes128_gcm_step_2
.Laesmith_aes128_gcm_step:
	.byte 0x80,0xf8,0xf9	# cmp $-7, %al
	ja          .Laesmith_aes128_gcm_body_end
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x90	# nop
/* -- body */
.Laesmith_aes128_gcm_body:
	vmovdqu     -0x60(%rcx), %xmm15
	vpshufb     %xmm2, %xmm0, %xmm8
	vpshufb     %xmm2, %xmm15, %xmm15
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %xmm8, %xmm9
	vmovdqu     0x2a0(%rdi), %xmm7
	vpaddd      .Laesmith_aes128_gcm_constant_4(%rip), %xmm8, %xmm10
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpaddd      .Laesmith_aes128_gcm_constant_5(%rip), %xmm8, %xmm11
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	vpaddd      .Laesmith_aes128_gcm_constant_6(%rip), %xmm8, %xmm12
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	vpaddd      .Laesmith_aes128_gcm_constant_7(%rip), %xmm8, %xmm13
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpaddd      .Laesmith_aes128_gcm_constant_8(%rip), %xmm8, %xmm14
	vpshufd     $0x4e, %xmm7, %xmm15
	vpaddd      .Laesmith_aes128_gcm_constant_9(%rip), %xmm0, %xmm0
	vpxor       %xmm7, %xmm15, %xmm15
	vpxor       (%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vpxor       (%rdi), %xmm9, %xmm9
	vmovdqu     -0x50(%rcx), %xmm15
	vpxor       (%rdi), %xmm10, %xmm10
	vpshufb     %xmm2, %xmm15, %xmm15
	vpxor       (%rdi), %xmm11, %xmm11
	vmovdqu     0x2b0(%rdi), %xmm7
	vpxor       (%rdi), %xmm12, %xmm12
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       (%rdi), %xmm13, %xmm13
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       (%rdi), %xmm14, %xmm14
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x10(%rdi), %xmm9, %xmm9
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x10(%rdi), %xmm10, %xmm10
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x10(%rdi), %xmm11, %xmm11
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x10(%rdi), %xmm12, %xmm12
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x10(%rdi), %xmm13, %xmm13
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x10(%rdi), %xmm14, %xmm14
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vmovdqu     -0x70(%rcx), %xmm15
	vaesenc     0x20(%rdi), %xmm9, %xmm9
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x20(%rdi), %xmm10, %xmm10
	vpxor       %xmm1, %xmm15, %xmm15
	vaesenc     0x20(%rdi), %xmm11, %xmm11
	vmovdqu     0x290(%rdi), %xmm7
	vaesenc     0x20(%rdi), %xmm12, %xmm12
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x20(%rdi), %xmm13, %xmm13
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x20(%rdi), %xmm14, %xmm14
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x30(%rdi), %xmm9, %xmm9
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x30(%rdi), %xmm10, %xmm10
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x30(%rdi), %xmm11, %xmm11
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x30(%rdi), %xmm12, %xmm12
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x30(%rdi), %xmm13, %xmm13
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x30(%rdi), %xmm14, %xmm14
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vmovdqu     -0x40(%rcx), %xmm15
	vaesenc     0x40(%rdi), %xmm9, %xmm9
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x40(%rdi), %xmm10, %xmm10
	vmovdqu     0x2c0(%rdi), %xmm7
	vaesenc     0x40(%rdi), %xmm11, %xmm11
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x40(%rdi), %xmm12, %xmm12
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x40(%rdi), %xmm13, %xmm13
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x40(%rdi), %xmm14, %xmm14
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x50(%rdi), %xmm9, %xmm9
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x50(%rdi), %xmm10, %xmm10
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x50(%rdi), %xmm11, %xmm11
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x50(%rdi), %xmm12, %xmm12
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x50(%rdi), %xmm13, %xmm13
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x50(%rdi), %xmm14, %xmm14
	vmovdqu     -0x30(%rcx), %xmm15
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x60(%rdi), %xmm9, %xmm9
	vmovdqu     0x2d0(%rdi), %xmm7
	vaesenc     0x60(%rdi), %xmm10, %xmm10
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x60(%rdi), %xmm11, %xmm11
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x60(%rdi), %xmm12, %xmm12
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x60(%rdi), %xmm13, %xmm13
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x60(%rdi), %xmm14, %xmm14
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x70(%rdi), %xmm9, %xmm9
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x70(%rdi), %xmm10, %xmm10
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x70(%rdi), %xmm11, %xmm11
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x70(%rdi), %xmm12, %xmm12
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x70(%rdi), %xmm13, %xmm13
	vmovdqu     -0x20(%rcx), %xmm15
	vaesenc     0x70(%rdi), %xmm14, %xmm14
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vmovdqu     0x2e0(%rdi), %xmm7
	vaesenc     0x80(%rdi), %xmm9, %xmm9
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x80(%rdi), %xmm11, %xmm11
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm12, %xmm12
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x80(%rdi), %xmm13, %xmm13
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm14, %xmm14
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x90(%rdi), %xmm9, %xmm9
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x90(%rdi), %xmm10, %xmm10
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x90(%rdi), %xmm11, %xmm11
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x90(%rdi), %xmm12, %xmm12
	vmovdqu     -0x10(%rcx), %xmm15
	vaesenc     0x90(%rdi), %xmm13, %xmm13
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x90(%rdi), %xmm14, %xmm14
	vmovdqu     0x2f0(%rdi), %xmm7
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenclast 0xa0(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenclast 0xa0(%rdi), %xmm10, %xmm10
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenclast 0xa0(%rdi), %xmm11, %xmm11
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenclast 0xa0(%rdi), %xmm12, %xmm12
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenclast 0xa0(%rdi), %xmm13, %xmm13
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenclast 0xa0(%rdi), %xmm14, %xmm14
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       (%rdx), %xmm8, %xmm8
	vpxor       %xmm7, %xmm15, %xmm15
	vmovdqu     %xmm8, (%rcx)
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       0x10(%rdx), %xmm9, %xmm9
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     %xmm9, 0x10(%rcx)
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       0x20(%rdx), %xmm10, %xmm10
	vpxor       %xmm4, %xmm5, %xmm5
	vmovdqu     %xmm10, 0x20(%rcx)
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpxor       0x30(%rdx), %xmm11, %xmm11
	vpshufd     $0x4e, %xmm3, %xmm3
	vmovdqu     %xmm11, 0x30(%rcx)
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       0x40(%rdx), %xmm12, %xmm12
	vpxor       %xmm3, %xmm5, %xmm5
	vmovdqu     %xmm12, 0x40(%rcx)
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpxor       0x50(%rdx), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm5, %xmm5
	vmovdqu     %xmm13, 0x50(%rcx)
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       0x60(%rdx), %xmm14, %xmm14
	vpxor       %xmm5, %xmm4, %xmm1
	vmovdqu     %xmm14, 0x60(%rcx)
	add         $0x70, %rdx
	add         $0x70, %rcx
	.byte 0x80,0xc0,0x07	# add $7, %al
	sub         $0x70, %r8
	cmp         $0x70, %r8
	jb          .Laesmith_aes128_gcm_step_2
	.byte 0x80,0xf8,0xf9	# cmp $-7, %al
	jbe         .Laesmith_aes128_gcm_body
/* -- body end */
.Laesmith_aes128_gcm_body_end:
	vmovdqu     -0x60(%rcx), %xmm15
	vpshufb     %xmm2, %xmm0, %xmm8
	vpshufb     %xmm2, %xmm15, %xmm15
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vmovdqu     0x2a0(%rdi), %xmm7
	vpshufb     %xmm2, %xmm0, %xmm9
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	vpshufb     %xmm2, %xmm0, %xmm10
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpshufb     %xmm2, %xmm0, %xmm11
	vpshufd     $0x4e, %xmm7, %xmm15
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       %xmm7, %xmm15, %xmm15
	vpshufb     %xmm2, %xmm0, %xmm12
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vmovdqu     -0x50(%rcx), %xmm15
	vpshufb     %xmm2, %xmm0, %xmm13
	vpshufb     %xmm2, %xmm15, %xmm15
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vmovdqu     0x2b0(%rdi), %xmm7
	vpshufb     %xmm2, %xmm0, %xmm14
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       (%rdi), %xmm8, %xmm8
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       (%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm4, %xmm4
	vpxor       (%rdi), %xmm10, %xmm10
	vpxor       (%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vpxor       (%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpxor       (%rdi), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       (%rdi), %xmm14, %xmm14
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x10(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x10(%rdi), %xmm10, %xmm10
	vmovdqu     -0x70(%rcx), %xmm15
	vaesenc     0x10(%rdi), %xmm11, %xmm11
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x10(%rdi), %xmm12, %xmm12
	vpxor       %xmm1, %xmm15, %xmm15
	vaesenc     0x10(%rdi), %xmm13, %xmm13
	vmovdqu     0x290(%rdi), %xmm7
	vaesenc     0x10(%rdi), %xmm14, %xmm14
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x20(%rdi), %xmm9, %xmm9
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x20(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x20(%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x20(%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x20(%rdi), %xmm13, %xmm13
	vaesenc     0x20(%rdi), %xmm14, %xmm14
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x30(%rdi), %xmm9, %xmm9
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x30(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x30(%rdi), %xmm11, %xmm11
	vmovdqu     -0x40(%rcx), %xmm15
	vaesenc     0x30(%rdi), %xmm12, %xmm12
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x30(%rdi), %xmm13, %xmm13
	vmovdqu     0x2c0(%rdi), %xmm7
	vaesenc     0x30(%rdi), %xmm14, %xmm14
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x40(%rdi), %xmm9, %xmm9
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x40(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x40(%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x40(%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x40(%rdi), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x40(%rdi), %xmm14, %xmm14
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x50(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x50(%rdi), %xmm10, %xmm10
	vaesenc     0x50(%rdi), %xmm11, %xmm11
	vmovdqu     -0x30(%rcx), %xmm15
	vaesenc     0x50(%rdi), %xmm12, %xmm12
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x50(%rdi), %xmm13, %xmm13
	vmovdqu     0x2d0(%rdi), %xmm7
	vaesenc     0x50(%rdi), %xmm14, %xmm14
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x60(%rdi), %xmm9, %xmm9
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x60(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x60(%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x60(%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x60(%rdi), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x60(%rdi), %xmm14, %xmm14
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x70(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x70(%rdi), %xmm10, %xmm10
	vmovdqu     -0x20(%rcx), %xmm15
	vaesenc     0x70(%rdi), %xmm11, %xmm11
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x70(%rdi), %xmm12, %xmm12
	vmovdqu     0x2e0(%rdi), %xmm7
	vaesenc     0x70(%rdi), %xmm13, %xmm13
	vaesenc     0x70(%rdi), %xmm14, %xmm14
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenc     0x80(%rdi), %xmm9, %xmm9
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm10, %xmm10
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenc     0x80(%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenc     0x80(%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenc     0x80(%rdi), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenc     0x80(%rdi), %xmm14, %xmm14
	vpxor       %xmm7, %xmm15, %xmm15
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vaesenc     0x90(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm5, %xmm5
	vaesenc     0x90(%rdi), %xmm10, %xmm10
	vmovdqu     -0x10(%rcx), %xmm15
	vaesenc     0x90(%rdi), %xmm11, %xmm11
	vpshufb     %xmm2, %xmm15, %xmm15
	vaesenc     0x90(%rdi), %xmm12, %xmm12
	vmovdqu     0x2f0(%rdi), %xmm7
	vaesenc     0x90(%rdi), %xmm13, %xmm13
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vaesenc     0x90(%rdi), %xmm14, %xmm14
	vpxor       %xmm6, %xmm3, %xmm3
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vaesenclast 0xa0(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm4, %xmm4
	vaesenclast 0xa0(%rdi), %xmm10, %xmm10
	vaesenclast 0xa0(%rdi), %xmm11, %xmm11
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	vaesenclast 0xa0(%rdi), %xmm12, %xmm12
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vaesenclast 0xa0(%rdi), %xmm13, %xmm13
	vpshufd     $0x4e, %xmm7, %xmm15
	vaesenclast 0xa0(%rdi), %xmm14, %xmm14
	vpxor       %xmm7, %xmm15, %xmm15
	vpxor       (%rdx), %xmm8, %xmm8
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vmovdqu     %xmm8, (%rcx)
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       0x10(%rdx), %xmm9, %xmm9
	vpxor       %xmm3, %xmm5, %xmm5
	vmovdqu     %xmm9, 0x10(%rcx)
	vpxor       %xmm4, %xmm5, %xmm5
	vpxor       0x20(%rdx), %xmm10, %xmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vmovdqu     %xmm10, 0x20(%rcx)
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       0x30(%rdx), %xmm11, %xmm11
	vpxor       %xmm6, %xmm3, %xmm3
	vmovdqu     %xmm11, 0x30(%rcx)
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       0x40(%rdx), %xmm12, %xmm12
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vmovdqu     %xmm12, 0x40(%rcx)
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       0x50(%rdx), %xmm13, %xmm13
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     %xmm13, 0x50(%rcx)
	vpxor       %xmm5, %xmm4, %xmm1
	vpxor       0x60(%rdx), %xmm14, %xmm14
	vmovdqu     %xmm14, 0x60(%rcx)
	add         $0x70, %rdx
	add         $0x70, %rcx
	.byte 0x80,0xc0,0x07	# add $7, %al
	sub         $0x70, %r8
	cmp         $0x70, %r8
	jae         .Laesmith_aes128_gcm_step
.Laesmith_aes128_gcm_step_2:
	vmovdqu     -0x60(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2a0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vmovdqu     -0x50(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2b0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x70(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vpxor       %xmm1, %xmm15, %xmm15
	vmovdqu     0x290(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x40(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2c0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x30(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2d0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x20(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2e0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x10(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2f0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       %xmm4, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm1
/* -- tail */
.Laesmith_aes128_gcm_tail:
	cmp         $0x40, %r8
	jb          .Laesmith_aes128_gcm_step_3
	vpshufb     %xmm2, %xmm0, %xmm8
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm9
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm10
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm11
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       (%rdi), %xmm8, %xmm8
	vpxor       (%rdi), %xmm9, %xmm9
	vpxor       (%rdi), %xmm10, %xmm10
	vpxor       (%rdi), %xmm11, %xmm11
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vaesenc     0x10(%rdi), %xmm9, %xmm9
	vaesenc     0x10(%rdi), %xmm10, %xmm10
	vaesenc     0x10(%rdi), %xmm11, %xmm11
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vaesenc     0x20(%rdi), %xmm9, %xmm9
	vaesenc     0x20(%rdi), %xmm10, %xmm10
	vaesenc     0x20(%rdi), %xmm11, %xmm11
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vaesenc     0x30(%rdi), %xmm9, %xmm9
	vaesenc     0x30(%rdi), %xmm10, %xmm10
	vaesenc     0x30(%rdi), %xmm11, %xmm11
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vaesenc     0x40(%rdi), %xmm9, %xmm9
	vaesenc     0x40(%rdi), %xmm10, %xmm10
	vaesenc     0x40(%rdi), %xmm11, %xmm11
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vaesenc     0x50(%rdi), %xmm9, %xmm9
	vaesenc     0x50(%rdi), %xmm10, %xmm10
	vaesenc     0x50(%rdi), %xmm11, %xmm11
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vaesenc     0x60(%rdi), %xmm9, %xmm9
	vaesenc     0x60(%rdi), %xmm10, %xmm10
	vaesenc     0x60(%rdi), %xmm11, %xmm11
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vaesenc     0x70(%rdi), %xmm9, %xmm9
	vaesenc     0x70(%rdi), %xmm10, %xmm10
	vaesenc     0x70(%rdi), %xmm11, %xmm11
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vaesenc     0x80(%rdi), %xmm9, %xmm9
	vaesenc     0x80(%rdi), %xmm10, %xmm10
	vaesenc     0x80(%rdi), %xmm11, %xmm11
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vaesenc     0x90(%rdi), %xmm9, %xmm9
	vaesenc     0x90(%rdi), %xmm10, %xmm10
	vaesenc     0x90(%rdi), %xmm11, %xmm11
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vaesenclast 0xa0(%rdi), %xmm9, %xmm9
	vaesenclast 0xa0(%rdi), %xmm10, %xmm10
	vaesenclast 0xa0(%rdi), %xmm11, %xmm11
	vpxor       (%rdx), %xmm8, %xmm8
	vmovdqu     %xmm8, (%rcx)
	vpxor       0x10(%rdx), %xmm9, %xmm9
	vmovdqu     %xmm9, 0x10(%rcx)
	vpxor       0x20(%rdx), %xmm10, %xmm10
	vmovdqu     %xmm10, 0x20(%rcx)
	vpxor       0x30(%rdx), %xmm11, %xmm11
	vmovdqu     %xmm11, 0x30(%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	sub         $0x40, %r8
	cmp         $0x40, %r8
	vmovdqu     -0x30(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2d0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vmovdqu     -0x20(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2e0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x40(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vpxor       %xmm1, %xmm15, %xmm15
	vmovdqu     0x2c0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vmovdqu     -0x10(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2f0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       %xmm4, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm1
.Laesmith_aes128_gcm_step_3:
	cmp         $0x20, %r8
	jb          .Laesmith_aes128_gcm_step_4
	vpshufb     %xmm2, %xmm0, %xmm8
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpshufb     %xmm2, %xmm0, %xmm9
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       (%rdi), %xmm8, %xmm8
	vpxor       (%rdi), %xmm9, %xmm9
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vaesenc     0x10(%rdi), %xmm9, %xmm9
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vaesenc     0x20(%rdi), %xmm9, %xmm9
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vaesenc     0x30(%rdi), %xmm9, %xmm9
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vaesenc     0x40(%rdi), %xmm9, %xmm9
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vaesenc     0x50(%rdi), %xmm9, %xmm9
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vaesenc     0x60(%rdi), %xmm9, %xmm9
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vaesenc     0x70(%rdi), %xmm9, %xmm9
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vaesenc     0x80(%rdi), %xmm9, %xmm9
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vaesenc     0x90(%rdi), %xmm9, %xmm9
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vaesenclast 0xa0(%rdi), %xmm9, %xmm9
	vpxor       (%rdx), %xmm8, %xmm8
	vmovdqu     %xmm8, (%rcx)
	vpxor       0x10(%rdx), %xmm9, %xmm9
	vmovdqu     %xmm9, 0x10(%rcx)
	add         $0x20, %rdx
	add         $0x20, %rcx
	sub         $0x20, %r8
	cmp         $0x20, %r8
	vmovdqu     -0x10(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vmovdqu     0x2f0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vmovdqu     -0x20(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vpxor       %xmm1, %xmm15, %xmm15
	vmovdqu     0x2e0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm3, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm6
	vpxor       %xmm6, %xmm4, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm6
	{vex3} vpxor %xmm15, %xmm6, %xmm6
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       %xmm4, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm1
.Laesmith_aes128_gcm_step_4:
	cmp         $0x10, %r8
	jb          .Laesmith_aes128_gcm_last
	vpshufb     %xmm2, %xmm0, %xmm8
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       (%rdi), %xmm8, %xmm8
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	vpxor       (%rdx), %xmm8, %xmm8
	vmovdqu     %xmm8, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	cmp         $0x10, %r8
	vmovdqu     -0x10(%rcx), %xmm15
	vpshufb     %xmm2, %xmm15, %xmm15
	vpxor       %xmm1, %xmm15, %xmm15
	vmovdqu     0x2f0(%rdi), %xmm7
	vpclmullqlqdq %xmm7, %xmm15, %xmm3
	vpclmulhqhqdq %xmm7, %xmm15, %xmm4
	{vex3} vpshufd $0x4e, %xmm15, %xmm5
	{vex3} vpxor %xmm15, %xmm5, %xmm5
	vpshufd     $0x4e, %xmm7, %xmm15
	vpxor       %xmm7, %xmm15, %xmm15
	vpclmullqlqdq %xmm15, %xmm5, %xmm5
	vpxor       %xmm3, %xmm5, %xmm5
	vpxor       %xmm4, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm1
/* -- last */
.Laesmith_aes128_gcm_last:
	test        %r8, %r8
	je          .Laesmith_aes128_gcm_leave
	vpshufb     %xmm2, %xmm0, %xmm8
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %xmm0, %xmm0
	vpxor       (%rdi), %xmm8, %xmm8
	vaesenc     0x10(%rdi), %xmm8, %xmm8
	vaesenc     0x20(%rdi), %xmm8, %xmm8
	vaesenc     0x30(%rdi), %xmm8, %xmm8
	vaesenc     0x40(%rdi), %xmm8, %xmm8
	vaesenc     0x50(%rdi), %xmm8, %xmm8
	vaesenc     0x60(%rdi), %xmm8, %xmm8
	vaesenc     0x70(%rdi), %xmm8, %xmm8
	vaesenc     0x80(%rdi), %xmm8, %xmm8
	vaesenc     0x90(%rdi), %xmm8, %xmm8
	vaesenclast 0xa0(%rdi), %xmm8, %xmm8
	{vex3} vpxor %xmm15, %xmm15, %xmm15
	.byte 0x33,0xc0	# xor %eax, %eax
.Laesmith_aes128_gcm_step_5:
	{vex3} vmovd %xmm8, %r11d
	{vex3} vpsrldq $1, %xmm8, %xmm8
	{vex3} vpslldq $1, %xmm15, %xmm15
	movzbl      (%rdx,%rax), %r10d
	.byte 0x45,0x33,0xda	# xor %r10d, %r11d
	mov         %r11b, (%rcx,%rax)
	movzbl      %r11b, %r10d
	{vex3} vmovd %r10d, %xmm6
	vpxor       %xmm6, %xmm15, %xmm15
	add         $1, %rax
	.byte 0x49,0x3b,0xc0	# cmp %r8, %rax
	jb          .Laesmith_aes128_gcm_step_5
.Laesmith_aes128_gcm_step_6:
	{vex3} vpslldq $1, %xmm15, %xmm15
	add         $1, %rax
	cmp         $0x10, %rax
	jb          .Laesmith_aes128_gcm_step_6
	vpxor       %xmm1, %xmm15, %xmm15
	vpclmullqlqdq 0x2f0(%rdi), %xmm15, %xmm3
	vpclmulhqhqdq 0x2f0(%rdi), %xmm15, %xmm4
	vpclmulhqlqdq 0x2f0(%rdi), %xmm15, %xmm5
	vpclmullqhqdq 0x2f0(%rdi), %xmm15, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm3, %xmm6
	vpshufd     $0x4e, %xmm3, %xmm3
	vpxor       %xmm6, %xmm3, %xmm3
	vpxor       %xmm3, %xmm5, %xmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_10(%rip), %xmm5, %xmm6
	vpshufd     $0x4e, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm5
	vpxor       %xmm5, %xmm4, %xmm1
/* -- leave */
.Laesmith_aes128_gcm_leave:
	vpshufb     %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, (%rsi)
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x10(%rsi)
	ret
	.cfi_endproc
	.size aesmith_aes128_gcm, . - aesmith_aes128_gcm
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_gcm + 5344

	.section .rodata
	.p2align 6
	.type aesmith_aes128_gcm_constants, @object
aesmith_aes128_gcm_constants:
.Laesmith_aes128_gcm_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_gcm_constant_2:
	/* 1 in the low quadword of each lane */
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_constant_3:
	/* 1 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x01
.Laesmith_aes128_gcm_constant_4:
	/* 2 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x02
.Laesmith_aes128_gcm_constant_5:
	/* 3 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x03
.Laesmith_aes128_gcm_constant_6:
	/* 4 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
.Laesmith_aes128_gcm_constant_7:
	/* 5 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x05
.Laesmith_aes128_gcm_constant_8:
	/* 6 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x06
.Laesmith_aes128_gcm_constant_9:
	/* 7 in the low quadword of each lane */
	.byte 0x07,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_constant_10:
	/* one value in each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.size aesmith_aes128_gcm_constants, . - aesmith_aes128_gcm_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
