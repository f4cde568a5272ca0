/* A stand-in of libcuda with a card, for tests of whoever measures on one: it exports the names that the real library
 * exports, with memory of the host. What is queued in a stream happens when somebody waits for it. A launch of a kernel by aesmith's
 * names computes the AES of FIPS-197; micro-kernels are interpreted from their text. Events and clocks tell the time of
 * a card with 3 multiprocessors at 1500 MHz. Faults are planted by stand_in_fault, or by the variable CUDA_STAND_IN: words
 * with commas between them, as `fail=cuMemAlloc_v2:2` or `wrong=5`. */
#include "aes.h"
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

/* Micro-kernels, interpreted. */

typedef struct {
    char name[16];
    int count;
    long long operands[5];
    char kinds[5]; /* r: a register, n: a number, o: another */
} insn;

static int read_insn(const char *line, insn *i)
{
    char words[5][24] = { { 0 } };
    int k, found = sscanf(line, " %15s %23[^,;], %23[^,;], %23[^,;], %23[^,;], %23[^,;]", i->name, words[0], words[1], words[2], words[3], words[4]);
    i->count = found < 1 ? 0 : found - 1;
    for (k = 0; k < i->count; k++) {
        const char *word = words[k] + (words[k][0] == '[');
        i->kinds[k] = 'o';
        if (word[0] == '%' && word[1] == 'r' && word[2] != 'd') {
            i->kinds[k] = 'r';
            i->operands[k] = atoi(word + 2);
        } else if (*word >= '0' && *word <= '9') {
            i->kinds[k] = 'n';
            i->operands[k] = atoll(word);
        }
    }
    return found > 0;
}

static unsigned get(const insn *i, const unsigned *r, int k)
{
    return i->kinds[k] == 'r' ? r[i->operands[k]] : (unsigned)i->operands[k];
}

static unsigned looked_up(unsigned a, unsigned b, unsigned c, unsigned table)
{
    unsigned result = 0, k;
    for (k = 0; k < 8; k++)
        if (table >> k & 1)
            result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return result;
}

static unsigned permuted(unsigned a, unsigned b, unsigned by)
{
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned result = 0, k;
    for (k = 0; k < 4; k++)
        result |= (unsigned)(both >> 8 * (by >> 4 * k & 7) & 255) << 8 * k;
    return result;
}

/* The word that each thread of a block stores, and the instructions of a turn by their kind. */
static void interpret(const work *w, unsigned *words, int *logic, int *product, int *permutation, int *loads)
{
    static unsigned shared[65536 / 4];
    insn *all = malloc(2048 * sizeof *all);
    int count = 0, turn = 0, last = 0, k;
    unsigned thread;
    const char *line = strchr(w->of->text, '{');
    for (; line && count < 2048; line = strchr(line + 1, '\n')) {
        if (!strncmp(line, "\nturn:", 6))
            turn = count;
        if (strstr(line, "%ctaid.x") && strstr(line, "%ctaid.x") < strchr(line + 1, '\n'))
            break;
        if (!strncmp(line, "\n    @%p0 bra turn", 18))
            last = count;
        else if (read_insn(line + 1, &all[count]))
            count++;
    }
    *logic = *product = *permutation = *loads = 0;
    for (k = turn; k < last; k++) {
        *logic += !strcmp(all[k].name, "lop3.b32");
        *product += !strcmp(all[k].name, "mad.lo.u32");
        *permutation += !strcmp(all[k].name, "prmt.b32");
        *loads += !strcmp(all[k].name, "ld.shared.b32");
    }
    for (thread = 0; thread < 1024; thread++) {
        unsigned r[32] = { 0 };
        for (k = 0; k < count; k++) {
            const insn *i = &all[k];
            unsigned *d = &r[i->operands[0] & 31];
            if (!strcmp(i->name, "lop3.b32"))
                *d = looked_up(get(i, r, 1), get(i, r, 2), get(i, r, 3), get(i, r, 4));
            else if (!strcmp(i->name, "mad.lo.u32"))
                *d = get(i, r, 1) * get(i, r, 2) + get(i, r, 3);
            else if (!strcmp(i->name, "prmt.b32"))
                *d = permuted(get(i, r, 1), get(i, r, 2), get(i, r, 3));
            else if (!strcmp(i->name, "ld.shared.b32"))
                *d = shared[(get(i, r, 1) - 1024) / 4 % 16384];
            else if (!strcmp(i->name, "st.shared.b32"))
                shared[(get(i, r, 0) - 1024) / 4 % 16384] = get(i, r, 1);
            else if (!strcmp(i->name, "add.u32"))
                *d = get(i, r, 1) + get(i, r, 2);
            else if (!strcmp(i->name, "sub.u32"))
                *d = get(i, r, 1) - get(i, r, 2);
            else if (!strcmp(i->name, "xor.b32"))
                *d = get(i, r, 1) ^ get(i, r, 2);
            else if (!strcmp(i->name, "mov.u32") && i->kinds[0] == 'r')
                *d = i->kinds[1] == 'n' ? get(i, r, 1) : i->operands[0] == 16 ? thread : 1024;
            else if (!strcmp(i->name, "ld.param.u32"))
                *d = narrow(w, i->operands[0] == 17 ? "turns" : "selector");
            else if (!strcmp(i->name, "setp.ne.u32") && r[17])
                k = turn - 1;
        }
        words[thread] = r[20];
    }
    free(all);
}

