
/*
 * Holds the library against published vectors and against a plain AES that is written below
 * straight from FIPS-197: every length from 0 to 1024, long messages over every carry of the
 * counter, in place and apart, in random cuts, with guard bytes around everything written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS (KEY_BYTES / 4 + 6)

static unsigned long passed, failed;

static void check(int good, const char *what, size_t detail)
{
    if (good) {
        passed++;
    } else if (failed++ < 20) {
        fprintf(stderr, "FAILED: %s, at %lu\n", what, (unsigned long)detail);
    }
}

/* ---- a plain AES ---- */

static uint8_t sbox[256], inverse_sbox[256];

static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0, x = a;
    for (; b != 0; b = (uint8_t)(b >> 1)) {
        product ^= (b & 1u) ? x : 0;
        x = (x << 1) ^ ((x & 0x80u) ? 0x11bu : 0);
    }
    return (uint8_t)product;
}

/* Products in GF(2^8) with the coefficients of (Inv)MixColumns. */
static uint8_t product[16][256];

static void make_tables(void)
{
    unsigned a, b, i;
    for (a = 0; a < 16; a++) {
        for (b = 0; b < 256; b++) {
            product[a][b] = times((uint8_t)a, (uint8_t)b);
        }
    }
    for (a = 0; a < 256; a++) {
        unsigned s = 0x63;
        for (b = 1; b < 256 && times((uint8_t)a, (uint8_t)b) != 1; b++) {
        }
        b &= 0xff; /* 0 has no inverse and maps to 0 */
        for (i = 0; i < 5; i++) {
            s ^= (b << i) | (b >> (8 - i));
        }
        sbox[a] = (uint8_t)s;
        inverse_sbox[sbox[a]] = (uint8_t)a;
    }
}

typedef struct {
    uint8_t k[ROUNDS + 1][16];
} schedule;

static void expand(schedule *out, const uint8_t *key)
{
    uint8_t *w = &out->k[0][0], rcon = 1;
    size_t i, j;
    memcpy(w, key, KEY_BYTES);
    for (i = KEY_BYTES; i < 16 * (ROUNDS + 1); i += 4) {
        uint8_t t[4];
        memcpy(t, w + i - 4, 4);
        if (i % KEY_BYTES == 0) {
            uint8_t first = t[0];
            t[0] = (uint8_t)(sbox[t[1]] ^ rcon);
            t[1] = sbox[t[2]];
            t[2] = sbox[t[3]];
            t[3] = sbox[first];
            rcon = times(rcon, 2);
        } else if (KEY_BYTES > 24 && i % KEY_BYTES == 16) {
            for (j = 0; j < 4; j++) {
                t[j] = sbox[t[j]];
            }
        }
        for (j = 0; j < 4; j++) {
            w[i + j] = (uint8_t)(w[i + j - KEY_BYTES] ^ t[j]);
        }
    }
}

/* (Inv)MixColumns, the first row of whose matrix is a b c d. */
static void mix(uint8_t s[16], size_t a, size_t b, size_t c, size_t d)
{
    size_t x, y;
    for (x = 0; x < 16; x += 4) {
        uint8_t t[4];
        memcpy(t, s + x, 4);
        for (y = 0; y < 4; y++) {
            s[x + y] = (uint8_t)(product[a][t[y]] ^ product[b][t[(y + 1) % 4]] ^ product[c][t[(y + 2) % 4]] ^
                                 product[d][t[(y + 3) % 4]]);
        }
    }
}

static void add_key(uint8_t s[16], const uint8_t k[16])
{
    size_t i;
    for (i = 0; i < 16; i++) {
        s[i] ^= k[i];
    }
}

/* SubBytes and ShiftRows, or their inverses: byte i comes from column + step * row. */
static void substitute(uint8_t s[16], const uint8_t *box, size_t step)
{
    uint8_t t[16];
    size_t i;
    for (i = 0; i < 16; i++) {
        t[i] = box[s[(i + 4 * step * (i % 4)) % 16]];
    }
    memcpy(s, t, 16);
}

#define IS_XTS (MODE == MODE_XTS_ENCRYPT || MODE == MODE_XTS_DECRYPT)
#define DECRYPTS (MODE == MODE_ECB_DECRYPT || MODE == MODE_CBC_DECRYPT || MODE == MODE_XTS_DECRYPT)

