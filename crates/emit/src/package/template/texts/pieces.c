
/* The data of a message ends, and its text begins. */
static void @STEM@_text(const @STEM@_key *key, @STEM@_message *message)
{
    if (!message->has_text) {
        message->has_text = 1;
        @STEM@_absorb(key, message->state, message->block, (size_t)(message->data_len % 16));
        @STEM@_next(message->state, message->first);
    }
}

/* Text that ends before its block does, or begins within it: the block's text is kept, and its key stream known. */
static void @STEM@_piece(@STEM@_message *message, size_t held, const uint8_t *in, uint8_t *out, size_t len)
{
    size_t n;
    for (n = 0; n < len; n++) {
        message->block[held + n] = in[n];
        out[n] = (uint8_t)(in[n] ^ message->stream[held + n]);
    }
}

int @STEM@_start(@STEM@_message *message, const @STEM@_key *key, const uint8_t *nonce, size_t nonce_len)
{
    if (nonce_len == 0 || nonce_len > @STEM@_most_bytes) {
        return -1;
    }
    memset(message, 0, sizeof *message);
    @STEM@_first(key, message->first, nonce, nonce_len);
    return 0;
}

int @STEM@_data(@STEM@_message *message, const @STEM@_key *key, const uint8_t *data, size_t len)
{
    size_t held = (size_t)(message->data_len % 16), whole;
    if (message->has_text || len > @STEM@_most_bytes - message->data_len) {
        return -1;
    }
    message->data_len += len;
    if (held > 0) {
        for (; held < 16 && len > 0; held++, len--) {
            message->block[held] = *data++;
        }
        if (held < 16) {
            return 0;
        }
        @STEM@_absorb(key, message->state, message->block, 16);
    }
    whole = len / 16 * 16;
    @STEM@_absorb(key, message->state, data, whole);
    for (; whole < len; whole++) {
        message->block[whole % 16] = data[whole];
    }
    return 0;
}
