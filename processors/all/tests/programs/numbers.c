/* Arithmetic of 8, 16, 32 and 64 bits, with and without sign: what compilers open-code, and what
 * they call libgcc for. */
#include "programs.h"

#define ALL(name, bits, type, stype, get, put)                                                       \
    void t_sums_##name(out_t out, in_t in) {                                                         \
        type a = get(in), b = get(in + 8), c = get(in + 16);                                         \
        put(out, a + b);                                                                             \
        put(out + 8, a - b);                                                                         \
        put(out + 16, (type)(a * b + c));                                                            \
        put(out + 24, (type)(-a ^ ~b));                                                              \
        put(out + 32, (type)((a & b) | (b & c) | (c & a)));                                          \
        put(out + 40, (type)(a + 0x5a));                                                             \
        put(out + 48, (type)(b * 10));                                                               \
        put(out + 56, (type)(a > b ? a - b : b - a));                                                \
    }                                                                                                \
    void t_quotients_##name(out_t out, in_t in) {                                                    \
        type a = get(in), b = get(in + 8) | 1;                                                       \
        stype sa = (stype)get(in + 16), sb = (stype)(get(in + 24) | 1);                              \
        b >>= in[63] % bits;                                                                         \
        put(out, b ? a / b : 0);                                                                     \
        put(out + 8, b ? a % b : 0);                                                                 \
        if (sb != -1) {                                                                              \
            put(out + 16, (type)(sa / sb));                                                          \
            put(out + 24, (type)(sa % sb));                                                          \
        }                                                                                            \
        put(out + 32, a / 10);                                                                       \
        put(out + 40, (type)(sa / 7));                                                               \
        put(out + 48, (type)(sa % 16));                                                              \
        put(out + 56, a % 1);                                                                        \
    }                                                                                                \
    void t_shifts_##name(out_t out, in_t in) {                                                       \
        type a = get(in);                                                                            \
        stype s = (stype)get(in + 8);                                                                \
        uint8_t n = in[16] % bits, m = in[17] % bits;                                                \
        put(out, (type)(a << n));                                                                    \
        put(out + 8, a >> m);                                                                        \
        put(out + 16, (type)(s >> n));                                                               \
        put(out + 24, (type)(a << 3 | a >> (bits - 3)));                                             \
        put(out + 32, (type)(s >> (bits - 1)));                                                      \
        put(out + 40, (type)(s >> 2));                                                               \
        put(out + 48, (type)(a >> 5));                                                               \
        put(out + 56, (type)(a << (bits / 2)));                                                      \
    }                                                                                                \
    void t_order_##name(out_t out, in_t in) {                                                        \
        for (uint8_t i = 0; i < 6; i++) {                                                            \
            type a = get(in + 8 * i), b = get(in + 8 * ((i + in[56]) % 6));                          \
            stype sa = (stype)a, sb = (stype)b;                                                      \
            out[8 * i] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (sa < sb) << 4 |  \
                         (sa <= sb) << 5 | (sa > sb) << 6 | (sa >= 0) << 7;                          \
            if (sa < -100)                                                                           \
                out[8 * i + 1] = 1;                                                                  \
            if (sa >= 77 && b > 200)                                                                 \
                out[8 * i + 1] = 2;                                                                  \
            if (!a || sb < 0)                                                                        \
                out[8 * i + 2] = 3;                                                                  \
        }                                                                                            \
    }

static uint8_t get8(in_t p) { return *p; }
static void put8(out_t p, uint8_t v) { *p = v; }

ALL(8, 8, uint8_t, int8_t, get8, put8)
ALL(16, 16, uint16_t, int16_t, get16, put16)
ALL(32, 32, uint32_t, int32_t, get32, put32)
ALL(64, 64, uint64_t, int64_t, get64, put64)

/* Products wider than their operands. */
void t_wide_products(out_t out, in_t in) {
    put64(out, (uint64_t)get32(in) * get32(in + 4));
    put64(out + 8, (uint64_t)((int64_t)(int32_t)get32(in) * (int32_t)get32(in + 8)));
    put32(out + 16, (uint32_t)get16(in) * get16(in + 2));
    put32(out + 20, (uint32_t)((int32_t)(int16_t)get16(in) * (int16_t)get16(in + 4)));
    put16(out + 24, (uint16_t)((uint16_t)in[0] * in[1]));
    put16(out + 26, (uint16_t)((int16_t)(int8_t)in[0] * (int8_t)in[2]));
    put16(out + 28, (uint16_t)((int16_t)(int8_t)in[0] * in[3]));
    put64(out + 32, get64(in + 8) + (uint64_t)get32(in) * get32(in + 4));
    put64(out + 40, get64(in + 8) + (uint64_t)((int64_t)(int32_t)get32(in) * (int32_t)get32(in + 4)));
    put32(out + 48, get32(in) - get32(in + 4) * get32(in + 8));
    put32(out + 52, (uint32_t)(((uint64_t)get32(in) * get32(in + 4)) >> 32));
    put32(out + 56, (uint32_t)((int32_t)(int16_t)get16(in) * (int16_t)get16(in + 2) + (int32_t)get32(in + 4)));
}

/* What instruction sets have single instructions for. */
void t_bits(out_t out, in_t in) {
    uint32_t a = get32(in), b = get32(in + 4);
    put32(out, __builtin_bswap32(a));
    put16(out + 4, __builtin_bswap16((uint16_t)b));
    put16(out + 6, (uint16_t)__builtin_popcountl(a));
    out[8] = a ? (uint8_t)__builtin_clzl(a) : 77;
    out[9] = a ? (uint8_t)__builtin_ctzl(a) : 78;
    out[10] = (uint8_t)__builtin_parityl(b);
    put32(out + 12, a & ~b);
    put32(out + 16, a | ~b);
    put32(out + 20, (a & 0xffff0000) | b >> 16);
    put32(out + 24, (uint32_t)(int32_t)(int8_t)(a >> 8));
    put32(out + 28, (uint32_t)(int32_t)(int16_t)(b >> 8));
    put32(out + 32, (a >> 5 & 0x3ff) | (b & ~0x3ffUL));
    put32(out + 36, a ^ (b >> 7 | b << 25));
    put32(out + 40, a + (b << 5));
    put32(out + 44, (uint32_t)((int32_t)(a << 12) >> 20));
    put32(out + 48, (int32_t)a > 127 ? 127 : (int32_t)a < -128 ? -128 : a);
    put32(out + 52, (int32_t)b > 255 ? 255 : (int32_t)b < 0 ? 0 : b);
    put32(out + 56, (a & 0x00ff00ff) + (b & 0x00ff00ff));
    put32(out + 60, (a << 16 | a >> 16) + (uint8_t)b);
}

static float as_float(uint32_t bits) {
    union { uint32_t bits; float value; } u = {(bits & 0x80ffffff) + 0x3c000000 + (bits >> 3 & 0x06000000)};
    return u.value;
}

static void put_float(out_t p, float value) {
    union { float value; uint32_t bits; } u = {value};
    put32(p, u.bits);
}

/* libgcc's floating point, of processors that have none. */
void f_floats(out_t out, in_t in) {
    float a = as_float(get32(in)), b = as_float(get32(in + 4));
    put_float(out, a + b);
    put_float(out + 4, a - b);
    put_float(out + 8, a * b);
    put_float(out + 12, a / b);
    put32(out + 16, (uint32_t)(int32_t)(a * 100));
    put_float(out + 20, (float)(int32_t)get32(in + 8));
    out[24] = (a < b) | (a >= b) << 1 | (a == b) << 2;
}
