
@UNIT@
{
    uint8_t state[16] = {0}, block[16], last[16], differs = 0;
    size_t whole = len / 16 * 16, rest = len % 16, n;
    for (n = 0; n < 16; n++) {
        differs |= (uint8_t)(key->bytes[@FIRST@ + n] ^ tweak_key->bytes[n]);
        differs |= (uint8_t)(key->bytes[@LAST@ + n] ^ tweak_key->bytes[@LAST_KEY@ + n]);
    }
    if (differs == 0 || len < 16 || len > (size_t)1 << 24) {
        return -1;
    }
    @ENCRYPT@(tweak_key, state, tweak, block, 16);
    memcpy(state, block, 16);
    memcpy(last, in + whole, rest);
@BODY@    forget_unit(block, sizeof block);
    forget_unit(last, sizeof last);
    forget_unit(state, sizeof state);
    return 0;
}

@UNITS@
{
    uint8_t number[16];
    size_t n;
    memcpy(number, first, 16);
    for (; count > 0; count--) {
        if (@FUNCTION@_unit(key, tweak_key, number, in, out, unit_len) != 0) {
            return -1;
        }
        in += unit_len;
        out += unit_len;
        for (n = 0; n < 16 && ++number[n] == 0; n++) {
        }
    }
    return 0;
}
