/* aes128-cbc-x4 together=yes distance=1 xor=modified */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes128_cbc_x4: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes128_cbc_x4: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes128_cbc_x4: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes128_cbc_x4: AES-128-CBC encryption of 4 streams
 *
 * problem      aes128-cbc-x4
 * technique    aesni
 * variant      aes128-cbc-x4 width=xmm keys=0x0000 unroll=0 together=yes distance=1 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=modified gather=insert loop=bottom align=1 wipe=no
 * bytes        1489, SHA-256 3b90e55ec319f458ffd35d270f3efce5a1dda7e9393f0f39efa83e16f0f3cd46
 * certificate  none: these bytes are not proved
 *
 * rdi  key  array of pointers to round keys              read
 * rsi  iv   array of pointers to 16 bytes                read, written
 * rdx  in   array of pointers to texts                   read
 * rcx  out  array of pointers to texts, in or apart      written
 * r8   len  array of bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes128_cbc_x4
	.type aesmith_aes128_cbc_x4, @function
aesmith_aes128_cbc_x4:
	.cfi_startproc
	endbr64
/* -- entry */
	push        %rbx
	.cfi_def_cfa %rsp, 16
	.cfi_offset %rbx, -16
	push        %r12
	.cfi_def_cfa %rsp, 24
	.cfi_offset %r12, -24
	push        %r13
	.cfi_def_cfa %rsp, 32
	.cfi_offset %r13, -32
	push        %rbp
	.cfi_def_cfa %rsp, 40
	.cfi_offset %rbp, -40
	.byte 0x48,0x8b,0xec	# mov %rsp, %rbp
	and         $-0x40, %rsp
	.cfi_def_cfa %rbp, 40
	sub         $0x2c0, %rsp
	mov         (%r8), %r10
	mov         8(%r8), %rax
	.byte 0x49,0x3b,0xc2	# cmp %r10, %rax
	cmovb       %rax, %r10
	mov         0x10(%r8), %rax
	.byte 0x49,0x3b,0xc2	# cmp %r10, %rax
	cmovb       %rax, %r10
	mov         0x18(%r8), %rax
	.byte 0x49,0x3b,0xc2	# cmp %r10, %rax
	cmovb       %rax, %r10
	.byte 0x45,0x33,0xc9	# xor %r9d, %r9d
	cmp         $0x10, %r10
	jb          .Laesmith_aes128_cbc_x4_alone
