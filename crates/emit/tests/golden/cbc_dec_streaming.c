/* aes192-cbc-dec interleave=2 streaming=yes restrict=yes fold=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes192_cbc_dec: AES-192-CBC decryption.
 * Written by aesmith 0.1.0: C99 with intrinsics.
 *
 * aes192-cbc-dec width=xmm keys=0x0000 interleave=2 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=yes streaming=yes fold=yes loop=bottom align=1 tail=step wipe=no
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct aesmith_aes192_cbc_dec_key {
    uint8_t bytes[256];
} aesmith_aes192_cbc_dec_key;

void aesmith_aes192_cbc_dec(const aesmith_aes192_cbc_dec_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len);

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


/* aes192-cbc-dec width=xmm keys=0x0000 interleave=2 distance=0 ii=0 prefetch=none source=1 ahead=0 restrict=yes streaming=yes fold=yes loop=bottom align=1 tail=step wipe=no */
/* What is left of a message. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    __m128i chain; /* the ciphertext block before */
} message;

/* One block through the cipher. */
INLINE128 __m128i block(const uint8_t *key, __m128i s)
{
    int r;
    s = _mm_xor_si128(s, load128(key));
    for (r = 1; r < 12; r++) {
        s = _mm_aesdec_si128(s, round_key128(key, r));
    }
    return _mm_aesdeclast_si128(s, round_key128(key, 12));
}

/* Block by block to the end. */
static TARGET128 void single_blocks(const uint8_t *key, message *m)
{
    while (m->len >= 16) {
        __m128i text = load128(m->in);
        store128(m->out, _mm_xor_si128(block(key, text), m->chain));
        m->chain = text;
        m->in += 16;
        m->out += 16;
        m->len -= 16;
    }
}

/* The loop: 2 blocks a pass while there are as many. */
static TARGET128 void stream_groups(const uint8_t *key, message *m, const uint8_t *restrict in, uint8_t *restrict out)
{
    size_t len = m->len;
    __m128i chain = m->chain;
    __m128i b0, b1;
    __m128i before;
    do {
        before = chain;
        chain = load128(in + 16);
        b0 = _mm_xor_si128(load128(in + 16), round_key128(key, 0));
        b1 = _mm_xor_si128(load128(in), round_key128(key, 0));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 1));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 1));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 2));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 2));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 3));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 3));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 4));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 4));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 5));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 5));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 6));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 6));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 7));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 7));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 8));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 8));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 9));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 9));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 10));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 10));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 11));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 11));
        b0 = _mm_aesdeclast_si128(b0, _mm_xor_si128(round_key128(key, 12), load128(in)));
        b1 = _mm_aesdeclast_si128(b1, _mm_xor_si128(round_key128(key, 12), before));
        stream128(out + 16, b0);
        stream128(out, b1);
        in += 32;
        out += 32;
        len -= 32;
    } while (len >= 32);
    _mm_sfence();
    m->in = in;
    m->out = out;
    m->len = len;
    m->chain = chain;
}

/* The loop: 2 blocks a pass while there are as many. */
static TARGET128 void groups_apart(const uint8_t *key, message *m, const uint8_t *restrict in, uint8_t *restrict out)
{
    size_t len = m->len;
    __m128i chain = m->chain;
    __m128i b0, b1;
    __m128i before;
    do {
        before = chain;
        chain = load128(in + 16);
        b0 = _mm_xor_si128(load128(in + 16), round_key128(key, 0));
        b1 = _mm_xor_si128(load128(in), round_key128(key, 0));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 1));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 1));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 2));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 2));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 3));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 3));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 4));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 4));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 5));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 5));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 6));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 6));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 7));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 7));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 8));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 8));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 9));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 9));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 10));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 10));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 11));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 11));
        b0 = _mm_aesdeclast_si128(b0, _mm_xor_si128(round_key128(key, 12), load128(in)));
        b1 = _mm_aesdeclast_si128(b1, _mm_xor_si128(round_key128(key, 12), before));
        store128(out + 16, b0);
        store128(out, b1);
        in += 32;
        out += 32;
        len -= 32;
    } while (len >= 32);
    m->in = in;
    m->out = out;
    m->len = len;
    m->chain = chain;
}

/* The loop: 2 blocks a pass while there are as many. */
static TARGET128 void groups(const uint8_t *key, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    __m128i chain = m->chain;
    __m128i b0, b1;
    __m128i before;
    do {
        before = chain;
        chain = load128(in + 16);
        b0 = _mm_xor_si128(load128(in + 16), round_key128(key, 0));
        b1 = _mm_xor_si128(load128(in), round_key128(key, 0));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 1));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 1));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 2));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 2));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 3));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 3));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 4));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 4));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 5));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 5));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 6));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 6));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 7));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 7));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 8));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 8));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 9));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 9));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 10));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 10));
        b0 = _mm_aesdec_si128(b0, round_key128(key, 11));
        b1 = _mm_aesdec_si128(b1, round_key128(key, 11));
        b0 = _mm_aesdeclast_si128(b0, _mm_xor_si128(round_key128(key, 12), load128(in)));
        b1 = _mm_aesdeclast_si128(b1, _mm_xor_si128(round_key128(key, 12), before));
        store128(out + 16, b0);
        store128(out, b1);
        in += 32;
        out += 32;
        len -= 32;
    } while (len >= 32);
    m->in = in;
    m->out = out;
    m->len = len;
    m->chain = chain;
}

TARGET128 void aesmith_aes192_cbc_dec(const aesmith_aes192_cbc_dec_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len)
{
    const uint8_t *const key = key_structure->bytes;
    message left;
    message *const m = &left;
    left.in = in;
    left.out = out;
    left.len = len;
    left.chain = load128(iv);
    if (left.len >= 32) {
        if (((uintptr_t)left.out & 15) == 0 && left.in != left.out) {
            stream_groups(key, m, left.in, left.out);
        } else if (left.in != left.out) {
            groups_apart(key, m, left.in, left.out);
        } else {
            groups(key, m, left.in, left.out);
        }
    }
    single_blocks(key, m);
    store128(iv, left.chain);
}

