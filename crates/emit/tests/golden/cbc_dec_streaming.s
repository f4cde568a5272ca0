/* aes192-cbc-dec interleave=2 streaming=yes restrict=yes fold=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. x86-64, System V ABI, GNU as or clang. */
#if !(defined(__x86_64__))
#error "aesmith_aes192_cbc_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another processor: emit it in C (--source c, or --portable)"
#elif defined(__ILP32__)
#error "aesmith_aes192_cbc_dec: it is for x86-64 in ELF by the System V ABI, and this build is for x86-64 with pointers of 32 bits (x32): emit it in C (--source c, or --portable)"
#elif !defined(__ELF__)
#error "aesmith_aes192_cbc_dec: it is for x86-64 in ELF by the System V ABI, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): emit it in C (--source c, or --portable)"
#else

	.text

/*
 * aesmith_aes192_cbc_dec: AES-192-CBC decryption
 *
 * problem      aes192-cbc-dec
 * technique    aesni
 * variant      aes192-cbc-dec width=xmm keys=0x0000 interleave=2 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=yes streaming=yes fold=yes loop=bottom align=1 tail=step wipe=no
 * bytes        676, SHA-256 fd577f4226483b80f09a839a0b6c64baf57e370f2b0e94ee85f7f5acc83c91cf
 * certificate  none: these bytes are not proved
 *
 * rdi  key  round keys in order of use                   read
 * rsi  iv   16 bytes                                     read, written
 * rdx  in   16 (r8 / 16) bytes                           read
 * rcx  out  16 (r8 / 16) bytes, in or apart              written
 * r8   len  bytes; what is beyond whole blocks is left alone
 * Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.
 */
	.p2align 6
	.globl aesmith_aes192_cbc_dec
	.type aesmith_aes192_cbc_dec, @function
aesmith_aes192_cbc_dec:
	.cfi_startproc
	endbr64
/* -- entry */
	vmovdqu     (%rsi), %xmm0
	cmp         $0x20, %r8
	jb          .Laesmith_aes192_cbc_dec_tail
/* -- set-up */
	test        $0xf, %cl
	jne         .Laesmith_aes192_cbc_dec_body_2
/* -- body */
.Laesmith_aes192_cbc_dec_body:
	vmovdqu     (%rdx), %xmm1
	vmovdqu     %xmm0, %xmm1
	vmovdqu     0x10(%rdx), %xmm0
	vmovdqu     0x10(%rdx), %xmm2
	vpxor       (%rdi), %xmm2, %xmm2
	vmovdqu     (%rdx), %xmm3
	vpxor       (%rdi), %xmm3, %xmm3
	vaesdec     0x10(%rdi), %xmm2, %xmm2
	vaesdec     0x10(%rdi), %xmm3, %xmm3
	vaesdec     0x20(%rdi), %xmm2, %xmm2
	vaesdec     0x20(%rdi), %xmm3, %xmm3
	vaesdec     0x30(%rdi), %xmm2, %xmm2
	vaesdec     0x30(%rdi), %xmm3, %xmm3
	vaesdec     0x40(%rdi), %xmm2, %xmm2
	vaesdec     0x40(%rdi), %xmm3, %xmm3
	vaesdec     0x50(%rdi), %xmm2, %xmm2
	vaesdec     0x50(%rdi), %xmm3, %xmm3
	vaesdec     0x60(%rdi), %xmm2, %xmm2
	vaesdec     0x60(%rdi), %xmm3, %xmm3
	vaesdec     0x70(%rdi), %xmm2, %xmm2
	vaesdec     0x70(%rdi), %xmm3, %xmm3
	vaesdec     0x80(%rdi), %xmm2, %xmm2
	vaesdec     0x80(%rdi), %xmm3, %xmm3
	vaesdec     0x90(%rdi), %xmm2, %xmm2
	vaesdec     0x90(%rdi), %xmm3, %xmm3
	vaesdec     0xa0(%rdi), %xmm2, %xmm2
	vaesdec     0xa0(%rdi), %xmm3, %xmm3
	vaesdec     0xb0(%rdi), %xmm2, %xmm2
	vaesdec     0xb0(%rdi), %xmm3, %xmm3
	vmovdqu     (%rdx), %xmm4
	vpxor       0xc0(%rdi), %xmm4, %xmm4
	vaesdeclast %xmm4, %xmm2, %xmm4
	vpxor       0xc0(%rdi), %xmm1, %xmm1
	vaesdeclast %xmm1, %xmm3, %xmm1
	vmovntdq    %xmm4, 0x10(%rcx)
	vmovntdq    %xmm1, (%rcx)
/* -- body end */
	add         $0x20, %rdx
	add         $0x20, %rcx
	sub         $0x20, %r8
	cmp         $0x20, %r8
	jae         .Laesmith_aes192_cbc_dec_body
	sfence
	jmp         .Laesmith_aes192_cbc_dec_tail
