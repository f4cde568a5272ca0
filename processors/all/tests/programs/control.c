/* Control: switches, function pointers, recursion, loops, arguments beyond the registers, sorting. */
#include "programs.h"

static __attribute__((noinline)) uint16_t step(uint16_t value, uint8_t what) {
    switch (what & 15) {
    case 0: return value + 1;
    case 1: return value << 1;
    case 2: return value >> 3;
    case 3: return value ^ 0x5555;
    case 4: return (uint16_t)~value;
    case 5: return value * 17;
    case 6: return (uint16_t)-value;
    case 7: return value | 0x1000;
    case 8: return value & 0xfff7;
    case 9: return (uint16_t)(value << 8 | value >> 8);
    case 12: return value - 1000;
    default: return value;
    }
}

void t_switches(out_t out, in_t in) {
    uint16_t value = 1;
    for (uint8_t i = 0; i < 64; i++) {
        value = step(value, in[i]);
        out[i] = (uint8_t)(value ^ value >> 8);
    }
}

static uint8_t plus(uint8_t a, uint8_t b) { return a + b; }
static uint8_t minus(uint8_t a, uint8_t b) { return a - b; }
static uint8_t both(uint8_t a, uint8_t b) { return a & b; }
static uint8_t other(uint8_t a, uint8_t b) { return a ^ b; }
typedef uint8_t (*operation)(uint8_t, uint8_t);
static const operation operations[] = {plus, minus, both, other};
static operation chosen = minus;

void t_function_pointers(out_t out, in_t in) {
    for (uint8_t i = 0; i < 32; i++) {
        out[i] = operations[in[i] & 3](in[i], in[i + 1]);
        out[i + 32] = chosen(in[i], out[i]);
        chosen = operations[in[i] >> 6];
    }
}

static __attribute__((noinline)) uint16_t ackermann(uint16_t m, uint16_t n) {
    if (!m)
        return n + 1;
    return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

static __attribute__((noinline)) uint32_t partitions(uint8_t n, uint8_t most) {
    if (!n)
        return 1;
    uint32_t sum = 0;
    for (uint8_t k = 1; k <= most && k <= n; k++)
        sum += partitions(n - k, k);
    return sum;
}

void t_recursion(out_t out, in_t in) {
    put16(out, ackermann(2, in[0] & 7));
    put32(out + 4, partitions(in[1] % 12, in[2] % 8 + 1));
}

static __attribute__((noinline)) uint32_t many(uint8_t a, uint16_t b, uint32_t c, uint64_t d, uint8_t e,
                                               uint32_t f, uint16_t g, uint32_t h, uint8_t i,
                                               uint64_t j) {
    return a + 2 * (uint32_t)b + 3 * c + 5 * (uint32_t)d + 7 * e + 11 * f + 13 * (uint32_t)g + 17 * h + 19 * i +
           23 * (uint32_t)(j >> 8);
}

void t_many_arguments(out_t out, in_t in) {
    put32(out, many(in[0], get16(in + 1), get32(in + 3), get64(in + 7), in[15], get32(in + 16),
                    get16(in + 20), get32(in + 22), in[26], get64(in + 27)));
    put32(out + 4, many(in[1], 2, 3, get64(in), in[5], 6, get16(in + 2), 8, in[9], 10));
}

static void sort(uint16_t *a, uint8_t n) {
    for (uint8_t i = 1; i < n; i++) {
        uint16_t v = a[i];
        uint8_t j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
}

static void quick(int32_t *a, int16_t low, int16_t high) {
    while (low < high) {
        int32_t pivot = a[(low + high) / 2];
        int16_t i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                i++;
            while (a[j] > pivot)
                j--;
            if (i <= j) {
                int32_t t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        quick(a, low, j);
        low = i;
    }
}

void t_sorting(out_t out, in_t in) {
    uint16_t a[16];
    int32_t b[8];
    for (uint8_t i = 0; i < 16; i++)
        a[i] = get16(in + 2 * i);
    sort(a, 16);
    for (uint8_t i = 0; i < 8; i++)
        b[i] = (int32_t)get32(in + 32 + 4 * i);
    quick(b, 0, 7);
    for (uint8_t i = 0; i < 16; i++)
        put16(out + 2 * i, a[i]);
    for (uint8_t i = 0; i < 8; i++)
        put32(out + 32 + 4 * i, (uint32_t)b[i]);
}

void t_checksums(out_t out, in_t in) {
    uint32_t crc = 0xffffffff, a = 1, b = 0;
    uint16_t ccitt = 0xffff;
    for (uint8_t i = 0; i < 64; i++) {
        crc ^= in[i];
        for (uint8_t k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
        ccitt ^= (uint16_t)in[i] << 8;
        for (uint8_t k = 0; k < 8; k++)
            ccitt = ccitt & 0x8000 ? (uint16_t)(ccitt << 1) ^ 0x1021 : (uint16_t)(ccitt << 1);
        a = (a + in[i]) % 65521;
        b = (b + a) % 65521;
    }
    put32(out, ~crc);
    put16(out + 4, ccitt);
    put32(out + 8, b << 16 | a);
}

/* Enough locals alive at once that some are spilled. */
void t_pressure(out_t out, in_t in) {
    uint32_t a = get32(in), b = get32(in + 4), c = get32(in + 8), d = get32(in + 12), e = get32(in + 16),
             f = get32(in + 20), g = get32(in + 24), h = get32(in + 28);
    for (uint8_t i = 0; i < 20; i++) {
        uint32_t t = h + ((e >> 6 | e << 26) ^ (e >> 11 | e << 21)) + ((e & f) ^ (~e & g)) + in[32 + i];
        uint32_t u = ((a >> 2 | a << 30) ^ (a >> 13 | a << 19)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t;
        d = c;
        c = b;
        b = a;
        a = t + u;
    }
    put32(out, a);
    put32(out + 4, b + c + d);
    put32(out + 8, e);
    put32(out + 12, f + g + h);
}
