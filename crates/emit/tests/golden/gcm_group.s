/* aes128-gcm width=zmm interleave=2 tail=group */
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
 * technique    vaes
 * variant      aes128-gcm width=zmm interleave=2 cached=0 counter=swap tail=group product=schoolbook absorb=kept wipe=no
 * bytes        1984, SHA-256 cd977850de96d6410247c3bdad9a3279920c6f791934c9de0f4510a9c73e3152
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
	vmovdqu64   .Laesmith_aes128_gcm_constant(%rip), %zmm2
	vbroadcasti32x4 (%rsi), %zmm0
	vpshufb     %zmm2, %zmm0, %zmm0
	vmovdqu     0x10(%rsi), %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vpaddd      .Laesmith_aes128_gcm_constant_2(%rip), %zmm0, %zmm0
	vbroadcasti32x4 (%rdi), %zmm13
	vbroadcasti32x4 0x10(%rdi), %zmm14
	vbroadcasti32x4 0x20(%rdi), %zmm15
	vbroadcasti32x4 0x30(%rdi), %zmm16
	vbroadcasti32x4 0x40(%rdi), %zmm17
	vbroadcasti32x4 0x50(%rdi), %zmm18
	vbroadcasti32x4 0x60(%rdi), %zmm19
	vbroadcasti32x4 0x70(%rdi), %zmm20
	vbroadcasti32x4 0x80(%rdi), %zmm21
	vbroadcasti32x4 0x90(%rdi), %zmm22
	vbroadcasti32x4 0xa0(%rdi), %zmm23
	cmp         $0x80, %r8
	jb          .Laesmith_aes128_gcm_last
	vpshufb     %zmm2, %zmm0, %zmm9
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %zmm0, %zmm0
	vpshufb     %zmm2, %zmm0, %zmm10
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %zmm0, %zmm0
	vpxorq      %zmm13, %zmm9, %zmm9
	vpxorq      %zmm13, %zmm10, %zmm10
	vaesenc     %zmm14, %zmm9, %zmm9
	vaesenc     %zmm14, %zmm10, %zmm10
	vaesenc     %zmm15, %zmm9, %zmm9
	vaesenc     %zmm15, %zmm10, %zmm10
	vaesenc     %zmm16, %zmm9, %zmm9
	vaesenc     %zmm16, %zmm10, %zmm10
	vaesenc     %zmm17, %zmm9, %zmm9
	vaesenc     %zmm17, %zmm10, %zmm10
	vaesenc     %zmm18, %zmm9, %zmm9
	vaesenc     %zmm18, %zmm10, %zmm10
	vaesenc     %zmm19, %zmm9, %zmm9
	vaesenc     %zmm19, %zmm10, %zmm10
	vaesenc     %zmm20, %zmm9, %zmm9
	vaesenc     %zmm20, %zmm10, %zmm10
	vaesenc     %zmm21, %zmm9, %zmm9
	vaesenc     %zmm21, %zmm10, %zmm10
	vaesenc     %zmm22, %zmm9, %zmm9
	vaesenc     %zmm22, %zmm10, %zmm10
	vaesenclast %zmm23, %zmm9, %zmm9
	vaesenclast %zmm23, %zmm10, %zmm10
	vpxorq      (%rdx), %zmm9, %zmm9
	vmovdqu64   %zmm9, (%rcx)
	vpxorq      0x40(%rdx), %zmm10, %zmm10
	vmovdqu64   %zmm10, 0x40(%rcx)
	vpshufb     %zmm2, %zmm9, %zmm11
	vpshufb     %zmm2, %zmm10, %zmm12
	add         $0x80, %rdx
	add         $0x80, %rcx
	sub         $0x80, %r8
	cmp         $0x80, %r8
	jb          .Laesmith_aes128_gcm_body_end
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x0f,0x1f,0x40,0x00	# nopl (%rax)
/* -- body */
.Laesmith_aes128_gcm_body:
	vpclmullqlqdq 0x2c0(%rdi), %zmm12, %zmm3
	vpshufb     %zmm2, %zmm0, %zmm9
	vpclmulhqhqdq 0x2c0(%rdi), %zmm12, %zmm4
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %zmm0, %zmm0
	vpclmulhqlqdq 0x2c0(%rdi), %zmm12, %zmm5
	vpshufb     %zmm2, %zmm0, %zmm10
	vpclmullqhqdq 0x2c0(%rdi), %zmm12, %zmm6
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %zmm0, %zmm0
	vpxorq      %zmm13, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm5, %zmm5
	vpxorq      %zmm13, %zmm10, %zmm10
	vpxorq      %zmm1, %zmm11, %zmm11
	vaesenc     %zmm14, %zmm9, %zmm9
	vpclmullqlqdq 0x280(%rdi), %zmm11, %zmm6
	vaesenc     %zmm14, %zmm10, %zmm10
	vaesenc     %zmm15, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm3, %zmm3
	vaesenc     %zmm15, %zmm10, %zmm10
	vpclmulhqhqdq 0x280(%rdi), %zmm11, %zmm6
	vaesenc     %zmm16, %zmm9, %zmm9
	vpxorq      %zmm6, %zmm4, %zmm4
	vaesenc     %zmm16, %zmm10, %zmm10
	vaesenc     %zmm17, %zmm9, %zmm9
	vpclmulhqlqdq 0x280(%rdi), %zmm11, %zmm6
	vaesenc     %zmm17, %zmm10, %zmm10
	vpclmullqhqdq 0x280(%rdi), %zmm11, %zmm7
	vaesenc     %zmm18, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm7, %zmm6, %zmm5
	vaesenc     %zmm18, %zmm10, %zmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm3, %zmm6
	vaesenc     %zmm19, %zmm9, %zmm9
	vaesenc     %zmm19, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm3, %zmm3
	vaesenc     %zmm20, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vaesenc     %zmm20, %zmm10, %zmm10
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm5, %zmm6
	vaesenc     %zmm21, %zmm9, %zmm9
	vaesenc     %zmm21, %zmm10, %zmm10
	vpshufd     $0x4e, %zmm5, %zmm5
	vaesenc     %zmm22, %zmm9, %zmm9
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vaesenc     %zmm22, %zmm10, %zmm10
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vaesenclast %zmm23, %zmm9, %zmm9
	vaesenclast %zmm23, %zmm10, %zmm10
	vpxorq      %zmm6, %zmm4, %zmm4
	vpxorq      (%rdx), %zmm9, %zmm9
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vmovdqu64   %zmm9, (%rcx)
	vpxor       %xmm6, %xmm4, %xmm1
	vpxorq      0x40(%rdx), %zmm10, %zmm10
	vmovdqu64   %zmm10, 0x40(%rcx)
	vpshufb     %zmm2, %zmm9, %zmm11
	vpshufb     %zmm2, %zmm10, %zmm12
	add         $0x80, %rdx
	add         $0x80, %rcx
	sub         $0x80, %r8
	cmp         $0x80, %r8
	jae         .Laesmith_aes128_gcm_body
