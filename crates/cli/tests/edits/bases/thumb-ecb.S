/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128: encrypts a block on cortex-m3, by aesmith 0.1.0.
 * void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * All buffers lie at multiples of 4.
 * Called by Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4.
 *
 * 923 cycles a block, by the machine model (modelled by ARM DDI 0337, 3.3, code and tables without
 *   wait states; such rules meet 73 published figures of hardware within about 1 % with tables in
 *   SRAM, and fall 2 to 5 % short of them with tables in flash); outputs confirmed by qemu-arm
 *   version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3), cortex-a7.
 * 620 bytes of flash with all tables, 256 bytes of RAM for tables, 40 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on cortex-m3: the address of `ldrb r6, [r1, r6]` at 0x100c8 depends on secrets, and
 *   a load takes the same time at any address on a processor without a data cache.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-ecb processor=cortex-m3 technique=tables entries=bytes rounds=looped sbox=look-up
 *   counter=cached last=row tail=shared memory=ram
 * sha256 acd0b3f5054b605e89c79ad35cd08ab6a368c49b93ce740dd498173d5af55910
 */
#if defined(__thumb2__) && !(defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_8M_BASE__) || (defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE))) && !defined(AESMITH_NO_DATA_CACHE)
#error "aesmith_aes128_encrypt: the time of its look-ups is constant only without a data cache; define AESMITH_NO_DATA_CACHE if the processor has none, or emit with --constant-time"
#endif
#if defined(__thumb2__)
    .syntax unified
    .cpu cortex-m3
    .thumb
    .section .text.aesmith_aes128_encrypt, "ax", %progbits
    .balign 2
    .global aesmith_aes128_encrypt
    .type aesmith_aes128_encrypt, %function
    .balign 4
    .thumb_func
