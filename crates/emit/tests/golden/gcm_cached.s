/* aes128-gcm-dec width=zmm interleave=2 cached=2 product=karatsuba */
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
 * variant      aes128-gcm-dec width=zmm interleave=2 cached=2 counter=swap tail=step product=karatsuba absorb=kept wipe=no
 * bytes        2624, SHA-256 205fd0fdc076fa1a519d454af47b8bc6bd5a7eabb4a4050fe060ec7cf2cbc5a5
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
	push        %rbp
	.cfi_def_cfa %rsp, 16
	.cfi_offset %rbp, -16
	.byte 0x48,0x8b,0xec	# mov %rsp, %rbp
	and         $-0x40, %rsp
	.cfi_def_cfa %rbp, 16
	sub         $0xfc0, %rsp
	movq        $0, (%rsp)
	sub         $0x40, %rsp
/* -- entry */
	vmovdqu64   .Laesmith_aes128_gcm_dec_constant(%rip), %zmm2
	vbroadcasti32x4 (%rsi), %zmm0
	vpshufb     %zmm2, %zmm0, %zmm0
	vmovdqu     0x10(%rsi), %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vpaddd      .Laesmith_aes128_gcm_dec_constant_2(%rip), %zmm0, %zmm0
	vbroadcasti32x4 0x30(%rdi), %zmm15
	vbroadcasti32x4 0x40(%rdi), %zmm16
	vbroadcasti32x4 0x50(%rdi), %zmm17
	vbroadcasti32x4 0x60(%rdi), %zmm18
	vbroadcasti32x4 0x70(%rdi), %zmm19
	vbroadcasti32x4 0x80(%rdi), %zmm20
	vbroadcasti32x4 0x90(%rdi), %zmm21
	vbroadcasti32x4 0xa0(%rdi), %zmm22
	mov         $0, %r9d
	cmp         $0x80, %r8
	jb          .Laesmith_aes128_gcm_dec_tail
	movzbl      0xf(%rsi), %eax
	cmp         $0x2000, %r8
	jb          .Laesmith_aes128_gcm_dec_step_2
	vbroadcasti32x4 (%rsi), %zmm3
	vpandq      .Laesmith_aes128_gcm_dec_constant_3(%rip), %zmm3, %zmm3
	vbroadcasti32x4 (%rdi), %zmm8
	vpxorq      %zmm8, %zmm3, %zmm3
	vmovdqu64   .Laesmith_aes128_gcm_dec_constant_4(%rip), %zmm4
	vbroadcasti32x4 0x10(%rdi), %zmm5
	vbroadcasti32x4 0x20(%rdi), %zmm6
	.byte 0x4c,0x8b,0xdc	# mov %rsp, %r11
	mov         $0x10, %r10d
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x0f,0x1f,0x00	# nopl (%rax)
.Laesmith_aes128_gcm_dec_step:
	vpxorq      %zmm4, %zmm3, %zmm7
	vpaddd      .Laesmith_aes128_gcm_dec_constant_5(%rip), %zmm4, %zmm4
	vpxorq      %zmm4, %zmm3, %zmm8
	vpaddd      .Laesmith_aes128_gcm_dec_constant_5(%rip), %zmm4, %zmm4
	vpxorq      %zmm4, %zmm3, %zmm9
	vpaddd      .Laesmith_aes128_gcm_dec_constant_5(%rip), %zmm4, %zmm4
	vpxorq      %zmm4, %zmm3, %zmm10
	vpaddd      .Laesmith_aes128_gcm_dec_constant_5(%rip), %zmm4, %zmm4
	vaesenc     %zmm5, %zmm7, %zmm7
	vaesenc     %zmm5, %zmm8, %zmm8
	vaesenc     %zmm5, %zmm9, %zmm9
	vaesenc     %zmm5, %zmm10, %zmm10
	vaesenc     %zmm6, %zmm7, %zmm7
	vaesenc     %zmm6, %zmm8, %zmm8
	vaesenc     %zmm6, %zmm9, %zmm9
	vaesenc     %zmm6, %zmm10, %zmm10
	vmovdqu64   %zmm7, (%r11)
	vmovdqu64   %zmm8, 0x40(%r11)
	vmovdqu64   %zmm9, 0x80(%r11)
	vmovdqu64   %zmm10, 0xc0(%r11)
	add         $0x100, %r11
	dec         %r10d
	jne         .Laesmith_aes128_gcm_dec_step
	mov         $1, %r9d
