
static void encrypt(const uint8_t *keys, unsigned words, const uint8_t in[16], uint8_t out[16])
{
    uint8_t s[16], t[16];
    unsigned round, i;
    for (i = 0; i < 16; i++) {
        s[i] = in[i];
    }
    add(s, keys);
    for (round = 1; round < words + 7; round++) {
        for (i = 0; i < 16; i++) {
            t[i] = sbox[s[5 * i % 16]];
        }
        for (i = 0; i < 16; i++) {
            s[i] = t[i];
        }
        if (round < words + 6) {
            mix(s);
        }
        add(s, keys + 16 * round);
    }
    for (i = 0; i < 16; i++) {
        out[i] = s[i];
    }
}
