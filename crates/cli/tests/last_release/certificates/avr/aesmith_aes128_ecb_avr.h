/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aes128-ecb for avr, in assembly proved to be AES, with the same in C.
 *
 * Written by aesmith,
 * version 0.1.0
 */
#ifndef AESMITH_AES128_ECB_AVR_H
#define AESMITH_AES128_ECB_AVR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of what `key` points to. */
#define AESMITH_AES128_ENCRYPT_KEY_BYTES 176

/*
 * AES-128: encrypts a block on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
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
void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);

/*
 * AES-128: the key schedule, for encryption on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
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
