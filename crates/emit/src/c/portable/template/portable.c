static uint8_t twice(uint8_t x)
{
    return (uint8_t)((x << 1) ^ ((x >> 7) * 0x1b));
}

/* Round keys (FIPS-197, 5.2) of a cipher key of `words` words. */
static void expand(uint8_t *keys, const uint8_t *cipher_key, unsigned words)
{
    unsigned bytes = 16 * (words + 7), i, k;
    uint8_t rcon = 1;
    for (i = 0; i < 4 * words; i++) {
        keys[i] = cipher_key[i];
    }
    for (i = 4 * words; i < bytes; i += 4) {
        uint8_t t[4];
        for (k = 0; k < 4; k++) {
            t[k] = keys[i - 4 + k];
        }
        if (i / 4 % words == 0) {
            uint8_t first = t[0];
            t[0] = (uint8_t)(sbox[t[1]] ^ rcon);
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            rcon = twice(rcon);
        } else if (words > 6 && i / 4 % words == 4) {
            for (k = 0; k < 4; k++) {
                t[k] = sbox[t[k]];
            }
        }
        for (k = 0; k < 4; k++) {
            keys[i + k] = keys[i - 4 * words + k] ^ t[k];
        }
    }
}

static void add(uint8_t s[16], const uint8_t *key)
{
    unsigned i;
    for (i = 0; i < 16; i++) {
        s[i] ^= key[i];
    }
}

static void mix(uint8_t s[16])
{
    unsigned c;
    for (c = 0; c < 16; c += 4) {
        uint8_t first = s[c], sum = s[c] ^ s[c + 1] ^ s[c + 2] ^ s[c + 3];
        s[c] ^= sum ^ twice(s[c] ^ s[c + 1]);
        s[c + 1] ^= sum ^ twice(s[c + 1] ^ s[c + 2]);
        s[c + 2] ^= sum ^ twice(s[c + 2] ^ s[c + 3]);
        s[c + 3] ^= sum ^ twice(s[c + 3] ^ first);
    }
}
