
@UPDATE@
{
    size_t held, whole;
    if (len > @STEM@_most_text - message->len) {
        return -1;
    }
    @STEM@_text(key, message);
    held = (size_t)(message->len % 16);
    message->len += len;
    if (held > 0) {
        size_t part = len < 16 - held ? len : 16 - held;
        @STEM@_piece(message, held, in, out, part);
        if (held + part < 16) {
            return 0;
        }
        @FUNCTION@(key, message->state, message->block, message->stream, 16);
        in += part;
        out += part;
        len -= part;
    }
    whole = len / 16 * 16;
    @FUNCTION@(key, message->state, in, out, whole);
    if (whole < len) {
        uint8_t before[32];
        memcpy(before, message->state, 32);
        memset(message->stream, 0, 16);
        @FUNCTION@(key, before, message->stream, message->stream, 16);
        @STEM@_piece(message, 0, in + whole, out + whole, len - whole);
        @STEM@_forget(before, sizeof before);
    }
    return 0;
}

@FINISH@
{
    uint8_t whole[16]@DIFFERS@;
    if (!@STEM@_is_tag(tag_len)) {
        return -1;
    }
    @STEM@_text(key, message);
    @FUNCTION@(key, message->state, message->block, message->stream, (size_t)(message->len % 16));
    @STEM@_end(key, message->first, message->state, message->data_len, message->len, whole);
    @STEM@_forget(message, sizeof *message);
@TAG@    @STEM@_forget(whole, sizeof whole);
    return @RESULT@;
}
