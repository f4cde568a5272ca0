static void must(const char *what, int holds)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static void hex(uint8_t *bytes, const char *text)
{
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2)
        *bytes++ = (uint8_t)byte;
}

static uint8_t random_byte(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (uint8_t)(state >> 11);
}

