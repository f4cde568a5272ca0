/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128: encrypts a block on rv32i, by aesmith 0.1.0.
 * void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * All buffers lie at multiples of 4.
 * Called by RISC-V ELF psABI, 1.1 (integer registers) and 2.1 (integer calling convention), ilp32.
 *
 * 1545 cycles a block, by the machine model (modelled: an instruction a cycle, so cycles are
 *   instructions executed); outputs confirmed by qemu-riscv32 version 7.2.22 (Debian
 *   1:7.2+dfsg-7+deb12u18+b3).
 * 1380 bytes of flash with all tables, 0 bytes of RAM for tables, 16 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on rv32i: the address of `lbu a3, 0(a3)` at 0x1006c depends on secrets, and a load
 *   takes the same time at any address on a processor without a data cache.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-ecb processor=rv32i state=bytes technique=sbox rounds=looped keys=plain
 *   sbox=look-up schedule=before last=bytes bytes=sbox counter=plain kept=0 remade=0 inverse=steps
 * sha256 96f4b801367520751a638c732a250fd1c11eef7bef7f0f895643c363f4bc018b
 */
#if defined(__riscv) && __riscv_xlen == 32 && !(defined(__ZEPHYR__) && !defined(CONFIG_CPU_HAS_DCACHE)) && !defined(AESMITH_NO_DATA_CACHE)
#error "aesmith_aes128_encrypt: the time of its look-ups is constant only without a data cache; define AESMITH_NO_DATA_CACHE if the processor has none, or emit with --constant-time"
#endif
#if defined(__riscv) && __riscv_xlen == 32
    .option norelax
    .section .text.aesmith_aes128_encrypt, "ax", @progbits
    .balign 4
    .global aesmith_aes128_encrypt
    .type aesmith_aes128_encrypt, @function
aesmith_aes128_encrypt:
    .option norvc
    addi sp, sp, -16
    sw s0, 0(sp)
    sw s1, 4(sp)
    sw s2, 8(sp)
    sw s3, 12(sp)
    lui a3, %hi(aesmith_tables)
    addi t6, a3, %lo(aesmith_tables)
    lui a3, 526344
    addi t5, a3, 128
    lui a3, 111026
    addi t4, a3, -1253
    lw a3, 0(a1)
    lw a4, 4(a1)
    lw a5, 8(a1)
    lw a6, 12(a1)
    lw a7, 0(a0)
    xor t0, a3, a7
    lw a3, 4(a0)
    xor t1, a4, a3
    lw a3, 8(a0)
    xor a5, a5, a3
    lw a3, 12(a0)
    xor a6, a6, a3
    addi t3, a0, 0
    addi t2, a0, 144