/* -- gather */
	mov         (%rsi), %rax
	vmovdqu     (%rax), %xmm0
	mov         (%rdi), %rax
	vmovdqu     (%rax), %xmm4
	vmovdqu     %xmm4, (%rsp)
	vmovdqu     0x10(%rax), %xmm4
	vmovdqu     %xmm4, 0x10(%rsp)
	vmovdqu     0x20(%rax), %xmm4
	vmovdqu     %xmm4, 0x20(%rsp)
	vmovdqu     0x30(%rax), %xmm4
	vmovdqu     %xmm4, 0x30(%rsp)
	vmovdqu     0x40(%rax), %xmm4
	vmovdqu     %xmm4, 0x40(%rsp)
	vmovdqu     0x50(%rax), %xmm4
	vmovdqu     %xmm4, 0x50(%rsp)
	vmovdqu     0x60(%rax), %xmm4
	vmovdqu     %xmm4, 0x60(%rsp)
	vmovdqu     0x70(%rax), %xmm4
	vmovdqu     %xmm4, 0x70(%rsp)
	vmovdqu     0x80(%rax), %xmm4
	vmovdqu     %xmm4, 0x80(%rsp)
	vmovdqu     0x90(%rax), %xmm4
	vmovdqu     %xmm4, 0x90(%rsp)
	vmovdqu     0xa0(%rax), %xmm4
	vmovdqu     %xmm4, 0xa0(%rsp)
	mov         8(%rsi), %rax
	vmovdqu     (%rax), %xmm1
	mov         8(%rdi), %rax
	vmovdqu     (%rax), %xmm4
	vmovdqu     %xmm4, 0xb0(%rsp)
	vmovdqu     0x10(%rax), %xmm4
	vmovdqu     %xmm4, 0xc0(%rsp)
	vmovdqu     0x20(%rax), %xmm4
	vmovdqu     %xmm4, 0xd0(%rsp)
	vmovdqu     0x30(%rax), %xmm4
	vmovdqu     %xmm4, 0xe0(%rsp)
	vmovdqu     0x40(%rax), %xmm4
	vmovdqu     %xmm4, 0xf0(%rsp)
	vmovdqu     0x50(%rax), %xmm4
	vmovdqu     %xmm4, 0x100(%rsp)
	vmovdqu     0x60(%rax), %xmm4
	vmovdqu     %xmm4, 0x110(%rsp)
	vmovdqu     0x70(%rax), %xmm4
	vmovdqu     %xmm4, 0x120(%rsp)
	vmovdqu     0x80(%rax), %xmm4
	vmovdqu     %xmm4, 0x130(%rsp)
	vmovdqu     0x90(%rax), %xmm4
	vmovdqu     %xmm4, 0x140(%rsp)
	vmovdqu     0xa0(%rax), %xmm4
	vmovdqu     %xmm4, 0x150(%rsp)
	mov         0x10(%rsi), %rax
	vmovdqu     (%rax), %xmm2
	mov         0x10(%rdi), %rax
	vmovdqu     (%rax), %xmm4
	vmovdqu     %xmm4, 0x160(%rsp)
	vmovdqu     0x10(%rax), %xmm4
	vmovdqu     %xmm4, 0x170(%rsp)
	vmovdqu     0x20(%rax), %xmm4
	vmovdqu     %xmm4, 0x180(%rsp)
	vmovdqu     0x30(%rax), %xmm4
	vmovdqu     %xmm4, 0x190(%rsp)
	vmovdqu     0x40(%rax), %xmm4
	vmovdqu     %xmm4, 0x1a0(%rsp)
	vmovdqu     0x50(%rax), %xmm4
	vmovdqu     %xmm4, 0x1b0(%rsp)
	vmovdqu     0x60(%rax), %xmm4
	vmovdqu     %xmm4, 0x1c0(%rsp)
	vmovdqu     0x70(%rax), %xmm4
	vmovdqu     %xmm4, 0x1d0(%rsp)
	vmovdqu     0x80(%rax), %xmm4
	vmovdqu     %xmm4, 0x1e0(%rsp)
	vmovdqu     0x90(%rax), %xmm4
	vmovdqu     %xmm4, 0x1f0(%rsp)
	vmovdqu     0xa0(%rax), %xmm4
	vmovdqu     %xmm4, 0x200(%rsp)
	mov         0x18(%rsi), %rax
	vmovdqu     (%rax), %xmm3
	mov         0x18(%rdi), %rax
	vmovdqu     (%rax), %xmm4
	vmovdqu     %xmm4, 0x210(%rsp)
	vmovdqu     0x10(%rax), %xmm4
	vmovdqu     %xmm4, 0x220(%rsp)
	vmovdqu     0x20(%rax), %xmm4
	vmovdqu     %xmm4, 0x230(%rsp)
	vmovdqu     0x30(%rax), %xmm4
	vmovdqu     %xmm4, 0x240(%rsp)
	vmovdqu     0x40(%rax), %xmm4
	vmovdqu     %xmm4, 0x250(%rsp)
	vmovdqu     0x50(%rax), %xmm4
	vmovdqu     %xmm4, 0x260(%rsp)
	vmovdqu     0x60(%rax), %xmm4
	vmovdqu     %xmm4, 0x270(%rsp)
	vmovdqu     0x70(%rax), %xmm4
	vmovdqu     %xmm4, 0x280(%rsp)
	vmovdqu     0x80(%rax), %xmm4
	vmovdqu     %xmm4, 0x290(%rsp)
	vmovdqu     0x90(%rax), %xmm4
	vmovdqu     %xmm4, 0x2a0(%rsp)
	vmovdqu     0xa0(%rax), %xmm4
	vmovdqu     %xmm4, 0x2b0(%rsp)
