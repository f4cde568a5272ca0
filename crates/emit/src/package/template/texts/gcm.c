
/* A block as two numbers: what a kernel loads at once is stored at once, so that the load need not wait for the store. */
typedef uint64_t @STEM@_pair __attribute__((vector_size(16)));

/* The XOR of two blocks. */
static void @STEM@_xor(uint8_t *sum, const uint8_t *a, const uint8_t *b)
{
    @STEM@_pair x, y;
    memcpy(&x, a, 16);
    memcpy(&y, b, 16);
    x ^= y;
    memcpy(sum, &x, 16);
}

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
    const size_t used = len < sizeof text ? len : sizeof text;
    while (len > 0) {
        size_t part = len < sizeof text ? len : sizeof text;
@ABSORB@        bytes += part;
        len -= part;
    }
    /* A single block, as data often is, is overwritten without a call. */
    if (used <= 16) {
        @STEM@_forget(text, 16);
    } else {
        @STEM@_forget(text, used);
    }
}

static const uint64_t @STEM@_most_bytes = ((uint64_t)1 << 61) - 1;
static const uint64_t @STEM@_most_text = ((uint64_t)1 << 36) - 32;

/* True if the standard has tags of this size. */
static int @STEM@_is_tag(size_t tag_len)
{
    return tag_len == 4 || tag_len == 8 || (tag_len >= 12 && tag_len <= 16);
}

/* The last block of GHASH: two lengths in bits, each with its highest byte first. */
static void @STEM@_lengths(uint8_t block[16], uint64_t first, uint64_t second)
{
    const @STEM@_pair bits = {__builtin_bswap64(8 * first), __builtin_bswap64(8 * second)};
    memcpy(block, &bits, 16);
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
    uint64_t nonce;
    uint32_t rest, number;
    memcpy(&nonce, first, 8);
    memcpy(&rest, first + 8, 4);
    memcpy(&number, first + 12, 4);
    number = __builtin_bswap32(__builtin_bswap32(number) + 1);
    {
        const @STEM@_pair next = {nonce, (uint64_t)number << 32 | rest};
        memcpy(state, &next, 16);
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
    @STEM@_lengths(block, data_len, len);
@LAST@    @STEM@_xor(tag, state + 16, mask);
    @STEM@_forget(mask, sizeof mask);
    @STEM@_forget(state, 32);
}
