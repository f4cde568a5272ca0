/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128: the key schedule, for encryption on cortex-m3, by aesmith 0.1.0.
 * void aesmith_aes128_expand(void *key, const uint8_t cipher_key[16]);
 * `key` holds 176 bytes: round keys in order of use.
 * All buffers lie at multiples of 4.
 * Called by Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4.
 *
 * 234 cycles a key, by the machine model (modelled by ARM DDI 0337, 3.3, code and tables without
 *   wait states; such rules meet 73 published figures of hardware within about 1 % with tables in
 *   SRAM, and fall 2 to 5 % short of them with tables in flash); outputs confirmed by qemu-arm
 *   version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3), cortex-a7.
 * 924 bytes of flash with all tables, 256 bytes of RAM for tables, 20 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on cortex-m3: the address of `ldrb r4, [r2, r4]` at 0x1002e depends on secrets, and
 *   a load takes the same time at any address on a processor without a data cache as long as its
 *   tables lie in memory inside the chip (SRAM), not in external memory.
 * 2001 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-key processor=cortex-m3 technique=tables entries=columns rounds=unrolled
 *   sbox=look-up counter=cached last=row tail=own memory=ram
 * sha256 43d90c4559e1d08cfd9ecd9f971d11ae393bee1e1d25b5514976be1aa108373d
 */
#if !(defined(__thumb2__))
/* The functions in C stand for it on other processors. */
#elif defined(__ARMEB__) || defined(__ARM_BIG_ENDIAN)
#error "aesmith_aes128_expand: it is for little-endian Thumb-2 in ELF by the AAPCS, and this build is for big-endian ARM: build the C of its package instead"
#elif !defined(__ELF__)
#error "aesmith_aes128_expand: it is for little-endian Thumb-2 in ELF by the AAPCS, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): build the C of its package instead"
#elif defined(__arm__) && !defined(__ARM_EABI__)
#error "aesmith_aes128_expand: it is for little-endian Thumb-2 in ELF by the AAPCS, and this build is for a convention before the AAPCS: build the C of its package instead"
#elif defined(__PIC__) && !defined(__PIE__)
#error "aesmith_aes128_expand: it holds addresses of its tables, and this build is for shared objects (-fPIC), which are loaded at any address: build it without, or the C of its package"
#elif defined(__ARM_ROPI) || defined(__ARM_RWPI) || defined(__FDPIC__)
#error "aesmith_aes128_expand: it holds addresses of its tables, and this build is for code and data that are moved at run time (-fropi, -frwpi, -mfdpic): build it without, or the C of its package"
#elif !defined(AESMITH_NO_DATA_CACHE) && (!(defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_8M_BASE__) || (defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE))))
#error "aesmith_aes128_expand: the time of its look-ups is constant only without a data cache; define AESMITH_NO_DATA_CACHE if the processor has none, or emit with --constant-time"
#else
    .syntax unified
    .cpu cortex-m3
    .thumb
    .section .text.aesmith_aes128_expand, "ax", %progbits
    .balign 2
    .global aesmith_aes128_expand
    .type aesmith_aes128_expand, %function
    .global aesmith_aes128_expand_makes_round_keys
aesmith_aes128_expand_makes_round_keys:
    .balign 4
    .thumb_func
aesmith_aes128_expand:
    push {r4, r5, r6, r7, lr}
    ldr.w r2, .Laesmith_aes128_expand_sbox
    ldr r3, [r1, #0]
    ldr.w r12, [r1, #4]
    ldr.w lr, [r1, #8]
    ldr r1, [r1, #12]
    str r3, [r0, #0]
    str.w r12, [r0, #4]
    str.w lr, [r0, #8]
    str r1, [r0, #12]
    eor.w r3, r3, #1
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #16]
    eor.w r12, r12, r3
    str.w r12, [r0, #20]
    eor.w lr, lr, r12
    str.w lr, [r0, #24]
    eor.w r1, r1, lr
    str r1, [r0, #28]
    eor.w r3, r3, #2
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #32]
    eor.w r12, r12, r3
    str.w r12, [r0, #36]
    eor.w lr, lr, r12
    str.w lr, [r0, #40]
    eor.w r1, r1, lr
    str r1, [r0, #44]
    eor.w r3, r3, #4
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #48]
    eor.w r12, r12, r3
    str.w r12, [r0, #52]
    eor.w lr, lr, r12
    str.w lr, [r0, #56]
    eor.w r1, r1, lr
    str r1, [r0, #60]
    eor.w r3, r3, #8
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #64]
    eor.w r12, r12, r3
    str.w r12, [r0, #68]
    eor.w lr, lr, r12
    str.w lr, [r0, #72]
    eor.w r1, r1, lr
    str r1, [r0, #76]
    eor.w r3, r3, #16
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #80]
    eor.w r12, r12, r3
    str.w r12, [r0, #84]
    eor.w lr, lr, r12
    str.w lr, [r0, #88]
    eor.w r1, r1, lr
    str r1, [r0, #92]
    eor.w r3, r3, #32
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #96]
    eor.w r12, r12, r3
    str.w r12, [r0, #100]
    eor.w lr, lr, r12
    str.w lr, [r0, #104]
    eor.w r1, r1, lr
    str r1, [r0, #108]
    eor.w r3, r3, #64
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str r3, [r0, #112]
    eor.w r12, r12, r3
    str.w r12, [r0, #116]
    eor.w lr, lr, r12
    str.w lr, [r0, #120]
    eor.w r1, r1, lr
    str r1, [r0, #124]
    eor.w r3, r3, #128
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str.w r3, [r0, #128]
    eor.w r12, r12, r3
    str.w r12, [r0, #132]
    eor.w lr, lr, r12
    str.w lr, [r0, #136]
    eor.w r1, r1, lr
    str.w r1, [r0, #140]
    eor.w r3, r3, #27
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r7, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r3, r3, r7, lsl #16
    str.w r3, [r0, #144]
    eor.w r12, r12, r3
    str.w r12, [r0, #148]
    eor.w lr, lr, r12
    str.w lr, [r0, #152]
    eor.w r1, r1, lr
    str.w r1, [r0, #156]
    eor.w r3, r3, #54
    uxtb r4, r1
    ubfx r5, r1, #8, #8
    ubfx r6, r1, #16, #8
    lsrs r7, r1, #24
    ldrb r4, [r2, r4]
    ldrb r5, [r2, r5]
    ldrb r6, [r2, r6]
    ldrb r2, [r2, r7]
    eor.w r3, r3, r4, lsl #24
    eors r3, r5
    eor.w r3, r3, r6, lsl #8
    eor.w r2, r3, r2, lsl #16
    str.w r2, [r0, #160]
    eor.w r2, r12, r2
    str.w r2, [r0, #164]
    eor.w r2, lr, r2
    str.w r2, [r0, #168]
    eors r1, r2
    str.w r1, [r0, #172]
    pop {r4, r5, r6, r7, pc}
    mov r8, r8
.Laesmith_aes128_expand_sbox:
    .long aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2+0
    .size aesmith_aes128_expand, .-aesmith_aes128_expand
    .ifndef aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .section .data.aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, "awG", %progbits, aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, comdat
    .balign 128
    .global aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .hidden aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .type aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, %object
aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2:
    .balign 4
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
    .size aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, .-aesmith_table_128_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .endif
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
