/* aes128-ecb-dec width=ymm interleave=2 distance=1 prefetch=register */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ecb_dec: AES-128 decryption of whole blocks (ECB).
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-ecb-dec width=ymm keys=0x0000 interleave=2 distance=1 ii=0 prefetch=register source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_ecb_dec_key {
    uint8_t bytes[256];
} aesmith_aes128_ecb_dec_key;

void aesmith_aes128_ecb_dec(const aesmith_aes128_ecb_dec_key *key_structure, const uint8_t *in, uint8_t *out, size_t len);

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

#define TARGET256 __attribute__((target("aes,ssse3,avx,avx2,vaes")))
#define INLINE256 static inline TARGET256 __attribute__((always_inline, unused))

INLINE256 __m256i load256(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE256 void store256(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

INLINE256 void stream256(uint8_t *p, __m256i v)
{
    _mm256_stream_si256((__m256i *)p, v);
}

/* One block in both lanes. */
INLINE256 __m256i both256(__m128i block)
{
    return _mm256_broadcastsi128_si256(block);
}

INLINE256 __m256i join256(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

INLINE256 __m256i round_key256(const uint8_t *key, int r)
{
    return both256(load128(key + 16 * r));
}

INLINE256 __m256i reversal256(void)
{
    return both256(reversal128());
}

INLINE256 __m256i fast_byte256(unsigned int n)
{
    return both256(fast_byte128(n));
}

/* The next two counters, their bytes reversed. */
INLINE256 __m256i counters256(uint64_t high, uint64_t low)
{
    return _mm256_add_epi64(both256(counters128(high, low)), _mm256_set_epi64x(0, 1, 0, 0));
}

INLINE256 __m256i low_half256(int n)
{
    return both256(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE256 __m256i previous256(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(a, b, 0x21);
}

/* Two rows of two blocks become columns. */
INLINE256 void transpose256(__m256i *a, __m256i *b)
{
    __m256i x = _mm256_permute2x128_si256(*a, *b, 0x20);
    *b = _mm256_permute2x128_si256(*a, *b, 0x31);
    *a = x;
}


/* aes128-ecb-dec width=ymm keys=0x0000 interleave=2 distance=1 ii=0 prefetch=register source=1 ahead=0 restrict=no streaming=no loop=bottom align=1 tail=step wipe=no */
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
        s = _mm_aesdec_si128(s, round_key128(key, r));
    }
    return _mm_aesdeclast_si128(s, round_key128(key, 10));
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
static TARGET256 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    __m256i b0, b1;
    __m256i ahead;
    do {
        ahead = load256(in);
        b0 = _mm256_xor_si256(ahead, round_key256(key, 0));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 1));
        b1 = _mm256_xor_si256(load256(in + 32), round_key256(key, 0));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 2));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 1));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 3));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 2));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 4));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 3));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 5));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 4));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 6));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 5));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 7));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 6));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 8));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 7));
        b0 = _mm256_aesdec_epi128(b0, round_key256(key, 9));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 8));
        b0 = _mm256_aesdeclast_epi128(b0, round_key256(key, 10));
        b1 = _mm256_aesdec_epi128(b1, round_key256(key, 9));
        store256(out, b0);
        b1 = _mm256_aesdeclast_epi128(b1, round_key256(key, 10));
        store256(out + 32, b1);
        in += 64;
        out += 64;
        len -= 64;
    } while (len >= 64);
    m->in = in;
    m->out = out;
    m->len = len;
}

/* 2 blocks of what the loop leaves. */
static TARGET256 void blocks_2(const uint8_t *key, message *m)
{
    const uint8_t *in = m->in;
    uint8_t *out = m->out;
    __m256i b0;
    b0 = _mm256_xor_si256(load256(in), round_key256(key, 0));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 1));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 2));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 3));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 4));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 5));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 6));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 7));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 8));
    b0 = _mm256_aesdec_epi128(b0, round_key256(key, 9));
    b0 = _mm256_aesdeclast_epi128(b0, round_key256(key, 10));
    store256(out, b0);
    m->in = in + 32;
    m->out = out + 32;
    m->len -= 32;
}

TARGET256 void aesmith_aes128_ecb_dec(const aesmith_aes128_ecb_dec_key *key_structure, const uint8_t *in, uint8_t *out, size_t len)
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
    while (left.len >= 32) {
        blocks_2(key, m);
    }
    single_blocks(key, m);
}

