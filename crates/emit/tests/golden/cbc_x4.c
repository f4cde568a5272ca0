/* aes128-cbc-x4 together=yes distance=1 xor=modified */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_cbc_x4: AES-128-CBC encryption of 4 streams.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-cbc-x4 width=xmm keys=0x0000 unroll=0 together=yes distance=1 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=modified gather=insert loop=bottom align=1 wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_cbc_x4_key {
    uint8_t bytes[256];
} aesmith_aes128_cbc_x4_key;

void aesmith_aes128_cbc_x4(const aesmith_aes128_cbc_x4_key *const key_structures[4], uint8_t *const iv[4],
    const uint8_t *const in[4], uint8_t *const out[4], const size_t len[4]);

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


/* aes128-cbc-x4 width=xmm keys=0x0000 unroll=0 together=yes distance=1 prefetch=none source=1 ahead=0 restrict=no streaming=no xor=modified gather=insert loop=bottom align=1 wipe=no */
/* Texts, and the ciphertext block before. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    __m128i chain;
} stream;

typedef const uint8_t *key_rows[4];

/* A pass takes 1 block of each of the streams, while there are as many. */
static TARGET128 void joint(key_rows keys, stream *m, size_t *left)
{
    size_t at = 0;
    const uint8_t *const in0 = m[0].in;
    uint8_t *const out0 = m[0].out;
    const uint8_t *const in1 = m[1].in;
    uint8_t *const out1 = m[1].out;
    const uint8_t *const in2 = m[2].in;
    uint8_t *const out2 = m[2].out;
    const uint8_t *const in3 = m[3].in;
    uint8_t *const out3 = m[3].out;
    size_t len = *left;
    __m128i s0 = m[0].chain;
    __m128i s1 = m[1].chain;
    __m128i s2 = m[2].chain;
    __m128i s3 = m[3].chain;
    if (len >= 16) {
        do {
            s0 = _mm_xor_si128(s0, _mm_xor_si128(load128(in0 + at), round_key128(keys[0], 0)));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 1));
            s1 = _mm_xor_si128(s1, _mm_xor_si128(load128(in1 + at), round_key128(keys[1], 0)));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 2));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 1));
            s2 = _mm_xor_si128(s2, _mm_xor_si128(load128(in2 + at), round_key128(keys[2], 0)));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 3));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 2));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 1));
            s3 = _mm_xor_si128(s3, _mm_xor_si128(load128(in3 + at), round_key128(keys[3], 0)));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 4));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 3));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 2));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 1));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 5));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 4));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 3));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 2));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 6));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 5));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 4));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 3));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 7));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 6));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 5));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 4));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 8));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 7));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 6));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 5));
            s0 = _mm_aesenc_si128(s0, round_key128(keys[0], 9));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 8));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 7));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 6));
            s0 = _mm_aesenclast_si128(s0, round_key128(keys[0], 10));
            s1 = _mm_aesenc_si128(s1, round_key128(keys[1], 9));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 8));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 7));
            store128(out0 + at, s0);
            s1 = _mm_aesenclast_si128(s1, round_key128(keys[1], 10));
            s2 = _mm_aesenc_si128(s2, round_key128(keys[2], 9));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 8));
            store128(out1 + at, s1);
            s2 = _mm_aesenclast_si128(s2, round_key128(keys[2], 10));
            s3 = _mm_aesenc_si128(s3, round_key128(keys[3], 9));
            store128(out2 + at, s2);
            s3 = _mm_aesenclast_si128(s3, round_key128(keys[3], 10));
            store128(out3 + at, s3);
            at += 16;
            len -= 16;
        } while (len >= 16);
    }
    *left = len;
    m[0].in = in0 + at;
    m[0].out = out0 + at;
    m[0].len -= at;
    m[0].chain = s0;
    m[1].in = in1 + at;
    m[1].out = out1 + at;
    m[1].len -= at;
    m[1].chain = s1;
    m[2].in = in2 + at;
    m[2].out = out2 + at;
    m[2].len -= at;
    m[2].chain = s2;
    m[3].in = in3 + at;
    m[3].out = out3 + at;
    m[3].len -= at;
    m[3].chain = s3;
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

TARGET128 void aesmith_aes128_cbc_x4(const aesmith_aes128_cbc_x4_key *const key_structures[4], uint8_t *const iv[4],
    const uint8_t *const in[4], uint8_t *const out[4], const size_t len[4])
{
    stream m[4];
    key_rows keys;
    size_t left = len[0], n;
    for (n = 0; n < 4; n++) {
        m[n].in = in[n];
        m[n].out = out[n];
        m[n].len = len[n];
        m[n].chain = load128(iv[n]);
        left = len[n] < left ? len[n] : left;
        keys[n] = key_structures[n]->bytes;
    }
    if (left >= 16) {
        joint(keys, m, &left);
    }
    for (n = 0; n < 4; n++) {
        alone(key_structures[n]->bytes, &m[n]);
        store128(iv[n], m[n].chain);
    }
}

