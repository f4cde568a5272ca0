/* FIPS-197 as it is written there, for stand-ins of CUDA's driver: independent of the kernels. */
#ifndef AES_H
#define AES_H
#include <string.h>

static unsigned char sbox[256], inverse[256], multiples[16][256];

static unsigned times(unsigned a, unsigned b)
{
    unsigned product = 0;
    for (; b; b >>= 1, a = a << 1 ^ (a >> 7) * 0x11b)
        product ^= b & 1 ? a : 0;
    return product;
}

static void tables(void)
{
    unsigned x, y, s;
    for (x = 0; x < 256; x++) {
        for (y = 1; x && times(x, y) != 1; y++)
            ;
        s = x ? y : 0;
        s ^= s << 1 ^ s << 2 ^ s << 3 ^ s << 4;
        sbox[x] = (unsigned char)(s ^ s >> 8 ^ 0x63);
        inverse[sbox[x]] = (unsigned char)x;
        for (y = 0; y < 16; y++)
            multiples[y][x] = (unsigned char)times(x, y);
    }
}

/* FIPS-197, 5.2: the round keys of a cipher key of `bytes` bytes. */
static inline void expanded(unsigned char *keys, const unsigned char *key, int bytes, int rounds)
{
    int at, k;
    unsigned constant = 1;
    memcpy(keys, key, (size_t)bytes);
    for (at = bytes; at < 16 * (rounds + 1); at += 4) {
        int substituted = at % bytes == 0 || (bytes == 32 && at % 32 == 16);
        for (k = 0; k < 4; k++) {
            unsigned char from = keys[at - 4 + (at % bytes == 0 ? (k + 1) % 4 : k)];
            keys[at + k] = keys[at + k - bytes] ^ (substituted ? sbox[from] : from);
        }
        if (at % bytes == 0) {
            keys[at] ^= (unsigned char)constant;
            constant = times(constant, 2);
        }
    }
}

/* FIPS-197, 5.3.5: those of the equivalent inverse cipher, in order of use. */
static inline void inverted(unsigned char *keys, const unsigned char *key, int bytes, int rounds)
{
    static const unsigned char by[4] = { 14, 11, 13, 9 };
    unsigned char forth[240];
    int round, at, k;
    expanded(forth, key, bytes, rounds);
    for (round = 0; round <= rounds; round++)
        for (at = 0; at < 16; at++) {
            const unsigned char *from = forth + 16 * (rounds - round);
            unsigned sum = 0;
            for (k = 0; k < 4; k++)
                sum ^= multiples[by[k]][from[at / 4 * 4 + (at + k) % 4]];
            keys[16 * round + at] = round == 0 || round == rounds ? from[at] : (unsigned char)sum;
        }
}

/* FIPS-197, 5.1, or with the keys of 5.3.5 the equivalent inverse cipher. */
static void cipher(unsigned char *state, const unsigned char *keys, int rounds, int decrypts)
{
    static const unsigned char forth[4] = { 2, 3, 1, 1 }, back[4] = { 14, 11, 13, 9 };
    const unsigned char *by = decrypts ? back : forth;
    unsigned char next[16];
    int round, at, k;
    for (at = 0; at < 16; at++)
        state[at] ^= keys[at];
    for (round = 1; round <= rounds; round++) {
        for (at = 0; at < 16; at++)
            next[at] = (decrypts ? inverse : sbox)[state[(at + (decrypts ? 12 : 4) * (at % 4)) % 16]];
        for (at = 0; at < 16; at++) {
            unsigned sum = 0;
            for (k = 0; k < 4; k++)
                sum ^= multiples[by[k]][next[at / 4 * 4 + (at + k) % 4]];
            state[at] = (unsigned char)((round < rounds ? sum : next[at]) ^ keys[16 * round + at]);
        }
    }
}

/* A message of whole blocks; the IV is the counter of the first, for decryption the block before it, or NULL. */
static void message(unsigned char *to, const unsigned char *from, unsigned long long blocks, const unsigned char *keys,
    int rounds, int decrypts, const unsigned char *iv)
{
    const unsigned char *counter = decrypts ? NULL : iv, *chain = decrypts ? iv : NULL;
    unsigned long long block;
    int at;
    for (block = 0; block < blocks; block++) {
        unsigned char state[16];
        const unsigned char *in = from + 16 * block;
        unsigned long long carry = block;
        memcpy(state, counter ? counter : in, 16);
        for (at = 16; counter && at-- && carry; carry >>= 8) {
            carry += state[at];
            state[at] = (unsigned char)carry;
        }
        cipher(state, keys, rounds, decrypts);
        for (at = 0; at < 16; at++)
            to[16 * block + at] = state[at] ^ (counter ? in[at] : chain ? chain[at] : 0);
        chain = chain ? in : NULL;
    }
}

/* A stream of whole blocks. If there is an initial vector it is one of CBC encryption: each block is added to the result before. */
static inline void chained(unsigned char *to, const unsigned char *from, unsigned long long blocks, const unsigned char *keys,
    int rounds, int decrypts, const unsigned char *iv)
{
    unsigned long long block;
    int at;
    if (!iv) {
        message(to, from, blocks, keys, rounds, decrypts, NULL);
        return;
    }
    for (block = 0; block < blocks; block++) {
        unsigned char state[16];
        for (at = 0; at < 16; at++)
            state[at] = from[16 * block + at] ^ iv[at];
        cipher(state, keys, rounds, decrypts);
        memcpy(to + 16 * block, state, 16);
        iv = to + 16 * block;
    }
}
#endif
