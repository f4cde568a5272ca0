/* portable aes128-ctr technique=table tables=1k cached=2 */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_ctr_table_vt: AES-128-CTR.
 * Written by aesmith 0.1.0: C99 for any processor.
 *
 * aes128-ctr technique=table interleave=0 restrict=no cached=2 loop=bottom align=1 tables=1k last=sbox roundkeys=memory extract=shift loadxor=apart index=shifted wipe=no
 *
 * VARIABLE TIME: tables are read at addresses that depend on key and text, so whoever can
 * watch the data cache may learn them. technique=bitsliced is constant time.
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct aesmith_aes128_ctr_table_vt_key {
    uint8_t bytes[256];
} aesmith_aes128_ctr_table_vt_key;

void aesmith_aes128_ctr_table_vt(const aesmith_aes128_ctr_table_vt_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len);

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

/* The bytes of a word in reverse. */
static inline uint32_t swap32(uint32_t w)
{
    w = (w & 0x00ff00ffu) << 8 | (w >> 8 & 0x00ff00ffu);
    return w << 16 | w >> 16;
}

/* A counter, big-endian, as the words of a block. */
static inline void counter_block(uint32_t *s, uint64_t high, uint64_t low)
{
    s[0] = swap32((uint32_t)(high >> 32));
    s[1] = swap32((uint32_t)high);
    s[2] = swap32((uint32_t)(low >> 32));
    s[3] = swap32((uint32_t)low);
}

/* Eight bytes as a big-endian number. */
static inline uint64_t load_number(const uint8_t *p)
{
    return (uint64_t)swap32(load32(p)) << 32 | swap32(load32(p + 4));
}

static inline void store_number(uint8_t *p, uint64_t n)
{
    store32(p, swap32((uint32_t)(n >> 32)));
    store32(p + 4, swap32((uint32_t)n));
}

/* Rotated towards the low bits; n is 8, 16 or 24. */
static inline uint32_t rotate(uint32_t w, unsigned int n)
{
    return w >> n | w << (32 - n);
}