/* -- body end */
.Laesmith_aes128_gcm_body_end:
	vpclmullqlqdq 0x2c0(%rdi), %zmm12, %zmm3
	vpclmulhqhqdq 0x2c0(%rdi), %zmm12, %zmm4
	vpclmulhqlqdq 0x2c0(%rdi), %zmm12, %zmm5
	vpclmullqhqdq 0x2c0(%rdi), %zmm12, %zmm6
	vpxorq      %zmm6, %zmm5, %zmm5
	vpxorq      %zmm1, %zmm11, %zmm11
	vpclmullqlqdq 0x280(%rdi), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm3, %zmm3
	vpclmulhqhqdq 0x280(%rdi), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vpclmulhqlqdq 0x280(%rdi), %zmm11, %zmm6
	vpclmullqhqdq 0x280(%rdi), %zmm11, %zmm7
	vpternlogd  $-0x6a, %zmm7, %zmm6, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm3, %zmm6
	vpshufd     $0x4e, %zmm3, %zmm3
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm5, %zmm6
	vpshufd     $0x4e, %zmm5, %zmm5
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxor       %xmm6, %xmm4, %xmm1
/* -- last */
.Laesmith_aes128_gcm_last:
	test        %r8, %r8
	je          .Laesmith_aes128_gcm_leave
	cmp         $0x40, %r8
	ja          .Laesmith_aes128_gcm_step
	lea         0xf(%r8), %rax
	shr         $4, %rax
	.byte 0x4c,0x8b,0xd0	# mov %rax, %r10
	shl         $4, %r10
	neg         %r10
	.byte 0x4c,0x03,0xd7	# add %rdi, %r10
	vpshufb     %zmm2, %zmm0, %zmm9
	vpxorq      %zmm13, %zmm9, %zmm9
	vaesenc     %zmm14, %zmm9, %zmm9
	vaesenc     %zmm15, %zmm9, %zmm9
	vaesenc     %zmm16, %zmm9, %zmm9
	vaesenc     %zmm17, %zmm9, %zmm9
	vaesenc     %zmm18, %zmm9, %zmm9
	vaesenc     %zmm19, %zmm9, %zmm9
	vaesenc     %zmm20, %zmm9, %zmm9
	vaesenc     %zmm21, %zmm9, %zmm9
	vaesenc     %zmm22, %zmm9, %zmm9
	vaesenclast %zmm23, %zmm9, %zmm9
	mov         $-1, %r11
	bzhi        %r8, %r11, %r11
	kmovq       %r11, %k1
	vmovdqu8    (%rdx), %zmm11{%k1}{z}
	vpxorq      %zmm11, %zmm9, %zmm9
	vmovdqu8    %zmm9, (%rcx){%k1}
	vmovdqu8    %zmm9, %zmm11{%k1}{z}
	vpshufb     %zmm2, %zmm11, %zmm11
	vpxorq      %zmm1, %zmm11, %zmm11
	vpclmullqlqdq 0x300(%r10), %zmm11, %zmm3
	vpclmulhqhqdq 0x300(%r10), %zmm11, %zmm4
	vpclmulhqlqdq 0x300(%r10), %zmm11, %zmm5
	vpclmullqhqdq 0x300(%r10), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm5, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm3, %zmm6
	vpshufd     $0x4e, %zmm3, %zmm3
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm5, %zmm6
	vpshufd     $0x4e, %zmm5, %zmm5
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxor       %xmm6, %xmm4, %xmm1
	vmovd       %eax, %xmm6
	vpaddd      %xmm6, %xmm0, %xmm0
	jmp         .Laesmith_aes128_gcm_leave