.Laesmith_aes128_gcm_dec_step_2:
	vmovdqu64   0x280(%rdi), %zmm6
	vpshufd     $0x4e, %zmm6, %zmm14
	vpxorq      %zmm6, %zmm14, %zmm14
	vmovdqu64   0x2c0(%rdi), %zmm6
	vpshufd     $0x4e, %zmm6, %zmm7
	vpxorq      %zmm6, %zmm7, %zmm7
	vpunpcklqdq %zmm7, %zmm14, %zmm14
.Laesmith_aes128_gcm_dec_step_3:
	test        %r9d, %r9d
	je          .Laesmith_aes128_gcm_dec_body_end
	.byte 0x80,0xf8,0xf8	# cmp $-8, %al
	ja          .Laesmith_aes128_gcm_dec_body_end
	movzbl      %al, %r11d
	shl         $4, %r11
	.byte 0x4c,0x03,0xdc	# add %rsp, %r11
	vpshufb     %zmm2, %zmm0, %zmm13
	vbroadcasti32x4 (%rdi), %zmm8
	vpxorq      %zmm8, %zmm13, %zmm13
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vaesenc     %zmm8, %zmm13, %zmm13
	vbroadcasti32x4 0x20(%rdi), %zmm8
	vaesenc     %zmm8, %zmm13, %zmm13
	vpxorq      (%r11), %zmm13, %zmm13
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x0f,0x1f,0x80,0x00,0x00,0x00,0x00	# nopl (%rax)
/* -- body */
.Laesmith_aes128_gcm_dec_body:
	vmovdqu64   (%rdx), %zmm11
	vpshufb     %zmm2, %zmm11, %zmm11
	vmovdqu64   0x40(%rdx), %zmm12
	vpshufb     %zmm2, %zmm12, %zmm12
	vpclmullqlqdq 0x2c0(%rdi), %zmm12, %zmm3
	vpclmulhqhqdq 0x2c0(%rdi), %zmm12, %zmm4
	vpaddd      .Laesmith_aes128_gcm_dec_constant_6(%rip), %zmm0, %zmm0
	vpshufd     $0x4e, %zmm12, %zmm5
	vpxorq      (%r11), %zmm13, %zmm9
	vpxorq      %zmm12, %zmm5, %zmm5
	vpxorq      0x40(%r11), %zmm13, %zmm10
	vpclmullqhqdq %zmm14, %zmm5, %zmm5
	vaesenc     %zmm15, %zmm9, %zmm9
	vpxorq      %zmm1, %zmm11, %zmm11
	vaesenc     %zmm15, %zmm10, %zmm10
	vpclmullqlqdq 0x280(%rdi), %zmm11, %zmm6
	vaesenc     %zmm16, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm3, %zmm3
	vaesenc     %zmm16, %zmm10, %zmm10
	vpclmulhqhqdq 0x280(%rdi), %zmm11, %zmm6
	vaesenc     %zmm17, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm4, %zmm4
	vaesenc     %zmm17, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm11, %zmm6
	vaesenc     %zmm18, %zmm9, %zmm9
	vpxorq      %zmm11, %zmm6, %zmm6
	vaesenc     %zmm18, %zmm10, %zmm10
	vpclmullqlqdq %zmm14, %zmm6, %zmm6
	vpxorq      %zmm6, %zmm5, %zmm5
	vaesenc     %zmm19, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm4, %zmm3, %zmm5
	vaesenc     %zmm19, %zmm10, %zmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm3, %zmm6
	vaesenc     %zmm20, %zmm9, %zmm9
	vpshufd     $0x4e, %zmm3, %zmm3
	vaesenc     %zmm20, %zmm10, %zmm10
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vaesenc     %zmm21, %zmm9, %zmm9
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm5, %zmm6
	vaesenc     %zmm21, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm5, %zmm5
	vaesenclast %zmm22, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vaesenclast %zmm22, %zmm10, %zmm10
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vpxorq      (%rdx), %zmm9, %zmm9
	vpxorq      %zmm6, %zmm4, %zmm4
	vmovdqu64   %zmm9, (%rcx)
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxorq      0x40(%rdx), %zmm10, %zmm10
	vpxor       %xmm6, %xmm4, %xmm1
	vmovdqu64   %zmm10, 0x40(%rcx)
	add         $0x80, %r11
	add         $0x80, %rdx
	add         $0x80, %rcx
	.byte 0x80,0xc0,0x08	# add $8, %al
	sub         $0x80, %r8
	cmp         $0x80, %r8
	jb          .Laesmith_aes128_gcm_dec_tail
	test        %al, %al
	je          .Laesmith_aes128_gcm_dec_step_3
	.byte 0x80,0xf8,0xf8	# cmp $-8, %al
	jbe         .Laesmith_aes128_gcm_dec_body