#if !DECRYPTS || defined(UNIT)
static void encrypt(const schedule *key, uint8_t s[16])
{
    size_t r;
    add_key(s, key->k[0]);
    for (r = 1; r <= ROUNDS; r++) {
        substitute(s, sbox, 1);
        if (r < ROUNDS) {
            mix(s, 2, 3, 1, 1);
        }
        add_key(s, key->k[r]);
    }
}
#endif

#if DECRYPTS
static void decrypt(const schedule *key, uint8_t s[16])
{
    size_t r;
    for (r = ROUNDS; r > 0; r--) {
        add_key(s, key->k[r]);
        if (r < ROUNDS) {
            mix(s, 14, 11, 13, 9);
        }
        substitute(s, inverse_sbox, 3);
    }
    add_key(s, key->k[0]);
}
#endif

/* ---- tests ---- */

static uint32_t seed = 2463534242u;

static uint8_t random_byte(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (uint8_t)(seed >> 11);
}

static void random_bytes(uint8_t *to, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        to[i] = random_byte();
    }
}

static uint8_t hex_digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void from_hex(uint8_t *to, const char *text)
{
    for (; text[0] != 0; text += 2) {
        *to++ = (uint8_t)(hex_digit(text[0]) * 16 + hex_digit(text[1]));
    }
}

#if MODE != MODE_KEY && MODE != MODE_KEY_DECRYPT

#define IS_GCM (MODE == MODE_GCM_ENCRYPT || MODE == MODE_GCM_DECRYPT)
#if IS_GCM
#define SOURCE "the specification of GCM"
/* The bytes of a counter block that do not count. */
#define FIXED 12
#else
#if IS_XTS
#define SOURCE "IEEE 1619"
#else
#define SOURCE "SP 800-38A"
#endif
#define FIXED 0
#endif
#define SHORT 1024
#define LONG 66003
#define GUARD 64

static KEY(_key) keys[STREAMS];
static schedule plain_keys[STREAMS];
static uint8_t ivs[STREAMS][IV_BYTES], texts[STREAMS][LONG], expected[STREAMS][LONG];
static uint8_t buffers[STREAMS][LONG + 2 * GUARD];

#if IS_GCM
static uint64_t eight(const uint8_t *bytes)
{
    uint64_t word = 0;
    size_t i;
    for (i = 0; i < 8; i++) {
        word = word << 8 | bytes[i];
    }
    return word;
}

/* GHASH absorbs a block of up to 16 bytes: algorithm 1 of SP 800-38D, with the highest bits first. */
static void absorb(const schedule *key, uint8_t value[16], const uint8_t *bytes, size_t count)
{
    uint8_t hash_key[16] = {0};
    uint64_t high, low, sum_high = 0, sum_low = 0;
    size_t i;
    encrypt(key, hash_key);
    high = eight(hash_key);
    low = eight(hash_key + 8);
    for (i = 0; i < count; i++) {
        value[i] ^= bytes[i];
    }
    for (i = 0; i < 128; i++) {
        uint64_t carry = low & 1;
        if (value[i / 8] >> (7 - i % 8) & 1) {
            sum_high ^= high;
            sum_low ^= low;
        }
        low = low >> 1 | high << 63;
        high = high >> 1 ^ (carry ? (uint64_t)0xe1 << 56 : 0);
    }
    for (i = 0; i < 8; i++) {
        value[i] = (uint8_t)(sum_high >> (56 - 8 * i));
        value[8 + i] = (uint8_t)(sum_low >> (56 - 8 * i));
    }
}

/* The value of GHASH before each block of the text. */
static uint8_t values[LONG / 16 + 2][16];

/* What GHASH absorbs. */
static const uint8_t *ciphertext(size_t n)
{
    return MODE == MODE_GCM_ENCRYPT ? expected[n] : texts[n];
}
#endif

#if IS_XTS
/* The tweak of the next block: IEEE 1619, 5.2. */
static void twice(uint8_t tweak[16])
{
    uint8_t carry = (uint8_t)(tweak[15] >> 7 ? 0x87 : 0);
    size_t i;
    for (i = 15; i > 0; i--) {
        tweak[i] = (uint8_t)(tweak[i] << 1 | tweak[i - 1] >> 7);
    }
    tweak[0] = (uint8_t)(tweak[0] << 1 ^ carry);
}

