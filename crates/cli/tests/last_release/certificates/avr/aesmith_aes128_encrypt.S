/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128: encrypts a block on avr, by aesmith 0.1.0.
 * void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 *
 * 1803 cycles a block, counted by simavr 1.6, ATmega328P.
 * 1072 bytes of flash with all tables, 512 bytes of RAM for tables, 18 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: the address of `ldd r0, Z+0` at 0x50 depends on secrets, and AVR has no
 *   cache, and a load takes two cycles at any address of the internal SRAM and three at any of the
 *   flash (DS40002198); tables in external memory (XMEM of an ATmega128 or ATmega2560, which may
 *   add wait states to a part of it) are not covered.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-ecb processor=avr sbox=ram doubling=table rounds=looped convention=c
 *   schedule=before caching=none keys=own
 * sha256 aa6ebca019cd660f998436ad1d528a407f09f98a4595f9ff9c9ef52e6f1332de
 */
#if !(defined(__AVR__))
/* The functions in C stand for it on other processors. */
#elif !defined(__ELF__)
#error "aesmith_aes128_encrypt: it is for AVRe and later with 32 registers, and this build is for another object format and its convention (Windows, Mach-O or XCOFF): build the C of its package instead"
#elif defined(__AVR_TINY__)
#error "aesmith_aes128_encrypt: it is for AVRe and later with 32 registers, and this build is for a core of 16 registers (AVRrc: ATtiny4 to ATtiny40): build the C of its package instead"
#elif !defined(__AVR_HAVE_MOVW__) || !defined(__AVR_HAVE_LPMX__)
#error "aesmith_aes128_encrypt: it is for AVRe and later with 32 registers, and this build is for a core without movw and lpm of any register: build the C of its package instead"
#else
    .section .text.aesmith_aes128_encrypt, "ax", @progbits
    .balign 2
    .global aesmith_aes128_encrypt
    .type aesmith_aes128_encrypt, @function
    .global aesmith_aes128_expand_makes_round_keys
aesmith_aes128_encrypt:
    push r2
    push r3
    push r4
    push r5
    push r6
    push r7
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
    push r28
    push r29
    push r20
    push r21
    movw r26, r24
    movw r30, r22
    ld r0, Z+
    ld r18, Z+
    ld r19, Z+
    ld r20, Z+
    ld r21, Z+
    ld r22, Z+
    ld r23, Z+
    ld r24, Z+
    ld r1, Z+
    ld r2, Z+
    ld r3, Z+
    ld r4, Z+
    ld r5, Z+
    ld r6, Z+
    ld r7, Z+
    ld r8, Z+
    ldi r31, hi8(aesmith_table_256_c2d8e5eed6cbebd8625fc18f81486a7733c04f9b0129ffbe974c68b90308b4f2)
    ldi r29, hi8(aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767)
    ld r30, X+
    eor r30, r0
    ldd r0, Z+0
    ld r30, X+
    eor r30, r18
    ldd r18, Z+0
    ld r30, X+
    eor r30, r19
    ldd r19, Z+0
    ld r30, X+
    eor r30, r20
    ldd r20, Z+0
    ld r30, X+
    eor r30, r21
    ldd r21, Z+0
    ld r30, X+
    eor r30, r22
    ldd r22, Z+0
    ld r30, X+
    eor r30, r23
    ldd r23, Z+0
    ld r30, X+
    eor r30, r24
    ldd r24, Z+0
    ld r30, X+
    eor r30, r1
    ldd r1, Z+0
    ld r30, X+
    eor r30, r2
    ldd r2, Z+0
    ld r30, X+
    eor r30, r3
    ldd r3, Z+0
    ld r30, X+
    eor r30, r4
    ldd r4, Z+0
    ld r30, X+
    eor r30, r5
    ldd r5, Z+0
    ld r30, X+
    eor r30, r6
    ldd r6, Z+0
    ld r30, X+
    eor r30, r7
    ldd r7, Z+0
    ld r30, X+
    eor r30, r8
    ldd r8, Z+0
    ldi r25, 9
