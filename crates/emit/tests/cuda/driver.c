/* A stand-in of CUDA's driver: memory of the host, and launches that compute what the kernel is proved to. What is queued in a
 * stream happens when somebody waits for it, so that a host that does not wait gets what was there before. Compiled
 * with ROUNDS, IV, DECRYPTS, THREADS and SHARED, and PLAIN: round keys from there on but for the last are masks.
 * A launch that the certificate does not admit is refused, and the module's text is written to the file that CUDA_STAND_IN names. */
#include "aes.h"
#include "cuda.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, KEYS = 16 * (ROUNDS + 1) };

typedef struct {
    int kind; /* 0: copy, 1: launch */
    void *to;
    const void *from;
    size_t bytes;
    unsigned char keys[KEYS], counter[16];
    unsigned long long blocks;
} work;

struct CUstream_st {
    work queued[MOST];
    int count;
};

static struct CUstream_st none;
static CUcontext current;
static int granted;

static void done(const work *w)
{
    if (w->kind)
        message(w->to, w->from, w->blocks, w->keys, ROUNDS, DECRYPTS, IV ? w->counter : NULL);
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
    (void)device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 3 : 227 << 10;
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
    const char *path = getenv("CUDA_STAND_IN");
    FILE *file = path ? fopen(path, "wb") : NULL;
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

CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads_x, unsigned threads_y,
    unsigned threads_z, unsigned shared, CUstream stream, void **arguments, void **extra)
{
    work *w;
    int next = 0;
    if (!current || !function || x < 1 || y != 1 || z != 1 || threads_x != THREADS || threads_y != 1 || threads_z != 1
        || shared != SHARED || granted < SHARED || extra)
        return CUDA_ERROR_INVALID_VALUE;
    w = queued(stream);
    w->kind = 1;
    if (!unmasked(w->keys, (const unsigned char *)arguments[next++]))
        return CUDA_ERROR_INVALID_VALUE;
    if (IV)
        memcpy(w->counter, arguments[next++], 16);
    w->from = (const void *)(uintptr_t)*(CUdeviceptr *)arguments[next++];
    w->to = (void *)(uintptr_t)*(CUdeviceptr *)arguments[next++];
    w->blocks = *(unsigned long long *)arguments[next++];
    return (uintptr_t)w->from % 16 || (uintptr_t)w->to % 16 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    *pointer = (CUdeviceptr)(uintptr_t)malloc(bytes);
    return *pointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    free((void *)(uintptr_t)pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return *pointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeHost(void *pointer)
{
    free(pointer);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    work *w = queued(stream);
    w->to = (void *)(uintptr_t)to;
    w->from = from;
    w->bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    work *w = queued(stream);
    w->to = to;
    w->from = (const void *)(uintptr_t)from;
    w->bytes = bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    cuMemcpyHtoDAsync(to, from, bytes, NULL);
    return cuStreamSynchronize(NULL);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    cuMemcpyDtoHAsync(to, from, bytes, NULL);
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
