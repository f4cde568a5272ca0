INLINE512 __m512i load512(const uint8_t *p)
{
    return _mm512_loadu_si512((const void *)p);
}

INLINE512 void store512(uint8_t *p, __m512i v)
{
    _mm512_storeu_si512((void *)p, v);
}

INLINE512 void stream512(uint8_t *p, __m512i v)
{
    _mm512_stream_si512((void *)p, v);
}

/* One block in all four lanes. */
INLINE512 __m512i all512(__m128i block)
{
    return _mm512_broadcast_i32x4(block);
}

INLINE512 __m512i join512(__m128i a, __m128i b, __m128i c, __m128i d)
{
    __m512i v = _mm512_castsi128_si512(a);
    v = _mm512_inserti32x4(v, b, 1);
    v = _mm512_inserti32x4(v, c, 2);
    return _mm512_inserti32x4(v, d, 3);
}

INLINE512 __m512i round_key512(const uint8_t *key, int r)
{
    return all512(load128(key + 16 * r));
}

INLINE512 __m512i reversal512(void)
{
    return all512(reversal128());
}

INLINE512 __m512i fast_byte512(unsigned int n)
{
    return all512(fast_byte128(n));
}

/* The next four counters, their bytes reversed. */
INLINE512 __m512i counters512(uint64_t high, uint64_t low)
{
    return _mm512_add_epi64(all512(counters128(high, low)), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0));
}

INLINE512 __m512i low_half512(int n)
{
    return all512(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE512 __m512i previous512(__m512i a, __m512i b)
{
    return _mm512_alignr_epi64(b, a, 6);
}

/* Four rows of four blocks become columns. */
INLINE512 void transpose512(__m512i *a, __m512i *b, __m512i *c, __m512i *d)
{
    __m512i ab = _mm512_shuffle_i32x4(*a, *b, 0x44), cd = _mm512_shuffle_i32x4(*c, *d, 0x44);
    __m512i AB = _mm512_shuffle_i32x4(*a, *b, 0xee), CD = _mm512_shuffle_i32x4(*c, *d, 0xee);
    *a = _mm512_shuffle_i32x4(ab, cd, 0x88);
    *b = _mm512_shuffle_i32x4(ab, cd, 0xdd);
    *c = _mm512_shuffle_i32x4(AB, CD, 0x88);
    *d = _mm512_shuffle_i32x4(AB, CD, 0xdd);
}

