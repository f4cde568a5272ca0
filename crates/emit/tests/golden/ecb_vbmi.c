/* aes128-ecb technique=vbmi width=zmm */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ecb_vbmi_zmm: AES-128 encryption of whole blocks (ECB).
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-ecb technique=vbmi width=zmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step multiples=first wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_ecb_vbmi_zmm_key {
    uint8_t bytes[256];
} aesmith_aes128_ecb_vbmi_zmm_key;

void aesmith_aes128_ecb_vbmi_zmm(const aesmith_aes128_ecb_vbmi_zmm_key *key_structure, const uint8_t *in, uint8_t *out, size_t len);

#define TARGET128 __attribute__((target("ssse3,avx,avx2,avx512f,avx512bw,avx512vl,avx512vbmi")))
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

#define TARGET512 __attribute__((target("ssse3,avx,avx2,avx512f,avx512bw,avx512vl,avx512vbmi")))
#define INLINE512 static inline TARGET512 __attribute__((always_inline, unused))

INLINE512 __m512i load512(const uint8_t *p)
{
    return _mm512_loadu_si512((const void *)p);
}

INLINE512 void store512(uint8_t *p, __m512i v)
{
    _mm512_storeu_si512((void *)p, v);
}

INLINE512 void stream512(uint8_t *p, __m512i v)
{
    _mm512_stream_si512((void *)p, v);
}

/* One block in all four lanes. */
INLINE512 __m512i all512(__m128i block)
{
    return _mm512_broadcast_i32x4(block);
}

INLINE512 __m512i join512(__m128i a, __m128i b, __m128i c, __m128i d)
{
    __m512i v = _mm512_castsi128_si512(a);
    v = _mm512_inserti32x4(v, b, 1);
    v = _mm512_inserti32x4(v, c, 2);
    return _mm512_inserti32x4(v, d, 3);
}

INLINE512 __m512i round_key512(const uint8_t *key, int r)
{
    return all512(load128(key + 16 * r));
}

INLINE512 __m512i reversal512(void)
{
    return all512(reversal128());
}

INLINE512 __m512i fast_byte512(unsigned int n)
{
    return all512(fast_byte128(n));
}

/* The next four counters, their bytes reversed. */
INLINE512 __m512i counters512(uint64_t high, uint64_t low)
{
    return _mm512_add_epi64(all512(counters128(high, low)), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
}

INLINE512 __m512i low_half512(int n)
{
    return all512(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE512 __m512i previous512(__m512i a, __m512i b)
{
    return _mm512_alignr_epi64(b, a, 6);
}

/* Four rows of four blocks become columns. */
INLINE512 void transpose512(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    __m512i ab = _mm512_shuffle_i32x4(*a, *b, 0x44), cd = _mm512_shuffle_i32x4(*c, *d, 0x44);
    __m512i AB = _mm512_shuffle_i32x4(*a, *b, 0xee), CD = _mm512_shuffle_i32x4(*c, *d, 0xee);
    *a = _mm512_shuffle_i32x4(ab, cd, 0x88);
    *b = _mm512_shuffle_i32x4(ab, cd, 0xdd);
    *c = _mm512_shuffle_i32x4(AB, CD, 0x88);
    *d = _mm512_shuffle_i32x4(AB, CD, 0xdd);
}

static const uint8_t sbox_bytes[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b,
    0xfe, 0xd7, 0xab, 0x76, 0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0,
    0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0, 0xb7, 0xfd, 0x93, 0x26,
    0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2,
    0xeb, 0x27, 0xb2, 0x75, 0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0,
    0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84, 0x53, 0xd1, 0x00, 0xed,
    0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f,
    0x50, 0x3c, 0x9f, 0xa8, 0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5,
    0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2, 0xcd, 0x0c, 0x13, 0xec,
    0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14,
    0xde, 0x5e, 0x0b, 0xdb, 0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c,
    0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79, 0xe7, 0xc8, 0x37, 0x6d,
    0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f,
    0x4b, 0xbd, 0x8b, 0x8a, 0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e,
    0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e, 0xe1, 0xf8, 0x98, 0x11,
    0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f,
    0xb0, 0x54, 0xbb, 0x16,
};

/* All four quarters are read, whatever the bytes: bit 7 chooses among two look-ups. */
INLINE512 __m512i sbox512(__m512i x)
{
    const __m512i low = _mm512_permutex2var_epi8(load512(sbox_bytes), x, load512(sbox_bytes + 64));
    const __m512i high = _mm512_permutex2var_epi8(load512(sbox_bytes + 128), x, load512(sbox_bytes + 192));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}

INLINE128 __m128i sbox128(__m128i x)
{
    return _mm512_castsi512_si128(sbox512(_mm512_castsi128_si512(x)));
}

INLINE128 __m128i vbmi0_encrypt128(__m128i s, __m128i k)
{
    const __m128i v2 = _mm_shuffle_epi8(s, _mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u));
    const __m128i v3 = sbox128(v2);
    const __m128i v4 = _mm_or_si128(_mm_srli_epi32(v3, 8), _mm_slli_epi32(v3, 24));
    const __m128i v5 = _mm_xor_si128(v3, v4);
    const __m128i v6 = _mm_and_si128(_mm_slli_epi16(v5, 1), _mm_set1_epi8(-2));
    const __m128i v7 = _mm_cmpgt_epi8(_mm_set1_epi8(0), v5);
    const __m128i v8 = _mm_set1_epi8(27);
    const __m128i v9 = _mm_and_si128(v7, v8);
    const __m128i v10 = _mm_xor_si128(v6, v9);
    const __m128i v11 = _mm_or_si128(_mm_srli_epi32(v5, 16), _mm_slli_epi32(v5, 16));
    const __m128i v12 = _mm_xor_si128(v4, k);
    const __m128i v13 = _mm_xor_si128(v10, v11);
    const __m128i v14 = _mm_xor_si128(v13, v12);
    return v14;
}

INLINE128 __m128i vbmi0_encrypt_last128(__m128i s, __m128i k)
{
    const __m128i v2 = _mm_shuffle_epi8(s, _mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u));
    const __m128i v3 = sbox128(v2);
    const __m128i v4 = _mm_xor_si128(v3, k);
    return v4;
}

INLINE512 __m512i vbmi0_encrypt512(__m512i s, __m512i k)
{
    const __m512i v2 = _mm512_shuffle_epi8(s, all512(_mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u)));
    const __m512i v3 = sbox512(v2);
    const __m512i v4 = _mm512_or_si512(_mm512_srli_epi32(v3, 8), _mm512_slli_epi32(v3, 24));
    const __m512i v5 = _mm512_xor_si512(v3, v4);
    const __m512i v6 = _mm512_and_si512(_mm512_slli_epi16(v5, 1), all512(_mm_set1_epi8(-2)));
    const __m512i v7 = _mm512_movm_epi8(_mm512_movepi8_mask(v5));
    const __m512i v8 = all512(_mm_set1_epi8(27));
    const __m512i v9 = _mm512_and_si512(v7, v8);
    const __m512i v10 = _mm512_xor_si512(v6, v9);
    const __m512i v11 = _mm512_or_si512(_mm512_srli_epi32(v5, 16), _mm512_slli_epi32(v5, 16));
    const __m512i v12 = _mm512_xor_si512(v4, k);
    const __m512i v13 = _mm512_xor_si512(v10, v11);
    const __m512i v14 = _mm512_xor_si512(v13, v12);
    return v14;
}

