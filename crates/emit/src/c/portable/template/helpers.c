/* Four bytes as a word, the first lowest. */
static inline uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void store32(uint8_t *p, uint32_t w)
{
    p[0] = (uint8_t)w;
    p[1] = (uint8_t)(w >> 8);
    p[2] = (uint8_t)(w >> 16);
    p[3] = (uint8_t)(w >> 24);
}

static inline void load_block(uint32_t *s, const uint8_t *p)
{
    s[0] = load32(p);
    s[1] = load32(p + 4);
    s[2] = load32(p + 8);
    s[3] = load32(p + 12);
}

static inline void store_block(uint8_t *p, const uint32_t *s)
{
    store32(p, s[0]);
    store32(p + 4, s[1]);
    store32(p + 8, s[2]);
    store32(p + 12, s[3]);
}

/* The bytes of a word in reverse. */
static inline uint32_t swap32(uint32_t w)
{
    w = (w & 0x00ff00ffu) << 8 | (w >> 8 & 0x00ff00ffu);
    return w << 16 | w >> 16;
}

/* A counter, big-endian, as the words of a block. */
static inline void counter_block(uint32_t *s, uint64_t high, uint64_t low)
{
    s[0] = swap32((uint32_t)(high >> 32));
    s[1] = swap32((uint32_t)high);
    s[2] = swap32((uint32_t)(low >> 32));
    s[3] = swap32((uint32_t)low);
}

/* Eight bytes as a big-endian number. */
static inline uint64_t load_number(const uint8_t *p)
{
    return (uint64_t)swap32(load32(p)) << 32 | swap32(load32(p + 4));
}

static inline void store_number(uint8_t *p, uint64_t n)
{
    store32(p, swap32((uint32_t)(n >> 32)));
    store32(p + 4, swap32((uint32_t)n));
}

/* Rotated towards the low bits; n is 8, 16 or 24. */
static inline uint32_t rotate(uint32_t w, unsigned int n)
{
    return w >> n | w << (32 - n);
}

/* Each byte times 2 in GF(2^8): shifted, and reduced by 0x1b where a bit falls out. */
static inline uint32_t double_bytes(uint32_t w)
{
    const uint32_t out = w >> 7 & 0x01010101u;
    return (w & 0x7f7f7f7fu) << 1 ^ (out | out << 1 | out << 3 | out << 4);
}

/* InvMixColumns of a column: with u = 4 (s + the row after next), MixColumns of s + u. */
static inline uint32_t inverse_mix(uint32_t w)
{
    uint32_t u = double_bytes(double_bytes(w ^ rotate(w, 16)));
    uint32_t next;
    w ^= u;
    next = rotate(w, 8);
    u = w ^ next;
    return double_bytes(u) ^ next ^ rotate(u, 16);
}

/* Zeros that the compiler may not leave out. */
static void wipe(void *p, size_t n)
{
    volatile uint8_t *byte = p;
    while (n > 0) {
        *byte++ = 0;
        n--;
    }
}