/* -- loop */
	cmp         $0x10, %r10
	jb          .Laesmith_aes128_cbc_x4_step
/* -- body */
.Laesmith_aes128_cbc_x4_body:
	mov         (%rdx), %rax
	{vex3} vmovdqu (%rax,%r9), %xmm4
	vpxor       (%rsp), %xmm4, %xmm4
	vpxor       %xmm4, %xmm0, %xmm4
	vaesenc     0x10(%rsp), %xmm4, %xmm4
	mov         8(%rdx), %rax
	{vex3} vmovdqu (%rax,%r9), %xmm5
	vpxor       0xb0(%rsp), %xmm5, %xmm5
	vpxor       %xmm5, %xmm1, %xmm5
	vaesenc     0x20(%rsp), %xmm4, %xmm4
	vaesenc     0xc0(%rsp), %xmm5, %xmm5
	mov         0x10(%rdx), %rax
	{vex3} vmovdqu (%rax,%r9), %xmm6
	vpxor       0x160(%rsp), %xmm6, %xmm6
	vpxor       %xmm6, %xmm2, %xmm6
	vaesenc     0x30(%rsp), %xmm4, %xmm4
	vaesenc     0xd0(%rsp), %xmm5, %xmm5
	vaesenc     0x170(%rsp), %xmm6, %xmm6
	mov         0x18(%rdx), %rax
	{vex3} vmovdqu (%rax,%r9), %xmm7
	vpxor       0x210(%rsp), %xmm7, %xmm7
	vpxor       %xmm7, %xmm3, %xmm7
	vaesenc     0x40(%rsp), %xmm4, %xmm4
	vaesenc     0xe0(%rsp), %xmm5, %xmm5
	vaesenc     0x180(%rsp), %xmm6, %xmm6
	vaesenc     0x220(%rsp), %xmm7, %xmm7
	vaesenc     0x50(%rsp), %xmm4, %xmm4
	vaesenc     0xf0(%rsp), %xmm5, %xmm5
	vaesenc     0x190(%rsp), %xmm6, %xmm6
	vaesenc     0x230(%rsp), %xmm7, %xmm7
	vaesenc     0x60(%rsp), %xmm4, %xmm4
	vaesenc     0x100(%rsp), %xmm5, %xmm5
	vaesenc     0x1a0(%rsp), %xmm6, %xmm6
	vaesenc     0x240(%rsp), %xmm7, %xmm7
	vaesenc     0x70(%rsp), %xmm4, %xmm4
	vaesenc     0x110(%rsp), %xmm5, %xmm5
	vaesenc     0x1b0(%rsp), %xmm6, %xmm6
	vaesenc     0x250(%rsp), %xmm7, %xmm7
	vaesenc     0x80(%rsp), %xmm4, %xmm4
	vaesenc     0x120(%rsp), %xmm5, %xmm5
	vaesenc     0x1c0(%rsp), %xmm6, %xmm6
	vaesenc     0x260(%rsp), %xmm7, %xmm7
	vaesenc     0x90(%rsp), %xmm4, %xmm4
	vaesenc     0x130(%rsp), %xmm5, %xmm5
	vaesenc     0x1d0(%rsp), %xmm6, %xmm6
	vaesenc     0x270(%rsp), %xmm7, %xmm7
	vaesenclast 0xa0(%rsp), %xmm4, %xmm0
	vaesenc     0x140(%rsp), %xmm5, %xmm5
	vaesenc     0x1e0(%rsp), %xmm6, %xmm6
	vaesenc     0x280(%rsp), %xmm7, %xmm7
	mov         (%rcx), %rax
	{vex3} vmovdqu %xmm0, (%rax,%r9)
	vaesenclast 0x150(%rsp), %xmm5, %xmm1
	vaesenc     0x1f0(%rsp), %xmm6, %xmm6
	vaesenc     0x290(%rsp), %xmm7, %xmm7
	mov         8(%rcx), %rax
	{vex3} vmovdqu %xmm1, (%rax,%r9)
	vaesenclast 0x200(%rsp), %xmm6, %xmm2
	vaesenc     0x2a0(%rsp), %xmm7, %xmm7
	mov         0x10(%rcx), %rax
	{vex3} vmovdqu %xmm2, (%rax,%r9)
	vaesenclast 0x2b0(%rsp), %xmm7, %xmm3
	mov         0x18(%rcx), %rax
	{vex3} vmovdqu %xmm3, (%rax,%r9)