.Laesmith_aes128_gcm_step:
	lea         0xf(%r8), %rax
	shr         $4, %rax
	.byte 0x4c,0x8b,0xd0	# mov %rax, %r10
	shl         $4, %r10
	neg         %r10
	.byte 0x4c,0x03,0xd7	# add %rdi, %r10
	sub         $0x40, %r8
	sub         $4, %rax
	vpshufb     %zmm2, %zmm0, %zmm9
	vpaddd      .Laesmith_aes128_gcm_constant_3(%rip), %zmm0, %zmm0
	vpshufb     %zmm2, %zmm0, %zmm10
	vpxorq      %zmm13, %zmm9, %zmm9
	vpxorq      %zmm13, %zmm10, %zmm10
	vaesenc     %zmm14, %zmm9, %zmm9
	vaesenc     %zmm14, %zmm10, %zmm10
	vaesenc     %zmm15, %zmm9, %zmm9
	vaesenc     %zmm15, %zmm10, %zmm10
	vaesenc     %zmm16, %zmm9, %zmm9
	vaesenc     %zmm16, %zmm10, %zmm10
	vaesenc     %zmm17, %zmm9, %zmm9
	vaesenc     %zmm17, %zmm10, %zmm10
	vaesenc     %zmm18, %zmm9, %zmm9
	vaesenc     %zmm18, %zmm10, %zmm10
	vaesenc     %zmm19, %zmm9, %zmm9
	vaesenc     %zmm19, %zmm10, %zmm10
	vaesenc     %zmm20, %zmm9, %zmm9
	vaesenc     %zmm20, %zmm10, %zmm10
	vaesenc     %zmm21, %zmm9, %zmm9
	vaesenc     %zmm21, %zmm10, %zmm10
	vaesenc     %zmm22, %zmm9, %zmm9
	vaesenc     %zmm22, %zmm10, %zmm10
	vaesenclast %zmm23, %zmm9, %zmm9
	vaesenclast %zmm23, %zmm10, %zmm10
	vpxorq      (%rdx), %zmm9, %zmm9
	vmovdqu64   %zmm9, (%rcx)
	vpshufb     %zmm2, %zmm9, %zmm11
	mov         $-1, %r11
	bzhi        %r8, %r11, %r11
	kmovq       %r11, %k1
	vmovdqu8    0x40(%rdx), %zmm12{%k1}{z}
	vpxorq      %zmm12, %zmm10, %zmm10
	vmovdqu8    %zmm10, 0x40(%rcx){%k1}
	vmovdqu8    %zmm10, %zmm12{%k1}{z}
	vpshufb     %zmm2, %zmm12, %zmm12
	vpclmullqlqdq 0x340(%r10), %zmm12, %zmm3
	vpclmulhqhqdq 0x340(%r10), %zmm12, %zmm4
	vpclmulhqlqdq 0x340(%r10), %zmm12, %zmm5
	vpclmullqhqdq 0x340(%r10), %zmm12, %zmm6
	vpxorq      %zmm6, %zmm5, %zmm5
	vpxorq      %zmm1, %zmm11, %zmm11
	vpclmullqlqdq 0x300(%r10), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm3, %zmm3
	vpclmulhqhqdq 0x300(%r10), %zmm11, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vpclmulhqlqdq 0x300(%r10), %zmm11, %zmm6
	vpclmullqhqdq 0x300(%r10), %zmm11, %zmm7
	vpternlogd  $-0x6a, %zmm7, %zmm6, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm3, %zmm6
	vpshufd     $0x4e, %zmm3, %zmm3
	vpternlogd  $-0x6a, %zmm6, %zmm3, %zmm5
	vpclmullqlqdq .Laesmith_aes128_gcm_constant_4(%rip), %zmm5, %zmm6
	vpshufd     $0x4e, %zmm5, %zmm5
	vpternlogd  $-0x6a, %zmm6, %zmm5, %zmm4
	vshufi32x4  $0x4e, %zmm4, %zmm4, %zmm6
	vpxorq      %zmm6, %zmm4, %zmm4
	vshufi32x4  $-0x4f, %zmm4, %zmm4, %zmm6
	vpxor       %xmm6, %xmm4, %xmm1
	vmovd       %eax, %xmm6
	vpaddd      %xmm6, %xmm0, %xmm0
/* -- leave */
.Laesmith_aes128_gcm_leave:
	vpshufb     %xmm2, %xmm0, %xmm0
	vmovdqu     %xmm0, (%rsi)
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     %xmm1, 0x10(%rsi)
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_gcm, . - aesmith_aes128_gcm
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_gcm + 1698

	.section .rodata
	.p2align 6
	.type aesmith_aes128_gcm_constants, @object
aesmith_aes128_gcm_constants:
.Laesmith_aes128_gcm_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes128_gcm_constant_2:
	/* the lane's own number */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x02,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x03,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_constant_3:
	/* 4 in the low quadword of each lane */
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_gcm_constant_4:
	/* one value in each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0xc2,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
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
