
/* Overwrites bytes that nothing reads again. */
static void @STEM@_forget(void *bytes, size_t len)
{
    if (len > 0) {
        memset(bytes, 0, len);
    }
    /* The zeros are used, as far as the compiler knows. */
    __asm__ __volatile__("" : : "r"(bytes) : "memory");
}

/*
 * GHASH absorbs bytes, padded with zeros to whole blocks: the value stands behind the counter block of `state`, which
 * counts on. @ABSORBED@.
 */
static void @STEM@_absorb(const @STEM@_key *key, uint8_t state[32], const uint8_t *bytes, size_t len)
{
    uint8_t text[256];
    while (len > 0) {
        size_t part = len < sizeof text ? len : sizeof text;
@ABSORB@        bytes += part;
        len -= part;
    }
    @STEM@_forget(text, sizeof text);
}

static const uint64_t @STEM@_most_bytes = ((uint64_t)1 << 61) - 1;
static const uint64_t @STEM@_most_text = ((uint64_t)1 << 36) - 32;

/* True if the standard has tags of this size. */
static int @STEM@_is_tag(size_t tag_len)
{
    return tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len <= 16);
}

/* The last block of GHASH: two lengths in bits. */
static void @STEM@_lengths(uint8_t block[16], uint64_t first, uint64_t second)
{
    uint64_t bits[2];
    size_t n;
    bits[0] = 8 * first;
    bits[1] = 8 * second;
    for (n = 0; n < 16; n++) {
        block[n] = (uint8_t)(bits[n / 8] >> (56 - 8 * (n % 8)));
    }
}

/* The first counter block of a message (SP 800-38D, 7.1, step 2). */
static void @STEM@_first(const @STEM@_key *key, uint8_t first[16], const uint8_t *nonce, size_t nonce_len)
{
    uint8_t block[16], state[32] = {0};
    if (nonce_len == 12) {
        memcpy(first, nonce, 12);
        first[12] = first[13] = first[14] = 0;
        first[15] = 1;
        return;
    }
    @STEM@_absorb(key, state, nonce, nonce_len);
    @STEM@_lengths(block, 0, nonce_len);
    @STEM@_absorb(key, state, block, 16);
    memcpy(first, state + 16, 16);
    @STEM@_forget(state, sizeof state);
}

/* The counter block of a message's text, which follows the first one. */
static void @STEM@_next(uint8_t state[32], const uint8_t first[16])
{
    size_t n;
    memcpy(state, first, 16);
    for (n = 16; n-- > 12 && ++state[n] == 0;) {
    }
}

/*
 * Begins a message: `first` is its first counter block, and `state` the counter block of its text and the value of GHASH
 * behind its data. Returns -1 for what is no message.
 */
static int @STEM@_begin(const @STEM@_key *key, uint8_t first[16], uint8_t state[32], const uint8_t *nonce,
                        size_t nonce_len, const uint8_t *data, size_t data_len, size_t len, size_t tag_len)
{
    if (nonce_len == 0 || nonce_len > @STEM@_most_bytes || data_len > @STEM@_most_bytes || len > @STEM@_most_text ||
        !@STEM@_is_tag(tag_len)) {
        return -1;
    }
    @STEM@_first(key, first, nonce, nonce_len);
    memset(state, 0, 32);
    @STEM@_absorb(key, state, data, data_len);
    @STEM@_next(state, first);
    return 0;
}

/* The tag of 16 bytes of a message, of which `state` has the value of GHASH behind its text. */
static void @STEM@_end(const @STEM@_key *key, const uint8_t first[16], uint8_t state[32], uint64_t data_len,
                       uint64_t len, uint8_t tag[16])
{
    uint8_t block[16], mask[16];
    size_t n;
    @STEM@_lengths(block, data_len, len);
@LAST@    for (n = 0; n < 16; n++) {
        tag[n] = state[16 + n] ^ mask[n];
    }
    @STEM@_forget(mask, sizeof mask);
    @STEM@_forget(state, 32);
}