/* -- body end */
.Laesmith_aes128_gcm_dec_body_end:
	vmovdqu64   (%rdx), %zmm11
	vpshufb     %zmm2, %zmm11, %zmm11
	vmovdqu64   0x40(%rdx), %zmm12
	vpshufb     %zmm2, %zmm12, %zmm12
	vpclmullqlqdq 0x2c0(%rdi), %zmm12, %zmm3
	vpshufb     %zmm2, %zmm0, %zmm9
	vpclmulhqhqdq 0x2c0(%rdi), %zmm12, %zmm4
	vpaddd      .Laesmith_aes128_gcm_dec_constant_8(%rip), %zmm0, %zmm0
	vpshufd     $0x4e, %zmm12, %zmm5
	vpshufb     %zmm2, %zmm0, %zmm10
	vpxorq      %zmm12, %zmm5, %zmm5
	vpaddd      .Laesmith_aes128_gcm_dec_constant_8(%rip), %zmm0, %zmm0
	vbroadcasti32x4 (%rdi), %zmm8
	vpclmullqhqdq %zmm14, %zmm5, %zmm5
	vpxorq      %zmm8, %zmm9, %zmm9
	vpxorq      %zmm1, %zmm11, %zmm11
	vpxorq      %zmm8, %zmm10, %zmm10
	vpclmullqlqdq 0x280(%rdi), %zmm11, %zmm6
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vaesenc     %zmm8, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm3, %zmm3
	vaesenc     %zmm8, %zmm10, %zmm10
	vpclmulhqhqdq 0x280(%rdi), %zmm11, %zmm6
	vbroadcasti32x4 0x20(%rdi), %zmm8
	vpxorq      %zmm6, %zmm4, %zmm4
	vaesenc     %zmm8, %zmm9, %zmm9
	vaesenc     %zmm8, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm11, %zmm6
	vaesenc     %zmm15, %zmm9, %zmm9
	vpxorq      %zmm11, %zmm6, %zmm6
	vaesenc     %zmm15, %zmm10, %zmm10
	vpclmullqlqdq %zmm14, %zmm6, %zmm6
	vaesenc     %zmm16, %zmm9, %zmm9
	vaesenc     %zmm16, %zmm10, %zmm10
	vpxorq      %zmm6, %zmm5, %zmm5
	vaesenc     %zmm17, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm4, %zmm3, %zmm5
	vaesenc     %zmm17, %zmm10, %zmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm3, %zmm6
	vaesenc     %zmm18, %zmm9, %zmm9
	vaesenc     %zmm18, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm3, %zmm3
	vaesenc     %zmm19, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vaesenc     %zmm19, %zmm10, %zmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm5, %zmm6
	vaesenc     %zmm20, %zmm9, %zmm9
	vaesenc     %zmm20, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm5, %zmm5
	vaesenc     %zmm21, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vaesenc     %zmm21, %zmm10, %zmm10
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vaesenclast %zmm22, %zmm9, %zmm9
	vaesenclast %zmm22, %zmm10, %zmm10
	vpxorq      %zmm6, %zmm4, %zmm4
	vpxorq      (%rdx), %zmm9, %zmm9
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vmovdqu64   %zmm9, (%rcx)
	vpxor       %xmm6, %xmm4, %xmm1
	vpxorq      0x40(%rdx), %zmm10, %zmm10
	vmovdqu64   %zmm10, 0x40(%rcx)
	add         $0x80, %rdx
	add         $0x80, %rcx
	.byte 0x80,0xc0,0x08	# add $8, %al
	sub         $0x80, %r8
	cmp         $0x80, %r8
	jae         .Laesmith_aes128_gcm_dec_step_3
