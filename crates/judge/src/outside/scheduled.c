/* Straight lines for GCC to schedule by its own description of the processor: look-ups, sums, products, comparisons. */
typedef unsigned int word;
extern const word table[4][256];

void column(word *out, const word *s, const word *k)
{
    out[0] = table[0][s[0] >> 24] ^ table[1][s[1] >> 16 & 255] ^ table[2][s[2] >> 8 & 255] ^ table[3][s[3] & 255] ^ k[0];
    out[1] = table[0][s[1] >> 24] ^ table[1][s[2] >> 16 & 255] ^ table[2][s[3] >> 8 & 255] ^ table[3][s[0] & 255] ^ k[1];
    out[2] = table[0][s[2] >> 24] ^ table[1][s[3] >> 16 & 255] ^ table[2][s[0] >> 8 & 255] ^ table[3][s[1] & 255] ^ k[2];
    out[3] = table[0][s[3] >> 24] ^ table[1][s[0] >> 16 & 255] ^ table[2][s[1] >> 8 & 255] ^ table[3][s[2] & 255] ^ k[3];
}

word products(word a, word b, word c)
{
    word d = a * b, e = b * c, f = c * a;
    a = (d << 7 | d >> 25) ^ (e >> 3) ^ f;
    return a * (d + 12345) + (e & ~f) + a;
}

int compared(int a, int b, int *p)
{
    int r = a < b ? p[3] : p[4] * a;
    if (r == 7)
        p[1] = a + b;
    return r + p[2];
}

void moved(word *to, const word *from, word n)
{
    for (; n; n--, to += 4, from += 4) {
        word a = from[0], b = from[1], c = from[2], d = from[3];
        to[0] = a + b;
        to[1] = b ^ c;
        to[2] = c & d;
        to[3] = d - a;
    }
}

word swapped(word x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

unsigned long long wide(unsigned long long a, unsigned long long b)
{
    return (a + b) ^ (a - b);
}
