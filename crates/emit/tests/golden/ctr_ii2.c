/* aes128-ctr ii=2 keys=0x07ff */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ctr: AES-128-CTR.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes128-ctr width=xmm keys=0x07ff interleave=0 distance=0 ii=2 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=0 counter=swap fold=no loop=bottom align=1 tail=step wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes128_ctr_key {
    uint8_t bytes[256];
} aesmith_aes128_ctr_key;

void aesmith_aes128_ctr(const aesmith_aes128_ctr_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len);

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


/* aes128-ctr width=xmm keys=0x07ff interleave=0 distance=0 ii=2 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=0 counter=swap fold=no loop=bottom align=1 tail=step wipe=no */
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
    for (r = 1; r < 10; r++) {
        s = _mm_aesenc_si128(s, round_key128(key, r));
    }
    return _mm_aesenclast_si128(s, round_key128(key, 10));
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

/* The pipelined loop: 1 block a pass while there are as many, and drains it. */
static TARGET128 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    uint64_t low = m->low;
    const __m128i k0 = round_key128(key, 0);
    const __m128i k1 = round_key128(key, 1);
    const __m128i k2 = round_key128(key, 2);
    const __m128i k3 = round_key128(key, 3);
    const __m128i k4 = round_key128(key, 4);
    const __m128i k5 = round_key128(key, 5);
    const __m128i k6 = round_key128(key, 6);
    const __m128i k7 = round_key128(key, 7);
    const __m128i k8 = round_key128(key, 8);
    const __m128i k9 = round_key128(key, 9);
    const __m128i k10 = round_key128(key, 10);
    const __m128i reversal = reversal128();
    const __m128i step = low_half128(1);
    __m128i counter = counters128(m->high, low);
    __m128i s0_0;
    __m128i s1_0;
    __m128i s2_0;
    __m128i s3_0;
    __m128i s4_0;
    __m128i s5_0;
    __m128i s6_0;
    /* Prologue: fills the pipeline. */
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    /* Stage 2: the group of 2 passes before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    /* Stage 3: the group of 3 passes before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 2: the group of 2 passes before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    /* Stage 4: the group of 4 passes before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 3: the group of 3 passes before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 2: the group of 2 passes before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    /* Stage 5: the group of 5 passes before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 4: the group of 4 passes before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 3: the group of 3 passes before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 2: the group of 2 passes before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 0: this pass's group. */
    s0_0 = _mm_shuffle_epi8(counter, reversal);
    counter = _mm_add_epi64(counter, step);
    s0_0 = _mm_xor_si128(s0_0, k0);
    in += 16;
    out += 16;
    len -= 16;
    low += 1;
    do {
        /* Stage 6: the group of 6 passes before. */
        s6_0 = _mm_xor_si128(s5_0, load128(in - 96));
        store128(out - 96, s6_0);
        /* Stage 5: the group of 5 passes before. */
        s5_0 = _mm_aesenc_si128(s4_0, k9);
        s5_0 = _mm_aesenclast_si128(s5_0, k10);
        /* Stage 4: the group of 4 passes before. */
        s4_0 = _mm_aesenc_si128(s3_0, k7);
        s4_0 = _mm_aesenc_si128(s4_0, k8);
        /* Stage 3: the group of 3 passes before. */
        s3_0 = _mm_aesenc_si128(s2_0, k5);
        s3_0 = _mm_aesenc_si128(s3_0, k6);
        /* Stage 2: the group of 2 passes before. */
        s2_0 = _mm_aesenc_si128(s1_0, k3);
        s2_0 = _mm_aesenc_si128(s2_0, k4);
        /* Stage 1: the group of the pass before. */
        s1_0 = _mm_aesenc_si128(s0_0, k1);
        s1_0 = _mm_aesenc_si128(s1_0, k2);
        /* Stage 0: this pass's group. */
        s0_0 = _mm_shuffle_epi8(counter, reversal);
        counter = _mm_add_epi64(counter, step);
        s0_0 = _mm_xor_si128(s0_0, k0);
        in += 16;
        out += 16;
        len -= 16;
        low += 1;
    } while (len >= 16);
    /* Epilogue: drains the pipeline. */
    /* Stage 6: the group of 6 passes before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 96));
    store128(out - 96, s6_0);
    /* Stage 5: the group of 5 passes before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 4: the group of 4 passes before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 3: the group of 3 passes before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 2: the group of 2 passes before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 1: the group of the pass before. */
    s1_0 = _mm_aesenc_si128(s0_0, k1);
    s1_0 = _mm_aesenc_si128(s1_0, k2);
    /* Stage 6: the group of 5 passes before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 80));
    store128(out - 80, s6_0);
    /* Stage 5: the group of 4 passes before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 4: the group of 3 passes before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 3: the group of 2 passes before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 2: the group of the pass before. */
    s2_0 = _mm_aesenc_si128(s1_0, k3);
    s2_0 = _mm_aesenc_si128(s2_0, k4);
    /* Stage 6: the group of 4 passes before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 64));
    store128(out - 64, s6_0);
    /* Stage 5: the group of 3 passes before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 4: the group of 2 passes before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 3: the group of the pass before. */
    s3_0 = _mm_aesenc_si128(s2_0, k5);
    s3_0 = _mm_aesenc_si128(s3_0, k6);
    /* Stage 6: the group of 3 passes before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 48));
    store128(out - 48, s6_0);
    /* Stage 5: the group of 2 passes before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 4: the group of the pass before. */
    s4_0 = _mm_aesenc_si128(s3_0, k7);
    s4_0 = _mm_aesenc_si128(s4_0, k8);
    /* Stage 6: the group of 2 passes before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 32));
    store128(out - 32, s6_0);
    /* Stage 5: the group of the pass before. */
    s5_0 = _mm_aesenc_si128(s4_0, k9);
    s5_0 = _mm_aesenclast_si128(s5_0, k10);
    /* Stage 6: the group of the pass before. */
    s6_0 = _mm_xor_si128(s5_0, load128(in - 16));
    store128(out - 16, s6_0);
    m->in = in;
    m->out = out;
    m->len = len;
    m->low = low;
}

TARGET128 void aesmith_aes128_ctr(const aesmith_aes128_ctr_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len)
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
    if (left.len >= 112) {
        groups(key, m, left.in, left.out);
    }
    single_blocks(key, m);
}

