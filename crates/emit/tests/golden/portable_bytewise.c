/* portable aes128-ecb technique=bytewise inline=yes */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ecb_bytewise_vt: AES-128 encryption of whole blocks (ECB).
 * Written by aesmith 0.1.0: C99 for any processor.
 *
 * aes128-ecb technique=bytewise restrict=no loop=bottom align=1 subbytes=loop mixcolumns=xtime inline=yes words=no wipe=no
 *
 * VARIABLE TIME: tables are read at addresses that depend on key and text, so whoever can
 * watch the data cache may learn them. technique=bitsliced is constant time.
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct aesmith_aes128_ecb_bytewise_vt_key {
    uint8_t bytes[256];
} aesmith_aes128_ecb_bytewise_vt_key;

void aesmith_aes128_ecb_bytewise_vt(const aesmith_aes128_ecb_bytewise_vt_key *key_structure, const uint8_t *in, uint8_t *out, size_t len);

/* Four bytes as a word, the first lowest. */
static inline uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store32(uint8_t *p, uint32_t w)
{
    p[0] = (uint8_t)w;
    p[1] = (uint8_t)(w >> 8);
    p[2] = (uint8_t)(w >> 16);
    p[3] = (uint8_t)(w >> 24);
}

static inline void load_block(uint32_t *s, const uint8_t *p)
{
    s[0] = load32(p);
    s[1] = load32(p + 4);
    s[2] = load32(p + 8);
    s[3] = load32(p + 12);
}

static const uint8_t sbox[256] = {
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

/* Times 2 in GF(2^8). */
static inline uint8_t xtime(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
}

#if defined(__GNUC__)
#define STEPS static inline __attribute__((always_inline))
#else
#define STEPS static inline
#endif

typedef struct {
    uint8_t words[176];
} round_keys;

static void prepare(round_keys *k, const uint8_t *key)
{
    int i;
    for (i = 0; i < 176; i++) {
        k->words[i] = key[i];
    }
}

STEPS void add_round_key(uint8_t *s, const uint8_t *key)
{
    int i;
    for (i = 0; i < 16; i++) {
        s[i] = (uint8_t)(s[i] ^ key[i]);
    }
}

STEPS void sub_bytes(uint8_t *s)
{
    int i;
    for (i = 0; i < 16; i++) {
        s[i] = sbox[s[i]];
    }
}

STEPS void shift_rows(uint8_t *s)
{
    uint8_t first;
    first = s[1];
    s[1] = s[5];
    s[5] = s[9];
    s[9] = s[13];
    s[13] = first;
    first = s[2];
    s[2] = s[10];
    s[10] = first;
    first = s[3];
    s[3] = s[15];
    s[15] = s[11];
    s[11] = s[7];
    s[7] = first;
    first = s[6];
    s[6] = s[14];
    s[14] = first;
}

STEPS void mix_columns(uint8_t *s)
{
    int i;
    for (i = 0; i < 16; i += 4) {
        const uint8_t a0 = s[i + 0];
        const uint8_t a1 = s[i + 1];
        const uint8_t a2 = s[i + 2];
        const uint8_t a3 = s[i + 3];
        const uint8_t all = (uint8_t)(a0 ^ a1 ^ a2 ^ a3);
        s[i + 0] = (uint8_t)(a0 ^ all ^ xtime((uint8_t)(a0 ^ a1)));
        s[i + 1] = (uint8_t)(a1 ^ all ^ xtime((uint8_t)(a1 ^ a2)));
        s[i + 2] = (uint8_t)(a2 ^ all ^ xtime((uint8_t)(a2 ^ a3)));
        s[i + 3] = (uint8_t)(a3 ^ all ^ xtime((uint8_t)(a3 ^ a0)));
    }
}

/* 1 block through the cipher. */
static void cipher_1(const round_keys *k, uint32_t *s)
{
    uint8_t b[16];
    int r;
    store32(b + 0, s[0]);
    store32(b + 4, s[1]);
    store32(b + 8, s[2]);
    store32(b + 12, s[3]);
    add_round_key(b, k->words);
    for (r = 1; r < 10; r++) {
        sub_bytes(b);
        shift_rows(b);
        mix_columns(b);
        add_round_key(b, k->words + 16 * r);
    }
    sub_bytes(b);
    shift_rows(b);
    add_round_key(b, k->words + 160);
    s[0] = load32(b + 0);
    s[1] = load32(b + 4);
    s[2] = load32(b + 8);
    s[3] = load32(b + 12);
}

/* What is left of a message. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
} message;

/* 1 block a pass while there are as many. */
static void groups(const round_keys *k, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    uint32_t s[4];
    if (len < 16) {
        return;
    }
    do {
        load_block(s, in + 0);
        cipher_1(k, s);
        store32(out + 0, s[0]);
        store32(out + 4, s[1]);
        store32(out + 8, s[2]);
        store32(out + 12, s[3]);
        in += 16;
        out += 16;
        len -= 16;
    } while (len >= 16);
    m->in = in;
    m->out = out;
    m->len = len;
}

void aesmith_aes128_ecb_bytewise_vt(const aesmith_aes128_ecb_bytewise_vt_key *key_structure, const uint8_t *in, uint8_t *out, size_t len)
{
    round_keys k;
    message m;
    m.in = in;
    m.out = out;
    m.len = len;
    prepare(&k, key_structure->bytes);
    groups(&k, &m, m.in, m.out);
}