static void micro(const work *w)
{
    static struct {
        char name[128];
        unsigned turns, words[1024];
        int logic, product, permutation, loads;
    } known[8];
    unsigned group, k, turns = narrow(w, "turns");
    unsigned *words = (unsigned *)(uintptr_t)wide(w, "words");
    unsigned long long *clocks = (unsigned long long *)(uintptr_t)wide(w, "clocks");
    double each;
    for (k = 0; k < 7 && *known[k].name && (strcmp(known[k].name, w->of->name) || known[k].turns != turns); k++)
        ;
    if (strcmp(known[k].name, w->of->name) || known[k].turns != turns) {
        strcpy(known[k].name, w->of->name);
        known[k].turns = turns;
        interpret(w, known[k].words, &known[k].logic, &known[k].product, &known[k].permutation, &known[k].loads);
    }
    each = known[k].logic && known[k].product ? (known[k].logic + known[k].product) / 128.0
        : (known[k].logic + known[k].product + known[k].permutation) / 64.0 + known[k].loads / 32.0;
    for (group = 0; group < w->groups; group++) {
        memcpy(words + 1024 * group, known[k].words, sizeof known[k].words);
        clocks[group] = (unsigned long long)(1024 * turns * each) + 40 + group;
        clocks[group] = fault("rate") ? (unsigned long long)number_fault("rate", 0) : clocks[group];
    }
    if (fault("word"))
        words[number_fault("word", 0)] ^= 1;
}

/* What the last launch of AES was; nothing of it is computed again while nobody has written to memory since. */
static struct {
    int fresh;
    const void *from, *to;
    unsigned long long blocks;
    unsigned char keys[240], counter[16];
} last;

static void aes(const work *w)
{
    const unsigned char *from = (const unsigned char *)(uintptr_t)wide(w, "in");
    unsigned char *to = (unsigned char *)(uintptr_t)wide(w, "out"), *iv = value(w, "iv"), *keys = value(w, "keys");
    unsigned long long blocks = wide(w, "blocks");
    int bytes = 0, k;
    for (k = 0; k < w->of->count; k++)
        if (!strcmp(w->of->parameters[k].name, "keys"))
            bytes = w->of->parameters[k].bytes;
    if (!last.fresh || last.from != from || last.to != to || last.blocks != blocks || memcmp(last.keys, keys, bytes)
        || (iv && memcmp(last.counter, iv, 16)))
        message(to, from, blocks, keys, bytes / 16 - 1, strstr(w->of->name, "_dec") != NULL, iv);
    last.fresh = from != to;
    last.from = from;
    last.to = to;
    last.blocks = blocks;
    memcpy(last.keys, keys, bytes);
    if (iv)
        memcpy(last.counter, iv, 16);
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
        s->now += milliseconds(clocks * wide(w, "blocks"));
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

/* The names of the library. */

int cuGetErrorString(int code, const char **text)
{
    *text = code == OUT_OF_MEMORY ? "out of memory" : code == INVALID ? "invalid argument" : NULL;
    return *text ? 0 : INVALID;
}

int cuInit(unsigned flags)
{
    ENTER("cuInit");
    tables();
    initialised = 1;
    return flags ? INVALID : 0;
}

int cuDriverGetVersion(int *version)
{
    ENTER("cuDriverGetVersion");
    *version = 13000;
    return 0;
}

int cuDeviceGetCount(int *count)
{
    ENTER("cuDeviceGetCount");
    *count = (int)number_fault("cards", 1);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    ENTER("cuDeviceGet");
    *device = 70 + ordinal;
    return ordinal ? INVALID : 0;
}

int cuDeviceGetName(char *name, int length, int device)
{
    ENTER("cuDeviceGetName");
    snprintf(name, (size_t)length, "Stand-in of a card");
    return device == 70 ? 0 : INVALID;
}

int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    ENTER("cuDeviceGetUuid_v2");
    memset(uuid, 0xab, 16);
    return device == 70 ? 0 : INVALID;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    ENTER("cuDeviceTotalMem_v2");
    *bytes = 1 << 20;
    return device == 70 ? 0 : INVALID;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    ENTER("cuDeviceGetAttribute");
    *value = attribute == 16 ? (int)number_fault("multiprocessors", MULTIPROCESSORS)
        : attribute == 13    ? 1700000
        : attribute == 75    ? 8
        : attribute == 76    ? 6
        : attribute == 97    ? (int)number_fault("shared", 163 << 10)
                             : -1;
    return device == 70 && *value >= 0 ? 0 : INVALID;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    ENTER("cuDevicePrimaryCtxRetain");
    *context = &streams;
    alive++;
    return device == 70 ? 0 : INVALID;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    current = 0;
    alive--;
    return device == 70 ? 0 : INVALID;
}

