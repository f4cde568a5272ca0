/* aes128-ecb technique=vbmi width=zmm */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_ecb_vbmi_zmm: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_ecb_vbmi_zmm: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_ecb_vbmi_zmm: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_ecb_vbmi_zmm: AES-128 encryption of whole blocks (ECB)
 *
 * problem      aes128-ecb
 * technique    vbmi
 * variant      aes128-ecb technique=vbmi width=zmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step multiples=first wipe=no
 * bytes        2640, SHA-256 eb814ae997011e67e9eac654e9baca6b32b1d26895a23a07b53a341dd2e8bc31
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  in   16 (rcx / 16) bytes                          read
 * rdx  out  16 (rcx / 16) bytes, in or apart             written
 * rcx  len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_ecb_vbmi_zmm
	.type aesmith_aes128_ecb_vbmi_zmm, @function
aesmith_aes128_ecb_vbmi_zmm:
	.cfi_startproc
	endbr64
/* -- entry */
	cmp         $0x40, %rcx
	jb          .Laesmith_aes128_ecb_vbmi_zmm_tail
/* -- set-up */
/* -- loop */
/* -- body */
.Laesmith_aes128_ecb_vbmi_zmm_set_up:
	vbroadcasti32x4 (%rdi), %zmm1
	vpxorq      (%rsi), %zmm1, %zmm1
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant(%rip), %zmm2
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_2(%rip), %zmm3
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_3(%rip), %zmm4
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm4, %zmm3, %zmm5
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_4(%rip), %zmm6
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_5(%rip), %zmm7
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm7, %zmm6, %zmm8
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm8, %zmm5, %zmm5{%k2}
	vprord      $8, %zmm5, %zmm1
	vpxorq      %zmm1, %zmm5, %zmm5
	vpaddb      %zmm5, %zmm5, %zmm8
	vpmovb2m    %zmm5, %k2
	vpmovm2b    %k2, %zmm9
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_6(%rip), %zmm10
	vpternlogd  $0x6c, %zmm10, %zmm8, %zmm9
	vprord      $0x10, %zmm5, %zmm5
	vbroadcasti32x4 0x10(%rdi), %zmm8
	vpxorq      %zmm8, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm9, %zmm5, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm4, %zmm3, %zmm9
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm7, %zmm6, %zmm5
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm5, %zmm9, %zmm9{%k2}
	vprord      $8, %zmm9, %zmm1
	vpxorq      %zmm1, %zmm9, %zmm9
	vpaddb      %zmm9, %zmm9, %zmm5
	vpmovb2m    %zmm9, %k2
	vpmovm2b    %k2, %zmm8
	vpternlogd  $0x6c, %zmm10, %zmm5, %zmm8
	vprord      $0x10, %zmm9, %zmm9
	vbroadcasti32x4 0x20(%rdi), %zmm5
	vpxorq      %zmm5, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm8, %zmm9, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm4, %zmm3, %zmm8
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm7, %zmm6, %zmm9
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm9, %zmm8, %zmm8{%k2}
	vprord      $8, %zmm8, %zmm1
	vpxorq      %zmm1, %zmm8, %zmm8
	vpaddb      %zmm8, %zmm8, %zmm9
	vpmovb2m    %zmm8, %k2
	vpmovm2b    %k2, %zmm5
	vpternlogd  $0x6c, %zmm10, %zmm9, %zmm5
	vprord      $0x10, %zmm8, %zmm8
	vbroadcasti32x4 0x30(%rdi), %zmm9
	vpxorq      %zmm9, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm5, %zmm8, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm4, %zmm3, %zmm5
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm7, %zmm6, %zmm8
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm8, %zmm5, %zmm5{%k2}
	vprord      $8, %zmm5, %zmm1
	vpxorq      %zmm1, %zmm5, %zmm5
	vpaddb      %zmm5, %zmm5, %zmm8
	vpmovb2m    %zmm5, %k2
	vpmovm2b    %k2, %zmm9
	vpternlogd  $0x6c, %zmm10, %zmm8, %zmm9
	vprord      $0x10, %zmm5, %zmm5
	vbroadcasti32x4 0x40(%rdi), %zmm8
	vpxorq      %zmm8, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm9, %zmm5, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm4, %zmm3, %zmm9
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm7, %zmm6, %zmm5
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm5, %zmm9, %zmm9{%k2}
	vprord      $8, %zmm9, %zmm1
	vpxorq      %zmm1, %zmm9, %zmm9
	vpaddb      %zmm9, %zmm9, %zmm5
	vpmovb2m    %zmm9, %k2
	vpmovm2b    %k2, %zmm8
	vpternlogd  $0x6c, %zmm10, %zmm5, %zmm8
	vprord      $0x10, %zmm9, %zmm9
	vbroadcasti32x4 0x50(%rdi), %zmm5
	vpxorq      %zmm5, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm8, %zmm9, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm4, %zmm3, %zmm8
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm7, %zmm6, %zmm9
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm9, %zmm8, %zmm8{%k2}
	vprord      $8, %zmm8, %zmm1
	vpxorq      %zmm1, %zmm8, %zmm8
	vpaddb      %zmm8, %zmm8, %zmm9
	vpmovb2m    %zmm8, %k2
	vpmovm2b    %k2, %zmm5
	vpternlogd  $0x6c, %zmm10, %zmm9, %zmm5
	vprord      $0x10, %zmm8, %zmm8
	vbroadcasti32x4 0x60(%rdi), %zmm9
	vpxorq      %zmm9, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm5, %zmm8, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm4, %zmm3, %zmm5
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm7, %zmm6, %zmm8
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm8, %zmm5, %zmm5{%k2}
	vprord      $8, %zmm5, %zmm1
	vpxorq      %zmm1, %zmm5, %zmm5
	vpaddb      %zmm5, %zmm5, %zmm8
	vpmovb2m    %zmm5, %k2
	vpmovm2b    %k2, %zmm9
	vpternlogd  $0x6c, %zmm10, %zmm8, %zmm9
	vprord      $0x10, %zmm5, %zmm5
	vbroadcasti32x4 0x70(%rdi), %zmm8
	vpxorq      %zmm8, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm9, %zmm5, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm4, %zmm3, %zmm9
	vmovdqu64   %zmm1, %zmm5
	vpermi2b    %zmm7, %zmm6, %zmm5
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm5, %zmm9, %zmm9{%k2}
	vprord      $8, %zmm9, %zmm1
	vpxorq      %zmm1, %zmm9, %zmm9
	vpaddb      %zmm9, %zmm9, %zmm5
	vpmovb2m    %zmm9, %k2
	vpmovm2b    %k2, %zmm8
	vpternlogd  $0x6c, %zmm10, %zmm5, %zmm8
	vprord      $0x10, %zmm9, %zmm9
	vbroadcasti32x4 0x80(%rdi), %zmm5
	vpxorq      %zmm5, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm8, %zmm9, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm8
	vpermi2b    %zmm4, %zmm3, %zmm8
	vmovdqu64   %zmm1, %zmm9
	vpermi2b    %zmm7, %zmm6, %zmm9
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm9, %zmm8, %zmm8{%k2}
	vprord      $8, %zmm8, %zmm1
	vpxorq      %zmm1, %zmm8, %zmm8
	vpaddb      %zmm8, %zmm8, %zmm9
	vpmovb2m    %zmm8, %k2
	vpmovm2b    %k2, %zmm5
	vpternlogd  $0x6c, %zmm10, %zmm9, %zmm5
	vprord      $0x10, %zmm8, %zmm8
	vbroadcasti32x4 0x90(%rdi), %zmm10
	vpxorq      %zmm10, %zmm1, %zmm1
	vpternlogd  $-0x6a, %zmm5, %zmm8, %zmm1
	vpshufb     %zmm2, %zmm1, %zmm1
	vmovdqu64   %zmm1, %zmm2
	vpermi2b    %zmm4, %zmm3, %zmm2
	vmovdqu64   %zmm1, %zmm4
	vpermi2b    %zmm7, %zmm6, %zmm4
	vpmovb2m    %zmm1, %k2
	vpblendmb   %zmm4, %zmm2, %zmm2{%k2}
	vbroadcasti32x4 0xa0(%rdi), %zmm1
	vpxorq      %zmm1, %zmm2, %zmm2
	vmovdqu64   %zmm2, (%rdx)