static const uint32_t table[256] = {
    0xa56363c6u, 0x847c7cf8u, 0x997777eeu, 0x8d7b7bf6u, 0x0df2f2ffu, 0xbd6b6bd6u,
    0xb16f6fdeu, 0x54c5c591u, 0x50303060u, 0x03010102u, 0xa96767ceu, 0x7d2b2b56u,
    0x19fefee7u, 0x62d7d7b5u, 0xe6abab4du, 0x9a7676ecu, 0x45caca8fu, 0x9d82821fu,
    0x40c9c989u, 0x877d7dfau, 0x15fafaefu, 0xeb5959b2u, 0xc947478eu, 0x0bf0f0fbu,
    0xecadad41u, 0x67d4d4b3u, 0xfda2a25fu, 0xeaafaf45u, 0xbf9c9c23u, 0xf7a4a453u,
    0x967272e4u, 0x5bc0c09bu, 0xc2b7b775u, 0x1cfdfde1u, 0xae93933du, 0x6a26264cu,
    0x5a36366cu, 0x413f3f7eu, 0x02f7f7f5u, 0x4fcccc83u, 0x5c343468u, 0xf4a5a551u,
    0x34e5e5d1u, 0x08f1f1f9u, 0x937171e2u, 0x73d8d8abu, 0x53313162u, 0x3f15152au,
    0x0c040408u, 0x52c7c795u, 0x65232346u, 0x5ec3c39du, 0x28181830u, 0xa1969637u,
    0x0f05050au, 0xb59a9a2fu, 0x0907070eu, 0x36121224u, 0x9b80801bu, 0x3de2e2dfu,
    0x26ebebcdu, 0x6927274eu, 0xcdb2b27fu, 0x9f7575eau, 0x1b090912u, 0x9e83831du,
    0x742c2c58u, 0x2e1a1a34u, 0x2d1b1b36u, 0xb26e6edcu, 0xee5a5ab4u, 0xfba0a05bu,
    0xf65252a4u, 0x4d3b3b76u, 0x61d6d6b7u, 0xceb3b37du, 0x7b292952u, 0x3ee3e3ddu,
    0x712f2f5eu, 0x97848413u, 0xf55353a6u, 0x68d1d1b9u, 0x00000000u, 0x2cededc1u,
    0x60202040u, 0x1ffcfce3u, 0xc8b1b179u, 0xed5b5bb6u, 0xbe6a6ad4u, 0x46cbcb8du,
    0xd9bebe67u, 0x4b393972u, 0xde4a4a94u, 0xd44c4c98u, 0xe85858b0u, 0x4acfcf85u,
    0x6bd0d0bbu, 0x2aefefc5u, 0xe5aaaa4fu, 0x16fbfbedu, 0xc5434386u, 0xd74d4d9au,
    0x55333366u, 0x94858511u, 0xcf45458au, 0x10f9f9e9u, 0x06020204u, 0x817f7ffeu,
    0xf05050a0u, 0x443c3c78u, 0xba9f9f25u, 0xe3a8a84bu, 0xf35151a2u, 0xfea3a35du,
    0xc0404080u, 0x8a8f8f05u, 0xad92923fu, 0xbc9d9d21u, 0x48383870u, 0x04f5f5f1u,
    0xdfbcbc63u, 0xc1b6b677u, 0x75dadaafu, 0x63212142u, 0x30101020u, 0x1affffe5u,
    0x0ef3f3fdu, 0x6dd2d2bfu, 0x4ccdcd81u, 0x140c0c18u, 0x35131326u, 0x2fececc3u,
    0xe15f5fbeu, 0xa2979735u, 0xcc444488u, 0x3917172eu, 0x57c4c493u, 0xf2a7a755u,
    0x827e7efcu, 0x473d3d7au, 0xac6464c8u, 0xe75d5dbau, 0x2b191932u, 0x957373e6u,
    0xa06060c0u, 0x98818119u, 0xd14f4f9eu, 0x7fdcdca3u, 0x66222244u, 0x7e2a2a54u,
    0xab90903bu, 0x8388880bu, 0xca46468cu, 0x29eeeec7u, 0xd3b8b86bu, 0x3c141428u,
    0x79dedea7u, 0xe25e5ebcu, 0x1d0b0b16u, 0x76dbdbadu, 0x3be0e0dbu, 0x56323264u,
    0x4e3a3a74u, 0x1e0a0a14u, 0xdb494992u, 0x0a06060cu, 0x6c242448u, 0xe45c5cb8u,
    0x5dc2c29fu, 0x6ed3d3bdu, 0xefacac43u, 0xa66262c4u, 0xa8919139u, 0xa4959531u,
    0x37e4e4d3u, 0x8b7979f2u, 0x32e7e7d5u, 0x43c8c88bu, 0x5937376eu, 0xb76d6ddau,
    0x8c8d8d01u, 0x64d5d5b1u, 0xd24e4e9cu, 0xe0a9a949u, 0xb46c6cd8u, 0xfa5656acu,
    0x07f4f4f3u, 0x25eaeacfu, 0xaf6565cau, 0x8e7a7af4u, 0xe9aeae47u, 0x18080810u,
    0xd5baba6fu, 0x887878f0u, 0x6f25254au, 0x722e2e5cu, 0x241c1c38u, 0xf1a6a657u,
    0xc7b4b473u, 0x51c6c697u, 0x23e8e8cbu, 0x7cdddda1u, 0x9c7474e8u, 0x211f1f3eu,
    0xdd4b4b96u, 0xdcbdbd61u, 0x868b8b0du, 0x858a8a0fu, 0x907070e0u, 0x423e3e7cu,
    0xc4b5b571u, 0xaa6666ccu, 0xd8484890u, 0x05030306u, 0x01f6f6f7u, 0x120e0e1cu,
    0xa36161c2u, 0x5f35356au, 0xf95757aeu, 0xd0b9b969u, 0x91868617u, 0x58c1c199u,
    0x271d1d3au, 0xb99e9e27u, 0x38e1e1d9u, 0x13f8f8ebu, 0xb398982bu, 0x33111122u,
    0xbb6969d2u, 0x70d9d9a9u, 0x898e8e07u, 0xa7949433u, 0xb69b9b2du, 0x221e1e3cu,
    0x92878715u, 0x20e9e9c9u, 0x49cece87u, 0xff5555aau, 0x78282850u, 0x7adfdfa5u,
    0x8f8c8c03u, 0xf8a1a159u, 0x80898909u, 0x170d0d1au, 0xdabfbf65u, 0x31e6e6d7u,
    0xc6424284u, 0xb86868d0u, 0xc3414182u, 0xb0999929u, 0x772d2d5au, 0x110f0f1eu,
    0xcbb0b07bu, 0xfc5454a8u, 0xd6bbbb6du, 0x3a16162cu,
};
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

