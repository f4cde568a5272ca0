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
#define AESMITH_AES128_DECRYPT_KEY_BYTES 176

/*
 * AES-128: encrypts a block on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 * 1234.50 cycles a block, counted by a judge.
 * 200000 bytes of flash with all tables: 199488 of code and 512 of constants; 50000 bytes of RAM
 *   for tables, 10 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: a reason.
 * Leaves no secret in registers or on the stack.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant a variant
 * sha256 0000000000000000000000000000000000000000000000000000000000000000
 */
void aesmith_aes128_encrypt(const void *key, const uint8_t in[16], uint8_t out[16]);

/*
 * AES-128: the key schedule, for encryption on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 * 1234.50 cycles a key, counted by a judge.
 * 200000 bytes of flash with all tables: 199744 of code and 256 of constants; 50000 bytes of RAM
 *   for tables, 10 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: a reason.
 * Leaves no secret in registers or on the stack.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant a variant
 * sha256 0000000000000000000000000000000000000000000000000000000000000000
 */
void aesmith_aes128_expand(void *key, const uint8_t cipher_key[16]);

/*
 * AES-128: decrypts a block on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * `in` and `out` are the same or do not overlap.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 * 1234.50 cycles a block, counted by a judge.
 * 200000 bytes of flash with all tables: 199488 of code and 512 of constants; 50000 bytes of RAM
 *   for tables, 10 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: a reason.
 * Leaves no secret in registers or on the stack.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant a variant
 * sha256 0000000000000000000000000000000000000000000000000000000000000000
 */
void aesmith_aes128_decrypt(const void *key, const uint8_t in[16], uint8_t out[16]);

/*
 * AES-128: the key schedule, for decryption on avr, by aesmith 0.1.0.
 * `key` holds 176 bytes: round keys in order of use.
 * Called by avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention).
 * 1234.50 cycles a key, counted by a judge.
 * 200000 bytes of flash with all tables: 199488 of code and 512 of constants; 50000 bytes of RAM
 *   for tables, 10 bytes of stack.
 * Proved to be AES for every key and text.
 * Constant time on avr: a reason.
 * Leaves no secret in registers or on the stack.
 * 2004 calls answered rightly: published vectors, a Monte-Carlo chain, random data.
 * variant a variant
 * sha256 0000000000000000000000000000000000000000000000000000000000000000
 */
void aesmith_aes128_expand_decrypt(void *key, const uint8_t cipher_key[16]);

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

#if defined(AESMITH_AES128_DEC_KEY) && !defined(AESMITH_AES128_DEC_KEY_IS_ROUND_KEYS)
#error "aesmith_aes128_dec_key is declared for round keys of another form by the header of another package: make one package of both, or give one a prefix"
#endif
#ifndef AESMITH_AES128_DEC_KEY
#define AESMITH_AES128_DEC_KEY
#define AESMITH_AES128_DEC_KEY_IS_ROUND_KEYS

/* The key of aesmith_aes128_decrypt, in the form that the code reads. */
typedef struct aesmith_aes128_dec_key {
    uint32_t words[44];
} aesmith_aes128_dec_key;

/* Makes a key ready from the 16 bytes of a cipher key. */
static inline void aesmith_aes128_dec_init(aesmith_aes128_dec_key *key, const uint8_t *cipher_key)
{
    aesmith_aes128_expand_decrypt(key->words, cipher_key);
}

/* Overwrites a key with zeros. */
static inline void aesmith_aes128_dec_wipe(aesmith_aes128_dec_key *key)
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
