/* Memory: copying, lengths, records, packed and unaligned data, bit fields, static variables. */
#include "programs.h"

void *memcpy(void *to, const void *from, __SIZE_TYPE__ n) {
    uint8_t *t = to;
    const uint8_t *f = from;
    while (n--)
        *t++ = *f++;
    return to;
}

void *memset(void *to, int value, __SIZE_TYPE__ n) {
    uint8_t *t = to;
    while (n--)
        *t++ = (uint8_t)value;
    return to;
}

static __attribute__((noinline)) uint8_t length(const char *text) {
    const char *end = text;
    while (*end)
        end++;
    return (uint8_t)(end - text);
}

static const char words[][12] = {"", "a", "block", "cipher", "round keys"};

void t_texts(out_t out, in_t in) {
    for (uint8_t i = 0; i < 32; i++)
        out[i] = length(words[in[i] % 5]) + words[in[i] % 5][in[i + 1] % 3];
    memcpy(out + 32, in + 3, 17);
    memset(out + 49, in[1], 5);
    for (uint8_t i = 0; i < 8; i++) /* overlapping, downwards */
        out[63 - i] = out[60 - i];
}

struct point { int16_t x, y; };
struct box { struct point low, high; uint8_t colour; };

static __attribute__((noinline)) struct box grown(struct box b, struct point by) {
    b.low.x -= by.x;
    b.low.y -= by.y;
    b.high.x += by.x;
    b.high.y += by.y;
    b.colour ^= 0x55;
    return b;
}

void t_records(out_t out, in_t in) {
    struct box b = {{(int16_t)get16(in), (int16_t)get16(in + 2)}, {(int16_t)get16(in + 4), 7}, in[6]};
    struct point p = {(int16_t)get16(in + 8), -3};
    b = grown(b, p);
    b = grown(b, b.low);
    put16(out, (uint16_t)b.low.x);
    put16(out + 2, (uint16_t)b.low.y);
    put16(out + 4, (uint16_t)b.high.x);
    put16(out + 6, (uint16_t)b.high.y);
    out[8] = b.colour;
}

struct __attribute__((packed)) packet { uint8_t kind; uint32_t number; uint16_t size; uint64_t stamp; };

void t_packed(out_t out, in_t in) {
    const struct packet *p = (const struct packet *)(in + 1);
    struct packet *q = (struct packet *)(out + 3);
    q->kind = p->kind + 1;
    q->number = p->number * 3;
    q->size = p->size ^ 0x1234;
    q->stamp = p->stamp - p->number;
}

struct fields { uint16_t a : 3, b : 7, c : 6; int16_t d : 5, e : 11; };

void t_bit_fields(out_t out, in_t in) {
    struct fields f = {in[0] & 7, in[1] & 127, in[2] & 63, 0, 0};
    f.d = (int16_t)(in[3] & 15) - (in[3] & 16);
    f.e = (int16_t)(get16(in + 4) & 1023) - 512;
    f.a += 3;
    f.b ^= f.c;
    f.c = (uint16_t)(f.c << 1) & 63;
    f.e -= f.d;
    put16(out, f.a);
    put16(out + 2, f.b);
    put16(out + 4, f.c);
    put16(out + 6, (uint16_t)f.d);
    put16(out + 8, (uint16_t)f.e);
}

static uint32_t counter = 0x01020304;
static uint16_t history[8];
static int8_t signs[4] = {-1, 2, -3, 4};

void t_statics(out_t out, in_t in) {
    for (uint8_t i = 0; i < 8; i++) {
        counter = counter * 1103515245u + 12345u + in[i];
        history[counter >> 16 & 7] += (uint16_t)counter;
        signs[i & 3] += (int8_t)(in[i] >> 4);
    }
    put32(out, counter);
    for (uint8_t i = 0; i < 8; i++)
        put16(out + 4 + 2 * i, history[i]);
    for (uint8_t i = 0; i < 4; i++)
        put16(out + 20 + 2 * i, (uint16_t)(int16_t)signs[i]);
}

void t_halves(out_t out, in_t in) {
    int16_t h[16];
    int8_t b[16];
    for (uint8_t i = 0; i < 16; i++) {
        h[i] = (int16_t)get16(in + 2 * i);
        b[i] = (int8_t)in[32 + i];
    }
    int32_t sum = 0;
    for (uint8_t i = 0; i < 16; i++) {
        sum += (int32_t)h[i] * b[15 - i];
        h[in[48 + i] & 15] = (int16_t)(sum >> 4);
        b[in[48 + i] >> 4] = (int8_t)sum;
    }
    put32(out, (uint32_t)sum);
    for (uint8_t i = 0; i < 16; i++)
        put16(out + 4 + 2 * i, (uint16_t)(h[i] + b[i]));
}