typedef struct {
    uint32_t words[44];
} round_keys;

static void prepare(round_keys *k, const uint8_t *key)
{
    size_t i;
    for (i = 0; i < 44; i++) {
        k->words[i] = load32(key + 4 * i);
    }
}

/* 1 block through the cipher. */
static void cipher_1(const round_keys *k, uint32_t *s)
{
    uint32_t a0_0, a0_1, a0_2, a0_3, b0_0, b0_1, b0_2, b0_3;
    a0_0 = s[0] ^ k->words[0];
    a0_1 = s[1] ^ k->words[1];
    a0_2 = s[2] ^ k->words[2];
    a0_3 = s[3] ^ k->words[3];
    b0_0 = k->words[4] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[5] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[6] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[7] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[8] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[9] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[10] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[11] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[12] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[13] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[14] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[15] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[16] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[17] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[18] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[19] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[20] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[21] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[22] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[23] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[24] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[25] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[26] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[27] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[28] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[29] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[30] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[31] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[32] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[33] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[34] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[35] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[36] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[37] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[38] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[39] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    s[0] = k->words[40] ^ (uint32_t)sbox[b0_0 & 255] ^ ((uint32_t)sbox[b0_1 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_2 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_3 >> 24] << 24);
    s[1] = k->words[41] ^ ((uint32_t)sbox[b0_0 >> 24] << 24) ^ (uint32_t)sbox[b0_1 & 255] ^ ((uint32_t)sbox[b0_2 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_3 >> 16 & 255] << 16);
    s[2] = k->words[42] ^ ((uint32_t)sbox[b0_0 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_1 >> 24] << 24) ^ (uint32_t)sbox[b0_2 & 255] ^ ((uint32_t)sbox[b0_3 >> 8 & 255] << 8);
    s[3] = k->words[43] ^ ((uint32_t)sbox[b0_0 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_1 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_2 >> 24] << 24) ^ (uint32_t)sbox[b0_3 & 255];
}

/* What the states after round 2 of these 256 counters have in common, behind column 0 after round 1. */
typedef uint32_t shared_words[5];

