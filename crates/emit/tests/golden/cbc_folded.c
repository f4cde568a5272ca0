/* aes128-cbc xor=folded unroll=2 keys=0x07ff */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_cbc: AES-128-CBC encryption.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-cbc width=xmm keys=0x07ff unroll=2 together=no distance=0 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=folded loop=bottom align=1 wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_cbc_key {
    uint8_t bytes[256];
} aesmith_aes128_cbc_key;

void aesmith_aes128_cbc(const aesmith_aes128_cbc_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len);

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


/* aes128-cbc width=xmm keys=0x07ff unroll=2 together=no distance=0 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=folded loop=bottom align=1 wipe=no */
/* Texts, and the ciphertext block before. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    __m128i chain;
} stream;

/* A pass takes 2 blocks of the stream, while there are as many. */
static TARGET128 void joint(const uint8_t *key, stream *m)
{
    const uint8_t *in = m->in;
    uint8_t *out = m->out;
    size_t len = m->len;
    const __m128i k0_0 = round_key128(key, 0);
    const __m128i k0_1 = round_key128(key, 1);
    const __m128i k0_2 = round_key128(key, 2);
    const __m128i k0_3 = round_key128(key, 3);
    const __m128i k0_4 = round_key128(key, 4);
    const __m128i k0_5 = round_key128(key, 5);
    const __m128i k0_6 = round_key128(key, 6);
    const __m128i k0_7 = round_key128(key, 7);
    const __m128i k0_8 = round_key128(key, 8);
    const __m128i k0_9 = round_key128(key, 9);
    const __m128i k0_10 = round_key128(key, 10);
    __m128i s0 = m->chain;
    __m128i next0;
    if (len >= 48) {
        /* The first text and round key 0 go into the states. */
        s0 = _mm_xor_si128(s0, _mm_xor_si128(load128(in), k0_0));
        do {
            s0 = _mm_aesenc_si128(s0, k0_1);
            s0 = _mm_aesenc_si128(s0, k0_2);
            s0 = _mm_aesenc_si128(s0, k0_3);
            s0 = _mm_aesenc_si128(s0, k0_4);
            s0 = _mm_aesenc_si128(s0, k0_5);
            s0 = _mm_aesenc_si128(s0, k0_6);
            s0 = _mm_aesenc_si128(s0, k0_7);
            s0 = _mm_aesenc_si128(s0, k0_8);
            s0 = _mm_aesenc_si128(s0, k0_9);
            next0 = _mm_xor_si128(load128(in + 16), k0_0);
            s0 = _mm_aesenclast_si128(s0, _mm_xor_si128(next0, k0_10));
            store128(out, _mm_xor_si128(s0, next0));
            s0 = _mm_aesenc_si128(s0, k0_1);
            s0 = _mm_aesenc_si128(s0, k0_2);
            s0 = _mm_aesenc_si128(s0, k0_3);
            s0 = _mm_aesenc_si128(s0, k0_4);
            s0 = _mm_aesenc_si128(s0, k0_5);
            s0 = _mm_aesenc_si128(s0, k0_6);
            s0 = _mm_aesenc_si128(s0, k0_7);
            s0 = _mm_aesenc_si128(s0, k0_8);
            s0 = _mm_aesenc_si128(s0, k0_9);
            next0 = _mm_xor_si128(load128(in + 32), k0_0);
            s0 = _mm_aesenclast_si128(s0, _mm_xor_si128(next0, k0_10));
            store128(out + 16, _mm_xor_si128(s0, next0));
            in += 32;
            out += 32;
            len -= 32;
        } while (len >= 48);
        /* And the next text comes out again. */
        s0 = _mm_xor_si128(s0, _mm_xor_si128(load128(in), k0_0));
    }
    m->len = len;
    m->in = in;
    m->out = out;
    m->chain = s0;
}

/* One stream, block by block to its end. */
static TARGET128 void alone(const uint8_t *key, stream *m)
{
    __m128i s = m->chain;
    int r;
    for (; m->len >= 16; m->len -= 16) {
        s = _mm_xor_si128(s, _mm_xor_si128(load128(m->in), load128(key)));
        for (r = 1; r < 10; r++) {
            s = _mm_aesenc_si128(s, round_key128(key, r));
        }
        s = _mm_aesenclast_si128(s, round_key128(key, 10));
        store128(m->out, s);
        m->in += 16;
        m->out += 16;
    }
    m->chain = s;
}

TARGET128 void aesmith_aes128_cbc(const aesmith_aes128_cbc_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len)
{
    const uint8_t *const key = key_structure->bytes;
    stream m[1];
    m->in = in;
    m->out = out;
    m->len = len;
    m->chain = load128(iv);
    joint(key, m);
    alone(key, m);
    store128(iv, m->chain);
}