int cuCtxSetCurrent(void *context)
{
    ENTER("cuCtxSetCurrent");
    current = context == (void *)&streams;
    return current ? 0 : INVALID;
}

int cuModuleLoadDataEx(void **loaded, const void *image, unsigned options, int *names, void **values)
{
    module *m;
    if (fails("cuModuleLoadDataEx")) {
        if (options == 2 && names[0] == 5 && names[1] == 6)
            snprintf(values[0], (size_t)values[1], "line 7: a fault is planted");
        return OUT_OF_MEMORY;
    }
    if (!current || !strstr(image, ".version 7.8"))
        return INVALID;
    m = malloc(sizeof *m);
    m->text = malloc(strlen(image) + 1);
    strcpy(m->text, image);
    *loaded = m;
    alive++;
    return 0;
}

/* Functions of modules that are gone may be queued still where a test has planted a fault: texts stay. */
int cuModuleUnload(void *loaded)
{
    alive--;
    return loaded ? 0 : INVALID;
}

int cuModuleGetFunction(void **found, const module *m, const char *name)
{
    char entry[160];
    const char *line, *threads;
    function *f = calloc(1, sizeof *f);
    ENTER("cuModuleGetFunction");
    snprintf(entry, sizeof entry, ".visible .entry %s(", name);
    f->text = strstr(m->text, entry);
    threads = f->text ? strstr(f->text, ".reqntid ") : NULL;
    if (!threads)
        return 500;
    snprintf(f->name, sizeof f->name, "%s", name);
    f->threads = atoi(threads + 9);
    for (line = strchr(f->text, '\n'); line < threads && f->count < PARAMETERS; line = strchr(line + 1, '\n')) {
        int *bytes = &f->parameters[f->count].bytes;
        char *of = f->parameters[f->count].name;
        if (sscanf(line, " .param .align 16 .b8 %15[a-z][%d]", of, bytes) == 2)
            f->count++;
        else if (sscanf(line, " .param .u%d %15[a-z]", bytes, of) == 2)
            f->parameters[f->count++].bytes = *bytes / 8;
    }
    *found = f;
    return 0;
}

int cuFuncSetAttribute(function *f, int attribute, int value)
{
    ENTER("cuFuncSetAttribute");
    f->granted = value;
    return attribute == 8 && value <= number_fault("shared", 163 << 10) ? 0 : INVALID;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const function *f, int threads, size_t shared)
{
    ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    *blocks = threads == f->threads && (int)shared <= f->granted ? (int)number_fault("resident", 1) : 0;
    return 0;
}

int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    ENTER("cuMemGetInfo_v2");
    *left = *total = (size_t)number_fault("memory", 1 << 20);
    return current ? 0 : INVALID;
}

int cuMemAlloc_v2(pointer *taken, size_t bytes)
{
    ENTER("cuMemAlloc_v2");
    if (!current || !bytes)
        return INVALID;
    *taken = (pointer)(uintptr_t)calloc(bytes, 1);
    alive++;
    return *taken ? 0 : OUT_OF_MEMORY;
}