aesmith_aes128_encrypt:
    stmdb.w sp!, {r2, r4, r5, r6, r7, r8, r9, r10, r11, lr}
    ldmia r0!, {r4, r5, r6, r7}
    ldr r2, [r1, #0]
    ldr r3, [r1, #4]
    ldr.w r11, [r1, #8]
    ldr.w r9, [r1, #12]
    ldr r1, .Laes128_encrypt_tables
    eors r2, r4
    eors r3, r5
    eor.w r4, r11, r6
    eor.w r5, r9, r7
    add.w r12, r0, #144
    b .Laes128_encrypt_look_ups
.Laes128_encrypt_round:
    ldmia r0!, {r4, r5, r6, r7}
    eor.w lr, r10, r10, ror #8
    and.w r2, lr, #-2139062144
    bic.w r3, lr, #-2139062144
    sub.w r2, r2, r2, lsr #7
    and.w r2, r2, #454761243
    eor.w r3, r2, r3, lsl #1
    eor.w r2, r3, r10, ror #8
    eor.w r2, r2, lr, ror #16
    eors r2, r4
    eor.w lr, r11, r11, ror #8
    and.w r3, lr, #-2139062144
    bic.w r10, lr, #-2139062144
    sub.w r4, r3, r3, lsr #7
    and.w r4, r4, #454761243
    eor.w r3, r4, r10, lsl #1
    eor.w r3, r3, r11, ror #8
    eor.w r3, r3, lr, ror #16
    eors r3, r5
    eor.w r5, r8, r8, ror #8
    and.w r10, r5, #-2139062144
    bic.w r11, r5, #-2139062144
    sub.w r4, r10, r10, lsr #7
    and.w r10, r4, #454761243
    eor.w r10, r10, r11, lsl #1
    eor.w r4, r10, r8, ror #8
    eor.w r4, r4, r5, ror #16
    eors r4, r6
    eor.w r10, r9, r9, ror #8
    and.w r11, r10, #-2139062144
    bic.w r5, r10, #-2139062144
    sub.w lr, r11, r11, lsr #7
    and.w r6, lr, #454761243
    eor.w r11, r6, r5, lsl #1
    eor.w r9, r11, r9, ror #8
    eor.w r5, r9, r10, ror #16
    eors r5, r7
.Laes128_encrypt_look_ups:
    uxtb r6, r2
    ubfx r8, r2, #8, #8
    ubfx r10, r2, #16, #8
    lsrs r7, r2, #24
    uxtb r2, r3
    ubfx r9, r3, #8, #8
    ubfx r11, r3, #16, #8
    lsrs r3, r3, #24
    ldrb r6, [r1, r6]
    ldrb.w r8, [r1, r8, lsl #0]
    ldrb.w r10, [r1, r10, lsl #0]
    ldrb r7, [r1, r7]
    ldrb r2, [r1, r2]
    ldrb.w lr, [r1, r9, lsl #0]
    ldrb.w r9, [r1, r11, lsl #0]
    ldrb r3, [r1, r3]
    eor.w r11, r2, r7, lsl #24
    eor.w lr, r6, lr, lsl #8
    eor.w r8, r8, r9, lsl #8
    eor.w r10, r10, r3, lsl #8
    uxtb r2, r4
    ubfx r6, r4, #8, #8
    ubfx r7, r4, #16, #8
    lsrs r3, r4, #24
    ldrb r4, [r1, r2]
    ldrb r2, [r1, r6]
    ldrb r6, [r1, r7]
    ldrb r7, [r1, r3]
    eor.w r10, r4, r10, lsl #16
    eor.w r11, r11, r2, lsl #8
    eor.w r6, lr, r6, lsl #16
    eor.w lr, r8, r7, lsl #16
    uxtb r3, r5
    ubfx r4, r5, #8, #8
    ubfx r2, r5, #16, #8
    lsrs r7, r5, #24
    ldrb r3, [r1, r3]
    ldrb r5, [r1, r4]
    ldrb r2, [r1, r2]
    ldrb r7, [r1, r7]
    eor.w r9, r3, lr, lsl #8
    eor.w r8, r10, r5, lsl #8
    eor.w r11, r11, r2, lsl #16
    eor.w r10, r6, r7, lsl #24
    cmp r0, r12
    bne.w .Laes128_encrypt_round
    ldr r5, [r0, #0]
    ldr r3, [r0, #4]
    ldr r2, [r0, #8]
    ldr r4, [r0, #12]
    ldr r0, [sp], #4
    eor.w r6, r10, r5
    eor.w r5, r11, r3
    eor.w r1, r8, r2
    eor.w r7, r9, r4
    str r6, [r0, #0]
    str r5, [r0, #4]
    str r1, [r0, #8]
    str r7, [r0, #12]
    ldmia.w sp!, {r4, r5, r6, r7, r8, r9, r10, r11, pc}
    mov r8, r8
.Laes128_encrypt_tables:
    .long aesmith_aes128_encrypt_tables+0
    .size aesmith_aes128_encrypt, .-aesmith_aes128_encrypt
    .section .data.aesmith_aes128_encrypt, "awM", %progbits, 256
    .balign 128
    .balign 4
aesmith_aes128_encrypt_tables:
    .byte 0x63,0x7c,0x77,0x7b,0xf2,0x6b,0x6f,0xc5,0x30,0x01,0x67,0x2b,0xfe,0xd7,0xab,0x76
    .byte 0xca,0x82,0xc9,0x7d,0xfa,0x59,0x47,0xf0,0xad,0xd4,0xa2,0xaf,0x9c,0xa4,0x72,0xc0
    .byte 0xb7,0xfd,0x93,0x26,0x36,0x3f,0xf7,0xcc,0x34,0xa5,0xe5,0xf1,0x71,0xd8,0x31,0x15
    .byte 0x04,0xc7,0x23,0xc3,0x18,0x96,0x05,0x9a,0x07,0x12,0x80,0xe2,0xeb,0x27,0xb2,0x75
    .byte 0x09,0x83,0x2c,0x1a,0x1b,0x6e,0x5a,0xa0,0x52,0x3b,0xd6,0xb3,0x29,0xe3,0x2f,0x84
    .byte 0x53,0xd1,0x00,0xed,0x20,0xfc,0xb1,0x5b,0x6a,0xcb,0xbe,0x39,0x4a,0x4c,0x58,0xcf
    .byte 0xd0,0xef,0xaa,0xfb,0x43,0x4d,0x33,0x85,0x45,0xf9,0x02,0x7f,0x50,0x3c,0x9f,0xa8
    .byte 0x51,0xa3,0x40,0x8f,0x92,0x9d,0x38,0xf5,0xbc,0xb6,0xda,0x21,0x10,0xff,0xf3,0xd2
    .byte 0xcd,0x0c,0x13,0xec,0x5f,0x97,0x44,0x17,0xc4,0xa7,0x7e,0x3d,0x64,0x5d,0x19,0x73
    .byte 0x60,0x81,0x4f,0xdc,0x22,0x2a,0x90,0x88,0x46,0xee,0xb8,0x14,0xde,0x5e,0x0b,0xdb
    .byte 0xe0,0x32,0x3a,0x0a,0x49,0x06,0x24,0x5c,0xc2,0xd3,0xac,0x62,0x91,0x95,0xe4,0x79
    .byte 0xe7,0xc8,0x37,0x6d,0x8d,0xd5,0x4e,0xa9,0x6c,0x56,0xf4,0xea,0x65,0x7a,0xae,0x08
    .byte 0xba,0x78,0x25,0x2e,0x1c,0xa6,0xb4,0xc6,0xe8,0xdd,0x74,0x1f,0x4b,0xbd,0x8b,0x8a
    .byte 0x70,0x3e,0xb5,0x66,0x48,0x03,0xf6,0x0e,0x61,0x35,0x57,0xb9,0x86,0xc1,0x1d,0x9e
    .byte 0xe1,0xf8,0x98,0x11,0x69,0xd9,0x8e,0x94,0x9b,0x1e,0x87,0xe9,0xce,0x55,0x28,0xdf
    .byte 0x8c,0xa1,0x89,0x0d,0xbf,0xe6,0x42,0x68,0x41,0x99,0x2d,0x0f,0xb0,0x54,0xbb,0x16
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