/* -- body */
.Laesmith_aes192_cbc_dec_body_2:
	vmovdqu     (%rdx), %xmm1
	vmovdqu     %xmm0, %xmm1
	vmovdqu     0x10(%rdx), %xmm0
	vmovdqu     0x10(%rdx), %xmm2
	vpxor       (%rdi), %xmm2, %xmm2
	vmovdqu     (%rdx), %xmm3
	vpxor       (%rdi), %xmm3, %xmm3
	vaesdec     0x10(%rdi), %xmm2, %xmm2
	vaesdec     0x10(%rdi), %xmm3, %xmm3
	vaesdec     0x20(%rdi), %xmm2, %xmm2
	vaesdec     0x20(%rdi), %xmm3, %xmm3
	vaesdec     0x30(%rdi), %xmm2, %xmm2
	vaesdec     0x30(%rdi), %xmm3, %xmm3
	vaesdec     0x40(%rdi), %xmm2, %xmm2
	vaesdec     0x40(%rdi), %xmm3, %xmm3
	vaesdec     0x50(%rdi), %xmm2, %xmm2
	vaesdec     0x50(%rdi), %xmm3, %xmm3
	vaesdec     0x60(%rdi), %xmm2, %xmm2
	vaesdec     0x60(%rdi), %xmm3, %xmm3
	vaesdec     0x70(%rdi), %xmm2, %xmm2
	vaesdec     0x70(%rdi), %xmm3, %xmm3
	vaesdec     0x80(%rdi), %xmm2, %xmm2
	vaesdec     0x80(%rdi), %xmm3, %xmm3
	vaesdec     0x90(%rdi), %xmm2, %xmm2
	vaesdec     0x90(%rdi), %xmm3, %xmm3
	vaesdec     0xa0(%rdi), %xmm2, %xmm2
	vaesdec     0xa0(%rdi), %xmm3, %xmm3
	vaesdec     0xb0(%rdi), %xmm2, %xmm2
	vaesdec     0xb0(%rdi), %xmm3, %xmm3
	vmovdqu     (%rdx), %xmm4
	vpxor       0xc0(%rdi), %xmm4, %xmm4
	vaesdeclast %xmm4, %xmm2, %xmm4
	vpxor       0xc0(%rdi), %xmm1, %xmm1
	vaesdeclast %xmm1, %xmm3, %xmm1
	vmovdqu     %xmm4, 0x10(%rcx)
	vmovdqu     %xmm1, (%rcx)
/* -- body end */
	add         $0x20, %rdx
	add         $0x20, %rcx
	sub         $0x20, %r8
	cmp         $0x20, %r8
	jae         .Laesmith_aes192_cbc_dec_body_2
/* -- tail */
/* -- single */
.Laesmith_aes192_cbc_dec_tail:
	cmp         $0x10, %r8
	jb          .Laesmith_aes192_cbc_dec_step
	vmovdqu     (%rdx), %xmm2
	vmovdqu     %xmm0, %xmm2
	vmovdqu     (%rdx), %xmm0
	vmovdqu     (%rdx), %xmm3
	vpxor       (%rdi), %xmm3, %xmm3
	vaesdec     0x10(%rdi), %xmm3, %xmm3
	vaesdec     0x20(%rdi), %xmm3, %xmm3
	vaesdec     0x30(%rdi), %xmm3, %xmm3
	vaesdec     0x40(%rdi), %xmm3, %xmm3
	vaesdec     0x50(%rdi), %xmm3, %xmm3
	vaesdec     0x60(%rdi), %xmm3, %xmm3
	vaesdec     0x70(%rdi), %xmm3, %xmm3
	vaesdec     0x80(%rdi), %xmm3, %xmm3
	vaesdec     0x90(%rdi), %xmm3, %xmm3
	vaesdec     0xa0(%rdi), %xmm3, %xmm3
	vaesdec     0xb0(%rdi), %xmm3, %xmm3
	vpxor       0xc0(%rdi), %xmm2, %xmm2
	vaesdeclast %xmm2, %xmm3, %xmm2
	vmovdqu     %xmm2, (%rcx)
	add         $0x10, %rdx
	add         $0x10, %rcx
	sub         $0x10, %r8
	jmp         .Laesmith_aes192_cbc_dec_tail
.Laesmith_aes192_cbc_dec_step:
	vmovdqu     %xmm0, (%rsi)
/* -- leave */
	ret
	.cfi_endproc
	.size aesmith_aes192_cbc_dec, . - aesmith_aes192_cbc_dec
	/* An error here: the code is longer than the code that was proved. Either it was edited (then leave this line out),
	   or the assembler has inserted bytes: assemble it without -mbranches-within-32B-boundaries, -malign-branch,
	   -mlfence-after-load and -mlfence-before-ret. */
	.org aesmith_aes192_cbc_dec + 676

	/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
	.section .note.gnu.property,"a",@note
	.p2align 3
	.long 4, 16, 5	# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
	.asciz "GNU"
	.long 0xc0000002, 4, 3, 0	# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK

	.section .note.GNU-stack,"",@progbits
#endif
