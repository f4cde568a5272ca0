/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aes128-ecb for cortex-m3, in assembly proved to be AES, with the same in C.
 *
 * Written by aesmith,
 * version 0.1.0
 */
#ifndef AESMITH_AES128_ECB_CORTEX_M3_H
#define AESMITH_AES128_ECB_CORTEX_M3_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of what `key` points to. */
#define AESMITH_AES128_ENCRYPT_KEY_BYTES 176

/*
 * AES-128: encrypts a block on cortex-m3, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * All buffers lie at multiples of 4.
 * Called by Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4.
 * 628 cycles a block, by the machine model (modelled by ARM DDI 0337, 3.3, code and tables without
 *   wait states; such rules meet 73 published figures of hardware within about 1 % with tables in
 *   SRAM, and fall 2 to 5 % short of them with tables in flash); outputs confirmed by qemu-arm
 *   version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3), cortex-a7.
 * 1496 bytes of flash with all tables, 0 bytes of RAM for tables, 40 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on cortex-m3: the address of `ldr.w r8, [r12, r8, lsl #2]` at 0x1004e depends on
 *   secrets, and a load takes the same time at any address on a processor without a data cache as
 *   long as its tables lie in memory whose access time does not depend on the address: SRAM inside
 *   the chip, or flash without a cache, buffers or a serial interface before it, not external
 *   memory.
 * A function may use r9: not so in code compiled with -frwpi, and on other platforms whose r9 holds
 *   the static base or the thread (Procedure Call Standard for the Arm Architecture (AAPCS32),
 *   section 6.1.1).
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant aes128-ecb processor=cortex-m3 technique=tables entries=columns rounds=looped
 *   sbox=look-up counter=cached last=row tail=own memory=flash
 * sha256 9ab61f8ee12b0cc21ce639e6ac82cc67b20120e113db2692ac40a6d87fd42085
 */
void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);

/*
 * AES-128: the key schedule, for encryption on cortex-m3, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * All buffers lie at multiples of 4.
 * Called by Procedure Call Standard for the Arm Architecture (AAPCS32), sections 6.1 and 6.4.
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
void aesmith_aes128_expand(void *key, const uint8_t cipher_key[16]);

#if defined(AESMITH_AES128_KEY) && !defined(AESMITH_AES128_KEY_IS_ROUND_KEYS)
#error "aesmith_aes128_key is declared for round keys of another form by the header of another package: make one package of both, or give one a prefix"
#endif
#ifndef AESMITH_AES128_KEY
#define AESMITH_AES128_KEY
#define AESMITH_AES128_KEY_IS_ROUND_KEYS

/* The key of aesmith_aes128_encrypt, in the form that the code reads. */
typedef struct aesmith_aes128_key {
    uint32_t words[44];
} aesmith_aes128_key;

/* Makes a key ready from the 16 bytes of a cipher key. */
static inline void aesmith_aes128_init(aesmith_aes128_key *key, const uint8_t *cipher_key)
{
    aesmith_aes128_expand(key->words, cipher_key);
}

/* Overwrites a key with zeros. */
static inline void aesmith_aes128_wipe(aesmith_aes128_key *key)
{
    volatile uint32_t *word = key->words;
    unsigned n;

    for (n = 0; n < sizeof key->words / sizeof key->words[0]; n++) {
        word[n] = 0;
    }
}

#endif

#ifdef __cplusplus
}
#endif

#endif
