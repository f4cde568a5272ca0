/* aes256-ctr width=zmm interleave=4 cached=2 keys=0x7fff fold=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes256_ctr: AES-256-CTR.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes256-ctr width=zmm keys=0x7fff interleave=4 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=2 counter=swap fold=yes loop=bottom align=1 tail=step wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes256_ctr_key {
    uint8_t bytes[256];
} aesmith_aes256_ctr_key;

void aesmith_aes256_ctr(const aesmith_aes256_ctr_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len);

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

#define TARGET512 __attribute__((target("aes,ssse3,avx,avx2,vaes,avx512f,avx512bw,avx512vl")))
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


/* aes256-ctr width=zmm keys=0x7fff interleave=4 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=2 counter=swap fold=yes loop=bottom align=1 tail=step wipe=no */
/* What is left of a message. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    uint64_t high, low; /* the counter of the next block */
} message;

/* One block through the cipher. */
INLINE128 __m128i block(const uint8_t *key, __m128i s)
{
    int r;
    s = _mm_xor_si128(s, load128(key));
    for (r = 1; r < 14; r++) {
        s = _mm_aesenc_si128(s, round_key128(key, r));
    }
    return _mm_aesenclast_si128(s, round_key128(key, 14));
}

/* The next block of key stream; the counter moves on with its carry. */
INLINE128 __m128i next_stream(const uint8_t *key, message *m)
{
    __m128i counter = _mm_shuffle_epi8(counters128(m->high, m->low), reversal128());
    m->low++;
    m->high += m->low == 0;
    return block(key, counter);
}

/* Block by block to the end. */
static TARGET128 void single_blocks(const uint8_t *key, message *m)
{
    while (m->len >= 16) {
        store128(m->out, _mm_xor_si128(load128(m->in), next_stream(key, m)));
        m->in += 16;
        m->out += 16;
        m->len -= 16;
    }
    if (m->len > 0) {
        uint8_t stream[16];
        size_t i;
        store128(stream, next_stream(key, m));
        for (i = 0; i < m->len; i++) {
            m->out[i] = (uint8_t)(m->in[i] ^ stream[i]);
        }
        m->len = 0;
    }
}

/* What the states of these 256 counters have in common, given the rows of the next ones. */
INLINE512 __m512i common(const uint8_t *key, const uint8_t *row, uint64_t high, uint64_t low)
{
    __m512i s = _mm512_xor_si512(_mm512_shuffle_epi8(counters512(high, low), reversal512()), round_key512(key, 0));
    s = _mm512_aesenc_epi128(s, round_key512(key, 1));
    s = _mm512_aesenc_epi128(s, round_key512(key, 2));
    return _mm512_xor_si512(s, load512(row));
}

/* The rows: states after two rounds over all values of the fast byte. */
static TARGET512 void fill_rows(uint8_t *rows, const uint8_t *key, uint64_t high, uint64_t low)
{
    uint64_t n;
    low &= ~(uint64_t)255;
    for (n = 0; n < 256; n += 4) {
        __m512i s = _mm512_xor_si512(_mm512_shuffle_epi8(counters512(high, low + n), reversal512()), round_key512(key, 0));
        s = _mm512_aesenc_epi128(s, round_key512(key, 1));
        s = _mm512_aesenc_epi128(s, round_key512(key, 2));
        store512(rows + 16 * n, s);
    }
}

