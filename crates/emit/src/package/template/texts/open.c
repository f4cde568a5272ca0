
@PROTOTYPE@
{
    uint8_t first[16], state[32], whole[16], differs = 0;
    size_t n;
    if (@STEM@_begin(key, first, state, nonce, nonce_len, data, data_len, len, tag_len) != 0) {
        return -1;
    }
    @FUNCTION@(key, state, in, out, len);
    @STEM@_end(key, first, state, data_len, len, whole);
    /* Each byte is compared, so that the time says nothing about the first that differs. */
    for (n = 0; n < tag_len; n++) {
        differs |= (uint8_t)(whole[n] ^ tag[n]);
    }
    @STEM@_forget(whole, sizeof whole);
    @STEM@_forget(first, sizeof first);
    if (differs != 0) {
        @STEM@_forget(out, len);
        return -1;
    }
    return 0;
}
