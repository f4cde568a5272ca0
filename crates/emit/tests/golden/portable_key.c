/* portable aes128-key-dec technique=bitsliced */
/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * aesmith_aes128_key_dec_bitsliced: key schedule of AES-128 for decryption.
 * Written by aesmith 0.1.0: C99 for any processor.
 *
 * aes128-key-dec technique=bitsliced circuit=0 wipe=no
 *
 * Constant time as written: no address, branch or shift count depends on key or text.
 * The proofs of aesmith are over machine code. What a compiler makes of this is not proved.
 */
#include <stddef.h>
#include <stdint.h>

typedef struct aesmith_aes128_key_dec_bitsliced_key {
    uint8_t bytes[256];
} aesmith_aes128_key_dec_bitsliced_key;

void aesmith_aes128_key_dec_bitsliced(aesmith_aes128_key_dec_bitsliced_key *key, const uint8_t *key_bytes);

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

/* Rotated towards the low bits; n is 8, 16 or 24. */
static inline uint32_t rotate(uint32_t w, unsigned int n)
{
    return w >> n | w << (32 - n);
}

/* Each byte times 2 in GF(2^8): shifted, and reduced by 0x1b where a bit falls out. */
static inline uint32_t double_bytes(uint32_t w)
{
    const uint32_t out = w >> 7 & 0x01010101u;
    return (w & 0x7f7f7f7fu) << 1 ^ (out | out << 1 | out << 3 | out << 4);
}

/* InvMixColumns of a column: with u = 4 (s + the row after next), MixColumns of s + u. */
static inline uint32_t inverse_mix(uint32_t w)
{
    uint32_t u = double_bytes(double_bytes(w ^ rotate(w, 16)));
    uint32_t next;
    w ^= u;
    next = rotate(w, 8);
    u = w ^ next;
    return double_bytes(u) ^ next ^ rotate(u, 16);
}

