/* What the stand-in's card does: planted faults, streams of queued work, and launches with the time that they take. */
#ifndef WORK_H
#define WORK_H
#include "aes.h"
#include "micro.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MULTIPROCESSORS = 3, MHZ = 1500, OUT_OF_MEMORY = 2, INVALID = 1, MOST = 128, PARAMETERS = 8 };

typedef unsigned long long pointer;

static char planted[256];
static long calls, launches, alive, streamed;
static int initialised, current;

void stand_in_fault(const char *text)
{
    snprintf(planted, sizeof planted, "%s", text);
    calls = launches = streamed = 0;
}

/* What was taken and not given back. */
long stand_in_alive(void)
{
    return alive;
}

/* The text behind `name=` among the faults, or NULL. */
static const char *fault(const char *name)
{
    const char *all = *planted ? planted : getenv("CUDA_STAND_IN");
    size_t length = strlen(name);
    const char *at;
    for (at = all ? strstr(all, name) : NULL; at; at = strstr(at + 1, name))
        if ((at == all || at[-1] == ',') && at[length] == '=')
            return at + length + 1;
    return NULL;
}

static long number_fault(const char *name, long otherwise)
{
    const char *text = fault(name);
    return text ? atol(text) : otherwise;
}

/* Whether a call is to fail: that one, or the number that is named and all after it. */
static int fails(const char *name)
{
    const char *text = fault("fail");
    size_t length = strlen(name);
    if (!text || strncmp(text, name, length) || (text[length] && text[length] != ':' && text[length] != ','))
        return 0;
    return ++calls >= (text[length] == ':' ? atol(text + length + 1) : 1);
}

#define ENTER(name)                                            \
    do {                                                       \
        if (!initialised && strcmp(name, "cuInit"))            \
            return 3;                                          \
        if (fails(name))                                       \
            return OUT_OF_MEMORY;                              \
    } while (0)

typedef struct {
    char *text;
} module;

typedef struct {
    const char *text; /* from the entry's name on */
    char name[128];
    int count, threads, granted;
    struct {
        char name[16];
        int bytes;
    } parameters[PARAMETERS];
} function;

typedef struct event event;

typedef struct {
    int kind; /* 0: copy, 1: launch, 2: event */
    void *to;
    const void *from;
    size_t bytes;
    const function *of;
    unsigned groups;
    unsigned char *values[PARAMETERS];
    event *point;
} work;

typedef struct stream {
    work queued[MOST];
    int count, open;
    double now;
} stream;

struct event {
    double at;
    int recorded;
};

static stream streams[16];

static unsigned char *value(const work *w, const char *name)
{
    int k;
    for (k = 0; k < w->of->count; k++)
        if (!strcmp(w->of->parameters[k].name, name))
            return w->values[k];
    return NULL;
}

static unsigned long long wide(const work *w, const char *name)
{
    unsigned long long number = 0;
    unsigned char *bytes = value(w, name);
    if (bytes)
        memcpy(&number, bytes, 8);
    return number;
}

static unsigned narrow(const work *w, const char *name)
{
    unsigned number = 0;
    memcpy(&number, value(w, name), 4);
    return number;
}

static double milliseconds(double clocks)
{
    return clocks / MULTIPROCESSORS / MHZ / 1000;
}

