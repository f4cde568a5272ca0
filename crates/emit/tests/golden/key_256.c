/* aes256-key schedule=aesenclast */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes256_key: key schedule of AES-256.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes256_key_key {
    uint8_t bytes[256];
} aesmith_aes256_key_key;

void aesmith_aes256_key(aesmith_aes256_key_key *key, const uint8_t *key_bytes);

#define TARGET128 __attribute__((target("aes,ssse3")))
#define INLINE128 static inline TARGET128 __attribute__((always_inline, unused))

INLINE128 __m128i load128(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE128 void store128(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

INLINE128 void stream128(uint8_t *p, __m128i v)
{
    _mm_stream_si128((__m128i *)p, v);
}

INLINE128 __m128i round_key128(const uint8_t *key, int r)
{
    return load128(key + 16 * r);
}

/* Reverses the bytes of a block. */
INLINE128 __m128i reversal128(void)
{
    return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* n in the last byte: the fast byte of a big-endian counter. */
INLINE128 __m128i fast_byte128(unsigned int n)
{
    return _mm_set_epi32((int)(n << 24), 0, 0, 0);
}

/* The next counter, its bytes reversed. */
INLINE128 __m128i counters128(uint64_t high, uint64_t low)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}

/* n in the low half. */
INLINE128 __m128i low_half128(int n)
{
    return _mm_set_epi32(0, 0, 0, n);
}

/* Eight bytes as a big-endian number. */
INLINE128 uint64_t load_number(const uint8_t *p)
{
    uint64_t n;
    memcpy(&n, p, 8);
    return __builtin_bswap64(n);
}

INLINE128 void store_number(uint8_t *p, uint64_t n)
{
    n = __builtin_bswap64(n);
    memcpy(p, &n, 8);
}

/* Zeros that the compiler believes to be used. */
INLINE128 void wipe(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ __volatile__("" : : "r"(p) : "memory");
}


/* aes256-key schedule=aesenclast wipe=no */
/* SubWord of a word in every column: ShiftRows does not change equal columns. */
INLINE128 __m128i sub_words(__m128i v, int first, int second, int third, int fourth, int rcon)
{
    const char a = (char)first, b = (char)second, c = (char)third, d = (char)fourth;
    v = _mm_shuffle_epi8(v, _mm_set_epi8(d, c, b, a, d, c, b, a, d, c, b, a, d, c, b, a));
    return _mm_aesenclast_si128(v, _mm_set1_epi32(rcon));
}

/* Each word becomes the XOR of itself, the words before it, and the word t. */
INLINE128 __m128i spread(__m128i v, __m128i t)
{
    v = _mm_xor_si128(v, _mm_slli_si128(v, 4));
    v = _mm_xor_si128(v, _mm_slli_si128(v, 8));
    return _mm_xor_si128(v, t);
}

TARGET128 void aesmith_aes256_key(aesmith_aes256_key_key *key_structure, const uint8_t *key_bytes)
{
    uint8_t *const key = key_structure->bytes;
    __m128i a = load128(key_bytes), b = load128(key_bytes + 16);
    store128(key + 0, a);
    store128(key + 16, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x01));
    store128(key + 32, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 48, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x02));
    store128(key + 64, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 80, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x04));
    store128(key + 96, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 112, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x08));
    store128(key + 128, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 144, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x10));
    store128(key + 160, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 176, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x20));
    store128(key + 192, a);
    b = spread(b, sub_words(a, 12, 13, 14, 15, 0x00));
    store128(key + 208, b);
    a = spread(a, sub_words(b, 13, 14, 15, 12, 0x40));
    store128(key + 224, a);
}
