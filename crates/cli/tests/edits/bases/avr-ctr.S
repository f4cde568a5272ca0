/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128 in CTR: `blocks` blocks, at least 1, xored with the key stream on avr, by aesmith 0.1.0.
 * void aesmith_aes128_ctr(const void *key, uint8_t iv[16], const uint8_t *in, uint8_t *out,
 *   uint16_t blocks);
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * `iv` is left as the next block would need it.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 *
 * 2275 cycles a block, and 100 a message, counted by simavr 1.6, ATmega328P.
 * 922 bytes of flash with all tables, 256 bytes of RAM for tables, 24 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: the address of `ldd r0, Z+0` at 0xaa depends on secrets, and AVR has no
 *   cache, and a load takes two cycles at any address of the internal SRAM and three at any of the
 *   flash (DS40002198); tables in external memory (XMEM of an ATmega128 or ATmega2560, which may
 *   add wait states to a part of it) are not covered.
 * 3001 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-ctr processor=avr sbox=ram doubling=mask rounds=steps convention=c schedule=before
 *   caching=none keys=own
 * sha256 7fefab5bd035b522b44c99c4c501d2f9007664c0dbcfce56fcf46f310a353b35
 */
#if defined(__AVR__)
    .section .text.aesmith_aes128_ctr, "ax", @progbits
    .balign 2
    .global aesmith_aes128_ctr
    .type aesmith_aes128_ctr, @function
aesmith_aes128_ctr:
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
    push r28
    push r29
    push r25
    push r24
    push r23
    push r22
    push r21
    push r20
    push r19
    push r18
    push r17
    push r16
.Lblock_1:
    in r28, 0x3d
    in r29, 0x3e
    ldd r30, Y+7
    ldd r31, Y+8
    ld r0, Z+
    ld r18, Z+
    ld r19, Z+
    ld r20, Z+
    ld r21, Z+
    ld r22, Z+
    ld r23, Z+
    ld r1, Z+
    ld r2, Z+
    ld r3, Z+
    ld r4, Z+
    ld r5, Z+
    ld r6, Z+
    ld r7, Z+
    ld r8, Z+
    ld r9, Z+
    ldd r26, Y+9
    ldd r27, Y+10
    ldi r31, hi8(aes_sbox)
    ldi r25, 27
    ldi r24, 11
.Lround_3:
    ld r30, X+
    eor r0, r30
    ld r30, X+
    eor r18, r30
    ld r30, X+
    eor r19, r30
    ld r30, X+
    eor r20, r30
    ld r30, X+
    eor r21, r30
    ld r30, X+
    eor r22, r30
    ld r30, X+
    eor r23, r30
    ld r30, X+
    eor r1, r30
    ld r30, X+
    eor r2, r30
    ld r30, X+
    eor r3, r30
    ld r30, X+
    eor r4, r30
    ld r30, X+
    eor r5, r30
    ld r30, X+
    eor r6, r30
    ld r30, X+
    eor r7, r30
    ld r30, X+
    eor r8, r30
    ld r30, X+
    eor r9, r30
    dec r24
    brne .Lon_7
    rjmp .Lend_6
.Lon_7:
    mov r30, r0
    ldd r0, Z+0
    mov r30, r21
    ldd r21, Z+0
    mov r30, r2
    ldd r2, Z+0
    mov r30, r6
    ldd r6, Z+0
    mov r30, r18
    ldd r10, Z+0
    mov r30, r22
    ldd r18, Z+0
    mov r30, r3
    ldd r22, Z+0
    mov r30, r7
    ldd r3, Z+0
    mov r7, r10
    mov r30, r19
    ldd r10, Z+0
    mov r30, r4
    ldd r19, Z+0
    mov r4, r10
    mov r30, r23
    ldd r10, Z+0
    mov r30, r8
    ldd r23, Z+0
    mov r8, r10
    mov r30, r20
    ldd r10, Z+0
    mov r30, r9
    ldd r20, Z+0
    mov r30, r5
    ldd r9, Z+0
    mov r30, r1
    ldd r5, Z+0
    mov r1, r10
    cpi r24, 1
    brne .Lon_8
    rjmp .Llast_5
