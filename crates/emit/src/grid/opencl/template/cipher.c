/* A product in the field of FIPS-197, 4.2. */
static unsigned product(unsigned a, unsigned b)
{
    unsigned sum = 0;
    for (; b; b >>= 1, a = a << 1 ^ (a >> 7) * 0x11b)
        sum ^= b & 1 ? a : 0;
    return sum;
}

/* FIPS-197, 5.1.1. */
static uint8_t sbox[256], inverse[256];

static void tables(void)
{
    unsigned x, y, s;
    for (x = 0; x < 256; x++) {
        for (y = 1; x && product(x, y) != 1; y++)
            ;
        s = x ? y : 0;
        s ^= s << 1 ^ s << 2 ^ s << 3 ^ s << 4;
        sbox[x] = (uint8_t)(s ^ s >> 8 ^ 0x63);
        inverse[sbox[x]] = (uint8_t)x;
    }
}

/* FIPS-197, 5.2: the round keys of encryption. */
static void expanded(uint8_t *keys, const uint8_t *key)
{
    unsigned constant = 1, at, k;
    memcpy(keys, key, KEY);
    for (at = KEY; at < 16 * (ROUNDS + 1); at += 4) {
        int first = at % KEY == 0, substituted = first || (KEY == 32 && at % 32 == 16);
        for (k = 0; k < 4; k++) {
            uint8_t from = keys[at - 4 + (first ? (k + 1) % 4 : k)];
            keys[at + k] = keys[at + k - KEY] ^ (substituted ? sbox[from] : from);
        }
        if (first) {
            keys[at] ^= (uint8_t)constant;
            constant = product(constant, 2);
        }
    }
}

/* MixColumns or InvMixColumns (5.1.3, 5.3.3). */
static void mixed(uint8_t state[16])
{
    static const uint8_t by[2][4] = { { 2, 3, 1, 1 }, { 14, 11, 13, 9 } };
    uint8_t next[16];
    unsigned at, k;
    for (at = 0; at < 16; at++) {
        unsigned sum = 0;
        for (k = 0; k < 4; k++)
            sum ^= product(by[DECRYPTS][k], state[at / 4 * 4 + (at + k) % 4]);
        next[at] = (uint8_t)sum;
    }
    memcpy(state, next, 16);
}