int cuMemFree_v2(pointer taken)
{
    finish_all();
    last.fresh = 0;
    alive--;
    free((void *)(uintptr_t)taken);
    return 0;
}

int cuMemsetD8_v2(pointer to, unsigned char byte, size_t bytes)
{
    ENTER("cuMemsetD8_v2");
    finish_all();
    last.fresh = 0;
    memset((void *)(uintptr_t)to, byte, bytes);
    return 0;
}

int cuMemAllocHost_v2(void **taken, size_t bytes)
{
    ENTER("cuMemAllocHost_v2");
    alive++;
    return (*taken = malloc(bytes)) ? 0 : OUT_OF_MEMORY;
}

int cuMemFreeHost(void *taken)
{
    alive--;
    free(taken);
    return 0;
}

int cuMemcpyHtoD_v2(pointer to, const void *from, size_t bytes)
{
    ENTER("cuMemcpyHtoD_v2");
    finish_all();
    last.fresh = 0;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, pointer from, size_t bytes)
{
    ENTER("cuMemcpyDtoH_v2");
    finish_all();
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

static int copied(stream *s, void *to, const void *from, size_t bytes)
{
    work *w = queued(s);
    w->to = to;
    w->from = from;
    w->bytes = bytes;
    return 0;
}

int cuMemcpyHtoDAsync_v2(pointer to, const void *from, size_t bytes, stream *s)
{
    ENTER("cuMemcpyHtoDAsync_v2");
    return copied(s, (void *)(uintptr_t)to, from, bytes);
}

int cuMemcpyDtoHAsync_v2(void *to, pointer from, size_t bytes, stream *s)
{
    ENTER("cuMemcpyDtoHAsync_v2");
    return copied(s, to, (const void *)(uintptr_t)from, bytes);
}

int cuStreamCreate(stream **made, unsigned flags)
{
    unsigned k;
    ENTER("cuStreamCreate");
    for (k = 0; k < sizeof streams / sizeof *streams && streams[k].open; k++)
        ;
    if (k == sizeof streams / sizeof *streams || !current)
        return INVALID;
    streams[k].open = 1;
    *made = &streams[k];
    alive++;
    /* Others would not wait for fills and copies without a stream. */
    return flags ? INVALID : 0;
}

int cuStreamSynchronize(stream *s)
{
    ENTER("cuStreamSynchronize");
    finish(s);
    return 0;
}

int cuStreamDestroy_v2(stream *s)
{
    finish(s);
    s->open = 0;
    alive--;
    return 0;
}

int cuEventCreate(event **made, unsigned flags)
{
    ENTER("cuEventCreate");
    *made = calloc(1, sizeof **made);
    alive++;
    return flags ? INVALID : 0;
}

int cuEventRecord(event *e, stream *s)
{
    ENTER("cuEventRecord");
    e->recorded = 0;
    work *w = queued(s);
    w->kind = 2;
    w->point = e;
    return 0;
}

int cuEventSynchronize(event *e)
{
    ENTER("cuEventSynchronize");
    finish_all();
    return e->recorded ? 0 : INVALID;
}

int cuEventElapsedTime(float *between, const event *from, const event *to)
{
    ENTER("cuEventElapsedTime");
    *between = (float)(to->at - from->at);
    return from->recorded && to->recorded ? 0 : INVALID;
}

/* Events may be queued still: they stay, too. */
int cuEventDestroy_v2(event *e)
{
    alive--;
    return e ? 0 : INVALID;
}

int cuLaunchKernel(const function *f, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
    unsigned threads_z, unsigned shared, stream *s, void **parameters, void **extra)
{
    work *w;
    int k;
    ENTER("cuLaunchKernel");
    if (!current || x < 1 || y != 1 || z != 1 || (int)threads_x != f->threads || threads_y != 1 || threads_z != 1
        || (int)shared > f->granted || extra)
        return INVALID;
    w = queued(s);
    w->kind = 1;
    w->of = f;
    w->groups = x;
    for (k = 0; k < f->count; k++) {
        w->values[k] = malloc((size_t)f->parameters[k].bytes);
        memcpy(w->values[k], parameters[k], (size_t)f->parameters[k].bytes);
    }
    return 0;
}
