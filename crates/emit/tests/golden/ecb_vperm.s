/* aes128-ecb technique=vperm */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_ecb_vperm_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_ecb_vperm_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_ecb_vperm_xmm: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_ecb_vperm_xmm: AES-128 encryption of whole blocks (ECB)
 *
 * problem      aes128-ecb
 * technique    vperm
 * variant      aes128-ecb technique=vperm width=xmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step layout=blocks shiftrows=shuffled spread=1 wipe=no
 * bytes        2128, SHA-256 57abb4fdbf6362c7ad10fa4d33459faaf4517a7c670daaa7ab1d3899ea0d4ca4
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  in   16 (rcx / 16) bytes                          read
 * rdx  out  16 (rcx / 16) bytes, in or apart             written
 * rcx  len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_ecb_vperm_xmm
	.type aesmith_aes128_ecb_vperm_xmm, @function
aesmith_aes128_ecb_vperm_xmm:
	.cfi_startproc
	endbr64
/* -- entry */
	cmp         $0x10, %rcx
	jb          .Laesmith_aes128_ecb_vperm_xmm_tail
/* -- set-up */
/* -- loop */
/* -- body */
.Laesmith_aes128_ecb_vperm_xmm_set_up:
	vmovdqu     (%rsi), %xmm1
	vpxor       (%rdi), %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant(%rip), %xmm2
	vpshufb     %xmm2, %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_2(%rip), %xmm3
	vpand       %xmm3, %xmm1, %xmm4
	vpsrld      $4, %xmm1, %xmm1
	vpand       %xmm3, %xmm1, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_3(%rip), %xmm5
	vpshufb     %xmm4, %xmm5, %xmm4
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_4(%rip), %xmm6
	vpshufb     %xmm1, %xmm6, %xmm1
	vpxor       %xmm1, %xmm4, %xmm4
	vpand       %xmm3, %xmm4, %xmm1
	vpsrld      $4, %xmm4, %xmm4
	vpand       %xmm3, %xmm4, %xmm4
	vpxor       %xmm1, %xmm4, %xmm7
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm1, %xmm8, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_6(%rip), %xmm9
	vpshufb     %xmm4, %xmm9, %xmm10
	vpshufb     %xmm7, %xmm9, %xmm11
	vpxor       %xmm1, %xmm10, %xmm10
	vpxor       %xmm1, %xmm11, %xmm11
	vpshufb     %xmm10, %xmm9, %xmm10
	vpshufb     %xmm11, %xmm9, %xmm11
	vpxor       %xmm7, %xmm10, %xmm10
	vpxor       %xmm4, %xmm11, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_7(%rip), %xmm4
	vpshufb     %xmm10, %xmm4, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_8(%rip), %xmm7
	vpshufb     %xmm11, %xmm7, %xmm11
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	vmovdqu     0x10(%rdi), %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_9(%rip), %xmm1
	vpxor       %xmm1, %xmm11, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_10(%rip), %xmm12
	vpshufb     %xmm12, %xmm10, %xmm13
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm15
	vpshufb     %xmm10, %xmm15, %xmm15
	{vex3} vpxor %xmm15, %xmm14, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_12(%rip), %xmm15
	vpshufb     %xmm15, %xmm10, %xmm10
	{vex3} vpxor %xmm11, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm14, %xmm14
	vpshufb     %xmm2, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm13
	{vex3} vpsrld $4, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm14
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm14, %xmm6, %xmm14
	{vex3} vpxor %xmm14, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm14
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm14, %xmm13, %xmm10
	vpshufb     %xmm14, %xmm8, %xmm14
	vpshufb     %xmm13, %xmm9, %xmm11
	vpshufb     %xmm10, %xmm9, %xmm8
	{vex3} vpxor %xmm14, %xmm11, %xmm11
	{vex3} vpxor %xmm14, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm9, %xmm11
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm11, %xmm11
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm4, %xmm11
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm11, %xmm11
	vmovdqu     0x20(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm11, %xmm13
	{vex3} vpxor %xmm13, %xmm11, %xmm11
	{vex3} vpaddb %xmm11, %xmm11, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm14
	vpshufb     %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	vpshufb     %xmm15, %xmm11, %xmm11
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	vpshufb     %xmm2, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm13
	{vex3} vpsrld $4, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm10
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm10, %xmm6, %xmm10
	{vex3} vpxor %xmm10, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm10
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm13, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm10, %xmm8, %xmm10
	vpshufb     %xmm13, %xmm9, %xmm14
	vpshufb     %xmm11, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm10, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm9, %xmm14
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm4, %xmm14
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm14, %xmm14
	vmovdqu     0x30(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm14, %xmm13
	{vex3} vpxor %xmm13, %xmm14, %xmm14
	{vex3} vpaddb %xmm14, %xmm14, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm10
	vpshufb     %xmm14, %xmm10, %xmm10
	{vex3} vpxor %xmm10, %xmm11, %xmm11
	vpshufb     %xmm15, %xmm14, %xmm14
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm14, %xmm11, %xmm11
	{vex3} vpxor %xmm13, %xmm11, %xmm11
	vpshufb     %xmm2, %xmm11, %xmm11
	vpand       %xmm3, %xmm11, %xmm13
	{vex3} vpsrld $4, %xmm11, %xmm11
	vpand       %xmm3, %xmm11, %xmm11
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm11, %xmm6, %xmm11
	{vex3} vpxor %xmm11, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm11
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm11, %xmm13, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm11, %xmm8, %xmm11
	vpshufb     %xmm13, %xmm9, %xmm10
	vpshufb     %xmm14, %xmm9, %xmm8
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	{vex3} vpxor %xmm11, %xmm8, %xmm8
	vpshufb     %xmm10, %xmm9, %xmm10
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm10, %xmm4, %xmm10
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm10, %xmm10
	vmovdqu     0x40(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm10, %xmm13
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm11
	vpshufb     %xmm10, %xmm11, %xmm11
	{vex3} vpxor %xmm11, %xmm14, %xmm14
	vpshufb     %xmm15, %xmm10, %xmm10
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm14, %xmm14
	vpshufb     %xmm2, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm13
	{vex3} vpsrld $4, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm14
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm14, %xmm6, %xmm14
	{vex3} vpxor %xmm14, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm14
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm14, %xmm13, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm14, %xmm8, %xmm14
	vpshufb     %xmm13, %xmm9, %xmm11
	vpshufb     %xmm10, %xmm9, %xmm8
	{vex3} vpxor %xmm14, %xmm11, %xmm11
	{vex3} vpxor %xmm14, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm9, %xmm11
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm11, %xmm11
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm4, %xmm11
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm11, %xmm11
	vmovdqu     0x50(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm11, %xmm13
	{vex3} vpxor %xmm13, %xmm11, %xmm11
	{vex3} vpaddb %xmm11, %xmm11, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm14
	vpshufb     %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	vpshufb     %xmm15, %xmm11, %xmm11
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	vpshufb     %xmm2, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm13
	{vex3} vpsrld $4, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm10
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm10, %xmm6, %xmm10
	{vex3} vpxor %xmm10, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm10
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm13, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm10, %xmm8, %xmm10
	vpshufb     %xmm13, %xmm9, %xmm14
	vpshufb     %xmm11, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm10, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm9, %xmm14
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm4, %xmm14
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm14, %xmm14
	vmovdqu     0x60(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm14, %xmm13
	{vex3} vpxor %xmm13, %xmm14, %xmm14
	{vex3} vpaddb %xmm14, %xmm14, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm10
	vpshufb     %xmm14, %xmm10, %xmm10
	{vex3} vpxor %xmm10, %xmm11, %xmm11
	vpshufb     %xmm15, %xmm14, %xmm14
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm14, %xmm11, %xmm11
	{vex3} vpxor %xmm13, %xmm11, %xmm11
	vpshufb     %xmm2, %xmm11, %xmm11
	vpand       %xmm3, %xmm11, %xmm13
	{vex3} vpsrld $4, %xmm11, %xmm11
	vpand       %xmm3, %xmm11, %xmm11
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm11, %xmm6, %xmm11
	{vex3} vpxor %xmm11, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm11
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm11, %xmm13, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm11, %xmm8, %xmm11
	vpshufb     %xmm13, %xmm9, %xmm10
	vpshufb     %xmm14, %xmm9, %xmm8
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	{vex3} vpxor %xmm11, %xmm8, %xmm8
	vpshufb     %xmm10, %xmm9, %xmm10
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm10, %xmm4, %xmm10
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm10, %xmm10
	vmovdqu     0x70(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm10, %xmm13
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm14
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm11
	vpshufb     %xmm10, %xmm11, %xmm11
	{vex3} vpxor %xmm11, %xmm14, %xmm14
	vpshufb     %xmm15, %xmm10, %xmm10
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm14, %xmm14
	vpshufb     %xmm2, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm13
	{vex3} vpsrld $4, %xmm14, %xmm14
	vpand       %xmm3, %xmm14, %xmm14
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm14, %xmm6, %xmm14
	{vex3} vpxor %xmm14, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm14
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm14, %xmm13, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm14, %xmm8, %xmm14
	vpshufb     %xmm13, %xmm9, %xmm11
	vpshufb     %xmm10, %xmm9, %xmm8
	{vex3} vpxor %xmm14, %xmm11, %xmm11
	{vex3} vpxor %xmm14, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm9, %xmm11
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm11, %xmm11
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm11, %xmm4, %xmm11
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm11, %xmm11
	vmovdqu     0x80(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm11, %xmm13
	{vex3} vpxor %xmm13, %xmm11, %xmm11
	{vex3} vpaddb %xmm11, %xmm11, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm14
	vpshufb     %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	vpshufb     %xmm15, %xmm11, %xmm11
	{vex3} vpxor %xmm8, %xmm13, %xmm13
	{vex3} vpxor %xmm11, %xmm10, %xmm10
	{vex3} vpxor %xmm13, %xmm10, %xmm10
	vpshufb     %xmm2, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm13
	{vex3} vpsrld $4, %xmm10, %xmm10
	vpand       %xmm3, %xmm10, %xmm10
	vpshufb     %xmm13, %xmm5, %xmm13
	vpshufb     %xmm10, %xmm6, %xmm10
	{vex3} vpxor %xmm10, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm10
	{vex3} vpsrld $4, %xmm13, %xmm13
	vpand       %xmm3, %xmm13, %xmm13
	{vex3} vpxor %xmm10, %xmm13, %xmm11
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm8
	vpshufb     %xmm10, %xmm8, %xmm10
	vpshufb     %xmm13, %xmm9, %xmm14
	vpshufb     %xmm11, %xmm9, %xmm8
	{vex3} vpxor %xmm10, %xmm14, %xmm14
	{vex3} vpxor %xmm10, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm9, %xmm14
	vpshufb     %xmm8, %xmm9, %xmm8
	{vex3} vpxor %xmm11, %xmm14, %xmm14
	{vex3} vpxor %xmm13, %xmm8, %xmm8
	vpshufb     %xmm14, %xmm4, %xmm14
	vpshufb     %xmm8, %xmm7, %xmm8
	{vex3} vpxor %xmm8, %xmm14, %xmm14
	vmovdqu     0x90(%rdi), %xmm8
	vpxor       %xmm1, %xmm8, %xmm8
	vpshufb     %xmm12, %xmm14, %xmm12
	{vex3} vpxor %xmm12, %xmm14, %xmm14
	{vex3} vpaddb %xmm14, %xmm14, %xmm1
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_11(%rip), %xmm13
	vpshufb     %xmm14, %xmm13, %xmm13
	{vex3} vpxor %xmm13, %xmm1, %xmm1
	vpshufb     %xmm15, %xmm14, %xmm14
	{vex3} vpxor %xmm8, %xmm12, %xmm12
	{vex3} vpxor %xmm14, %xmm1, %xmm1
	{vex3} vpxor %xmm12, %xmm1, %xmm1
	vpshufb     %xmm2, %xmm1, %xmm1
	vpand       %xmm3, %xmm1, %xmm2
	vpsrld      $4, %xmm1, %xmm1
	vpand       %xmm3, %xmm1, %xmm1
	vpshufb     %xmm2, %xmm5, %xmm5
	vpshufb     %xmm1, %xmm6, %xmm6
	vpxor       %xmm6, %xmm5, %xmm5
	vpand       %xmm3, %xmm5, %xmm6
	vpsrld      $4, %xmm5, %xmm5
	vpand       %xmm3, %xmm5, %xmm5
	vpxor       %xmm6, %xmm5, %xmm3
	vmovdqu     .Laesmith_aes128_ecb_vperm_xmm_constant_5(%rip), %xmm1
	vpshufb     %xmm6, %xmm1, %xmm1
	vpshufb     %xmm5, %xmm9, %xmm6
	vpshufb     %xmm3, %xmm9, %xmm2
	vpxor       %xmm1, %xmm6, %xmm6
	vpxor       %xmm1, %xmm2, %xmm2
	vpshufb     %xmm6, %xmm9, %xmm6
	vpshufb     %xmm2, %xmm9, %xmm9
	vpxor       %xmm3, %xmm6, %xmm6
	vpxor       %xmm5, %xmm9, %xmm9
	vpshufb     %xmm6, %xmm4, %xmm4
	vpshufb     %xmm9, %xmm7, %xmm7
	vpxor       %xmm7, %xmm4, %xmm4
	vmovdqu     0xa0(%rdi), %xmm7
	vpxor       .Laesmith_aes128_ecb_vperm_xmm_constant_13(%rip), %xmm7, %xmm7
	vpxor       %xmm7, %xmm4, %xmm4
	vmovdqu     %xmm4, (%rdx)
/* -- body end */
	add         $0x10, %rsi
	add         $0x10, %rdx
	sub         $0x10, %rcx
	cmp         $0x10, %rcx
	jae         .Laesmith_aes128_ecb_vperm_xmm_set_up
/* -- tail */
/* -- single */
/* -- leave */
.Laesmith_aes128_ecb_vperm_xmm_tail:
	ret
	.cfi_endproc
	.size aesmith_aes128_ecb_vperm_xmm, . - aesmith_aes128_ecb_vperm_xmm
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_ecb_vperm_xmm + 1898

	.section .rodata
	.p2align 6
	.type aesmith_aes128_ecb_vperm_xmm_constants, @object
aesmith_aes128_ecb_vperm_xmm_constants:
.Laesmith_aes128_ecb_vperm_xmm_constant:
	/* one value in each lane */
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
.Laesmith_aes128_ecb_vperm_xmm_constant_2:
	/* one value in each lane */
	.byte 0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f,0x0f
.Laesmith_aes128_ecb_vperm_xmm_constant_3:
	/* one value in each lane */
	.byte 0x00,0x90,0xf2,0x62,0x38,0xa8,0xca,0x5a,0x78,0xe8,0x8a,0x1a,0x40,0xd0,0xb2,0x22
.Laesmith_aes128_ecb_vperm_xmm_constant_4:
	/* one value in each lane */
	.byte 0x00,0x6b,0xd7,0xbc,0x0b,0x60,0xdc,0xb7,0x5c,0x37,0x8b,0xe0,0x57,0x3c,0x80,0xeb
.Laesmith_aes128_ecb_vperm_xmm_constant_5:
	/* one value in each lane */
	.byte 0x80,0x09,0x0d,0x07,0x0f,0x0c,0x0a,0x03,0x0e,0x01,0x06,0x0b,0x05,0x02,0x08,0x04
.Laesmith_aes128_ecb_vperm_xmm_constant_6:
	/* one value in each lane */
	.byte 0x80,0x0d,0x0f,0x0a,0x0e,0x06,0x05,0x08,0x07,0x09,0x03,0x0c,0x0b,0x01,0x04,0x02
.Laesmith_aes128_ecb_vperm_xmm_constant_7:
	/* one value in each lane */
	.byte 0x00,0x3c,0x9f,0x5d,0x2a,0xd4,0xc2,0xfe,0x61,0x4b,0x16,0x89,0xe8,0xb5,0x77,0xa3
.Laesmith_aes128_ecb_vperm_xmm_constant_8:
	/* one value in each lane */
	.byte 0x00,0xa7,0xb6,0x44,0xb7,0xe2,0xf2,0x55,0xe3,0x54,0x10,0xa6,0x45,0x01,0xf3,0x11
.Laesmith_aes128_ecb_vperm_xmm_constant_9:
	/* one value in each lane */
	.byte 0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78,0x78
.Laesmith_aes128_ecb_vperm_xmm_constant_10:
	/* one value in each lane */
	.byte 0x01,0x02,0x03,0x00,0x05,0x06,0x07,0x04,0x09,0x0a,0x0b,0x08,0x0d,0x0e,0x0f,0x0c
.Laesmith_aes128_ecb_vperm_xmm_constant_11:
	/* one value in each lane */
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
.Laesmith_aes128_ecb_vperm_xmm_constant_12:
	/* one value in each lane */
	.byte 0x02,0x03,0x00,0x01,0x06,0x07,0x04,0x05,0x0a,0x0b,0x08,0x09,0x0e,0x0f,0x0c,0x0d
.Laesmith_aes128_ecb_vperm_xmm_constant_13:
	/* one value in each lane */
	.byte 0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63,0x63
	.size aesmith_aes128_ecb_vperm_xmm_constants, . - aesmith_aes128_ecb_vperm_xmm_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
