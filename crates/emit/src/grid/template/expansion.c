/* Writes zeros that no compiler leaves out. */
static void wiped(void *memory, size_t bytes)
{
    volatile uint8_t *byte = (volatile uint8_t *)memory;
    while (bytes--)
        *byte++ = 0;
}

/* A product in the field of FIPS-197, 4.2. */
static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0, left = a, k;
    for (k = 0; k < 8; k++) {
        product ^= left & (0u - (b >> k & 1u));
        left = left << 1 ^ (0x11bu & (0u - (left >> 7)));
    }
    return (uint8_t)product;
}

/* The S-box by its definition (FIPS-197, 5.1.1): the inverse is the 254th power. No look-up, so no time hangs on the key. */
static uint8_t substituted(uint8_t x)
{
    uint8_t power = x;
    unsigned k, sum;
    for (k = 0; k < 6; k++)
        power = times(times(power, power), x);
    sum = times(power, power);
    sum ^= sum << 1 ^ sum << 2 ^ sum << 3 ^ sum << 4;
    return (uint8_t)(sum ^ sum >> 8 ^ 0x63);
}

void @S@_keys(const uint8_t key[@KEY@], uint8_t round_keys[@KEYS@])
{
    uint8_t constant = 1, word[4], plain[ALL], *to = round_keys;
    unsigned at, k, round;
    /* Threads expand it by themselves. */
    if (@KEYS@ == KEY) {
        memcpy(round_keys, key, KEY);
        return;
    }
    memcpy(plain, key, KEY);
    for (at = KEY; at < ALL; at += 4) {
        memcpy(word, plain + at - 4, 4);
        if (at % KEY == 0) {
            uint8_t first = word[0];
            for (k = 0; k < 3; k++)
                word[k] = substituted(word[k + 1]);
            word[3] = substituted(first);
            word[0] ^= constant;
            constant = times(constant, 2);
        } else if (KEY == 32 && at % KEY == 16) {
            for (k = 0; k < 4; k++)
                word[k] = substituted(word[k]);
        }
        for (k = 0; k < 4; k++)
            plain[at + k] = word[k] ^ plain[at + k - KEY];
    }
    for (round = 0; round <= ROUNDS; round++) {
        const uint8_t *from = plain + 16 * (DECRYPTS ? ROUNDS - round : round);
        for (at = 0; at < 16; at++) {
            const uint8_t *column = from + at / 4 * 4;
            /* Round keys of the equivalent inverse cipher (FIPS-197, 5.3.5). */
            uint8_t byte = !DECRYPTS || round == 0 || round == ROUNDS
                ? from[at]
                : times(column[at % 4], 14) ^ times(column[(at + 1) % 4], 11) ^ times(column[(at + 2) % 4], 13)
                    ^ times(column[(at + 3) % 4], 9);
            if (round < PLAIN || round == ROUNDS)
                *to++ = byte;
            else
                for (k = 0; k < 32; k++)
                    *to++ = (uint8_t)(0u - (byte >> k / 4 & 1u));
        }
    }
@MASKED@    wiped(plain, sizeof plain);
    wiped(word, sizeof word);
}