static void common(const round_keys *k, shared_words c, uint64_t high, uint64_t low)
{
    uint32_t s[4];
    uint32_t a0, a1, a2, a3;
    counter_block(s, high, low);
    a0 = s[0] ^ k->words[0];
    a1 = s[1] ^ k->words[1];
    a2 = s[2] ^ k->words[2];
    a3 = s[3] ^ k->words[3];
    {
    const uint32_t b52 = k->words[6] ^ rotate(table[a0 >> 16 & 255], 16) ^ rotate(table[a1 >> 24], 8) ^ table[a2 & 255] ^ rotate(table[a3 >> 8 & 255], 24);
    const uint32_t b56 = k->words[5] ^ rotate(table[a0 >> 24], 8) ^ table[a1 & 255] ^ rotate(table[a2 >> 8 & 255], 24) ^ rotate(table[a3 >> 16 & 255], 16);
    const uint32_t b67 = k->words[7] ^ rotate(table[a0 >> 8 & 255], 24) ^ rotate(table[a1 >> 16 & 255], 16) ^ rotate(table[a2 >> 24], 8) ^ table[a3 & 255];
    c[0] = k->words[8] ^ rotate(table[b56 >> 8 & 255], 24) ^ rotate(table[b52 >> 16 & 255], 16) ^ rotate(table[b67 >> 24], 8);
    c[1] = k->words[9] ^ table[b56 & 255] ^ rotate(table[b52 >> 8 & 255], 24) ^ rotate(table[b67 >> 16 & 255], 16);
    c[2] = k->words[10] ^ rotate(table[b56 >> 24], 8) ^ table[b52 & 255] ^ rotate(table[b67 >> 8 & 255], 24);
    c[3] = k->words[11] ^ rotate(table[b56 >> 16 & 255], 16) ^ rotate(table[b52 >> 24], 8) ^ table[b67 & 255];
    c[4] = k->words[4] ^ table[a0 & 255] ^ rotate(table[a1 >> 8 & 255], 24) ^ rotate(table[a2 >> 16 & 255], 16);
    }
}

/* The state after round 2 of a counter whose last byte is `last`. */
static inline void enter(const round_keys *k, const uint32_t *c, uint32_t last, uint32_t *s)
{
    const uint32_t byte = last ^ k->words[3] >> 24;
    const uint32_t first8 = c[4] ^ rotate(table[byte], 8);
    s[0] = c[0] ^ table[first8 & 255];
    s[1] = c[1] ^ rotate(table[first8 >> 24], 8);
    s[2] = c[2] ^ rotate(table[first8 >> 16 & 255], 16);
    s[3] = c[3] ^ rotate(table[first8 >> 8 & 255], 24);
}

static void later_1(const round_keys *k, const uint32_t *a, uint32_t *s)
{
    uint32_t a0_0, a0_1, a0_2, a0_3, b0_0, b0_1, b0_2, b0_3;
    a0_0 = a[0];
    a0_1 = a[1];
    a0_2 = a[2];
    a0_3 = a[3];
    b0_0 = k->words[12] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[13] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[14] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[15] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[16] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[17] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[18] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[19] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[20] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[21] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[22] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[23] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[24] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[25] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[26] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[27] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[28] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[29] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[30] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[31] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    a0_0 = k->words[32] ^ table[b0_0 & 255] ^ rotate(table[b0_1 >> 8 & 255], 24) ^ rotate(table[b0_2 >> 16 & 255], 16) ^ rotate(table[b0_3 >> 24], 8);
    a0_1 = k->words[33] ^ rotate(table[b0_0 >> 24], 8) ^ table[b0_1 & 255] ^ rotate(table[b0_2 >> 8 & 255], 24) ^ rotate(table[b0_3 >> 16 & 255], 16);
    a0_2 = k->words[34] ^ rotate(table[b0_0 >> 16 & 255], 16) ^ rotate(table[b0_1 >> 24], 8) ^ table[b0_2 & 255] ^ rotate(table[b0_3 >> 8 & 255], 24);
    a0_3 = k->words[35] ^ rotate(table[b0_0 >> 8 & 255], 24) ^ rotate(table[b0_1 >> 16 & 255], 16) ^ rotate(table[b0_2 >> 24], 8) ^ table[b0_3 & 255];
    b0_0 = k->words[36] ^ table[a0_0 & 255] ^ rotate(table[a0_1 >> 8 & 255], 24) ^ rotate(table[a0_2 >> 16 & 255], 16) ^ rotate(table[a0_3 >> 24], 8);
    b0_1 = k->words[37] ^ rotate(table[a0_0 >> 24], 8) ^ table[a0_1 & 255] ^ rotate(table[a0_2 >> 8 & 255], 24) ^ rotate(table[a0_3 >> 16 & 255], 16);
    b0_2 = k->words[38] ^ rotate(table[a0_0 >> 16 & 255], 16) ^ rotate(table[a0_1 >> 24], 8) ^ table[a0_2 & 255] ^ rotate(table[a0_3 >> 8 & 255], 24);
    b0_3 = k->words[39] ^ rotate(table[a0_0 >> 8 & 255], 24) ^ rotate(table[a0_1 >> 16 & 255], 16) ^ rotate(table[a0_2 >> 24], 8) ^ table[a0_3 & 255];
    s[0] = k->words[40] ^ (uint32_t)sbox[b0_0 & 255] ^ ((uint32_t)sbox[b0_1 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_2 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_3 >> 24] << 24);
    s[1] = k->words[41] ^ ((uint32_t)sbox[b0_0 >> 24] << 24) ^ (uint32_t)sbox[b0_1 & 255] ^ ((uint32_t)sbox[b0_2 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_3 >> 16 & 255] << 16);
    s[2] = k->words[42] ^ ((uint32_t)sbox[b0_0 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_1 >> 24] << 24) ^ (uint32_t)sbox[b0_2 & 255] ^ ((uint32_t)sbox[b0_3 >> 8 & 255] << 8);
    s[3] = k->words[43] ^ ((uint32_t)sbox[b0_0 >> 8 & 255] << 8) ^ ((uint32_t)sbox[b0_1 >> 16 & 255] << 16) ^ ((uint32_t)sbox[b0_2 >> 24] << 24) ^ (uint32_t)sbox[b0_3 & 255];
}