.Lon_8:
    mov r11, r0
    eor r11, r19
    mov r12, r11
    eor r12, r18
    eor r12, r20
    add r11, r11
    sbc r13, r13
    and r13, r25
    eor r11, r13
    mov r10, r0
    eor r10, r18
    add r10, r10
    sbc r13, r13
    and r13, r25
    eor r10, r13
    eor r10, r12
    eor r11, r10
    add r12, r12
    sbc r13, r13
    and r13, r25
    eor r12, r13
    eor r0, r10
    eor r18, r11
    eor r19, r10
    eor r19, r12
    eor r20, r11
    eor r20, r12
    mov r11, r21
    eor r11, r23
    mov r12, r11
    eor r12, r22
    eor r12, r1
    add r11, r11
    sbc r13, r13
    and r13, r25
    eor r11, r13
    mov r10, r21
    eor r10, r22
    add r10, r10
    sbc r13, r13
    and r13, r25
    eor r10, r13
    eor r10, r12
    eor r11, r10
    add r12, r12
    sbc r13, r13
    and r13, r25
    eor r12, r13
    eor r21, r10
    eor r22, r11
    eor r23, r10
    eor r23, r12
    eor r1, r11
    eor r1, r12
    mov r11, r2
    eor r11, r4
    mov r12, r11
    eor r12, r3
    eor r12, r5
    add r11, r11
    sbc r13, r13
    and r13, r25
    eor r11, r13
    mov r10, r2
    eor r10, r3
    add r10, r10
    sbc r13, r13
    and r13, r25
    eor r10, r13
    eor r10, r12
    eor r11, r10
    add r12, r12
    sbc r13, r13
    and r13, r25
    eor r12, r13
    eor r2, r10
    eor r3, r11
    eor r4, r10
    eor r4, r12
    eor r5, r11
    eor r5, r12
    mov r11, r6
    eor r11, r8
    mov r12, r11
    eor r12, r7
    eor r12, r9
    add r11, r11
    sbc r13, r13
    and r13, r25
    eor r11, r13
    mov r10, r6
    eor r10, r7
    add r10, r10
    sbc r13, r13
    and r13, r25
    eor r10, r13
    eor r10, r12
    eor r11, r10
    add r12, r12
    sbc r13, r13
    and r13, r25
    eor r12, r13
    eor r6, r10
    eor r7, r11
    eor r8, r10
    eor r8, r12
    eor r9, r11
    eor r9, r12
.Llast_5:
    rjmp .Lround_3
.Lend_6:
    in r28, 0x3d
    in r29, 0x3e
    ldd r26, Y+5
    ldd r27, Y+6
    ldd r30, Y+3
    ldd r31, Y+4
    ld r10, X+
    eor r0, r10
    st Z+, r0
    ld r10, X+
    eor r18, r10
    st Z+, r18
    ld r10, X+
    eor r19, r10
    st Z+, r19
    ld r10, X+
    eor r20, r10
    st Z+, r20
    ld r10, X+
    eor r21, r10
    st Z+, r21
    ld r10, X+
    eor r22, r10
    st Z+, r22
    ld r10, X+
    eor r23, r10
    st Z+, r23
    ld r10, X+
    eor r1, r10
    st Z+, r1
    ld r10, X+
    eor r2, r10
    st Z+, r2
    ld r10, X+
    eor r3, r10
    st Z+, r3
    ld r10, X+
    eor r4, r10
    st Z+, r4
    ld r10, X+
    eor r5, r10
    st Z+, r5
    ld r10, X+
    eor r6, r10
    st Z+, r6
    ld r10, X+
    eor r7, r10
    st Z+, r7
    ld r10, X+
    eor r8, r10
    st Z+, r8
    ld r10, X+
    eor r9, r10
    st Z+, r9
    std Y+5, r26
    std Y+6, r27
    std Y+3, r30
    std Y+4, r31
    ldd r30, Y+7
    ldd r31, Y+8
    adiw r30, 16
    ldi r25, 16
.Lcarry_9:
    ld r24, -Z
    inc r24
    std Z+0, r24
    brne .Lcounted_10
    dec r25
    brne .Lcarry_9
.Lcounted_10:
    ldd r24, Y+1
    ldd r25, Y+2
    sbiw r24, 1
    std Y+1, r24
    std Y+2, r25
    breq .Lend_2
    rjmp .Lblock_1
.Lend_2:
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r0
    pop r29
    pop r28
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
    .size aesmith_aes128_ctr, .-aesmith_aes128_ctr
    .section .data.sbox.aesmith_aes128_ctr, "awM", @progbits, 256
    .balign 256
aes_sbox:
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
    .section .note.GNU-stack, "", @progbits
#endif
