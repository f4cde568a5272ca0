/* What the programs share. Each function named t_... is one program: it reads 64 bytes and writes
 * 64, and gives the same on every processor. Those named f_... may round differently on AVR. */
#include <stdint.h>

#ifdef __AVR__
#define TABLE const __flash /* read with lpm: 2 KiB of RAM hold no such tables */
#else
#define TABLE const
#endif

typedef uint8_t *out_t;
typedef const uint8_t *in_t;

static inline uint16_t get16(in_t p) { return p[0] | (uint16_t)p[1] << 8; }
static inline uint32_t get32(in_t p) { return get16(p) | (uint32_t)get16(p + 2) << 16; }
static inline uint64_t get64(in_t p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }
static inline void put16(out_t p, uint16_t v) { p[0] = (uint8_t)v; p[1] = v >> 8; }
static inline void put32(out_t p, uint32_t v) { put16(p, (uint16_t)v); put16(p + 2, v >> 16); }
static inline void put64(out_t p, uint64_t v) { put32(p, (uint32_t)v); put32(p + 4, v >> 32); }

void *memcpy(void *to, const void *from, __SIZE_TYPE__ n);
void *memset(void *to, int value, __SIZE_TYPE__ n);
