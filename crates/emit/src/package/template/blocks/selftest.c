static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void bytes(uint8_t *to, const char *hex, unsigned count)
{
    unsigned n;
    for (n = 0; n < count; n++) {
        to[n] = (uint8_t)(digit(hex[2 * n]) << 4 | digit(hex[2 * n + 1]));
    }
}

static int differs(const uint8_t *a, const char *hex, unsigned count)
{
    unsigned n;
    uint8_t wanted;
    for (n = 0; n < count; n++) {
        bytes(&wanted, hex + 2 * n, 1);
        if (a[n] != wanted) {
            return 1;
        }
    }
    return 0;
}