static void micro(const work *w)
{
    static struct {
        char name[128];
        unsigned turns, words[1024];
        int logic, product, permutation, loads;
    } known[8];
    unsigned group, warp, k, turns = narrow(w, "turns");
    unsigned *words = (unsigned *)(uintptr_t)wide(w, "words");
    unsigned long long *clocks = (unsigned long long *)(uintptr_t)wide(w, "clocks");
    double each;
    for (k = 0; k < 7 && *known[k].name && (strcmp(known[k].name, w->of->name) || known[k].turns != turns); k++)
        ;
    if (strcmp(known[k].name, w->of->name) || known[k].turns != turns) {
        strcpy(known[k].name, w->of->name);
        known[k].turns = turns;
        interpret(w->of->text, turns, narrow(w, "selector"), known[k].words, &known[k].logic, &known[k].product, &known[k].permutation, &known[k].loads);
    }
    each = known[k].logic && known[k].product ? (known[k].logic + known[k].product) / 128.0
        : (known[k].logic + known[k].product + known[k].permutation) / 64.0 + known[k].loads / 32.0;
    for (group = 0; group < w->groups; group++) {
        memcpy(words + 1024 * group, known[k].words, sizeof known[k].words);
        unsigned long long all = fault("rate") ? (unsigned long long)number_fault("rate", 0) : (unsigned long long)(1024 * turns * each) + 40 + group;
        /* A scheduler lets some warps wait for others, the first of all for the longest time. */
        for (warp = 0; warp < 32; warp++) {
            clocks[2 * (32 * group + warp)] = 77000 + 1000 * group + all * (31 - warp) / 40;
            clocks[2 * (32 * group + warp) + 1] = 77000 + 1000 * group + all - (warp & 1);
        }
    }
    if (fault("word"))
        words[number_fault("word", 0)] ^= 1;
}

/* What the last launch of AES was; nothing of it is computed again while memory has not been written since. */
static struct {
    int fresh;
    const void *from, *to;
    unsigned long long blocks;
    unsigned char keys[240], counter[16];
} last;

/* Threads of a stream, of a kernel that takes several: behind its block's number it divides its thread's by them. */
static int of_a_stream(const work *w)
{
    const char *at = strstr(w->of->text, "%ctaid.x;");
    int by = 0;
    at = at ? strstr(at, "shr.u32") : NULL;
    if (!at || sscanf(at, "shr.u32 %%r%*d, %%r%*d, %d;", &by) != 1)
        exit(9);
    return 1 << by;
}

/* Streams of a launch that have threads, or 1 of one message. */
static unsigned long long streams_of(const work *w)
{
    unsigned long long count = wide(w, "streams"), threaded;
    if (!value(w, "streams"))
        return 1;
    threaded = (unsigned long long)w->groups * w->of->threads / of_a_stream(w);
    return count < threaded ? count : threaded;
}

/* Blocks of text of a launch. */
static unsigned long long blocks_of(const work *w)
{
    unsigned long long k, sum = 0, blocks = wide(w, "blocks");
    if (!value(w, "streams"))
        return blocks;
    for (k = 0; k < streams_of(w); k++)
        sum += ((const unsigned long long *)(uintptr_t)blocks)[k];
    return sum;
}

/* Rounds of the cipher of a launch, by the kernel's name. */
static int rounds_of(const work *w)
{
    return strstr(w->of->name, "aes128") ? 10 : strstr(w->of->name, "aes192") ? 12 : 14;
}

/* Round keys as a kernel takes them: all as words, maybe with masks of some behind them; or words of the first and of the last, and
 * masks between, in which each bit is four bytes. */
static void unpacked(unsigned char *keys, const unsigned char *from, int bytes, int rounds)
{
    int round, at, bit, more = bytes - 16 * (rounds + 1), masks = more % 512 ? more / 496 : 0;
    if (more < 0 || (more % 512 && more % 496))
        exit(9);
    for (round = 0; round <= rounds; round++)
        for (at = 0; at < 16; at++, keys++) {
            if (round < rounds - masks || round == rounds) {
                *keys = *from++;
                continue;
            }
            for (*keys = 0, bit = 0; bit < 8; bit++, from += 4) {
                if (from[0] != from[1] || from[0] != from[2] || from[0] != from[3] || (from[0] != 0 && from[0] != 0xff))
                    exit(9);
                *keys |= (unsigned char)((from[0] & 1) << bit);
            }
        }
}

