/* A stand-in of libcuda with a card, for tests of whoever measures on one: it exports the names that the real library
 * exports, with memory of the host. What is queued in a stream happens when somebody waits for it. A launch of a kernel by aesmith's
 * names computes the AES of FIPS-197; micro-kernels are interpreted from their text. Events and clocks tell the time of
 * a card with 3 multiprocessors at 1500 MHz. Faults are planted by stand_in_fault, or by the variable CUDA_STAND_IN: words
 * with commas between them, as `fail=cuMemAlloc_v2:2` or `wrong=5`. */
#include "work.h"

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
    if (!current || (!strstr(image, ".version 7.8") && !strstr(image, ".version 8.1")))
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