/* A block under a tweak. */
static void tweaked(const schedule *key, const uint8_t tweak[16], uint8_t s[16])
{
    add_key(s, tweak);
#if MODE == MODE_XTS_ENCRYPT
    encrypt(key, s);
#else
    decrypt(key, s);
#endif
    add_key(s, tweak);
}
#endif

/* What the mode does to the whole text of stream n from the IV ivs[n]. */
static void reference(size_t n)
{
    uint8_t chain[16], s[16];
    size_t at;
    memcpy(chain, ivs[n], 16);
    for (at = 0; at < LONG; at += 16) {
        size_t count = LONG - at < 16 ? LONG - at : 16;
#if MODE == MODE_CTR || IS_GCM
        size_t i;
        memcpy(s, chain, 16);
        encrypt(&plain_keys[n], s);
        for (i = 0; i < count; i++) {
            expected[n][at + i] = (uint8_t)(texts[n][at + i] ^ s[i]);
        }
        for (i = 16; i-- > FIXED && ++chain[i] == 0;) {
        }
#if IS_GCM
        if (at == 0) {
            memcpy(values[0], ivs[n] + 16, 16);
        }
        memcpy(values[at / 16 + 1], values[at / 16], 16);
        absorb(&plain_keys[n], values[at / 16 + 1], ciphertext(n) + at, count);
#endif
#else
        if (count < 16) {
            break;
        }
        memcpy(s, texts[n] + at, 16);
#if MODE == MODE_ECB_ENCRYPT
        encrypt(&plain_keys[n], s);
#elif MODE == MODE_ECB_DECRYPT
        decrypt(&plain_keys[n], s);
#elif MODE == MODE_CBC_ENCRYPT
        add_key(s, chain);
        encrypt(&plain_keys[n], s);
        memcpy(chain, s, 16);
#elif IS_XTS
        tweaked(&plain_keys[n], chain, s);
        twice(chain);
#else
        decrypt(&plain_keys[n], s);
        add_key(s, chain);
        memcpy(chain, texts[n] + at, 16);
#endif
        memcpy(expected[n] + at, s, 16);
#endif
    }
}

/* The IV that a call over the first len bytes leaves behind. */
static void iv_after(uint8_t to[IV_BYTES], size_t n, size_t len)
{
    memcpy(to, ivs[n], IV_BYTES);
#if MODE == MODE_CTR || IS_GCM
    {
        size_t blocks = (len + 15) / 16, i;
        for (; blocks > 0; blocks--) {
            for (i = 16; i-- > FIXED && ++to[i] == 0;) {
            }
        }
    }
#if IS_GCM
    if (len > 0) {
        memcpy(to + 16, values[len / 16], 16);
        if (len % 16 != 0) {
            absorb(&plain_keys[n], to + 16, ciphertext(n) + len / 16 * 16, len % 16);
        }
    }
#endif
#elif MODE == MODE_CBC_ENCRYPT
    if (len >= 16) {
        memcpy(to, expected[n] + len / 16 * 16 - 16, 16);
    }
#elif MODE == MODE_CBC_DECRYPT
    if (len >= 16) {
        memcpy(to, texts[n] + len / 16 * 16 - 16, 16);
    }
#elif IS_XTS
    for (; len >= 16; len -= 16) {
        twice(to);
    }
#else
    (void)len;
#endif
}

/* One call: stream n works on len[n] bytes at in[n] and out[n]. */
static void call(uint8_t iv[STREAMS][IV_BYTES], const uint8_t *in[STREAMS], uint8_t *out[STREAMS],
                 const size_t len[STREAMS])
{
#if STREAMS > 1
    const KEY(_key) *key_list[STREAMS];
    uint8_t *iv_list[STREAMS];
    size_t n;
    for (n = 0; n < STREAMS; n++) {
        key_list[n] = &keys[n];
        iv_list[n] = iv[n];
    }
    FUNCTION(key_list, iv_list, in, out, len);
#elif HAS_IV
    FUNCTION(&keys[0], iv[0], in[0], out[0], len[0]);
#else
    (void)iv;
    FUNCTION(&keys[0], in[0], out[0], len[0]);
#endif
}

/* Bytes of the output that a call over len bytes writes. */
static size_t written(size_t len)
{
    return MODE == MODE_CTR || IS_GCM ? len : len / 16 * 16;
}