/* The S-box of each byte by its circuit: bit i of all four bytes in x[i]. */
static uint32_t sub_word(uint32_t w)
{
    const uint32_t x0 = w >> 0 & 0x01010101u;
    const uint32_t x1 = w >> 1 & 0x01010101u;
    const uint32_t x2 = w >> 2 & 0x01010101u;
    const uint32_t x3 = w >> 3 & 0x01010101u;
    const uint32_t x4 = w >> 4 & 0x01010101u;
    const uint32_t x5 = w >> 5 & 0x01010101u;
    const uint32_t x6 = w >> 6 & 0x01010101u;
    const uint32_t x7 = w >> 7 & 0x01010101u;
    const uint32_t s8 = x4 ^ x2;
    const uint32_t s9 = x7 ^ x1;
    const uint32_t s10 = s9 ^ s8;
    const uint32_t s11 = x7 ^ x2;
    const uint32_t s12 = x7 ^ x4;
    const uint32_t s13 = x6 ^ x5;
    const uint32_t s14 = s13 ^ x0;
    const uint32_t s15 = s14 ^ x4;
    const uint32_t s16 = s14 ^ x1;
    const uint32_t s17 = x3 ^ s10;
    const uint32_t s18 = s17 ^ x2;
    const uint32_t s19 = s17 ^ x6;
    const uint32_t s20 = s18 ^ s13;
    const uint32_t s21 = s19 ^ s12;
    const uint32_t s22 = s13 ^ s21;
    const uint32_t s23 = x7 ^ s22;
    const uint32_t s24 = s14 ^ x7;
    const uint32_t s25 = s12 & s21;
    const uint32_t s26 = s11 & s20;
    const uint32_t s27 = s26 ^ s25;
    const uint32_t s28 = s15 & x0;
    const uint32_t s29 = s10 & s18;
    const uint32_t s30 = s28 ^ s29;
    const uint32_t s31 = s30 ^ s27;
    const uint32_t s32 = s20 ^ s11;
    const uint32_t s33 = s31 ^ s32;
    const uint32_t s34 = s9 & s22;
    const uint32_t s35 = s16 & s14;
    const uint32_t s36 = s35 ^ s34;
    const uint32_t s37 = x0 ^ s21;
    const uint32_t s38 = s24 & s37;
    const uint32_t s39 = s38 ^ s34;
    const uint32_t s40 = s39 ^ s27;
    const uint32_t s41 = s40 ^ s23;
    const uint32_t s42 = s20 ^ s21;
    const uint32_t s43 = s8 & s42;
    const uint32_t s44 = s43 ^ s25;
    const uint32_t s45 = s36 ^ s44;
    const uint32_t s46 = s9 ^ s22;
    const uint32_t s47 = s45 ^ s46;
    const uint32_t s48 = s18 ^ x0;
    const uint32_t s49 = s16 ^ s11;
    const uint32_t s50 = s49 & s48;
    const uint32_t s51 = s50 ^ s29;
    const uint32_t s52 = s51 ^ s19;
    const uint32_t s53 = s52 ^ s44;
    const uint32_t s54 = s53 ^ s33;
    const uint32_t s55 = s53 & s47;
    const uint32_t s56 = s33 ^ s55;
    const uint32_t s57 = s47 ^ s41;
    const uint32_t s58 = s56 & s57;
    const uint32_t s59 = s41 ^ s55;
    const uint32_t s60 = s58 ^ s41;
    const uint32_t s61 = s47 ^ s60;
    const uint32_t s62 = s59 ^ s60;
    const uint32_t s63 = s41 & s62;
    const uint32_t s64 = s63 ^ s61;
    const uint32_t s65 = s59 ^ s63;
    const uint32_t s66 = s54 & s59;
    const uint32_t s67 = s66 ^ s33;
    const uint32_t s68 = s67 & s65;
    const uint32_t s69 = s54 ^ s68;
    const uint32_t s70 = s67 & s37;
    const uint32_t s71 = s67 ^ s69;
    const uint32_t s72 = s71 & s22;
    const uint32_t s73 = s71 & s9;
    const uint32_t s74 = s69 & s14;
    const uint32_t s75 = s72 ^ s74;
    const uint32_t s76 = s72 ^ s70;
    const uint32_t s77 = s69 & s16;
    const uint32_t s78 = s69 ^ s64;
    const uint32_t s79 = s64 & s49;
    const uint32_t s80 = s64 & s48;
    const uint32_t s81 = s60 ^ s64;
    const uint32_t s82 = s81 & s18;
    const uint32_t s83 = s81 & s10;
    const uint32_t s84 = s60 & x0;
    const uint32_t s85 = s80 ^ s82;
    const uint32_t s86 = s82 ^ s84;
    const uint32_t s87 = s67 & s24;
    const uint32_t s88 = s67 ^ s60;
    const uint32_t s89 = s60 & s15;
    const uint32_t s90 = s88 & s12;
    const uint32_t s91 = s88 & s21;
    const uint32_t s92 = s88 ^ s78;
    const uint32_t s93 = s92 & s42;
    const uint32_t s94 = s92 & s8;
    const uint32_t s95 = s78 & s11;
    const uint32_t s96 = s78 & s20;
    const uint32_t s97 = s75 ^ s85;
    const uint32_t s98 = s93 ^ s75;
    const uint32_t s99 = s90 ^ s94;
    const uint32_t s100 = s77 ^ s99;
    const uint32_t s101 = s79 ^ s99;
    const uint32_t s102 = s83 ^ s101;
    const uint32_t s103 = s101 ^ s89;
    const uint32_t s104 = s73 ^ s86;
    const uint32_t s105 = s96 ^ s104;
    const uint32_t s106 = s91 ^ s98;
    const uint32_t s107 = s102 ^ s97;
    const uint32_t s108 = s86 ^ s76;
    const uint32_t s109 = s98 ^ s105;
    const uint32_t s110 = s87 ^ s109;
    const uint32_t s111 = s100 ^ s108;
    const uint32_t s112 = s90 ^ s106;
    const uint32_t s113 = s103 ^ s110;
    const uint32_t s114 = s109 ^ s111;
    const uint32_t s115 = s108 ^ s107;
    const uint32_t s116 = s73 ^ s111;
    const uint32_t s117 = s110 ^ s112;
    const uint32_t s118 = s117 ^ s95;
    const uint32_t s119 = s107 ^ s106;
    const uint32_t s120 = s102 ^ s106;
    /* The circuit leaves the S-box's constant out. */
    return (
        (s116 & 0x01010101u) << 0
        | (s114 & 0x01010101u) << 1
        | (s113 & 0x01010101u) << 2
        | (s115 & 0x01010101u) << 3
        | (s107 & 0x01010101u) << 4
        | (s118 & 0x01010101u) << 5
        | (s119 & 0x01010101u) << 6
        | (s120 & 0x01010101u) << 7) ^ 0x63636363u;
}

/* aes128-key-dec technique=bitsliced circuit=0 wipe=no */
void aesmith_aes128_key_dec_bitsliced(aesmith_aes128_key_dec_bitsliced_key *key_structure, const uint8_t *key_bytes)
{
    uint32_t w[44], rcon = 1;
    size_t i;
    for (i = 0; i < 4; i++) {
        w[i] = load32(key_bytes + 4 * i);
    }
    for (; i < 44; i++) {
        uint32_t word = w[i - 1];
        if (i % 4 == 0) {
            word = sub_word(rotate(word, 8)) ^ rcon;
            rcon = double_bytes(rcon);
        }
        w[i] = w[i - 4] ^ word;
    }
    /* The last round key first; the inner ones go through InvMixColumns. */
    for (i = 0; i < 44; i++) {
        const size_t from = 4 * (10 - i / 4) + i % 4;
        store32(key_structure->bytes + 4 * i, i < 4 || i >= 40 ? w[from] : inverse_mix(w[from]));
    }
}