/* What is left of a message. */
typedef struct {
    const uint8_t *in;
    uint8_t *out;
    size_t len;
    uint64_t high, low; /* the counter of the next block */
} message;

/* 1 block a pass while there are as many. */
static void groups(const round_keys *k, message *m, const uint8_t *in, uint8_t *out)
{
    size_t len = m->len;
    uint32_t s[4];
    uint64_t high = m->high, low = m->low;
    shared_words c;
    uint32_t a[4];
    if (len < 16) {
        return;
    }
    common(k, c, high, low);
    do {
        if ((low & 255) == 0) {
            common(k, c, high, low);
        }
        enter(k, c, (uint32_t)(low & 255), a);
        low++;
        high += low == 0;
        later_1(k, a, s);
        store32(out + 0, s[0] ^ load32(in + 0));
        store32(out + 4, s[1] ^ load32(in + 4));
        store32(out + 8, s[2] ^ load32(in + 8));
        store32(out + 12, s[3] ^ load32(in + 12));
        in += 16;
        out += 16;
        len -= 16;
    } while (len >= 16);
    m->in = in;
    m->out = out;
    m->len = len;
    m->high = high;
    m->low = low;
}

void aesmith_aes128_ctr_table_vt(const aesmith_aes128_ctr_table_vt_key *key_structure, uint8_t iv[16], const uint8_t *in, uint8_t *out, size_t len)
{
    round_keys k;
    message m;
    uint32_t s[4];
    size_t i;
    m.in = in;
    m.out = out;
    m.len = len;
    m.high = load_number(iv);
    m.low = load_number(iv + 8);
    prepare(&k, key_structure->bytes);
    groups(&k, &m, m.in, m.out);
    if (m.len > 0) {
        /* The last bytes use a block of key stream up. */
        counter_block(s, m.high, m.low);
        cipher_1(&k, s);
        for (i = 0; i < m.len; i++) {
            m.out[i] = (uint8_t)(m.in[i] ^ (s[i / 4] >> 8 * (i % 4) & 255));
        }
        m.low++;
        m.high += m.low == 0;
    }
    store_number(iv, m.high);
    store_number(iv + 8, m.low);
}