/* All streams, stream n over len[n] bytes, in one call or in cuts, against the reference. */
static void compare(const size_t len[STREAMS], int in_place, int cuts, const char *what)
{
    static uint8_t iv[STREAMS][IV_BYTES];
    size_t n, i;
    size_t done[STREAMS];
    for (n = 0; n < STREAMS; n++) {
        memcpy(iv[n], ivs[n], IV_BYTES);
        memset(buffers[n], 0xa5, len[n] + 2 * GUARD);
        if (in_place) {
            memcpy(buffers[n] + GUARD, texts[n], len[n]);
        }
        done[n] = 0;
    }
    for (;;) {
        const uint8_t *in[STREAMS];
        uint8_t *out[STREAMS];
        size_t part[STREAMS], left = 0;
        for (n = 0; n < STREAMS; n++) {
            part[n] = len[n] - done[n];
            if (cuts) {
                size_t cut = 16 * ((size_t)random_byte() % 40);
                part[n] = part[n] > cut ? cut : part[n];
            }
            out[n] = buffers[n] + GUARD + done[n];
            in[n] = in_place ? out[n] : texts[n] + done[n];
        }
        call(iv, in, out, part);
        for (n = 0; n < STREAMS; n++) {
            done[n] += part[n];
            left += len[n] - done[n];
        }
        if (left == 0) {
            break;
        }
    }
    for (n = 0; n < STREAMS; n++) {
        const uint8_t *out = buffers[n] + GUARD;
        uint8_t after[IV_BYTES];
        size_t whole = written(len[n]);
        int guarded = 1;
        check(memcmp(out, expected[n], whole) == 0, what, len[n]);
        for (i = whole; i < len[n]; i++) {
            guarded &= out[i] == (in_place ? texts[n][i] : 0xa5);
        }
        for (i = 0; i < GUARD; i++) {
            guarded &= buffers[n][i] == 0xa5 && out[len[n] + i] == 0xa5;
        }
        check(guarded, "bytes outside the output were written", len[n]);
        iv_after(after, n, len[n]);
        check(memcmp(after, iv[n], IV_BYTES) == 0, "the IV left behind", len[n]);
    }
}

static void set_keys(void)
{
    size_t n;
    for (n = 0; n < STREAMS; n++) {
        uint8_t key[KEY_BYTES];
        random_bytes(key, KEY_BYTES);
        random_bytes(texts[n], LONG);
        expand(&plain_keys[n], key);
        KEY(_init)(&keys[n], key);
    }
}

static void differential(void)
{
    size_t n, l, len[STREAMS], round;
    set_keys();
    for (n = 0; n < STREAMS; n++) {
        random_bytes(ivs[n], IV_BYTES);
        ivs[n][15] = 0xfb;
        reference(n);
    }
    for (l = 0; l <= SHORT; l++) {
        for (n = 0; n < STREAMS; n++) {
            /* Streams of different lengths, all of them in turn. */
            len[n] = (l + 37 * n) % (SHORT + 1);
        }
        compare(len, 0, 0, "a message, apart");
        compare(len, 1, 0, "a message, in place");
    }
    /* Counters that carry into each byte within the message, and past the last. */
    for (round = 0; round < 16; round++) {
        set_keys();
        for (n = 0; n < STREAMS; n++) {
            random_bytes(ivs[n], IV_BYTES);
            memset(ivs[n] + round, 0xff, 16 - round);
            ivs[n][15] = (uint8_t)(0xff - random_byte() % 64);
            if (round < 15) {
                ivs[n][14] = (uint8_t)(0xff - random_byte() % 8);
            }
            reference(n);
            len[n] = LONG - (size_t)random_byte() * 16 - random_byte();
        }
        compare(len, (int)round & 1, 0, "a long message");
        compare(len, (int)round & 1, 1, "a long message in cuts");
    }
}

static void known_answers(void)
{
    static const char key_text[] = VECTOR_KEY, in_text[] = VECTOR_IN, out_text[] = VECTOR_OUT;
    static const char iv_text[] = VECTOR_IV;
    uint8_t key[KEY_BYTES];
    size_t n, len[STREAMS];
    from_hex(key, key_text);
    for (n = 0; n < STREAMS; n++) {
        from_hex(ivs[n], iv_text);
        from_hex(texts[n], in_text);
#if IS_GCM
        expand(&plain_keys[n], key);
        reference(n);
#endif
        from_hex(expected[n], out_text);
        KEY(_init)(&keys[n], key);
        len[n] = 64;
    }
    compare(len, 0, 0, SOURCE);
    compare(len, 1, 0, SOURCE ", in place");
    expand(&plain_keys[0], key);
    for (n = 0; n < STREAMS; n++) {
        plain_keys[n] = plain_keys[0];
        memset(expected[n], 0, 64);
        reference(n);
    }
    {
        uint8_t vector[64];
        from_hex(vector, out_text);
        check(memcmp(vector, expected[0], 64) == 0, "the plain AES of this test on " SOURCE, 64);
    }
}