/* The loop: 16 blocks a pass while there are as many. */
static TARGET512 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    uint64_t low = m->low;
    const __m512i k3 = round_key512(key, 3);
    const __m512i k4 = round_key512(key, 4);
    const __m512i k5 = round_key512(key, 5);
    const __m512i k6 = round_key512(key, 6);
    const __m512i k7 = round_key512(key, 7);
    const __m512i k8 = round_key512(key, 8);
    const __m512i k9 = round_key512(key, 9);
    const __m512i k10 = round_key512(key, 10);
    const __m512i k11 = round_key512(key, 11);
    const __m512i k12 = round_key512(key, 12);
    const __m512i k13 = round_key512(key, 13);
    const __m512i k14 = round_key512(key, 14);
    __m512i base;
    const uint8_t *row;
    uint8_t rows[4096] __attribute__((aligned(64)));
    __m512i b0, b1, b2, b3;
    fill_rows(rows, key, m->high, low);
    row = rows + 16 * (low & 255);
    base = common(key, row, m->high, low);
    do {
        b0 = _mm512_xor_si512(base, load512(row));
        b1 = _mm512_xor_si512(base, load512(row + 64));
        b2 = _mm512_xor_si512(base, load512(row + 128));
        b3 = _mm512_xor_si512(base, load512(row + 192));
        b0 = _mm512_aesenc_epi128(b0, k3);
        b1 = _mm512_aesenc_epi128(b1, k3);
        b2 = _mm512_aesenc_epi128(b2, k3);
        b3 = _mm512_aesenc_epi128(b3, k3);
        b0 = _mm512_aesenc_epi128(b0, k4);
        b1 = _mm512_aesenc_epi128(b1, k4);
        b2 = _mm512_aesenc_epi128(b2, k4);
        b3 = _mm512_aesenc_epi128(b3, k4);
        b0 = _mm512_aesenc_epi128(b0, k5);
        b1 = _mm512_aesenc_epi128(b1, k5);
        b2 = _mm512_aesenc_epi128(b2, k5);
        b3 = _mm512_aesenc_epi128(b3, k5);
        b0 = _mm512_aesenc_epi128(b0, k6);
        b1 = _mm512_aesenc_epi128(b1, k6);
        b2 = _mm512_aesenc_epi128(b2, k6);
        b3 = _mm512_aesenc_epi128(b3, k6);
        b0 = _mm512_aesenc_epi128(b0, k7);
        b1 = _mm512_aesenc_epi128(b1, k7);
        b2 = _mm512_aesenc_epi128(b2, k7);
        b3 = _mm512_aesenc_epi128(b3, k7);
        b0 = _mm512_aesenc_epi128(b0, k8);
        b1 = _mm512_aesenc_epi128(b1, k8);
        b2 = _mm512_aesenc_epi128(b2, k8);
        b3 = _mm512_aesenc_epi128(b3, k8);
        b0 = _mm512_aesenc_epi128(b0, k9);
        b1 = _mm512_aesenc_epi128(b1, k9);
        b2 = _mm512_aesenc_epi128(b2, k9);
        b3 = _mm512_aesenc_epi128(b3, k9);
        b0 = _mm512_aesenc_epi128(b0, k10);
        b1 = _mm512_aesenc_epi128(b1, k10);
        b2 = _mm512_aesenc_epi128(b2, k10);
        b3 = _mm512_aesenc_epi128(b3, k10);
        b0 = _mm512_aesenc_epi128(b0, k11);
        b1 = _mm512_aesenc_epi128(b1, k11);
        b2 = _mm512_aesenc_epi128(b2, k11);
        b3 = _mm512_aesenc_epi128(b3, k11);
        b0 = _mm512_aesenc_epi128(b0, k12);
        b1 = _mm512_aesenc_epi128(b1, k12);
        b2 = _mm512_aesenc_epi128(b2, k12);
        b3 = _mm512_aesenc_epi128(b3, k12);
        b0 = _mm512_aesenc_epi128(b0, k13);
        b1 = _mm512_aesenc_epi128(b1, k13);
        b2 = _mm512_aesenc_epi128(b2, k13);
        b3 = _mm512_aesenc_epi128(b3, k13);
        b0 = _mm512_aesenclast_epi128(b0, _mm512_xor_si512(k14, load512(in)));
        b1 = _mm512_aesenclast_epi128(b1, _mm512_xor_si512(k14, load512(in + 64)));
        b2 = _mm512_aesenclast_epi128(b2, _mm512_xor_si512(k14, load512(in + 128)));
        b3 = _mm512_aesenclast_epi128(b3, _mm512_xor_si512(k14, load512(in + 192)));
        store512(out, b0);
        store512(out + 64, b1);
        store512(out + 128, b2);
        store512(out + 192, b3);
        in += 256;
        out += 256;
        len -= 256;
        low += 16;
        if ((low & 255) == 0) {
            row = rows + 16 * (low & 255);
            base = common(key, row, m->high, low);
        } else {
            row += 256;
        }
    } while (len >= 256);
    m->in = in;
    m->out = out;
    m->len = len;
    m->low = low;
}

/* 4 blocks of what the loop leaves. */
static TARGET512 void blocks_4(const uint8_t *key, message *m)
{
    const uint8_t *in = m->in;
    uint8_t *out = m->out;
    const __m512i reversal = reversal512();
    __m512i counter = counters512(m->high, m->low);
    __m512i b0;
    b0 = _mm512_shuffle_epi8(counter, reversal);
    b0 = _mm512_xor_si512(b0, round_key512(key, 0));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 1));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 2));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 3));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 4));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 5));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 6));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 7));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 8));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 9));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 10));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 11));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 12));
    b0 = _mm512_aesenc_epi128(b0, round_key512(key, 13));
    b0 = _mm512_aesenclast_epi128(b0, _mm512_xor_si512(round_key512(key, 14), load512(in)));
    store512(out, b0);
    m->in = in + 64;
    m->out = out + 64;
    m->len -= 64;
    m->low += 4;
}

/* The last bytes, fewer than a register, under a mask. */
static TARGET512 void last_bytes(const uint8_t *key, message *m)
{
    const __mmask64 mask = ~(uint64_t)0 >> (64 - m->len);
    __m512i s = _mm512_shuffle_epi8(counters512(m->high, m->low), reversal512());
    int r;
    s = _mm512_xor_si512(s, round_key512(key, 0));
    for (r = 1; r < 14; r++) {
        s = _mm512_aesenc_epi128(s, round_key512(key, r));
    }
    s = _mm512_aesenclast_epi128(s, round_key512(key, 14));
    _mm512_mask_storeu_epi8(m->out, mask, _mm512_xor_si512(s, _mm512_maskz_loadu_epi8(mask, m->in)));
    m->len = 0;
}

TARGET512 void aesmith_aes256_ctr(const aesmith_aes256_ctr_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len)
{
    const uint8_t *const key = key_structure->bytes;
    message left;
    message *const m = &left;
    left.in = in;
    left.out = out;
    left.len = len;
    const uint64_t blocks = (uint64_t)(len / 16) + (len % 16 != 0);
    uint64_t end;
    left.high = load_number(iv);
    left.low = load_number(iv + 8);
    end = left.low + blocks;
    store_number(iv + 8, end);
    if (end < left.low) {
        /* The lower half overflows within this message: block by block. */
        store_number(iv, left.high + 1);
        single_blocks(key, m);
        return;
    }
    if (((left.low ^ end) >> 40) != 0) {
        /* The rows hold while counter bytes 0, 5 and 10, which meet the fast one, stay. */
        single_blocks(key, m);
        return;
    }
    /* Single blocks until the fast byte is a multiple of the group. */
    while (left.len >= 256 && (left.low & 15) != 0) {
        store128(left.out, _mm_xor_si128(load128(left.in), next_stream(key, m)));
        left.in += 16;
        left.out += 16;
        left.len -= 16;
    }
    if (left.len >= 256) {
        groups(key, m, left.in, left.out);
    }
    while (left.len >= 64) {
        blocks_4(key, m);
    }
    if (left.len > 0) {
        last_bytes(key, m);
    }
}

