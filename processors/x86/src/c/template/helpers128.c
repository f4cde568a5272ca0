INLINE128 __m128i load128(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

INLINE128 void store128(uint8_t *p, __m128i v)
{
    _mm_storeu_si128((__m128i *)p, v);
}

INLINE128 void stream128(uint8_t *p, __m128i v)
{
    _mm_stream_si128((__m128i *)p, v);
}

INLINE128 __m128i round_key128(const uint8_t *key, int r)
{
    return load128(key + 16 * r);
}

/* Reverses the bytes of a block. */
INLINE128 __m128i reversal128(void)
{
    return _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* n in the last byte: the fast byte of a big-endian counter. */
INLINE128 __m128i fast_byte128(unsigned int n)
{
    return _mm_set_epi32((int)(n << 24), 0, 0, 0);
}

/* The next counter, its bytes reversed. */
INLINE128 __m128i counters128(uint64_t high, uint64_t low)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}

/* n in the low half. */
INLINE128 __m128i low_half128(int n)
{
    return _mm_set_epi32(0, 0, 0, n);
}

/* Eight bytes as a big-endian number. */
INLINE128 uint64_t load_number(const uint8_t *p)
{
    uint64_t n;
    memcpy(&n, p, 8);
    return __builtin_bswap64(n);
}

INLINE128 void store_number(uint8_t *p, uint64_t n)
{
    n = __builtin_bswap64(n);
    memcpy(p, &n, 8);
}

/* Zeros that the compiler believes to be used. */
INLINE128 void wipe(void *p, size_t n)
{
    memset(p, 0, n);
    __asm__ __volatile__("" : : "r"(p) : "memory");
}