#ifdef SEALED

/* GCM by SP 800-38D, 7.1: ciphertext and tag. */
static void plain_gcm(const schedule *key, const uint8_t *nonce, size_t nonce_len, const uint8_t *data,
                      size_t data_len, const uint8_t *in, uint8_t *out, size_t len, uint8_t tag[16])
{
    uint8_t first[16] = {0}, counter[16], lengths[16] = {0}, s[16];
    size_t at, i;
    if (nonce_len == 12) {
        memcpy(first, nonce, 12);
        first[15] = 1;
    } else {
        for (at = 0; at < nonce_len; at += 16) {
            absorb(key, first, nonce + at, nonce_len - at < 16 ? nonce_len - at : 16);
        }
        lengths[14] = (uint8_t)(8 * nonce_len >> 8);
        lengths[15] = (uint8_t)(8 * nonce_len);
        absorb(key, first, lengths, 16);
    }
    memset(tag, 0, 16);
    for (at = 0; at < data_len; at += 16) {
        absorb(key, tag, data + at, data_len - at < 16 ? data_len - at : 16);
    }
    memcpy(counter, first, 16);
    for (at = 0; at < len; at += 16) {
        size_t count = len - at < 16 ? len - at : 16;
        for (i = 16; i-- > 12 && ++counter[i] == 0;) {
        }
        memcpy(s, counter, 16);
        encrypt(key, s);
        for (i = 0; i < count; i++) {
            out[at + i] = (uint8_t)(in[at + i] ^ s[i]);
        }
        absorb(key, tag, out + at, count);
    }
    memset(lengths, 0, 16);
    for (i = 0; i < 4; i++) {
        lengths[7 - i] = (uint8_t)(8 * data_len >> (8 * i));
        lengths[15 - i] = (uint8_t)(8 * len >> (8 * i));
    }
    absorb(key, tag, lengths, 16);
    encrypt(key, first);
    add_key(tag, first);
}

/* A message in pieces of up to 40 bytes, and its end. */
static int in_pieces(KEY(_message) *message, const uint8_t *nonce, size_t nonce_len, const uint8_t *data,
                     size_t data_len, const uint8_t *in, uint8_t *out, size_t len)
{
    int good = KEY(_start)(message, &keys[0], nonce, nonce_len);
    size_t at, part;
    for (at = 0; at < data_len; at += part) {
        part = random_byte() % 41u;
        part = part < data_len - at ? part : data_len - at;
        good |= KEY(_data)(message, &keys[0], data + at, part);
    }
    for (at = 0; at < len; at += part) {
        part = random_byte() % 41u;
        part = part < len - at ? part : len - at;
        good |= PIECES(_update)(message, &keys[0], in + at, out + at, part);
        check(part == 0 || KEY(_data)(message, &keys[0], data, 1) == -1, "data behind text is refused", len);
    }
    return good;
}

