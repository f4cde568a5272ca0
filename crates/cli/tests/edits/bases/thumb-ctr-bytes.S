	.cpu cortex-m3
	.arch armv7-m
	.fpu softvfp
	.eabi_attribute 20, 1
	.eabi_attribute 21, 1
	.eabi_attribute 23, 3
	.eabi_attribute 24, 1
	.eabi_attribute 25, 1
	.eabi_attribute 26, 1
	.eabi_attribute 30, 2
	.eabi_attribute 34, 1
	.eabi_attribute 18, 4
	.text
	.align	1
	.p2align 2,,3
	.global	aesmith_aes128_ctr
	.syntax unified
	.thumb
	.thumb_func
	.type	aesmith_aes128_ctr, %function
aesmith_aes128_ctr:
	push	{r4, r5, r6, r7, r8, r9, r10, fp, lr}
	sub	sp, sp, #84
	ldr	r5, [sp, #120]
	str	r0, [sp, #40]
	str	r2, [sp, #28]
	cmp	r5, #0
	beq	.L1
	mov	r9, r3
	add	r7, r0, #160
	subs	r3, r5, #1
	mov	r4, r7
	mov	r5, r1
	str	r3, [sp, #32]
	ldr	r10, .L33
	add	r3, r1, #16
	add	r6, r0, #16
	add	fp, sp, #79
	add	ip, r0, #176
	str	r3, [sp, #44]
	str	r9, [sp, #36]
.L3:
	ldr	r0, [r5]	@ unaligned
	ldr	r1, [r5, #4]	@ unaligned
	ldr	r2, [r5, #8]	@ unaligned
	ldr	r3, [r5, #12]	@ unaligned
	add	r8, sp, #48
	mov	r7, r8
	stmia	r8!, {r0, r1, r2, r3}
	ldr	lr, [sp, #40]
.L4:
	ldr	r2, [r7]
	ldr	r3, [lr], #4	@ unaligned
	eors	r3, r3, r2
	cmp	lr, r6
	str	r3, [r7], #4
	bne	.L4
	mov	r0, r4
	mov	r1, ip
	ldr	r3, [sp, #40]
	str	r3, [sp, #8]
.L8:
	movs	r2, #0
	add	r4, sp, #63
	add	r9, sp, #64
.L5:
	and	r3, r2, #15
	adds	r3, r3, #80
	add	r3, sp, r3
	ldrb	r3, [r3, #-32]	@ zero_extendqisi2
	adds	r2, r2, #5
	ldrb	r3, [r10, r3]	@ zero_extendqisi2
	strb	r3, [r4, #1]!
	cmp	r4, fp
	bne	.L5
	ldr	r3, [sp, #8]
	adds	r3, r3, #16
	cmp	r3, r0
	str	r3, [sp, #8]
	beq	.L6
	strd	r5, r0, [sp, #12]
	strd	r6, r1, [sp, #20]
	add	r2, sp, #48
	str	r2, [sp]
	sub	r4, r3, #16
.L7:
	mov	ip, #0
	ldrb	r5, [r9]	@ zero_extendqisi2
	ldrb	r7, [r9, #1]	@ zero_extendqisi2
	ldrb	r3, [r9, #2]	@ zero_extendqisi2
	eor	r8, r5, r7
	ldrb	r6, [r9, #3]	@ zero_extendqisi2
	ldrb	r1, [r4, #16]	@ zero_extendqisi2
	eor	lr, r3, r8
	lsr	r0, r8, #7
	eors	r1, r1, r5
	str	lr, [sp, #4]
	add	r0, r0, r0, lsl #1
	eor	lr, r6, lr
	add	r0, r0, r0, lsl #3
	eor	r1, lr, r1
	eors	r1, r1, r0
	ldrb	r2, [r4, #17]	@ zero_extendqisi2
	eor	r1, r1, r8, lsl #1
	bfi	ip, r1, #0, #8
	ldrb	r1, [r4, #18]	@ zero_extendqisi2
	eors	r2, r2, r7
	eors	r7, r7, r3
	eors	r5, r5, r6
	eors	r6, r6, r3
	eors	r3, r3, r1
	lsrs	r1, r7, #7
	add	r1, r1, r1, lsl #1
	eor	r2, lr, r2
	add	r1, r1, r1, lsl #3
	eors	r2, r2, r1
	eor	r2, r2, r7, lsl #1
	bfi	ip, r2, #8, #8
	lsrs	r2, r6, #7
	add	r2, r2, r2, lsl #1
	add	r2, r2, r2, lsl #3
	eor	r3, lr, r3
	eors	r3, r3, r2
	eor	r3, r3, r6, lsl #1
	ldr	r2, [sp, #4]
	bfi	ip, r3, #16, #8
	ldrb	r3, [r4, #19]	@ zero_extendqisi2
	adds	r4, r4, #4
	eors	r3, r3, r2
	lsrs	r2, r5, #7
	add	r2, r2, r2, lsl #1
	add	r2, r2, r2, lsl #3
	eors	r3, r3, r2
	eor	r3, r3, r5, lsl #1
	bfi	ip, r3, #24, #8
	ldr	r3, [sp]
	add	r9, r9, #4
	str	ip, [r3], #4
	str	r3, [sp]
	ldr	r3, [sp, #8]
	cmp	r4, r3
	bne	.L7
	ldrd	r5, r0, [sp, #12]
	ldrd	r6, r1, [sp, #20]
	b	.L8
.L6:
	mov	r4, r0
	mov	r2, r0
	mov	ip, r1
	add	r1, sp, #48
.L9:
	ldr	r0, [r9], #4
	ldr	r3, [r2], #4	@ unaligned
	eors	r3, r3, r0
	cmp	r2, ip
	str	r3, [r1], #4
	bne	.L9
	ldr	r3, [sp, #28]
	add	r2, sp, #47
	subs	r0, r3, #1
	ldr	r3, [sp, #36]
	subs	r1, r3, #1
.L10:
	ldrb	r7, [r0, #1]!	@ zero_extendqisi2
	ldrb	r3, [r2, #1]!	@ zero_extendqisi2
	eors	r3, r3, r7
	strb	r3, [r1, #1]!
	add	r3, sp, #63
	cmp	r2, r3
	bne	.L10
	ldr	r2, [sp, #44]
.L13:
	ldrb	r3, [r2, #-1]!	@ zero_extendqisi2
	adds	r3, r3, #1
	uxtb	r3, r3
	strb	r3, [r2]
	cbnz	r3, .L31
	cmp	r2, r5
	bne	.L13
	.syntax unified
	nop
	.thumb
	.syntax unified
.L31:
	ldr	r3, [sp, #32]
	cbz	r3, .L1
	ldr	r3, [sp, #28]
	adds	r3, r3, #16
	str	r3, [sp, #28]
	ldr	r3, [sp, #36]
	adds	r3, r3, #16
	str	r3, [sp, #36]
	ldr	r3, [sp, #32]
	subs	r3, r3, #1
	str	r3, [sp, #32]
	b	.L3
.L1:
	add	sp, sp, #84
	pop	{r4, r5, r6, r7, r8, r9, r10, fp, pc}
.L34:
	.align	2
.L33:
	.word	.LANCHOR0
	.size	aesmith_aes128_ctr, .-aesmith_aes128_ctr
	.section	.rodata
	.align	2
	.set	.LANCHOR0,. + 0
	.type	S, %object
	.size	S, 256
S:
	.ascii	"c|w{\362ko\3050\001g+\376\327\253v\312\202\311}\372"
	.ascii	"YG\360\255\324\242\257\234\244r\300\267\375\223&6?\367"
	.ascii	"\3144\245\345\361q\3301\025\004\307#\303\030\226\005"
	.ascii	"\232\007\022\200\342\353'\262u\011\203,\032\033nZ\240"
	.ascii	"R;\326\263)\343/\204S\321\000\355 \374\261[j\313\276"
	.ascii	"9JLX\317\320\357\252\373CM3\205E\371\002\177P<\237\250"
	.ascii	"Q\243@\217\222\2358\365\274\266\332!\020\377\363\322"
	.ascii	"\315\014\023\354_\227D\027\304\247~=d]\031s`\201O\334"
	.ascii	"\"*\220\210F\356\270\024\336^\013\333\3402:\012I\006"
	.ascii	"$\\\302\323\254b\221\225\344y\347\3107m\215\325N\251"
	.ascii	"lV\364\352ez\256\010\272x%.\034\246\264\306\350\335"
	.ascii	"t\037K\275\213\212p>\265fH\003\366\016a5W\271\206\301"
	.ascii	"\035\236\341\370\230\021i\331\216\224\233\036\207\351"
	.ascii	"\316U(\337\214\241\211\015\277\346BhA\231-\017\260T"
	.ascii	"\273\026"