.Laesmith_aes128_encrypt_round_1:
    mov r28, r0
    eor r28, r22
    ldd r9, Y+0
    eor r28, r3
    eor r28, r8
    ldd r11, Y+0
    eor r9, r28
    mov r28, r0
    eor r28, r3
    ldd r10, Y+0
    eor r10, r9
    ld r30, X+
    eor r30, r0
    eor r30, r9
    ldd r0, Z+0
    ld r30, X+
    eor r30, r22
    eor r30, r10
    mov r12, r18
    ldd r18, Z+0
    ld r30, X+
    eor r30, r3
    eor r30, r9
    eor r30, r11
    mov r13, r19
    ldd r19, Z+0
    ld r30, X+
    eor r30, r8
    eor r30, r10
    eor r30, r11
    mov r14, r20
    ldd r20, Z+0
    mov r28, r21
    eor r28, r2
    ldd r9, Y+0
    eor r28, r7
    eor r28, r14
    ldd r11, Y+0
    eor r9, r28
    mov r28, r21
    eor r28, r7
    ldd r10, Y+0
    eor r10, r9
    ld r30, X+
    eor r30, r21
    eor r30, r9
    ldd r21, Z+0
    ld r30, X+
    eor r30, r2
    eor r30, r10
    ldd r22, Z+0
    ld r30, X+
    eor r30, r7
    eor r30, r9
    eor r30, r11
    mov r15, r23
    ldd r23, Z+0
    ld r30, X+
    eor r30, r14
    eor r30, r10
    eor r30, r11
    mov r14, r24
    ldd r24, Z+0
    mov r28, r1
    eor r28, r6
    ldd r9, Y+0
    eor r28, r13
    eor r28, r14
    ldd r11, Y+0
    eor r9, r28
    mov r28, r1
    eor r28, r13
    ldd r10, Y+0
    eor r10, r9
    ld r30, X+
    eor r30, r1
    eor r30, r9
    ldd r1, Z+0
    ld r30, X+
    eor r30, r6
    eor r30, r10
    ldd r2, Z+0
    ld r30, X+
    eor r30, r13
    eor r30, r9
    eor r30, r11
    ldd r3, Z+0
    ld r30, X+
    eor r30, r14
    eor r30, r10
    eor r30, r11
    mov r14, r4
    ldd r4, Z+0
    mov r28, r5
    eor r28, r12
    ldd r9, Y+0
    eor r28, r15
    eor r28, r14
    ldd r11, Y+0
    eor r9, r28
    mov r28, r5
    eor r28, r15
    ldd r10, Y+0
    eor r10, r9
    ld r30, X+
    eor r30, r5
    eor r30, r9
    ldd r5, Z+0
    ld r30, X+
    eor r30, r12
    eor r30, r10
    ldd r6, Z+0
    ld r30, X+
    eor r30, r15
    eor r30, r9
    eor r30, r11
    ldd r7, Z+0
    ld r30, X+
    eor r30, r14
    eor r30, r10
    eor r30, r11
    ldd r8, Z+0
    dec r25
    breq .Laesmith_aes128_encrypt_last_2
    rjmp .Laesmith_aes128_encrypt_round_1
.Laesmith_aes128_encrypt_last_2:
    ld r30, X+
    eor r0, r30
    ld r30, X+
    eor r22, r30
    ld r30, X+
    eor r3, r30
    ld r30, X+
    eor r8, r30
    ld r30, X+
    eor r21, r30
    ld r30, X+
    eor r2, r30
    ld r30, X+
    eor r7, r30
    ld r30, X+
    eor r20, r30
    ld r30, X+
    eor r1, r30
    ld r30, X+
    eor r6, r30
    ld r30, X+
    eor r19, r30
    ld r30, X+
    eor r24, r30
    ld r30, X+
    eor r5, r30
    ld r30, X+
    eor r18, r30
    ld r30, X+
    eor r23, r30
    ld r30, X+
    eor r4, r30
    pop r27
    pop r26
    st X+, r0
    st X+, r22
    st X+, r3
    st X+, r8
    st X+, r21
    st X+, r2
    st X+, r7
    st X+, r20
    st X+, r1
    st X+, r6
    st X+, r19
    st X+, r24
    st X+, r5
    st X+, r18
    st X+, r23
    st X+, r4
    pop r29
    pop r28
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
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
    .size aesmith_aes128_encrypt, .-aesmith_aes128_encrypt
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
    .ifndef aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767
    .section .data.xtime.aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767, "awG", @progbits, aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767, comdat
    .balign 256
    .global aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767
    .hidden aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767
    .type aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767, @object
aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767:
    .byte 0x00,0x02,0x04,0x06,0x08,0x0a,0x0c,0x0e,0x10,0x12,0x14,0x16,0x18,0x1a,0x1c,0x1e
    .byte 0x20,0x22,0x24,0x26,0x28,0x2a,0x2c,0x2e,0x30,0x32,0x34,0x36,0x38,0x3a,0x3c,0x3e
    .byte 0x40,0x42,0x44,0x46,0x48,0x4a,0x4c,0x4e,0x50,0x52,0x54,0x56,0x58,0x5a,0x5c,0x5e
    .byte 0x60,0x62,0x64,0x66,0x68,0x6a,0x6c,0x6e,0x70,0x72,0x74,0x76,0x78,0x7a,0x7c,0x7e
    .byte 0x80,0x82,0x84,0x86,0x88,0x8a,0x8c,0x8e,0x90,0x92,0x94,0x96,0x98,0x9a,0x9c,0x9e
    .byte 0xa0,0xa2,0xa4,0xa6,0xa8,0xaa,0xac,0xae,0xb0,0xb2,0xb4,0xb6,0xb8,0xba,0xbc,0xbe
    .byte 0xc0,0xc2,0xc4,0xc6,0xc8,0xca,0xcc,0xce,0xd0,0xd2,0xd4,0xd6,0xd8,0xda,0xdc,0xde
    .byte 0xe0,0xe2,0xe4,0xe6,0xe8,0xea,0xec,0xee,0xf0,0xf2,0xf4,0xf6,0xf8,0xfa,0xfc,0xfe
    .byte 0x1b,0x19,0x1f,0x1d,0x13,0x11,0x17,0x15,0x0b,0x09,0x0f,0x0d,0x03,0x01,0x07,0x05
    .byte 0x3b,0x39,0x3f,0x3d,0x33,0x31,0x37,0x35,0x2b,0x29,0x2f,0x2d,0x23,0x21,0x27,0x25
    .byte 0x5b,0x59,0x5f,0x5d,0x53,0x51,0x57,0x55,0x4b,0x49,0x4f,0x4d,0x43,0x41,0x47,0x45
    .byte 0x7b,0x79,0x7f,0x7d,0x73,0x71,0x77,0x75,0x6b,0x69,0x6f,0x6d,0x63,0x61,0x67,0x65
    .byte 0x9b,0x99,0x9f,0x9d,0x93,0x91,0x97,0x95,0x8b,0x89,0x8f,0x8d,0x83,0x81,0x87,0x85
    .byte 0xbb,0xb9,0xbf,0xbd,0xb3,0xb1,0xb7,0xb5,0xab,0xa9,0xaf,0xad,0xa3,0xa1,0xa7,0xa5
    .byte 0xdb,0xd9,0xdf,0xdd,0xd3,0xd1,0xd7,0xd5,0xcb,0xc9,0xcf,0xcd,0xc3,0xc1,0xc7,0xc5
    .byte 0xfb,0xf9,0xff,0xfd,0xf3,0xf1,0xf7,0xf5,0xeb,0xe9,0xef,0xed,0xe3,0xe1,0xe7,0xe5
    .size aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767, .-aesmith_table_256_ecb4cdc03d9d003b17995685790a45865445d669e05ffdf68567f86b62e4b767
    .endif
#endif
#if defined(__linux__) && defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