static void aes(const work *w)
{
    unsigned char round_keys[240] = { 0 };
    unsigned char *from = (unsigned char *)(uintptr_t)wide(w, "in"), *to = (unsigned char *)(uintptr_t)wide(w, "out");
    unsigned char *iv = value(w, "iv"), *keys = value(w, "keys");
    unsigned long long blocks = blocks_of(w), count = streams_of(w), stream;
    int several = value(w, "streams") != NULL, bytes = 0, k, rounds = rounds_of(w), decrypts = strstr(w->of->name, "_dec") != NULL;
    for (k = 0; k < w->of->count; k++)
        if (!strcmp(w->of->parameters[k].name, "keys"))
            bytes = w->of->parameters[k].bytes;
    if (!several)
        unpacked(round_keys, keys, bytes, rounds);
    if (!last.fresh || last.from != from || last.to != to || last.blocks != blocks || memcmp(last.keys, round_keys, sizeof round_keys)
        || (iv && !several && memcmp(last.counter, iv, 16))) {
        if (!several)
            message(to, from, blocks, round_keys, rounds, decrypts, iv);
        for (stream = 0; several && stream < count; stream++) {
            const unsigned long long *lengths = (const unsigned long long *)(uintptr_t)wide(w, "blocks");
            const unsigned char *all = (const unsigned char *)(uintptr_t)wide(w, "keys");
            const unsigned char *ivs = (const unsigned char *)(uintptr_t)wide(w, "iv");
            unsigned char *own = (unsigned char *)(uintptr_t)((pointer *)from)[stream];
            unsigned char *made = (unsigned char *)(uintptr_t)((pointer *)to)[stream];
            const unsigned char *own_keys = all + 16 * (rounds + 1) * stream, *own_iv = ivs ? ivs + 16 * stream : NULL;
            (!decrypts && strstr(w->of->name, "_cbc") ? chained : message)(
                made, own, lengths[stream], own_keys, rounds, decrypts, own_iv);
        }
    }
    last.from = from;
    last.to = to;
    last.blocks = blocks;
    memcpy(last.keys, round_keys, sizeof round_keys);
    if (iv && !several)
        memcpy(last.counter, iv, 16);
    if (several) {
        /* From here on the first stream's, with which the text begins. */
        from = (unsigned char *)(uintptr_t)((pointer *)from)[0];
        to = (unsigned char *)(uintptr_t)((pointer *)to)[0];
    }
    last.fresh = from != to;
    launches++;
    if (launches >= number_fault("wrong", launches + 1)) {
        to[16 * (blocks - 1) + 3] ^= 1;
        last.fresh = 0;
    }
    streamed += from == to;
    if (from == to && streamed >= number_fault("garbled", streamed + 1))
        to[5] ^= 1;
}

static void launched(stream *s, const work *w)
{
    if (!strcmp(w->of->name, "aesmith_clock")) {
        unsigned long long *results = (unsigned long long *)(uintptr_t)wide(w, "results");
        results[1] = wide(w, "nanoseconds") + 500;
        results[0] = fault("still") ? 0 : results[1] * MHZ / 1000;
        s->now += results[1] / 1e6;
    } else if (!strcmp(w->of->name, "aesmith_rate_memory")) {
        unsigned long long blocks = wide(w, "blocks");
        memcpy((void *)(uintptr_t)wide(w, "out"), (void *)(uintptr_t)wide(w, "in"), 16 * blocks - (fault("lost") ? 1 : 0));
        s->now += milliseconds(32.0 * blocks / 24);
    } else if (!strncmp(w->of->name, "aesmith_rate_", 13)) {
        micro(w);
        s->now += 0.1;
    } else {
        /* Blocks of 128 threads are the fastest. */
        double clocks = w->of->threads == 128 ? 5.5 : w->of->threads == 256 ? 5.75 : 6.5;
        aes(w);
        s->now += milliseconds(clocks * blocks_of(w));
    }
}

static void finish(stream *s)
{
    int k, p;
    for (k = 0; k < s->count; k++) {
        work *w = &s->queued[k];
        if (w->kind == 2) {
            w->point->at = s->now;
            w->point->recorded = 1;
        } else if (w->kind == 1) {
            launched(s, w);
            for (p = 0; p < w->of->count; p++)
                free(w->values[p]);
        } else {
            memmove(w->to, w->from, w->bytes);
            last.fresh = 0;
        }
    }
    s->count = 0;
}

static void finish_all(void)
{
    unsigned k;
    for (k = 0; k < sizeof streams / sizeof *streams; k++)
        finish(&streams[k]);
}

static work *queued(stream *s)
{
    if (!s || !s->open || s->count == MOST)
        exit(9);
    return memset(&s->queued[s->count++], 0, sizeof(work));
}
#endif
