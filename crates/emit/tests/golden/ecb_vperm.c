/* aes128-ecb technique=vperm */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ecb_vperm_xmm: AES-128 encryption of whole blocks (ECB).
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-ecb technique=vperm width=xmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step layout=blocks shiftrows=shuffled spread=1 wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_ecb_vperm_xmm_key {
    uint8_t bytes[256];
} aesmith_aes128_ecb_vperm_xmm_key;

void aesmith_aes128_ecb_vperm_xmm(const aesmith_aes128_ecb_vperm_xmm_key *key_structure, const uint8_t *in, uint8_t *out, size_t len);

#define TARGET128 __attribute__((target("ssse3")))
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

INLINE128 __m128i vperm0_encrypt128(__m128i s, __m128i k)
{
    const __m128i v2 = _mm_shuffle_epi8(s, _mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u));
    const __m128i v3 = _mm_set1_epi8(15);
    const __m128i v4 = _mm_and_si128(v2, v3);
    const __m128i v5 = _mm_srli_epi32(v2, 4);
    const __m128i v6 = _mm_and_si128(v5, v3);
    const __m128i v7 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x22b2d0401a8ae878u, (long long)0x5acaa83862f29000u), v4);
    const __m128i v8 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0xeb803c57e08b375cu, (long long)0xb7dc600bbcd76b00u), v6);
    const __m128i v9 = _mm_xor_si128(v7, v8);
    const __m128i v10 = _mm_set1_epi8(15);
    const __m128i v11 = _mm_and_si128(v9, v10);
    const __m128i v12 = _mm_srli_epi32(v9, 4);
    const __m128i v13 = _mm_and_si128(v12, v10);
    const __m128i v14 = _mm_xor_si128(v13, v11);
    const __m128i v15 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x40802050b06010eu, (long long)0x30a0c0f070d0980u), v11);
    const __m128i v16 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v13);
    const __m128i v17 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v14);
    const __m128i v18 = _mm_xor_si128(v16, v15);
    const __m128i v19 = _mm_xor_si128(v17, v15);
    const __m128i v20 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v18);
    const __m128i v21 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v19);
    const __m128i v22 = _mm_xor_si128(v20, v14);
    const __m128i v23 = _mm_xor_si128(v21, v13);
    const __m128i v24 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0xa377b5e889164b61u, (long long)0xfec2d42a5d9f3c00u), v22);
    const __m128i v25 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x11f30145a61054e3u, (long long)0x55f2e2b744b6a700u), v23);
    const __m128i v26 = _mm_xor_si128(v24, v25);
    const __m128i v27 = _mm_set1_epi8(120);
    const __m128i v28 = _mm_xor_si128(k, v27);
    const __m128i v29 = _mm_or_si128(_mm_srli_epi32(v26, 8), _mm_slli_epi32(v26, 24));
    const __m128i v30 = _mm_xor_si128(v26, v29);
    const __m128i v31 = _mm_and_si128(_mm_slli_epi16(v30, 1), _mm_set1_epi8(-2));
    const __m128i v32 = _mm_shuffle_epi8(_mm_set1_epi8(27), v30);
    const __m128i v33 = _mm_xor_si128(v31, v32);
    const __m128i v34 = _mm_or_si128(_mm_srli_epi32(v30, 16), _mm_slli_epi32(v30, 16));
    const __m128i v35 = _mm_xor_si128(v29, v28);
    const __m128i v36 = _mm_xor_si128(v33, v34);
    const __m128i v37 = _mm_xor_si128(v36, v35);
    return v37;
}

