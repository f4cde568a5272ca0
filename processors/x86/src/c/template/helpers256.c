INLINE256 __m256i load256(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

INLINE256 void store256(uint8_t *p, __m256i v)
{
    _mm256_storeu_si256((__m256i *)p, v);
}

INLINE256 void stream256(uint8_t *p, __m256i v)
{
    _mm256_stream_si256((__m256i *)p, v);
}

/* One block in both lanes. */
INLINE256 __m256i both256(__m128i block)
{
    return _mm256_broadcastsi128_si256(block);
}

INLINE256 __m256i join256(__m128i a, __m128i b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(a), b, 1);
}

INLINE256 __m256i round_key256(const uint8_t *key, int r)
{
    return both256(load128(key + 16 * r));
}

INLINE256 __m256i reversal256(void)
{
    return both256(reversal128());
}

INLINE256 __m256i fast_byte256(unsigned int n)
{
    return both256(fast_byte128(n));
}

/* The next two counters, their bytes reversed. */
INLINE256 __m256i counters256(uint64_t high, uint64_t low)
{
    return _mm256_add_epi64(both256(counters128(high, low)), _mm256_set_epi64x(0, 1, 0, 0));
}

INLINE256 __m256i low_half256(int n)
{
    return both256(low_half128(n));
}

/* The blocks before those of b, where a holds the blocks before. */
INLINE256 __m256i previous256(__m256i a, __m256i b)
{
    return _mm256_permute2x128_si256(a, b, 0x21);
}

/* Two rows of two blocks become columns. */
INLINE256 void transpose256(__m256i *a, __m256i *b)
{
    __m256i x = _mm256_permute2x128_si256(*a, *b, 0x20);
    *b = _mm256_permute2x128_si256(*a, *b, 0x31);
    *a = x;
}