/* One message, whole, as ciphertext or from it, with tags of each size, right and wrong. */
static void whole_message(const uint8_t *nonce, size_t nonce_len, const uint8_t *data, size_t data_len,
                          const uint8_t *text, size_t len, size_t tag_len, int in_place, const char *known)
{
    static uint8_t cipher[SHORT + 1], result[SHORT + 1 + 2 * GUARD];
    uint8_t tag[16], found[16], *out = result + GUARD;
    size_t i, guards = 0;
    KEY(_message) message;
#if MODE != MODE_GCM_ENCRYPT
    int wrong, n;
#endif
    int good;
    plain_gcm(&plain_keys[0], nonce, nonce_len, data, data_len, text, cipher, len, tag);
    if (known != NULL) {
        from_hex(found, known);
        check(memcmp(found, tag, 16) == 0, "the plain GCM of this test on " SOURCE, len);
    }
    memset(result, 0xa5, sizeof result);
    memset(found, 0x5a, sizeof found);
#if MODE == MODE_GCM_ENCRYPT
    if (in_place) {
        memcpy(out, text, len);
    }
    good = SEALED(&keys[0], nonce, nonce_len, data, data_len, in_place ? out : text, out, len, found, tag_len);
    check(good == 0 && memcmp(out, cipher, len) == 0, "the ciphertext of a message", len);
    check(memcmp(found, tag, tag_len) == 0, "the tag of a message", len);
    for (i = tag_len; i < 16; i++) {
        guards += found[i] != 0x5a;
    }
    memset(found, 0x5a, 16);
    memcpy(out, text, len);
    good = in_pieces(&message, nonce, nonce_len, data, data_len, in_place ? out : text, out, len);
    check(good == 0 && memcmp(out, cipher, len) == 0, "the ciphertext of a message in pieces", len);
    good = PIECES(_finish)(&message, &keys[0], found, 7);
    check(good == -1 && found[0] == 0x5a, "a tag of seven bytes is refused", len);
    good = PIECES(_finish)(&message, &keys[0], found, tag_len);
    check(good == 0 && memcmp(found, tag, tag_len) == 0, "the tag of a message in pieces", len);
#else
    if (in_place) {
        memcpy(out, cipher, len);
    }
    good = SEALED(&keys[0], nonce, nonce_len, data, data_len, in_place ? out : cipher, out, len, tag, tag_len);
    check(good == 0 && memcmp(out, text, len) == 0, "the text of a message", len);
    /* A wrong bit of the tag leaves nothing but zeros. */
    memcpy(out, cipher, len);
    wrong = (int)(random_byte() % (8 * tag_len));
    tag[wrong / 8] ^= (uint8_t)(1 << wrong % 8);
    good = SEALED(&keys[0], nonce, nonce_len, data, data_len, in_place ? out : cipher, out, len, tag, tag_len);
    check(good == -1, "a wrong tag is refused", len);
    for (i = 0; i < len; i++) {
        guards += out[i] != 0;
    }
    for (n = 0; n < 2; n++) {
        memcpy(out, cipher, len);
        good = in_pieces(&message, nonce, nonce_len, data, data_len, in_place ? out : cipher, out, len);
        check(good == 0 && memcmp(out, text, len) == 0, "the text of a message in pieces", len);
        good = PIECES(_finish)(&message, &keys[0], tag, tag_len);
        check(good == (n == 0 ? -1 : 0), "the tag of a message in pieces", len);
        tag[wrong / 8] ^= (uint8_t)(1 << wrong % 8);
    }
#endif
    for (i = 0; i < sizeof message; i++) {
        guards += ((const uint8_t *)&message)[i] != 0;
    }
    for (i = 0; i < GUARD; i++) {
        guards += result[i] != 0xa5 || out[len + i] != 0xa5;
    }
    check(guards == 0, "bytes outside the message were written, or a refused text is left", len);
}

static void whole_messages(void)
{
    static const char data_text[] = VECTOR_DATA, alone[] = VECTOR_TAG, with_data[] = VECTOR_TAG_WITH_DATA;
#if MODE == MODE_GCM_ENCRYPT
    static const char text_text[] = VECTOR_IN;
#else
    static const char text_text[] = VECTOR_OUT;
#endif
    static const char key_text[] = VECTOR_KEY, iv_text[] = VECTOR_IV;
    static const size_t tags[] = {4, 8, 12, 13, 14, 15, 16}, none[] = {0, 1, 3, 5, 7, 9, 11, 17, 32};
    uint8_t key[KEY_BYTES], nonce[64], data[64], text[SHORT], before[SHORT];
    size_t l, i;
    from_hex(key, key_text);
    from_hex(nonce, iv_text);
    from_hex(data, data_text);
    from_hex(text, text_text);
    expand(&plain_keys[0], key);
    KEY(_init)(&keys[0], key);
    whole_message(nonce, 12, data, 0, text, 64, 16, 0, alone);
    whole_message(nonce, 12, data, 20, text, 60, 16, 1, with_data);
    set_keys();
    for (l = 0; l <= 600; l++) {
        size_t nonce_len = l % 3 == 0 ? 12 : 1 + l % 60;
        random_bytes(nonce, sizeof nonce);
        random_bytes(data, sizeof data);
        random_bytes(text, l);
        whole_message(nonce, nonce_len, data, l % 65, text, l, tags[l % 7], (int)(l / 2) & 1, NULL);
        if (l < 300) {
            /* More data than a call absorbs. */
            whole_message(nonce, 12, texts[0], 700 + l, text, l, 16, (int)l & 1, NULL);
        }
    }
    /* What is no message is refused, and nothing is written. */
    memset(before, 0x5a, sizeof before);
    memset(text, 0x5a, sizeof text);
    for (i = 0; i <= sizeof none / sizeof none[0]; i++) {
        int nothing = i == sizeof none / sizeof none[0];
        size_t tag_len = nothing ? 16 : none[i];
        int good = SEALED(&keys[0], nonce, nothing ? 0 : 12, data, 9, before, text, 100, text + 200, tag_len);
        check(good == -1 && memcmp(text, before, sizeof text) == 0, "what is no message is refused", tag_len);
    }
#if SIZE_MAX > 0xffffffff
    check(SEALED(&keys[0], nonce, 12, data, 9, before, text, ((size_t)1 << 36) - 31, text + 200, 16) == -1 &&
              memcmp(text, before, sizeof text) == 0,
          "a text that is too long is refused", 0);
#endif
}

