/* aes256-ctr width=zmm interleave=4 cached=2 keys=0x7fff fold=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes256_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes256_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes256_ctr: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes256_ctr: AES-256-CTR
 *
 * problem      aes256-ctr
 * technique    vaes
 * variant      aes256-ctr width=zmm keys=0x7fff interleave=4 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=2 counter=swap fold=yes loop=bottom align=1 tail=step wipe=no
 * bytes        2704, SHA-256 c905127f5b8ec3d427c930ba8a728cc4df88138db4804ddecf0d2cbdb4a5cc04
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use, counter table    read
 * rsi  iv   16 bytes, big-endian counter                 read, written
 * rdx  in   r8 bytes                                     read
 * rcx  out  r8 bytes, in or apart                        written
 * r8   len  bytes; a block that is begun is used up
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes256_ctr
	.type aesmith_aes256_ctr, @function
aesmith_aes256_ctr:
	.cfi_startproc
	endbr64
/* -- entry */
	test        %r8, %r8
	je          .Laesmith_aes256_ctr_leave
	mov         8(%rsi), %r9
	mov         (%rsi), %r10
	bswap       %r9
	bswap       %r10
	lea         0xf(%r8), %rax
	shr         $4, %rax
	.byte 0x4d,0x8b,0xd9	# mov %r9, %r11
	.byte 0x4c,0x03,0xd8	# add %rax, %r11
	jb          .Laesmith_aes256_ctr_carry
	.byte 0x49,0x8b,0xc1	# mov %r9, %rax
	.byte 0x49,0x33,0xc3	# xor %r11, %rax
	bswap       %r11
	mov         %r11, 8(%rsi)
	shr         $0x28, %rax
	jne         .Laesmith_aes256_ctr_single
	cmp         $0x100, %r8
	jb          .Laesmith_aes256_ctr_tail
/* -- head */
.Laesmith_aes256_ctr_head:
	test        $3, %r9b
	je          .Laesmith_aes256_ctr_step
	vmovq       %r9, %xmm1
	vpinsrq     $1, %r10, %xmm1, %xmm1
	vpshufb     .Laesmith_aes256_ctr_constant_5(%rip), %xmm1, %xmm1
	vpxor       (%rdi), %xmm1, %xmm2
	vaesenc     0x10(%rdi), %xmm2, %xmm2
	vaesenc     0x20(%rdi), %xmm2, %xmm2
	vaesenc     0x30(%rdi), %xmm2, %xmm2
	vaesenc     0x40(%rdi), %xmm2, %xmm2
	vaesenc     0x50(%rdi), %xmm2, %xmm2
	vaesenc     0x60(%rdi), %xmm2, %xmm2
	vaesenc     0x70(%rdi), %xmm2, %xmm2
	vaesenc     0x80(%rdi), %xmm2, %xmm2
	vaesenc     0x90(%rdi), %xmm2, %xmm2
	vaesenc     0xa0(%rdi), %xmm2, %xmm2
	vaesenc     0xb0(%rdi), %xmm2, %xmm2
	vaesenc     0xc0(%rdi), %xmm2, %xmm2
	vaesenc     0xd0(%rdi), %xmm2, %xmm2
	vmovdqu     (%rdx), %xmm3
	vpxor       0xe0(%rdi), %xmm3, %xmm3
	vaesenclast %xmm3, %xmm2, %xmm3
	vmovdqu     %xmm3, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	add         $1, %r9
	sub         $0x10, %r8
	cmp         $0x100, %r8
	jae         .Laesmith_aes256_ctr_head
	jmp         .Laesmith_aes256_ctr_tail