INLINE128 __m128i vperm0_encrypt_last128(__m128i s, __m128i k)
{
    const __m128i v2 = _mm_shuffle_epi8(s, _mm_set_epi64x((long long)0xb06010c07020d08u, (long long)0x30e09040f0a0500u));
    const __m128i v3 = _mm_set1_epi8(15);
    const __m128i v4 = _mm_and_si128(v2, v3);
    const __m128i v5 = _mm_srli_epi32(v2, 4);
    const __m128i v6 = _mm_and_si128(v5, v3);
    const __m128i v7 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x22b2d0401a8ae878u, (long long)0x5acaa83862f29000u), v4);
    const __m128i v8 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0xeb803c57e08b375cu, (long long)0xb7dc600bbcd76b00u), v6);
    const __m128i v9 = _mm_xor_si128(v7, v8);
    const __m128i v10 = _mm_set1_epi8(15);
    const __m128i v11 = _mm_and_si128(v9, v10);
    const __m128i v12 = _mm_srli_epi32(v9, 4);
    const __m128i v13 = _mm_and_si128(v12, v10);
    const __m128i v14 = _mm_xor_si128(v13, v11);
    const __m128i v15 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x40802050b06010eu, (long long)0x30a0c0f070d0980u), v11);
    const __m128i v16 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v13);
    const __m128i v17 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v14);
    const __m128i v18 = _mm_xor_si128(v16, v15);
    const __m128i v19 = _mm_xor_si128(v17, v15);
    const __m128i v20 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v18);
    const __m128i v21 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x204010b0c030907u, (long long)0x805060e0a0f0d80u), v19);
    const __m128i v22 = _mm_xor_si128(v20, v14);
    const __m128i v23 = _mm_xor_si128(v21, v13);
    const __m128i v24 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0xa377b5e889164b61u, (long long)0xfec2d42a5d9f3c00u), v22);
    const __m128i v25 = _mm_shuffle_epi8(_mm_set_epi64x((long long)0x11f30145a61054e3u, (long long)0x55f2e2b744b6a700u), v23);
    const __m128i v26 = _mm_xor_si128(v24, v25);
    const __m128i v27 = _mm_set1_epi8(99);
    const __m128i v28 = _mm_xor_si128(k, v27);
    const __m128i v29 = _mm_xor_si128(v26, v28);
    return v29;
}


/* aes128-ecb technique=vperm width=xmm keys=0x0000 interleave=0 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step layout=blocks shiftrows=shuffled spread=1 wipe=no */
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
        s = vperm0_encrypt128(s, round_key128(key, r));
    }
    return vperm0_encrypt_last128(s, round_key128(key, 10));
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

/* The loop: 1 block a pass while there are as many. */
static TARGET128 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    __m128i b0;
    do {
        b0 = _mm_xor_si128(load128(in), round_key128(key, 0));
        b0 = vperm0_encrypt128(b0, round_key128(key, 1));
        b0 = vperm0_encrypt128(b0, round_key128(key, 2));
        b0 = vperm0_encrypt128(b0, round_key128(key, 3));
        b0 = vperm0_encrypt128(b0, round_key128(key, 4));
        b0 = vperm0_encrypt128(b0, round_key128(key, 5));
        b0 = vperm0_encrypt128(b0, round_key128(key, 6));
        b0 = vperm0_encrypt128(b0, round_key128(key, 7));
        b0 = vperm0_encrypt128(b0, round_key128(key, 8));
        b0 = vperm0_encrypt128(b0, round_key128(key, 9));
        b0 = vperm0_encrypt_last128(b0, round_key128(key, 10));
        store128(out, b0);
        in += 16;
        out += 16;
        len -= 16;
    } while (len >= 16);
    m->in = in;
    m->out = out;
    m->len = len;
}

TARGET128 void aesmith_aes128_ecb_vperm_xmm(const aesmith_aes128_ecb_vperm_xmm_key *key_structure, const uint8_t *in, uint8_t *out, size_t len)
{
    const uint8_t *const key = key_structure->bytes;
    message left;
    message *const m = &left;
    left.in = in;
    left.out = out;
    left.len = len;
    if (left.len >= 16) {
        groups(key, m, left.in, left.out);
    }
    single_blocks(key, m);
}

