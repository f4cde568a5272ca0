/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128: the key schedule, for encryption on avr, by aesmith 0.1.0.
 * void aesmith_aes128_expand(void *key, const uint8_t cipher_key[16]);
 * `key` holds 176 bytes: round keys in order of use.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 *
 * 724 cycles a key, counted by simavr 1.6, ATmega328P.
 * 1202 bytes of flash with all tables, 256 bytes of RAM for tables, 8 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: the address of `ldd r24, Z+0` at 0x58 depends on secrets, and AVR has no
 *   cache, and a load takes two cycles at any address of the internal SRAM and three at any of the
 *   flash (DS40002198); tables in external memory (XMEM of an ATmega128 or ATmega2560, which may
 *   add wait states to a part of it) are not covered.
 * 2001 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-key processor=avr sbox=ram doubling=table rounds=unrolled convention=c
 *   schedule=before caching=none keys=own
 * sha256 2b8463a54548a5370132a7f2a6a8156039a15531fc1e07411cf40961b1c046e2
 */
#if !(defined(__AVR__))
/* The functions in C stand for it on other processors. */
#elif !defined(__ELF__)
#error "aesmith_aes128_expand: it is for AVRe and later with 32 registers, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): build the C of its package instead"
#elif defined(__AVR_TINY__)
#error "aesmith_aes128_expand: it is for AVRe and later with 32 registers, and this build is for a core of 16 registers (AVRrc: ATtiny4 to ATtiny40): build the C of its package instead"
#elif !defined(__AVR_HAVE_MOVW__) || !defined(__AVR_HAVE_LPMX__)
#error "aesmith_aes128_expand: it is for AVRe and later with 32 registers, and this build is for a core without movw and lpm of any register: build the C of its package instead"
#else
    .section .text.aesmith_aes128_expand, "ax", @progbits
    .balign 2
    .global aesmith_aes128_expand
    .type aesmith_aes128_expand, @function
    .global aesmith_aes128_expand_makes_round_keys
aesmith_aes128_expand_makes_round_keys:
aesmith_aes128_expand:
    push r2
    push r3
    push r4
    push r5
    push r6
    push r7
    push r8
    push r9
    movw r26, r24
    movw r30, r22
    ld r0, Z+
    st X+, r0
    ld r18, Z+
    st X+, r18
    ld r19, Z+
    st X+, r19
    ld r20, Z+
    st X+, r20
    ld r21, Z+
    st X+, r21
    ld r22, Z+
    st X+, r22
    ld r23, Z+
    st X+, r23
    ld r1, Z+
    st X+, r1
    ld r2, Z+
    st X+, r2
    ld r3, Z+
    st X+, r3
    ld r4, Z+
    st X+, r4
    ld r5, Z+
    st X+, r5
    ld r6, Z+
    st X+, r6
    ld r7, Z+
    st X+, r7
    ld r8, Z+
    st X+, r8
    ld r9, Z+
    st X+, r9
    ldi r31, hi8(aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2)
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 1
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 2
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 4
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 8
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 16
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 32
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 64
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 128
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 27
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    mov r30, r7
    ldd r24, Z+0
    eor r0, r24
    ldi r25, 54
    eor r0, r25
    st X+, r0
    mov r30, r8
    ldd r24, Z+0
    eor r18, r24
    st X+, r18
    mov r30, r9
    ldd r24, Z+0
    eor r19, r24
    st X+, r19
    mov r30, r6
    ldd r24, Z+0
    eor r20, r24
    st X+, r20
    eor r21, r0
    st X+, r21
    eor r22, r18
    st X+, r22
    eor r23, r19
    st X+, r23
    eor r1, r20
    st X+, r1
    eor r2, r21
    st X+, r2
    eor r3, r22
    st X+, r3
    eor r4, r23
    st X+, r4
    eor r5, r1
    st X+, r5
    eor r6, r2
    st X+, r6
    eor r7, r3
    st X+, r7
    eor r8, r4
    st X+, r8
    eor r9, r5
    st X+, r9
    pop r9
    pop r8
    pop r7
    pop r6
    pop r5
    pop r4
    pop r3
    pop r2
    eor r1, r1
    ret
    .size aesmith_aes128_expand, .-aesmith_aes128_expand
    .ifndef aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .section .data.sbox.aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, "awG", @progbits, aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, comdat
    .balign 256
    .global aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .hidden aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .type aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, @object
aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2:
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
    .size aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2, .-aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2
    .endif
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