.Laesmith_aes256_ctr_step:
	test        $0xf, %r9b
	je          .Laesmith_aes256_ctr_set_up
	vmovq       %r9, %xmm0
	vpinsrq     $1, %r10, %xmm0, %xmm0
	vshufi32x4  $0, %zmm0, %zmm0, %zmm0
	vpaddq      .Laesmith_aes256_ctr_constant_3(%rip), %zmm0, %zmm0
	vpshufb     .Laesmith_aes256_ctr_constant(%rip), %zmm0, %zmm1
	vpaddq      .Laesmith_aes256_ctr_constant_2(%rip), %zmm0, %zmm0
	vbroadcasti32x4 (%rdi), %zmm2
	vpxorq      %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x10(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x20(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x30(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x40(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x50(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x60(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x70(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x80(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x90(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xa0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0xb0(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xc0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0xd0(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xe0(%rdi), %zmm2
	vpxorq      (%rdx), %zmm2, %zmm2
	vaesenclast %zmm2, %zmm1, %zmm2
	vmovdqu64   %zmm2, (%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	add         $4, %r9
	sub         $0x40, %r8
	cmp         $0x100, %r8
	jae         .Laesmith_aes256_ctr_step
	jmp         .Laesmith_aes256_ctr_tail
/* -- set-up */
.Laesmith_aes256_ctr_set_up:
	push        %rbp
	.cfi_def_cfa %rsp, 16
	.cfi_offset %rbp, -16
	.byte 0x48,0x8b,0xec	# mov %rsp, %rbp
	and         $-0x40, %rsp
	.cfi_def_cfa %rbp, 16
	sub         $0xfc0, %rsp
	movq        $0, (%rsp)
	sub         $0x40, %rsp
/* -- table */
	.byte 0x4d,0x8b,0xd9	# mov %r9, %r11
	and         $-0x100, %r9
	vmovq       %r9, %xmm0
	vpinsrq     $1, %r10, %xmm0, %xmm0
	vshufi32x4  $0, %zmm0, %zmm0, %zmm0
	vpaddq      .Laesmith_aes256_ctr_constant_3(%rip), %zmm0, %zmm0
	vpshufb     .Laesmith_aes256_ctr_constant(%rip), %zmm0, %zmm0
	.byte 0x4d,0x8b,0xcb	# mov %r11, %r9
	vbroadcasti32x4 (%rdi), %zmm4
	vbroadcasti32x4 0x10(%rdi), %zmm2
	vbroadcasti32x4 0x20(%rdi), %zmm3
	vpxorq      %zmm4, %zmm0, %zmm0
	vpxorq      %zmm1, %zmm1, %zmm1
	.byte 0x4c,0x8b,0xdc	# mov %rsp, %r11
	mov         $0x10, %eax
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x66,0x0f,0x1f,0x84,0x00,0x00,0x00,0x00,0x00	# nopw (%rax,%rax)
	.byte 0x0f,0x1f,0x00	# nopl (%rax)
.Laesmith_aes256_ctr_step_2:
	vpxorq      %zmm1, %zmm0, %zmm4
	vpaddd      .Laesmith_aes256_ctr_constant_4(%rip), %zmm1, %zmm1
	vpxorq      %zmm1, %zmm0, %zmm5
	vpaddd      .Laesmith_aes256_ctr_constant_4(%rip), %zmm1, %zmm1
	vpxorq      %zmm1, %zmm0, %zmm6
	vpaddd      .Laesmith_aes256_ctr_constant_4(%rip), %zmm1, %zmm1
	vpxorq      %zmm1, %zmm0, %zmm7
	vpaddd      .Laesmith_aes256_ctr_constant_4(%rip), %zmm1, %zmm1
	vaesenc     %zmm2, %zmm4, %zmm4
	vaesenc     %zmm2, %zmm5, %zmm5
	vaesenc     %zmm2, %zmm6, %zmm6
	vaesenc     %zmm2, %zmm7, %zmm7
	vaesenc     %zmm3, %zmm4, %zmm4
	vaesenc     %zmm3, %zmm5, %zmm5
	vaesenc     %zmm3, %zmm6, %zmm6
	vaesenc     %zmm3, %zmm7, %zmm7
	vmovdqu64   %zmm4, (%r11)
	vmovdqu64   %zmm5, 0x40(%r11)
	vmovdqu64   %zmm6, 0x80(%r11)
	vmovdqu64   %zmm7, 0xc0(%r11)
	add         $0x100, %r11
	dec         %eax
	jne         .Laesmith_aes256_ctr_step_2
	vbroadcasti32x4 0x30(%rdi), %zmm1
	vbroadcasti32x4 0x40(%rdi), %zmm2
	vbroadcasti32x4 0x50(%rdi), %zmm3
	vbroadcasti32x4 0x60(%rdi), %zmm4
	vbroadcasti32x4 0x70(%rdi), %zmm5
	vbroadcasti32x4 0x80(%rdi), %zmm6
	vbroadcasti32x4 0x90(%rdi), %zmm7
	vbroadcasti32x4 0xa0(%rdi), %zmm8
	vbroadcasti32x4 0xb0(%rdi), %zmm9
	vbroadcasti32x4 0xc0(%rdi), %zmm10
	vbroadcasti32x4 0xd0(%rdi), %zmm11
	vbroadcasti32x4 0xe0(%rdi), %zmm12
/* -- loop */
.Laesmith_aes256_ctr_loop:
	vmovq       %r9, %xmm0
	vpinsrq     $1, %r10, %xmm0, %xmm0
	vshufi32x4  $0, %zmm0, %zmm0, %zmm0
	vpaddq      .Laesmith_aes256_ctr_constant_3(%rip), %zmm0, %zmm0
	vpshufb     .Laesmith_aes256_ctr_constant(%rip), %zmm0, %zmm0
	movzbl      %r9b, %r11d
	shl         $4, %r11
	.byte 0x4c,0x03,0xdc	# add %rsp, %r11
	vbroadcasti32x4 (%rdi), %zmm13
	vpxorq      %zmm13, %zmm0, %zmm0
	vbroadcasti32x4 0x10(%rdi), %zmm13
	vaesenc     %zmm13, %zmm0, %zmm0
	vbroadcasti32x4 0x20(%rdi), %zmm13
	vaesenc     %zmm13, %zmm0, %zmm0
	vpxorq      (%r11), %zmm0, %zmm0
/* -- body */
.Laesmith_aes256_ctr_body:
	vpxorq      (%r11), %zmm0, %zmm13
	vpxorq      0x40(%r11), %zmm0, %zmm14
	vpxorq      0x80(%r11), %zmm0, %zmm15
	vpxorq      0xc0(%r11), %zmm0, %zmm16
	vaesenc     %zmm1, %zmm13, %zmm13
	vaesenc     %zmm1, %zmm14, %zmm14
	vaesenc     %zmm1, %zmm15, %zmm15
	vaesenc     %zmm1, %zmm16, %zmm16
	vaesenc     %zmm2, %zmm13, %zmm13
	vaesenc     %zmm2, %zmm14, %zmm14
	vaesenc     %zmm2, %zmm15, %zmm15
	vaesenc     %zmm2, %zmm16, %zmm16
	vaesenc     %zmm3, %zmm13, %zmm13
	vaesenc     %zmm3, %zmm14, %zmm14
	vaesenc     %zmm3, %zmm15, %zmm15
	vaesenc     %zmm3, %zmm16, %zmm16
	vaesenc     %zmm4, %zmm13, %zmm13
	vaesenc     %zmm4, %zmm14, %zmm14
	vaesenc     %zmm4, %zmm15, %zmm15
	vaesenc     %zmm4, %zmm16, %zmm16
	vaesenc     %zmm5, %zmm13, %zmm13
	vaesenc     %zmm5, %zmm14, %zmm14
	vaesenc     %zmm5, %zmm15, %zmm15
	vaesenc     %zmm5, %zmm16, %zmm16
	vaesenc     %zmm6, %zmm13, %zmm13
	vaesenc     %zmm6, %zmm14, %zmm14
	vaesenc     %zmm6, %zmm15, %zmm15
	vaesenc     %zmm6, %zmm16, %zmm16
	vaesenc     %zmm7, %zmm13, %zmm13
	vaesenc     %zmm7, %zmm14, %zmm14
	vaesenc     %zmm7, %zmm15, %zmm15
	vaesenc     %zmm7, %zmm16, %zmm16
	vaesenc     %zmm8, %zmm13, %zmm13
	vaesenc     %zmm8, %zmm14, %zmm14
	vaesenc     %zmm8, %zmm15, %zmm15
	vaesenc     %zmm8, %zmm16, %zmm16
	vaesenc     %zmm9, %zmm13, %zmm13
	vaesenc     %zmm9, %zmm14, %zmm14
	vaesenc     %zmm9, %zmm15, %zmm15
	vaesenc     %zmm9, %zmm16, %zmm16
	vaesenc     %zmm10, %zmm13, %zmm13
	vaesenc     %zmm10, %zmm14, %zmm14
	vaesenc     %zmm10, %zmm15, %zmm15
	vaesenc     %zmm10, %zmm16, %zmm16
	vaesenc     %zmm11, %zmm13, %zmm13
	vaesenc     %zmm11, %zmm14, %zmm14
	vaesenc     %zmm11, %zmm15, %zmm15
	vaesenc     %zmm11, %zmm16, %zmm16
	vpxorq      (%rdx), %zmm12, %zmm17
	vaesenclast %zmm17, %zmm13, %zmm17
	vpxorq      0x40(%rdx), %zmm12, %zmm13
	vaesenclast %zmm13, %zmm14, %zmm13
	vpxorq      0x80(%rdx), %zmm12, %zmm14
	vaesenclast %zmm14, %zmm15, %zmm14
	vpxorq      0xc0(%rdx), %zmm12, %zmm15
	vaesenclast %zmm15, %zmm16, %zmm15
	vmovdqu64   %zmm17, (%rcx)
	vmovdqu64   %zmm13, 0x40(%rcx)
	vmovdqu64   %zmm14, 0x80(%rcx)
	vmovdqu64   %zmm15, 0xc0(%rcx)
/* -- body end */
	add         $0x100, %rdx
	add         $0x100, %rcx
	add         $0x10, %r9
	sub         $0x100, %r8
	test        %r9b, %r9b
	.byte 0x0f,0x84; .long .Laesmith_aes256_ctr_step_3 - . - 4	# je .Laesmith_aes256_ctr_step_3
	add         $0x100, %r11
	cmp         $0x100, %r8
	jae         .Laesmith_aes256_ctr_body
	.byte 0xe9; .long .Laesmith_aes256_ctr_step_4 - . - 4	# jmp .Laesmith_aes256_ctr_step_4
.Laesmith_aes256_ctr_step_3:
	cmp         $0x100, %r8
	jae         .Laesmith_aes256_ctr_loop
.Laesmith_aes256_ctr_step_4:
	.byte 0x48,0x8b,0xe5	# mov %rbp, %rsp
	.cfi_def_cfa %rsp, 16
	pop         %rbp
/* -- tail */
.Laesmith_aes256_ctr_tail:
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	test        %r8, %r8
	je          .Laesmith_aes256_ctr_leave
	vmovq       %r9, %xmm0
	vpinsrq     $1, %r10, %xmm0, %xmm0
	vshufi32x4  $0, %zmm0, %zmm0, %zmm0
	vpaddq      .Laesmith_aes256_ctr_constant_3(%rip), %zmm0, %zmm0
.Laesmith_aes256_ctr_step_5:
	cmp         $0x40, %r8
	jb          .Laesmith_aes256_ctr_step_6
	vpshufb     .Laesmith_aes256_ctr_constant(%rip), %zmm0, %zmm1
	vpaddq      .Laesmith_aes256_ctr_constant_2(%rip), %zmm0, %zmm0
	vbroadcasti32x4 (%rdi), %zmm2
	vpxorq      %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x10(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x20(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x30(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x40(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x50(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x60(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x70(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0x80(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0x90(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xa0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0xb0(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xc0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm2
	vbroadcasti32x4 0xd0(%rdi), %zmm1
	vaesenc     %zmm1, %zmm2, %zmm1
	vbroadcasti32x4 0xe0(%rdi), %zmm2
	vpxorq      (%rdx), %zmm2, %zmm2
	vaesenclast %zmm2, %zmm1, %zmm2
	vmovdqu64   %zmm2, (%rcx)
	add         $0x40, %rdx
	add         $0x40, %rcx
	add         $4, %r9
	sub         $0x40, %r8
	jmp         .Laesmith_aes256_ctr_step_5
.Laesmith_aes256_ctr_step_6:
	test        %r8, %r8
	je          .Laesmith_aes256_ctr_leave
	mov         $-1, %rax
	bzhi        %r8, %rax, %rax
	kmovq       %rax, %k1
	vpshufb     .Laesmith_aes256_ctr_constant(%rip), %zmm0, %zmm1
	vbroadcasti32x4 (%rdi), %zmm2
	vpxorq      %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x10(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x20(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x30(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x40(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x50(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x60(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x70(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x80(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0x90(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0xa0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0xb0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0xc0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0xd0(%rdi), %zmm2
	vaesenc     %zmm2, %zmm1, %zmm1
	vbroadcasti32x4 0xe0(%rdi), %zmm2
	vaesenclast %zmm2, %zmm1, %zmm1
	vmovdqu8    (%rdx), %zmm3{%k1}{z}
	vpxorq      %zmm3, %zmm1, %zmm1
	vmovdqu8    %zmm1, (%rcx){%k1}
	jmp         .Laesmith_aes256_ctr_leave
/* -- single */
.Laesmith_aes256_ctr_single:
	cmp         $0x10, %r8
	jb          .Laesmith_aes256_ctr_step_7
	vmovq       %r9, %xmm1
	vpinsrq     $1, %r10, %xmm1, %xmm1
	vpshufb     .Laesmith_aes256_ctr_constant_5(%rip), %xmm1, %xmm1
	vpxor       (%rdi), %xmm1, %xmm2
	vaesenc     0x10(%rdi), %xmm2, %xmm2
	vaesenc     0x20(%rdi), %xmm2, %xmm2
	vaesenc     0x30(%rdi), %xmm2, %xmm2
	vaesenc     0x40(%rdi), %xmm2, %xmm2
	vaesenc     0x50(%rdi), %xmm2, %xmm2
	vaesenc     0x60(%rdi), %xmm2, %xmm2
	vaesenc     0x70(%rdi), %xmm2, %xmm2
	vaesenc     0x80(%rdi), %xmm2, %xmm2
	vaesenc     0x90(%rdi), %xmm2, %xmm2
	vaesenc     0xa0(%rdi), %xmm2, %xmm2
	vaesenc     0xb0(%rdi), %xmm2, %xmm2
	vaesenc     0xc0(%rdi), %xmm2, %xmm2
	vaesenc     0xd0(%rdi), %xmm2, %xmm2
	vmovdqu     (%rdx), %xmm3
	vpxor       0xe0(%rdi), %xmm3, %xmm3
	vaesenclast %xmm3, %xmm2, %xmm3
	vmovdqu     %xmm3, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	add         $1, %r9
	adc         $0, %r10
	jmp         .Laesmith_aes256_ctr_single
.Laesmith_aes256_ctr_step_7:
	test        %r8, %r8
	je          .Laesmith_aes256_ctr_leave
	vmovq       %r9, %xmm1
	vpinsrq     $1, %r10, %xmm1, %xmm1
	vpshufb     .Laesmith_aes256_ctr_constant_5(%rip), %xmm1, %xmm1
	vpxor       (%rdi), %xmm1, %xmm1
	vaesenc     0x10(%rdi), %xmm1, %xmm1
	vaesenc     0x20(%rdi), %xmm1, %xmm1
	vaesenc     0x30(%rdi), %xmm1, %xmm1
	vaesenc     0x40(%rdi), %xmm1, %xmm1
	vaesenc     0x50(%rdi), %xmm1, %xmm1
	vaesenc     0x60(%rdi), %xmm1, %xmm1
	vaesenc     0x70(%rdi), %xmm1, %xmm1
	vaesenc     0x80(%rdi), %xmm1, %xmm1
	vaesenc     0x90(%rdi), %xmm1, %xmm1
	vaesenc     0xa0(%rdi), %xmm1, %xmm1
	vaesenc     0xb0(%rdi), %xmm1, %xmm1
	vaesenc     0xc0(%rdi), %xmm1, %xmm1
	vaesenc     0xd0(%rdi), %xmm1, %xmm1
	vaesenclast 0xe0(%rdi), %xmm1, %xmm1
	.byte 0x33,0xc0	# xor %eax, %eax
.Laesmith_aes256_ctr_step_8:
	{vex3} vmovd %xmm1, %r11d
	vpsrldq     $1, %xmm1, %xmm1
	xor         (%rdx,%rax), %r11b
	mov         %r11b, (%rcx,%rax)
	add         $1, %rax
	.byte 0x49,0x3b,0xc0	# cmp %r8, %rax
	jb          .Laesmith_aes256_ctr_step_8
/* -- leave */
.Laesmith_aes256_ctr_leave:
	vzeroupper
	ret
/* -- carry */
.Laesmith_aes256_ctr_carry:
	bswap       %r11
	mov         %r11, 8(%rsi)
	lea         1(%r10), %rax
	bswap       %rax
	mov         %rax, (%rsi)
	jmp         .Laesmith_aes256_ctr_single
	.cfi_endproc
	.size aesmith_aes256_ctr, . - aesmith_aes256_ctr
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes256_ctr + 2396

	.section .rodata
	.p2align 6
	.type aesmith_aes256_ctr_constants, @object
aesmith_aes256_ctr_constants:
.Laesmith_aes256_ctr_constant:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
.Laesmith_aes256_ctr_constant_2:
	/* 4 in the low quadword of each lane */
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x04,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes256_ctr_constant_3:
	/* the lane's own number */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x01,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x02,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
	.byte 0x03,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes256_ctr_constant_4:
	/* 4 in the last byte of each lane, the fast byte of a counter */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x04
.Laesmith_aes256_ctr_constant_5:
	/* byte reversal of each lane */
	.byte 0x0f,0x0e,0x0d,0x0c,0x0b,0x0a,0x09,0x08,0x07,0x06,0x05,0x04,0x03,0x02,0x01,0x00
	.size aesmith_aes256_ctr_constants, . - aesmith_aes256_ctr_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