#endif

#ifdef UNIT

/* A data unit by IEEE 1619, 5.3 and 5.4. */
static void plain_unit(const schedule *key, const schedule *tweak_key, const uint8_t number[16], const uint8_t *in,
                       uint8_t *out, size_t len)
{
    uint8_t tweak[16], last[16], s[16];
    size_t at, rest = len % 16, whole = len - rest;
    memcpy(tweak, number, 16);
    encrypt(tweak_key, tweak);
    if (rest > 0 && DECRYPTS) {
        whole -= 16;
    }
    for (at = 0; at < whole; at += 16) {
        memcpy(out + at, in + at, 16);
        tweaked(key, tweak, out + at);
        memcpy(last, tweak, 16);
        twice(tweak);
    }
    if (rest == 0) {
        return;
    }
    if (DECRYPTS) {
        memcpy(last, tweak, 16);
        twice(tweak);
        memcpy(out + at, in + at, 16);
        tweaked(key, tweak, out + at);
        memcpy(tweak, last, 16);
    } else {
        at -= 16;
    }
    memcpy(s, in + at + 16, rest);
    memcpy(s + rest, out + at + rest, 16 - rest);
    memcpy(out + at + 16, out + at, rest);
    tweaked(key, tweak, s);
    memcpy(out + at, s, 16);
}

static void units(void)
{
    static TWEAK_KEY(_key) tweak_key;
    static uint8_t wanted[SHORT], result[SHORT + 2 * GUARD];
    uint8_t key[KEY_BYTES], number[16], *out = result + GUARD;
    schedule plain_tweak_key;
    size_t len, i;
    int in_place, good;
    set_keys();
    random_bytes(key, KEY_BYTES);
    expand(&plain_tweak_key, key);
    TWEAK_KEY(_init)(&tweak_key, key);
    for (len = 0; len < SHORT; len++) {
        random_bytes(number, sizeof number);
        if (len >= 16) {
            plain_unit(&plain_keys[0], &plain_tweak_key, number, texts[0], wanted, len);
        }
        for (in_place = 0; in_place < 2; in_place++) {
            size_t guards = 0;
            memset(result, 0xa5, sizeof result);
            if (in_place) {
                memcpy(out, texts[0], len);
            }
            good = UNIT(&keys[0], &tweak_key, number, in_place ? out : texts[0], out, len);
            if (len >= 16) {
                check(good == 0 && memcmp(out, wanted, len) == 0, "a data unit", len);
            } else {
                for (i = 0; i < len; i++) {
                    guards += out[i] != (in_place ? texts[0][i] : 0xa5);
                }
                check(good == -1, "a data unit of less than a block is refused", len);
            }
            for (i = 0; i < GUARD; i++) {
                guards += result[i] != 0xa5 || out[len + i] != 0xa5;
            }
            check(guards == 0, "bytes outside the unit were written", len);
        }
    }
    /* Units that follow each other, whose numbers carry. */
    memset(number, 0xff, 3);
    good = UNITS(&keys[0], &tweak_key, number, texts[0], out, 37, 5);
    for (i = 0; i < 5; i++) {
        plain_unit(&plain_keys[0], &plain_tweak_key, number, texts[0] + 37 * i, wanted + 37 * i, 37);
        for (len = 0; len < 16 && ++number[len] == 0; len++) {
        }
    }
    check(good == 0 && memcmp(out, wanted, 37 * 5) == 0, "data units that follow each other", 5);
    memset(result, 0xa5, sizeof result);
    good = UNITS(&keys[0], &tweak_key, number, texts[0], out, 15, 5);
    check(good == -1 && out[0] == 0xa5, "data units of less than a block are refused", 0);
    good = UNIT(&keys[0], &tweak_key, number, texts[0], out, ((size_t)1 << 24) + 1);
    check(good == -1 && out[0] == 0xa5, "a data unit that is too long is refused", 0);
    KEY(_init)(&keys[0], key);
    good = UNIT(&keys[0], &tweak_key, number, texts[0], out, 32);
    check(good == -1 && out[0] == 0xa5, "equal keys are refused", 0);
}

