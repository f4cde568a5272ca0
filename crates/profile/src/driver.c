/*
 * Runs one set-up of the key and one message: to be checked, counted by callgrind, or timed.
 *
 * `time` prints cycles and nanoseconds of ExpandKey, AddRoundKey, SubBytes, ShiftRows, MixColumns
 * and the whole, each the least of many runs.
 */
#define TRACED @TRACED@

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* The time-stamp counter, with nothing before or after it in flight. */
static inline uint64_t stamp(void)
{
    uint32_t low, high;
    __asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

#if TRACED
static uint64_t ticks[4], calls[4];
#define STEP(number, call)                 \
    do {                                   \
        const uint64_t before_ = stamp();  \
        call;                              \
        ticks[number] += stamp() - before_; \
        calls[number]++;                   \
    } while (0)
#endif

#include "@KERNEL@"

enum { RUNS = 400 };

static const uint8_t cipher_key[16] = {@KEY@};
static const uint8_t text[] = {@TEXT@};
static uint8_t result[sizeof text];
static @NAME@_key schedule;

__attribute__((noinline)) void measured(void)
{
    @NAME@_schedule(&schedule, cipher_key);
    @NAME@(&schedule, text, result, sizeof text);
}

/* Ticks of the counter for a number of turns of 128 dependent additions, or 40 multiplications of 3 cycles. */
static uint64_t additions(int turns)
{
    uint64_t a = 1, b = 1;
    const uint64_t before = stamp();
    for (; turns > 0; turns--) {
        __asm__ __volatile__(".rept 128\n\tadd %1, %0\n\t.endr" : "+r"(a) : "r"(b));
    }
    return stamp() - before;
}

static uint64_t multiplications(int turns)
{
    uint64_t a = 1, b = 1;
    const uint64_t before = stamp();
    for (; turns > 0; turns--) {
        __asm__ __volatile__(".rept 40\n\timul %1, %0\n\t.endr" : "+r"(a) : "r"(b));
    }
    return stamp() - before;
}

/* Core cycles a tick, when both chains agree within 1 %; else the last that they gave. */
static double cycles_a_tick(void)
{
    double ratio = 1;
    int attempt, run;
    for (attempt = 0; attempt < 200; attempt++) {
        uint64_t sums = UINT64_MAX, products = UINT64_MAX;
        double by_sums, by_products;
        for (run = 0; run < 20; run++) {
            uint64_t t = additions(12) - additions(2);
            sums = t < sums ? t : sums;
            t = multiplications(12) - multiplications(2);
            products = t < products ? t : products;
        }
        by_sums = 1280.0 / (double)sums;
        by_products = 1200.0 / (double)products;
        ratio = by_sums;
        if (by_sums / by_products < 1.01 && by_products / by_sums < 1.01) {
            break;
        }
    }
    return ratio;
}

/* Nanoseconds a tick. */
static double nanoseconds_a_tick(void)
{
    struct timespec from, to;
    uint64_t first, last;
    clock_gettime(CLOCK_MONOTONIC, &from);
    first = stamp();
    do {
        clock_gettime(CLOCK_MONOTONIC, &to);
    } while ((to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec) < 2e7);
    last = stamp();
    return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)(last - first);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void time_it(void)
{
    uint64_t best[6], empty = UINT64_MAX;
    int run, i;
    const double ratio = cycles_a_tick(), nanoseconds = nanoseconds_a_tick();
    for (i = 0; i < 6; i++) {
        best[i] = UINT64_MAX;
    }
    for (run = 0; run < 1000; run++) {
        const uint64_t before = stamp();
        empty = least(empty, stamp() - before);
    }
    for (run = 0; run < RUNS; run++) {
        uint64_t before = stamp();
        @NAME@_schedule(&schedule, cipher_key);
        best[0] = least(best[0], stamp() - before - empty);
        before = stamp();
        measured();
        best[5] = least(best[5], stamp() - before - empty);
    }
#if TRACED
    for (run = 0; run < RUNS; run++) {
        memset(ticks, 0, sizeof ticks);
        memset(calls, 0, sizeof calls);
        measured();
        for (i = 0; i < 4; i++) {
            const uint64_t reads = calls[i] * empty;
            best[1 + i] = least(best[1 + i], ticks[i] > reads ? ticks[i] - reads : 0);
        }
    }
#else
    for (i = 1; i < 5; i++) {
        best[i] = 0;
    }
#endif
    for (i = 0; i < 6; i++) {
        printf("%.1f %.1f\n", (double)best[i] * ratio, (double)best[i] * nanoseconds);
    }
}

int main(int argc, char **argv)
{
    size_t i;
    if (argc > 1 && strcmp(argv[1], "time") == 0) {
        time_it();
        return 0;
    }
    measured();
    if (argc == 1) {
        for (i = 0; i < sizeof result; i++) {
            printf("%02x", result[i]);
        }
        printf("\n");
    }
    return 0;
}