/* -- body end */
	add         $0x10, %r9
	sub         $0x10, %r10
	cmp         $0x10, %r10
	jae         .Laesmith_aes128_cbc_x4_body
.Laesmith_aes128_cbc_x4_step:
	mov         (%rsi), %rax
	vmovdqu     %xmm0, (%rax)
	mov         8(%rsi), %rax
	vmovdqu     %xmm1, (%rax)
	mov         0x10(%rsi), %rax
	vmovdqu     %xmm2, (%rax)
	mov         0x18(%rsi), %rax
	vmovdqu     %xmm3, (%rax)
/* -- alone */
.Laesmith_aes128_cbc_x4_alone:
	.byte 0x45,0x33,0xdb	# xor %r11d, %r11d
.Laesmith_aes128_cbc_x4_step_2:
	mov         (%r8,%r11), %rax
	.byte 0x49,0x2b,0xc1	# sub %r9, %rax
	cmp         $0x10, %rax
	jb          .Laesmith_aes128_cbc_x4_step_4
	mov         (%rdi,%r11), %rbx
	mov         (%rdx,%r11), %r12
	.byte 0x4d,0x03,0xe1	# add %r9, %r12
	mov         (%rcx,%r11), %r13
	.byte 0x4d,0x03,0xe9	# add %r9, %r13
	mov         (%rsi,%r11), %r10
	{vex3} vmovdqu (%r10), %xmm0
.Laesmith_aes128_cbc_x4_step_3:
	{vex3} vmovdqu (%r12), %xmm1
	vpxor       (%rbx), %xmm1, %xmm1
	vpxor       %xmm1, %xmm0, %xmm0
	vaesenc     0x10(%rbx), %xmm0, %xmm0
	vaesenc     0x20(%rbx), %xmm0, %xmm0
	vaesenc     0x30(%rbx), %xmm0, %xmm0
	vaesenc     0x40(%rbx), %xmm0, %xmm0
	vaesenc     0x50(%rbx), %xmm0, %xmm0
	vaesenc     0x60(%rbx), %xmm0, %xmm0
	vaesenc     0x70(%rbx), %xmm0, %xmm0
	vaesenc     0x80(%rbx), %xmm0, %xmm0
	vaesenc     0x90(%rbx), %xmm0, %xmm0
	vaesenclast 0xa0(%rbx), %xmm0, %xmm0
	{vex3} vmovdqu %xmm0, (%r13)
	add         $0x10, %r12
	add         $0x10, %r13
	sub         $0x10, %rax
	cmp         $0x10, %rax
	jae         .Laesmith_aes128_cbc_x4_step_3
	{vex3} vmovdqu %xmm0, (%r10)
.Laesmith_aes128_cbc_x4_step_4:
	add         $8, %r11
	cmp         $0x20, %r11
	jb          .Laesmith_aes128_cbc_x4_step_2
/* -- leave */
	.byte 0x48,0x8b,0xe5	# mov %rbp, %rsp
	.cfi_def_cfa %rsp, 40
	pop         %rbp
	.cfi_def_cfa %rsp, 32
	.cfi_restore %rbp
	pop         %r13
	.cfi_def_cfa %rsp, 24
	.cfi_restore %r13
	pop         %r12
	.cfi_def_cfa %rsp, 16
	.cfi_restore %r12
	pop         %rbx
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbx
	ret
	.cfi_endproc
	.size aesmith_aes128_cbc_x4, . - aesmith_aes128_cbc_x4
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes128_cbc_x4 + 1489

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