#endif

static void wiping(void)
{
    size_t i, sum = 0;
    KEY(_wipe)(&keys[0]);
    for (i = 0; i < sizeof keys[0]; i++) {
        sum += ((const uint8_t *)&keys[0])[i];
    }
    check(sum == 0, "a wiped key", sum);
}

#else

static void known_answers(void)
{
    /* FIPS-197, appendix C: one block through the plain AES, whose round keys are compared below. */
    uint8_t key[KEY_BYTES], s[16], out[16];
    schedule k;
    size_t i;
    for (i = 0; i < KEY_BYTES; i++) {
        key[i] = (uint8_t)i;
    }
    for (i = 0; i < 16; i++) {
        s[i] = (uint8_t)(17 * i);
    }
    expand(&k, key);
    encrypt(&k, s);
    from_hex(out, FIPS197_C);
    check(memcmp(s, out, 16) == 0, "the plain AES of this test on FIPS-197", 0);
}

static void differential(void)
{
    size_t trial;
    for (trial = 0; trial < 10000; trial++) {
        uint8_t key[KEY_BYTES];
        schedule k;
        static KEY(_key) guarded[3];
        size_t i, guards = 0;
        random_bytes(key, KEY_BYTES);
        memset(guarded, 0xa5, sizeof guarded);
        expand(&k, key);
#if MODE == MODE_KEY_DECRYPT
        {
            schedule e = k;
            size_t r;
            for (r = 0; r <= ROUNDS; r++) {
                memcpy(k.k[r], e.k[ROUNDS - r], 16);
                if (r > 0 && r < ROUNDS) {
                    mix(k.k[r], 14, 11, 13, 9);
                }
            }
        }
#endif
        KEY(_init)(&guarded[1], key);
        check(memcmp(&guarded[1], &k, sizeof k) == 0, "round keys", trial);
        for (i = 0; i < sizeof guarded[0]; i++) {
            guards += ((const uint8_t *)&guarded[0])[i] != 0xa5;
            guards += ((const uint8_t *)&guarded[2])[i] != 0xa5;
        }
        check(guards == 0, "bytes outside the key were written", trial);
    }
}

static void wiping(void)
{
    static KEY(_key) key;
    size_t i, sum = 0;
    memset(&key, 0xa5, sizeof key);
    KEY(_wipe)(&key);
    for (i = 0; i < sizeof key; i++) {
        sum += ((const uint8_t *)&key)[i];
    }
    check(sum == 0, "a wiped key", sum);
}

#endif

static void all_tests(void)
{
    known_answers();
    differential();
#ifdef SEALED
    whole_messages();
#endif
#ifdef UNIT
    units();
#endif
    wiping();
}

#if LEVELS > 1
int PACKAGE(_try_level)(int number);
#endif

int main(void)
{
    if (!PACKAGE(_supported)()) {
        printf("%s\nskipped: this CPU cannot run the kernel\n", PACKAGE(_kernel)());
        return 0;
    }
    make_tables();
#if LEVELS > 1
    {
        int level;
        printf("this CPU chooses: %s\n", PACKAGE(_kernel)());
        for (level = 1; level <= LEVELS; level++) {
            if (!PACKAGE(_try_level)(level)) {
                printf("level %d skipped: this CPU cannot run it\n", level);
                continue;
            }
            printf("%s\n", PACKAGE(_kernel)());
            all_tests();
        }
    }
#else
    printf("%s\n", PACKAGE(_kernel)());
    all_tests();
#endif
    printf("%lu passed, %lu failed\n", passed, failed);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
