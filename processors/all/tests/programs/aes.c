/* AES-128 encryption as C programmers write it: byte by byte, with a table of words, and the
 * doubling of MixColumns on bit slices. The key is in[0..16], the block in[16..32]. */
#include "programs.h"

#include "aes_tables.h"

static uint8_t doubled(uint8_t a) { return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0)); }

static void next_key(uint8_t key[16], uint8_t *rcon) {
    uint8_t first = key[12];
    key[0] ^= sbox[key[13]] ^ *rcon;
    key[1] ^= sbox[key[14]];
    key[2] ^= sbox[key[15]];
    key[3] ^= sbox[first];
    for (uint8_t i = 4; i < 16; i++)
        key[i] ^= key[i - 4];
    *rcon = doubled(*rcon);
}

void t_aes_bytewise(out_t out, in_t in) {
    uint8_t key[16], state[16], rcon = 1;
    memcpy(key, in, 16);
    for (uint8_t i = 0; i < 16; i++)
        state[i] = in[16 + i] ^ key[i];
    for (uint8_t round = 1; round <= 10; round++) {
        uint8_t shifted[16];
        for (uint8_t i = 0; i < 16; i++)
            shifted[i] = sbox[state[(uint8_t)(5 * i) & 15]];
        if (round < 10)
            for (uint8_t c = 0; c < 16; c += 4) {
                uint8_t *s = shifted + c, all = s[0] ^ s[1] ^ s[2] ^ s[3], first = s[0];
                s[0] ^= all ^ doubled(s[0] ^ s[1]);
                s[1] ^= all ^ doubled(s[1] ^ s[2]);
                s[2] ^= all ^ doubled(s[2] ^ s[3]);
                s[3] ^= all ^ doubled(s[3] ^ first);
            }
        next_key(key, &rcon);
        for (uint8_t i = 0; i < 16; i++)
            state[i] = shifted[i] ^ key[i];
    }
    memcpy(out, state, 16);
}

static uint32_t turned(uint32_t a, uint8_t n) { return a << n | a >> (32 - n); }

void t_aes_tables(out_t out, in_t in) {
    uint32_t s[4], t[4];
    uint8_t key[16], rcon = 1;
    memcpy(key, in, 16);
    for (uint8_t i = 0; i < 4; i++)
        s[i] = get32(in + 16 + 4 * i) ^ get32(key + 4 * i);
    for (uint8_t round = 1; round < 10; round++) {
        next_key(key, &rcon);
        for (uint8_t i = 0; i < 4; i++)
            t[i] = te[s[i] & 255] ^ turned(te[s[(i + 1) & 3] >> 8 & 255], 8) ^
                   turned(te[s[(i + 2) & 3] >> 16 & 255], 16) ^ turned(te[s[(i + 3) & 3] >> 24], 24) ^
                   get32(key + 4 * i);
        for (uint8_t i = 0; i < 4; i++)
            s[i] = t[i];
    }
    next_key(key, &rcon);
    for (uint8_t i = 0; i < 4; i++) {
        uint32_t word = sbox[s[i] & 255];
        word |= (uint32_t)sbox[s[(i + 1) & 3] >> 8 & 255] << 8;
        word |= (uint32_t)sbox[s[(i + 2) & 3] >> 16 & 255] << 16;
        word |= (uint32_t)sbox[s[(i + 3) & 3] >> 24] << 24;
        put32(out + 4 * i, word ^ get32(key + 4 * i));
    }
}

/* Eight slices of 32 bits transposed from 32 bytes, all bytes doubled, and back. */
void t_bitsliced_doubling(out_t out, in_t in) {
    uint32_t slice[8] = {0};
    for (uint8_t i = 0; i < 32; i++)
        for (uint8_t b = 0; b < 8; b++)
            slice[b] |= (uint32_t)(in[i] >> b & 1) << i;
    uint32_t high = slice[7];
    for (uint8_t b = 7; b > 0; b--)
        slice[b] = slice[b - 1];
    slice[0] = high;
    slice[1] ^= high;
    slice[3] ^= high;
    slice[4] ^= high;
    for (uint8_t i = 0; i < 32; i++) {
        uint8_t byte = 0;
        for (uint8_t b = 0; b < 8; b++)
            byte |= (uint8_t)((slice[b] >> i & 1) << b);
        out[i] = byte;
        out[i + 32] = doubled(in[i]) ^ byte; /* zero */
    }
}
