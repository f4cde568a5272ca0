
static void decrypt(const uint8_t *keys, unsigned words, const uint8_t in[16], uint8_t out[16])
{
    uint8_t s[16], t[16];
    unsigned round, i;
    for (i = 0; i < 16; i++) {
        s[i] = in[i];
    }
    for (round = words + 6; round > 0; round--) {
        add(s, keys + 16 * round);
        if (round < words + 6) {
            /* The third power of MixColumns is its inverse (its matrix has order 4). */
            mix(s);
            mix(s);
            mix(s);
        }
        for (i = 0; i < 16; i++) {
            t[5 * i % 16] = inverse[s[i]];
        }
        for (i = 0; i < 16; i++) {
            s[i] = t[i];
        }
    }
    add(s, keys);
    for (i = 0; i < 16; i++) {
        out[i] = s[i];
    }
}