/* -- tail */
.Laesmith_aes128_gcm_dec_tail:
	cmp         $0x40, %r8
	jb          .Laesmith_aes128_gcm_dec_last
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x90	# xchg %ax, %ax
	vmovdqu64   (%rdx), %zmm11
	vpshufb     %zmm2, %zmm11, %zmm11
	vpxorq      %zmm1, %zmm11, %zmm11
	vpclmullqlqdq 0x2c0(%rdi), %zmm11, %zmm3
	vpshufb     %zmm2, %zmm0, %zmm9
	vpclmulhqhqdq 0x2c0(%rdi), %zmm11, %zmm4
	vpaddd      .Laesmith_aes128_gcm_dec_constant_8(%rip), %zmm0, %zmm0
	vpshufd     $0x4e, %zmm11, %zmm5
	vbroadcasti32x4 (%rdi), %zmm8
	vpxorq      %zmm11, %zmm5, %zmm5
	vpxorq      %zmm8, %zmm9, %zmm9
	vpshufd     $0x4e, 0x2c0(%rdi), %zmm11
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vpxorq      0x2c0(%rdi), %zmm11, %zmm11
	vaesenc     %zmm8, %zmm9, %zmm9
	vpclmullqlqdq %zmm11, %zmm5, %zmm5
	vbroadcasti32x4 0x20(%rdi), %zmm8
	vpternlogd  $-0x6a, %zmm4, %zmm3, %zmm5
	vaesenc     %zmm8, %zmm9, %zmm9
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm3, %zmm6
	vaesenc     %zmm15, %zmm9, %zmm9
	vpshufd     $0x4e, %zmm3, %zmm3
	vaesenc     %zmm16, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vaesenc     %zmm17, %zmm9, %zmm9
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm5, %zmm6
	vaesenc     %zmm18, %zmm9, %zmm9
	vpshufd     $0x4e, %zmm5, %zmm5
	vaesenc     %zmm19, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vaesenc     %zmm20, %zmm9, %zmm9
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vaesenc     %zmm21, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm4, %zmm4
	vaesenclast %zmm22, %zmm9, %zmm9
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxorq      (%rdx), %zmm9, %zmm9
	vpxor       %xmm6, %xmm4, %xmm1
	vmovdqu64   %zmm9, (%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	sub         $0x40, %r8
	cmp         $0x40, %r8
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
	vpshufb     %zmm2, %zmm0, %zmm9
	vbroadcasti32x4 (%rdi), %zmm8
	vpxorq      %zmm8, %zmm9, %zmm9
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vaesenc     %zmm8, %zmm9, %zmm9
	vbroadcasti32x4 0x20(%rdi), %zmm8
	vaesenc     %zmm8, %zmm9, %zmm9
	vaesenc     %zmm15, %zmm9, %zmm9
	vaesenc     %zmm16, %zmm9, %zmm9
	vaesenc     %zmm17, %zmm9, %zmm9
	vaesenc     %zmm18, %zmm9, %zmm9
	vaesenc     %zmm19, %zmm9, %zmm9
	vaesenc     %zmm20, %zmm9, %zmm9
	vaesenc     %zmm21, %zmm9, %zmm9
	vaesenclast %zmm22, %zmm9, %zmm9
	mov         $-1, %r11
	bzhi        %r8, %r11, %r11
	kmovq       %r11, %k1
	vmovdqu8    (%rdx), %zmm11{%k1}{z}
	vpxorq      %zmm11, %zmm9, %zmm9
	vmovdqu8    %zmm9, (%rcx){%k1}
	vmovdqu8    %zmm11, %zmm11{%k1}{z}
	vpshufb     %zmm2, %zmm11, %zmm11
	vpxorq      %zmm1, %zmm11, %zmm11
	vpclmullqlqdq 0x300(%r10), %zmm11, %zmm3
	vpclmulhqhqdq 0x300(%r10), %zmm11, %zmm4
	vpclmulhqlqdq 0x300(%r10), %zmm11, %zmm5
	vpclmullqhqdq 0x300(%r10), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm5, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm3, %zmm6
	vpshufd     $0x4e, %zmm3, %zmm3
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_dec_constant_7(%rip), %zmm5, %zmm6
	vpshufd     $0x4e, %zmm5, %zmm5
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxor       %xmm6, %xmm4, %xmm1
	vmovd       %eax, %xmm6
	vpaddd      %xmm6, %xmm0, %xmm0
/* -- leave */
.Laesmith_aes128_gcm_dec_leave:
	vpshufb     %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, (%rsi)
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x10(%rsi)
	.byte 0x48,0x8b,0xe5	# mov %rbp, %rsp
	.cfi_def_cfa %rsp, 16
	pop         %rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_gcm_dec, . - aesmith_aes128_gcm_dec
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_gcm_dec + 2074

	.section .rodata
	.p2align 6
	.type aesmith_aes128_gcm_dec_constants, @object
aesmith_aes128_gcm_dec_constants:
.Laesmith_aes128_gcm_dec_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_gcm_dec_constant_2:
	/* the lane's own number */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x02,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x03,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_dec_constant_3:
	/* one value in each lane */
	.byte 0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0x00
	.byte 0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0x00
	.byte 0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0x00
	.byte 0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0xff,0x00
.Laesmith_aes128_gcm_dec_constant_4:
	/* per lane, in its last byte: the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x01
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x02
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x03
.Laesmith_aes128_gcm_dec_constant_5:
	/* 4 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
.Laesmith_aes128_gcm_dec_constant_6:
	/* 8 in the low quadword of each lane */
	.byte 0x08,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x08,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x08,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x08,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_dec_constant_7:
	/* one value in each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_dec_constant_8:
	/* 4 in the low quadword of each lane */
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
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