INLINE512 __m512i vbmi0_encrypt_last512(__m512i s, __m512i k)
{
    const __m512i v2 = _mm512_shuffle_epi8(s, all512(_mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u)));
    const __m512i v3 = sbox512(v2);
    const __m512i v4 = _mm512_xor_si512(v3, k);
    return v4;
}


/* aes128-ecb technique=vbmi width=zmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step multiples=first wipe=no */
/* What is left of a message. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
} message;

/* One block through the cipher. */
INLINE128 __m128i block(const uint8_t *key, __m128i s)
{
    int r;
    s = _mm_xor_si128(s, load128(key));
    for (r = 1; r < 10; r++) {
        s = vbmi0_encrypt128(s, round_key128(key, r));
    }
    return vbmi0_encrypt_last128(s, round_key128(key, 10));
}

/* Block by block to the end. */
static TARGET128 void single_blocks(const uint8_t *key, message *m)
{
    while (m->len >= 16) {
        store128(m->out, block(key, load128(m->in)));
        m->in += 16;
        m->out += 16;
        m->len -= 16;
    }
}

/* The loop: 4 blocks a pass while there are as many. */
static TARGET512 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    __m512i b0;
    do {
        b0 = _mm512_xor_si512(load512(in), round_key512(key, 0));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 1));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 2));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 3));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 4));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 5));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 6));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 7));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 8));
        b0 = vbmi0_encrypt512(b0, round_key512(key, 9));
        b0 = vbmi0_encrypt_last512(b0, round_key512(key, 10));
        store512(out, b0);
        in += 64;
        out += 64;
        len -= 64;
    } while (len >= 64);
    m->in = in;
    m->out = out;
    m->len = len;
}

/* 4 blocks of what the loop leaves. */
static TARGET512 void blocks_4(const uint8_t *key, message *m)
{
    const uint8_t *in = m->in;
    uint8_t *out = m->out;
    __m512i b0;
    b0 = _mm512_xor_si512(load512(in), round_key512(key, 0));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 1));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 2));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 3));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 4));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 5));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 6));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 7));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 8));
    b0 = vbmi0_encrypt512(b0, round_key512(key, 9));
    b0 = vbmi0_encrypt_last512(b0, round_key512(key, 10));
    store512(out, b0);
    m->in = in + 64;
    m->out = out + 64;
    m->len -= 64;
}

TARGET512 void aesmith_aes128_ecb_vbmi_zmm(const aesmith_aes128_ecb_vbmi_zmm_key *key_structure, const uint8_t *in, uint8_t *out, size_t len)
{
    const uint8_t *const key = key_structure->bytes;
    message left;
    message *const m = &left;
    left.in = in;
    left.out = out;
    left.len = len;
    if (left.len >= 64) {
        groups(key, m, left.in, left.out);
    }
    while (left.len >= 64) {
        blocks_4(key, m);
    }
    single_blocks(key, m);
}

