/* A stand-in of CUDA's driver: memory of the host, and launches that compute what the kernel is proved to. What is queued in a
 * stream happens when somebody waits for it, so that a host that does not wait gets what was there before. Compiled
 * with ROUNDS, KEY_BYTES that a stream's key has in memory, IV, DECRYPTS, THREADS and SHARED; SERIAL: blocks wait for each other;
 * APART: results may not take their texts' place; EXPANDS: it is a key schedule; PLAIN: round keys from there on but for the last
 * are masks; and OF_A_STREAM: threads of a stream, or 0 where a launch takes one array. A launch that the certificate does not
 * admit is refused, or where it is only seen later ends the program. So does memory that is given back with what was copied to it
 * by a stream. The module's text is written to the file that CUDA_STAND_IN names. */
#include "aes.h"
#include "cuda.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, KEYS = 16 * (ROUNDS + 1), CIPHER_KEY = 4 * (ROUNDS - 6) };

typedef struct {
    int kind; /* 0: copy, 1: launch of one message, 2: of streams, 3: of keys */
    void *to;
    const void *from;
    size_t bytes;
    unsigned char keys[KEYS], counter[16];
    unsigned long long blocks;
    /* Arrays of streams, how many there are, and how many have threads. */
    const unsigned char *all_keys, *ivs;
    const CUdeviceptr *in, *out;
    const unsigned long long *lengths;
    unsigned long long streams, threaded;
} work;

struct CUstream_st {
    work queued[MOST];
    int count;
};

static struct CUstream_st none;
static CUcontext current;
static int granted;

static void failed(const char *why)
{
    printf("FAILED: %s\n", why);
    exit(1);
}

/* Memory that was given: from where on, how many bytes, and whether streams copied to it. */
static struct {
    unsigned char *at;
    size_t bytes;
    int filled;
} given[MOST];

/* Ends the program if a launch takes, or makes, what lies in no memory that was given. */
static void must_be_given(const void *at, unsigned long long bytes)
{
    const unsigned char *from = (const unsigned char *)at;
    int k;
    for (k = 0; k < MOST && bytes; k++)
        if (given[k].at && from >= given[k].at && from + bytes <= given[k].at + given[k].bytes)
            return;
    if (bytes)
        failed("a launch accesses memory outside of its buffers");
}

/* Ends the program if a launch of elements of these sizes is not what the certificate admits. */
static void must_be_admitted(const void *to, const void *from, unsigned long long count, int taken, int made)
{
    const unsigned char *out = (const unsigned char *)to, *in = (const unsigned char *)from;
    if (count && ((uintptr_t)in % 16 || (uintptr_t)out % 16))
        failed("a kernel accesses an address at no multiple of 16");
    must_be_given(in, count * taken);
    must_be_given(out, count * made);
    if ((APART || in != out) && in < out + count * made && out < in + count * taken)
        failed("a launch has a result where it may not be");
}

/* What the kernel does of streams that have threads; it leaves others alone. */
static void streamed(const work *w)
{
    unsigned char keys[KEYS];
    unsigned long long k;
    for (k = 0; k < w->streams && k < w->threaded; k++) {
        unsigned char *to = (unsigned char *)(uintptr_t)w->out[k];
        const unsigned char *from = (const unsigned char *)(uintptr_t)w->in[k];
        must_be_admitted(to, from, w->lengths[k], 16, 16);
        memcpy(keys, w->all_keys + KEY_BYTES * k, KEY_BYTES < KEYS ? KEY_BYTES : KEYS);
        if (KEY_BYTES < KEYS)
            expanded(keys, w->all_keys + KEY_BYTES * k, KEY_BYTES, ROUNDS);
        (SERIAL ? chained : message)(to, from, w->lengths[k], keys, ROUNDS, DECRYPTS, IV ? w->ivs + 16 * k : NULL);
    }
}

static void done(const work *w)
{
    unsigned char *to = (unsigned char *)w->to;
    const unsigned char *from = (const unsigned char *)w->from;
    unsigned long long key;
    if (w->kind & 1)
        must_be_admitted(to, from, w->blocks, w->kind == 3 ? CIPHER_KEY : 16, w->kind == 3 ? KEYS : 16);
    if (w->kind == 2)
        streamed(w);
    else if (w->kind == 1)
        message(to, from, w->blocks, w->keys, ROUNDS, DECRYPTS, IV ? w->counter : NULL);
    else if (w->kind == 3)
        for (key = 0; key < w->blocks; key++)
            (DECRYPTS ? inverted : expanded)(to + KEYS * key, from + CIPHER_KEY * key, CIPHER_KEY, ROUNDS);
    else
        memmove(w->to, w->from, w->bytes);
}

static work *queued(CUstream stream)
{
    CUstream s = stream ? stream : &none;
    if (s->count == MOST)
        exit(9);
    return memset(&s->queued[s->count++], 0, sizeof(work));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUstream s = stream ? stream : &none;
    int k;
    for (k = 0; k < s->count; k++)
        done(&s->queued[k]);
    s->count = 0;
    return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags)
{
    tables();
    return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    *device = ordinal;
    return ordinal ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    (void)device;
    snprintf(name, (size_t)length, "a stand-in");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const char *major = getenv("CUDA_STAND_IN_MAJOR");
    (void)device;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 3; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = major ? atoi(major) : 9; break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
    default: *value = 227 << 10;
    }
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    (void)device;
    *context = (CUcontext)&none;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    current = NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    current = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    *device = 0;
    return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxSynchronize(void)
{
    return cuStreamSynchronize(NULL);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const char *path = getenv("CUDA_STAND_IN"), *refusal = getenv("CUDA_STAND_IN_REFUSES");
    FILE *file;
    if (refusal)
        return (CUresult)atoi(refusal);
    file = path ? fopen(path, "wb") : NULL;
    if (!file || fputs(image, file) < 0 || fclose(file))
        return CUDA_ERROR_INVALID_VALUE;
    *module = (CUmodule)&none;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    *function = (CUfunction)module;
    return strcmp(name, NAME) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
    (void)function;
    (void)attribute;
    granted = value;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared)
{
    (void)function;
    *blocks = threads == THREADS && shared == SHARED ? 1 : 0;
    return CUDA_SUCCESS;
}