.Laes128_encrypt_round:
    andi a3, t0, 255
    add a3, a3, t6
    lbu a3, 0(a3)
    srli a4, t1, 8
    andi a4, a4, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 8
    xor a3, a3, a4
    srli a4, a5, 16
    andi a4, a4, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 16
    xor a3, a3, a4
    srli a4, a6, 24
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 24
    xor a3, a3, a4
    srli a4, a3, 8
    slli a7, a3, 24
    or a4, a4, a7
    xor a3, a3, a4
    and a7, a3, t5
    xor s0, a3, a7
    slli s0, s0, 1
    srli s1, a7, 7
    sub a7, a7, s1
    and a7, a7, t4
    xor a7, s0, a7
    srli s0, a3, 16
    slli a3, a3, 16
    or a3, s0, a3
    xor a4, a7, a4
    xor a3, a4, a3
    lw a4, 16(t3)
    xor a3, a3, a4
    andi a4, t1, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    srli a7, a5, 8
    andi a7, a7, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 8
    xor a4, a4, a7
    srli a7, a6, 16
    andi a7, a7, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 16
    xor a4, a4, a7
    srli a7, t0, 24
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 24
    xor a4, a4, a7
    srli a7, a4, 8
    slli s0, a4, 24
    or a7, a7, s0
    xor a4, a4, a7
    and s0, a4, t5
    xor s1, a4, s0
    slli s1, s1, 1
    srli s2, s0, 7
    sub s0, s0, s2
    and s0, s0, t4
    xor s0, s1, s0
    srli s1, a4, 16
    slli a4, a4, 16
    or a4, s1, a4
    xor a7, s0, a7
    xor a4, a7, a4
    lw a7, 20(t3)
    xor a4, a4, a7
    andi a7, a5, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    srli s0, a6, 8
    andi s0, s0, 255
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 8
    xor a7, a7, s0
    srli s0, t0, 16
    andi s0, s0, 255
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 16
    xor a7, a7, s0
    srli s0, t1, 24
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 24
    xor a7, a7, s0
    srli s0, a7, 8
    slli s1, a7, 24
    or s0, s0, s1
    xor a7, a7, s0
    and s1, a7, t5
    xor s2, a7, s1
    slli s2, s2, 1
    srli s3, s1, 7
    sub s1, s1, s3
    and s1, s1, t4
    xor s1, s2, s1
    srli s2, a7, 16
    slli a7, a7, 16
    or a7, s2, a7
    xor s0, s1, s0
    xor a7, s0, a7
    lw s0, 24(t3)
    xor a7, a7, s0
    andi a6, a6, 255
    add a6, a6, t6
    lbu a6, 0(a6)
    srli t0, t0, 8
    andi t0, t0, 255
    add t0, t0, t6
    lbu t0, 0(t0)
    slli t0, t0, 8
    xor a6, a6, t0
    srli t0, t1, 16
    andi t0, t0, 255
    add t0, t0, t6
    lbu t0, 0(t0)
    slli t0, t0, 16
    xor a6, a6, t0
    srli a5, a5, 24
    add a5, a5, t6
    lbu a5, 0(a5)
    slli a5, a5, 24
    xor a5, a6, a5
    srli a6, a5, 8
    slli t0, a5, 24
    or a6, a6, t0
    xor a5, a5, a6
    and t0, a5, t5
    xor t1, a5, t0
    slli t1, t1, 1
    srli s0, t0, 7
    sub t0, t0, s0
    and t0, t0, t4
    xor t0, t1, t0
    srli t1, a5, 16
    slli a5, a5, 16
    or a5, t1, a5
    xor a6, t0, a6
    xor a5, a6, a5
    lw a6, 28(t3)
    xor a6, a5, a6
    addi t0, a3, 0
    addi t1, a4, 0
    addi a5, a7, 0
    addi a6, a6, 0
    addi t3, t3, 16
    bne t3, t2, .Laes128_encrypt_round
    lw a3, 16(t3)
    andi a4, t0, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    xor a3, a3, a4
    srli a4, t1, 8
    andi a4, a4, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 8
    xor a3, a3, a4
    srli a4, a5, 16
    andi a4, a4, 255
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 16
    xor a3, a3, a4
    srli a4, a6, 24
    add a4, a4, t6
    lbu a4, 0(a4)
    slli a4, a4, 24
    xor a3, a3, a4
    lw a4, 20(t3)
    andi a7, t1, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    xor a4, a4, a7
    srli a7, a5, 8
    andi a7, a7, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 8
    xor a4, a4, a7
    srli a7, a6, 16
    andi a7, a7, 255
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 16
    xor a4, a4, a7
    srli a7, t0, 24
    add a7, a7, t6
    lbu a7, 0(a7)
    slli a7, a7, 24
    xor a4, a4, a7
    lw a7, 24(t3)
    andi s0, a5, 255
    add s0, s0, t6
    lbu s0, 0(s0)
    xor a7, a7, s0
    srli s0, a6, 8
    andi s0, s0, 255
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 8
    xor a7, a7, s0
    srli s0, t0, 16
    andi s0, s0, 255
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 16
    xor a7, a7, s0
    srli s0, t1, 24
    add s0, s0, t6
    lbu s0, 0(s0)
    slli s0, s0, 24
    xor a7, a7, s0
    lw s0, 28(t3)
    andi a6, a6, 255
    add a6, a6, t6
    lbu a6, 0(a6)
    xor a6, s0, a6
    srli t0, t0, 8
    andi t0, t0, 255
    add t0, t0, t6
    lbu t0, 0(t0)
    slli t0, t0, 8
    xor a6, a6, t0
    srli t0, t1, 16
    andi t0, t0, 255
    add t0, t0, t6
    lbu t0, 0(t0)
    slli t0, t0, 16
    xor a6, a6, t0
    srli a5, a5, 24
    add a5, a5, t6
    lbu a5, 0(a5)
    slli a5, a5, 24
    xor a5, a6, a5
    sw a3, 0(a2)
    sw a4, 4(a2)
    sw a7, 8(a2)
    sw a5, 12(a2)
    lw s0, 0(sp)
    lw s1, 4(sp)
    lw s2, 8(sp)
    lw s3, 12(sp)
    addi sp, sp, 16
    jalr zero, 0(ra)
    .size aesmith_aes128_encrypt, .-aesmith_aes128_encrypt
    .section .rodata.aesmith_aes128_encrypt, "aM", @progbits, 256
    .balign 128
    .balign 4
aesmith_tables:
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
