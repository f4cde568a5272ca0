
@PROTOTYPE@
{
    uint8_t first[16], state[32], whole[16], differs;
    if (@STEM@_begin(key, first, state, nonce, nonce_len, data, data_len, len, tag_len) != 0) {
        return -1;
    }
    @FUNCTION@(key, state, in, out, len);
    @STEM@_end(key, first, state, data_len, len, whole);
    differs = @STEM@_differs(whole, tag, tag_len);
    @STEM@_forget(whole, sizeof whole);
    @STEM@_forget(first, sizeof first);
    if (differs != 0) {
        @STEM@_forget(out, len);
        return -1;
    }
    return 0;
}