/* -- body end */
	add         $0x40, %rsi
	add         $0x40, %rdx
	sub         $0x40, %rcx
	cmp         $0x40, %rcx
	jae         .Laesmith_aes128_ecb_vbmi_zmm_set_up
/* -- tail */
/* -- single */
.Laesmith_aes128_ecb_vbmi_zmm_tail:
	cmp         $0x10, %rcx
	jb          .Laesmith_aes128_ecb_vbmi_zmm_leave
	vmovdqu     (%rsi), %xmm2
	vpxor       (%rdi), %xmm2, %xmm2
	vmovdqu     .Laesmith_aes128_ecb_vbmi_zmm_constant_7(%rip), %xmm3
	vpshufb     %xmm3, %xmm2, %xmm2
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_2(%rip), %zmm4
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_3(%rip), %zmm5
	vmovdqu64   %zmm2, %zmm6
	vpermi2b    %zmm5, %zmm4, %zmm6
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_4(%rip), %zmm7
	vmovdqu64   .Laesmith_aes128_ecb_vbmi_zmm_constant_5(%rip), %zmm8
	vmovdqu64   %zmm2, %zmm9
	vpermi2b    %zmm8, %zmm7, %zmm9
	vpmovb2m    %zmm2, %k2
	vpblendmb   %zmm9, %zmm6, %zmm6{%k2}
	vmovdqu     .Laesmith_aes128_ecb_vbmi_zmm_constant_8(%rip), %xmm2
	vpshufb     %xmm2, %xmm6, %xmm9
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	vpaddb      %xmm6, %xmm6, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vbmi_zmm_constant_9(%rip), %xmm11
	vpcmpgtb    %xmm6, %xmm11, %xmm12
	vmovdqu     .Laesmith_aes128_ecb_vbmi_zmm_constant_10(%rip), %xmm13
	{vex3} vpand %xmm13, %xmm12, %xmm12
	{vex3} vpxor %xmm12, %xmm10, %xmm10
	vmovdqu     .Laesmith_aes128_ecb_vbmi_zmm_constant_11(%rip), %xmm12
	vpshufb     %xmm12, %xmm6, %xmm6
	vpxor       0x10(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm10, %xmm10
	vpshufb     %xmm3, %xmm10, %xmm10
	vmovdqu64   %zmm10, %zmm9
	vpermi2b    %zmm5, %zmm4, %zmm9
	vmovdqu64   %zmm10, %zmm6
	vpermi2b    %zmm8, %zmm7, %zmm6
	vpmovb2m    %zmm10, %k2
	vpblendmb   %zmm6, %zmm9, %zmm9{%k2}
	vpshufb     %xmm2, %xmm9, %xmm10
	{vex3} vpxor %xmm10, %xmm9, %xmm9
	{vex3} vpaddb %xmm9, %xmm9, %xmm6
	{vex3} vpcmpgtb %xmm9, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm6, %xmm6
	vpshufb     %xmm12, %xmm9, %xmm9
	vpxor       0x20(%rdi), %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	{vex3} vpxor %xmm10, %xmm6, %xmm6
	vpshufb     %xmm3, %xmm6, %xmm6
	vmovdqu64   %zmm6, %zmm10
	vpermi2b    %zmm5, %zmm4, %zmm10
	vmovdqu64   %zmm6, %zmm9
	vpermi2b    %zmm8, %zmm7, %zmm9
	vpmovb2m    %zmm6, %k2
	vpblendmb   %zmm9, %zmm10, %zmm10{%k2}
	vpshufb     %xmm2, %xmm10, %xmm6
	vpxor       %xmm6, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm9
	{vex3} vpcmpgtb %xmm10, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm9, %xmm9
	vpshufb     %xmm12, %xmm10, %xmm10
	vpxor       0x30(%rdi), %xmm6, %xmm6
	{vex3} vpxor %xmm10, %xmm9, %xmm9
	vpxor       %xmm6, %xmm9, %xmm9
	vpshufb     %xmm3, %xmm9, %xmm9
	vmovdqu64   %zmm9, %zmm6
	vpermi2b    %zmm5, %zmm4, %zmm6
	vmovdqu64   %zmm9, %zmm10
	vpermi2b    %zmm8, %zmm7, %zmm10
	vpmovb2m    %zmm9, %k2
	vpblendmb   %zmm10, %zmm6, %zmm6{%k2}
	vpshufb     %xmm2, %xmm6, %xmm9
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	vpaddb      %xmm6, %xmm6, %xmm10
	vpcmpgtb    %xmm6, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	vpshufb     %xmm12, %xmm6, %xmm6
	vpxor       0x40(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm10, %xmm10
	vpshufb     %xmm3, %xmm10, %xmm10
	vmovdqu64   %zmm10, %zmm9
	vpermi2b    %zmm5, %zmm4, %zmm9
	vmovdqu64   %zmm10, %zmm6
	vpermi2b    %zmm8, %zmm7, %zmm6
	vpmovb2m    %zmm10, %k2
	vpblendmb   %zmm6, %zmm9, %zmm9{%k2}
	vpshufb     %xmm2, %xmm9, %xmm10
	{vex3} vpxor %xmm10, %xmm9, %xmm9
	{vex3} vpaddb %xmm9, %xmm9, %xmm6
	{vex3} vpcmpgtb %xmm9, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm6, %xmm6
	vpshufb     %xmm12, %xmm9, %xmm9
	vpxor       0x50(%rdi), %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	{vex3} vpxor %xmm10, %xmm6, %xmm6
	vpshufb     %xmm3, %xmm6, %xmm6
	vmovdqu64   %zmm6, %zmm10
	vpermi2b    %zmm5, %zmm4, %zmm10
	vmovdqu64   %zmm6, %zmm9
	vpermi2b    %zmm8, %zmm7, %zmm9
	vpmovb2m    %zmm6, %k2
	vpblendmb   %zmm9, %zmm10, %zmm10{%k2}
	vpshufb     %xmm2, %xmm10, %xmm6
	vpxor       %xmm6, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm9
	{vex3} vpcmpgtb %xmm10, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm9, %xmm9
	vpshufb     %xmm12, %xmm10, %xmm10
	vpxor       0x60(%rdi), %xmm6, %xmm6
	{vex3} vpxor %xmm10, %xmm9, %xmm9
	vpxor       %xmm6, %xmm9, %xmm9
	vpshufb     %xmm3, %xmm9, %xmm9
	vmovdqu64   %zmm9, %zmm6
	vpermi2b    %zmm5, %zmm4, %zmm6
	vmovdqu64   %zmm9, %zmm10
	vpermi2b    %zmm8, %zmm7, %zmm10
	vpmovb2m    %zmm9, %k2
	vpblendmb   %zmm10, %zmm6, %zmm6{%k2}
	vpshufb     %xmm2, %xmm6, %xmm9
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	vpaddb      %xmm6, %xmm6, %xmm10
	vpcmpgtb    %xmm6, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm10, %xmm10
	vpshufb     %xmm12, %xmm6, %xmm6
	vpxor       0x70(%rdi), %xmm9, %xmm9
	vpxor       %xmm6, %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm10, %xmm10
	vpshufb     %xmm3, %xmm10, %xmm10
	vmovdqu64   %zmm10, %zmm9
	vpermi2b    %zmm5, %zmm4, %zmm9
	vmovdqu64   %zmm10, %zmm6
	vpermi2b    %zmm8, %zmm7, %zmm6
	vpmovb2m    %zmm10, %k2
	vpblendmb   %zmm6, %zmm9, %zmm9{%k2}
	vpshufb     %xmm2, %xmm9, %xmm10
	{vex3} vpxor %xmm10, %xmm9, %xmm9
	{vex3} vpaddb %xmm9, %xmm9, %xmm6
	{vex3} vpcmpgtb %xmm9, %xmm11, %xmm14
	{vex3} vpand %xmm13, %xmm14, %xmm14
	{vex3} vpxor %xmm14, %xmm6, %xmm6
	vpshufb     %xmm12, %xmm9, %xmm9
	vpxor       0x80(%rdi), %xmm10, %xmm10
	{vex3} vpxor %xmm9, %xmm6, %xmm6
	{vex3} vpxor %xmm10, %xmm6, %xmm6
	vpshufb     %xmm3, %xmm6, %xmm6
	vmovdqu64   %zmm6, %zmm10
	vpermi2b    %zmm5, %zmm4, %zmm10
	vmovdqu64   %zmm6, %zmm9
	vpermi2b    %zmm8, %zmm7, %zmm9
	vpmovb2m    %zmm6, %k2
	vpblendmb   %zmm9, %zmm10, %zmm10{%k2}
	vpshufb     %xmm2, %xmm10, %xmm2
	vpxor       %xmm2, %xmm10, %xmm10
	{vex3} vpaddb %xmm10, %xmm10, %xmm6
	{vex3} vpcmpgtb %xmm10, %xmm11, %xmm11
	{vex3} vpand %xmm13, %xmm11, %xmm11
	{vex3} vpxor %xmm11, %xmm6, %xmm6
	vpshufb     %xmm12, %xmm10, %xmm10
	vpxor       0x90(%rdi), %xmm2, %xmm2
	{vex3} vpxor %xmm10, %xmm6, %xmm6
	vpxor       %xmm2, %xmm6, %xmm6
	vpshufb     %xmm3, %xmm6, %xmm6
	vmovdqu64   %zmm6, %zmm3
	vpermi2b    %zmm5, %zmm4, %zmm3
	vmovdqu64   %zmm6, %zmm5
	vpermi2b    %zmm8, %zmm7, %zmm5
	vpmovb2m    %zmm6, %k2
	vpblendmb   %zmm5, %zmm3, %zmm3{%k2}
	vpxor       0xa0(%rdi), %xmm3, %xmm3
	vmovdqu     %xmm3, (%rdx)
	add         $0x10, %rsi
	add         $0x10, %rdx
	sub         $0x10, %rcx
	jmp         .Laesmith_aes128_ecb_vbmi_zmm_tail
/* -- leave */
.Laesmith_aes128_ecb_vbmi_zmm_leave:
	vzeroupper
	ret
	.cfi_endproc
	.size aesmith_aes128_ecb_vbmi_zmm, . - aesmith_aes128_ecb_vbmi_zmm
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_ecb_vbmi_zmm + 2114

	.section .rodata
	.p2align 6
	.type aesmith_aes128_ecb_vbmi_zmm_constants, @object
aesmith_aes128_ecb_vbmi_zmm_constants:
.Laesmith_aes128_ecb_vbmi_zmm_constant:
	/* one value in each lane */
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
.Laesmith_aes128_ecb_vbmi_zmm_constant_2:
	/* one value for each lane */
	.byte 0x63,0x7c,0x77,0x7b,0xf2,0x6b,0x6f,0xc5,0x30,0x01,0x67,0x2b,0xfe,0xd7,0xab,0x76
	.byte 0xca,0x82,0xc9,0x7d,0xfa,0x59,0x47,0xf0,0xad,0xd4,0xa2,0xaf,0x9c,0xa4,0x72,0xc0
	.byte 0xb7,0xfd,0x93,0x26,0x36,0x3f,0xf7,0xcc,0x34,0xa5,0xe5,0xf1,0x71,0xd8,0x31,0x15
	.byte 0x04,0xc7,0x23,0xc3,0x18,0x96,0x05,0x9a,0x07,0x12,0x80,0xe2,0xeb,0x27,0xb2,0x75
.Laesmith_aes128_ecb_vbmi_zmm_constant_3:
	/* one value for each lane */
	.byte 0x09,0x83,0x2c,0x1a,0x1b,0x6e,0x5a,0xa0,0x52,0x3b,0xd6,0xb3,0x29,0xe3,0x2f,0x84
	.byte 0x53,0xd1,0x00,0xed,0x20,0xfc,0xb1,0x5b,0x6a,0xcb,0xbe,0x39,0x4a,0x4c,0x58,0xcf
	.byte 0xd0,0xef,0xaa,0xfb,0x43,0x4d,0x33,0x85,0x45,0xf9,0x02,0x7f,0x50,0x3c,0x9f,0xa8
	.byte 0x51,0xa3,0x40,0x8f,0x92,0x9d,0x38,0xf5,0xbc,0xb6,0xda,0x21,0x10,0xff,0xf3,0xd2
.Laesmith_aes128_ecb_vbmi_zmm_constant_4:
	/* one value for each lane */
	.byte 0xcd,0x0c,0x13,0xec,0x5f,0x97,0x44,0x17,0xc4,0xa7,0x7e,0x3d,0x64,0x5d,0x19,0x73
	.byte 0x60,0x81,0x4f,0xdc,0x22,0x2a,0x90,0x88,0x46,0xee,0xb8,0x14,0xde,0x5e,0x0b,0xdb
	.byte 0xe0,0x32,0x3a,0x0a,0x49,0x06,0x24,0x5c,0xc2,0xd3,0xac,0x62,0x91,0x95,0xe4,0x79
	.byte 0xe7,0xc8,0x37,0x6d,0x8d,0xd5,0x4e,0xa9,0x6c,0x56,0xf4,0xea,0x65,0x7a,0xae,0x08
.Laesmith_aes128_ecb_vbmi_zmm_constant_5:
	/* one value for each lane */
	.byte 0xba,0x78,0x25,0x2e,0x1c,0xa6,0xb4,0xc6,0xe8,0xdd,0x74,0x1f,0x4b,0xbd,0x8b,0x8a
	.byte 0x70,0x3e,0xb5,0x66,0x48,0x03,0xf6,0x0e,0x61,0x35,0x57,0xb9,0x86,0xc1,0x1d,0x9e
	.byte 0xe1,0xf8,0x98,0x11,0x69,0xd9,0x8e,0x94,0x9b,0x1e,0x87,0xe9,0xce,0x55,0x28,0xdf
	.byte 0x8c,0xa1,0x89,0x0d,0xbf,0xe6,0x42,0x68,0x41,0x99,0x2d,0x0f,0xb0,0x54,0xbb,0x16
.Laesmith_aes128_ecb_vbmi_zmm_constant_6:
	/* one value in each lane */
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
.Laesmith_aes128_ecb_vbmi_zmm_constant_7:
	/* one value in each lane */
	.byte 0x00,0x05,0x0a,0x0f,0x04,0x09,0x0e,0x03,0x08,0x0d,0x02,0x07,0x0c,0x01,0x06,0x0b
.Laesmith_aes128_ecb_vbmi_zmm_constant_8:
	/* one value in each lane */
	.byte 0x01,0x02,0x03,0x00,0x05,0x06,0x07,0x04,0x09,0x0a,0x0b,0x08,0x0d,0x0e,0x0f,0x0c
.Laesmith_aes128_ecb_vbmi_zmm_constant_9:
	/* 0 in the low quadword of each lane */
	.byte 0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00,0x00
.Laesmith_aes128_ecb_vbmi_zmm_constant_10:
	/* one value in each lane */
	.byte 0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b,0x1b
.Laesmith_aes128_ecb_vbmi_zmm_constant_11:
	/* one value in each lane */
	.byte 0x02,0x03,0x00,0x01,0x06,0x07,0x04,0x05,0x0a,0x0b,0x08,0x09,0x0e,0x0f,0x0c,0x0d
	.size aesmith_aes128_ecb_vbmi_zmm_constants, . - aesmith_aes128_ecb_vbmi_zmm_constants

	.text

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