/* Round keys of a launch, those that are masks made bytes; 0 if a mask is of ones and zeros. */
static int unmasked(unsigned char *keys, const unsigned char *from)
{
    int round, at, k;
    for (round = 0; round <= ROUNDS; round++)
        for (at = 0; at < 16; at++, keys++) {
            if (round < PLAIN || round == ROUNDS) {
                *keys = *from++;
                continue;
            }
            *keys = 0;
            for (k = 0; k < 32; k++, from++) {
                if (*from != 0 && *from != 0xff)
                    return 0;
                if (k % 4 == 0)
                    *keys |= (unsigned char)((*from & 1) << k / 4);
                else if (*from != from[-1])
                    return 0;
            }
        }
    return 1;
}

/* A launch of streams, whose arrays are looked at when it happens. */
static CUresult of_streams(work *w, unsigned groups, void **arguments)
{
    CUdeviceptr keys, iv = 0, in, out, lengths;
    int next = 0;
    keys = *(CUdeviceptr *)arguments[next++];
    if (IV)
        iv = *(CUdeviceptr *)arguments[next++];
    in = *(CUdeviceptr *)arguments[next++];
    out = *(CUdeviceptr *)arguments[next++];
    lengths = *(CUdeviceptr *)arguments[next++];
    w->streams = *(unsigned long long *)arguments[next++];
    w->kind = 2;
    w->all_keys = (const unsigned char *)(uintptr_t)keys;
    w->ivs = (const unsigned char *)(uintptr_t)iv;
    w->in = (const CUdeviceptr *)(uintptr_t)in;
    w->out = (const CUdeviceptr *)(uintptr_t)out;
    w->lengths = (const unsigned long long *)(uintptr_t)lengths;
    w->threaded = (unsigned long long)groups * THREADS / (OF_A_STREAM ? OF_A_STREAM : 1);
    return keys % 16 || iv % 16 || in % 8 || out % 8 || lengths % 8 || groups >> 31 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
    unsigned threads_z, unsigned shared, CUstream stream, void **arguments, void **extra)
{
    work *w;
    int next = 0;
    if (!current || !function || x < 1 || y != 1 || z != 1 || threads_x != THREADS || threads_y != 1 || threads_z != 1
        || shared != SHARED || granted < SHARED || extra)
        return CUDA_ERROR_INVALID_VALUE;
    w = queued(stream);
    if (OF_A_STREAM)
        return of_streams(w, x, arguments);
    w->kind = EXPANDS ? 3 : 1;
    if (!EXPANDS && !unmasked(w->keys, (const unsigned char *)arguments[next++]))
        return CUDA_ERROR_INVALID_VALUE;
    if (IV)
        memcpy(w->counter, arguments[next++], 16);
    w->from = (const void *)(uintptr_t)*(CUdeviceptr *)arguments[next++];
    w->to = (void *)(uintptr_t)*(CUdeviceptr *)arguments[next++];
    w->blocks = *(unsigned long long *)arguments[next++];
    return (uintptr_t)w->from % 16 || (uintptr_t)w->to % 16 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static void *give(size_t bytes)
{
    int k;
    for (k = 0; k < MOST && given[k].at; k++)
        ;
    if (k == MOST)
        return NULL;
    given[k].at = (unsigned char *)malloc(bytes);
    given[k].bytes = bytes;
    given[k].filled = 0;
    return given[k].at;
}

static void fill(const void *at)
{
    int k;
    for (k = 0; k < MOST; k++)
        if (given[k].at && (const unsigned char *)at >= given[k].at && (const unsigned char *)at < given[k].at + given[k].bytes)
            given[k].filled = 1;
}

static CUresult take(void *at)
{
    int k;
    size_t byte;
    for (k = 0; k < MOST && given[k].at != at; k++)
        ;
    if (k == MOST || !at)
        return CUDA_ERROR_INVALID_VALUE;
    for (byte = 0; given[k].filled && byte < given[k].bytes; byte++)
        if (given[k].at[byte])
            failed("memory is given back that is not wiped");
    free(at);
    given[k].at = NULL;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    *pointer = (CUdeviceptr)(uintptr_t)give(bytes);
    return *pointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    return take((void *)(uintptr_t)pointer);
}

CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    *pointer = give(bytes);
    return *pointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeHost(void *pointer)
{
    return take(pointer);
}

static void copy(void *to, const void *from, size_t bytes, CUstream stream)
{
    work *w = queued(stream);
    w->to = to;
    w->from = from;
    w->bytes = bytes;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    fill((void *)(uintptr_t)to);
    fill(from);
    copy((void *)(uintptr_t)to, from, bytes, stream);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    fill(to);
    copy(to, (const void *)(uintptr_t)from, bytes, stream);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    copy((void *)(uintptr_t)to, from, bytes, NULL);
    return cuStreamSynchronize(NULL);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    copy(to, (const void *)(uintptr_t)from, bytes, NULL);
    return cuStreamSynchronize(NULL);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
    cuStreamSynchronize(stream);
    memset((void *)(uintptr_t)to, value, bytes);
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    return *stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamDestroy(CUstream stream)
{
    cuStreamSynchronize(stream);
    free(stream);
    return CUDA_SUCCESS;
}
