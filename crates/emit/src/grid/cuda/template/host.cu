/* @SAID@
 *
 * Host code over CUDA's driver interface, in what C99 and C++ have in common, for GCC and Clang (others take no string as long
 * as the kernel's). The kernel is the text @S@.ptx, which is
 * proved; this file is not. aesmith tests such host code with a stand-in of the driver, and has run some on an NVIDIA H100;
 * `make check` runs this one on your card.
 * @KEPT@
 */
#include "@S@.h"
#include <stdlib.h>
#include <string.h>

/* Blocks of text that a buffer of the host function holds. 1 MiB was the fastest by which texts of 1 GiB in the host's
 * memory went through an NVIDIA H100 and an H200: 4.2 and 4.9 GB/s, and 3.0 and 3.9 in pieces of 16 MiB. */
#ifndef AESMITH_CHUNK
#define AESMITH_CHUNK ((size_t)1 << 16)
#endif

enum { THREADS = @THREADS@, SHARED = @SHARED@ };
/* The oldest compute capability that the kernel's text is for, ten times; and CUDA_ERROR_UNSUPPORTED_PTX_VERSION, which cuda.h has
 * from CUDA 11.1 on. */
enum { TARGET = @TARGET@, UNSUPPORTED_PTX_VERSION = 222 };
enum { ROUNDS = @ROUNDS@, KEY = @KEY@, ALL = 16 * (ROUNDS + 1), DECRYPTS = @DECRYPTS@ };
/* How many of the first round keys the kernel takes as they are, beside the last; of others it takes each bit as four bytes. */
enum { PLAIN = @PLAIN@ };

static const char PTX[] =
@PTX@;

struct @S@_kernel {
    CUmodule module;
    CUfunction function;
    /* Blocks of threads that the device holds at once. */
    size_t groups;
};

const char *@S@_sentence(int result)
{
    static const char *const sentences[] = {
        "nothing went wrong",
        "no context is current: call cuCtxSetCurrent first",
        "CUDA's driver refused a call",
        "the device gives a block of threads less than @SHARED@ bytes of shared memory, which the kernel needs",
        "memory could not be allocated",
        "@ALIGNMENT_SAID@",
        "@OVERLAP_SAID@",
        "more @MANY@ than memory can hold",
        "a pointer is null",@MORE_SENTENCES@
        "the driver is older than the kernel's text (PTX @PTX_VERSION@): install a driver of CUDA @CUDA_VERSION@ or newer (@DRIVER_VERSION@ on Linux)",
        "the device is older than the kernel's target (sm_@TARGET@, compute capability @CAPABILITY@)"
    };
    return result >= 0 && (size_t)result < sizeof sentences / sizeof *sentences ? sentences[result] : "no such result";
}

int @S@_open(@S@_kernel **kernel)
{
    CUdevice device;
    int most = 0, processors = 0, groups = 0, major = 0, minor = 0, status;
    @S@_kernel *made;
    *kernel = NULL;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return @S@_NO_CONTEXT;
    if (cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
        return @S@_DRIVER;
    if (major < TARGET / 10 || (major == TARGET / 10 && minor < TARGET % 10))
        return @S@_OLD_DEVICE;
    if (most < SHARED)
        return @S@_TOO_LARGE;
    made = (@S@_kernel *)calloc(1, sizeof *made);
    if (!made)
        return @S@_MEMORY;
    status = (int)cuModuleLoadData(&made->module, PTX);
    if (status != CUDA_SUCCESS) {
        free(made);
        return status == UNSUPPORTED_PTX_VERSION ? @S@_OLD_DRIVER : @S@_DRIVER;
    }
    if (cuModuleGetFunction(&made->function, made->module, "@S@") != CUDA_SUCCESS
        || cuFuncSetAttribute(made->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED) != CUDA_SUCCESS
        || cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, made->function, THREADS, SHARED) != CUDA_SUCCESS
        || groups < 1) {
        @S@_close(made);
        return @S@_DRIVER;
    }
    made->groups = (size_t)groups * (size_t)processors;
    *kernel = made;
    return @S@_OK;
}

void @S@_close(@S@_kernel *kernel)
{
    if (!kernel)
        return;
    cuModuleUnload(kernel->module);
    free(kernel);
}

@EXPANSION@/* Puts a launch into a stream. The driver copies the arguments before the call returns. */
static int launched(const @S@_kernel *kernel, size_t groups, CUstream stream, void **arguments)
{
    return cuLaunchKernel(kernel->function, (unsigned)groups, 1, 1, THREADS, 1, 1, SHARED, stream, arguments, NULL)
            == CUDA_SUCCESS
        ? @S@_OK
        : @S@_DRIVER;
}

/* A buffer: of the host, whose copies the device makes by itself, and of the device. */
typedef struct {
    uint8_t *host;
    CUdeviceptr device;
    CUstream stream;
    size_t bytes, device_bytes;
} buffer;

static int opened(buffer *b, size_t bytes, size_t device_bytes)
{
    void *host = NULL;
    CUresult status = cuMemAllocHost(&host, bytes);
    b->host = (uint8_t *)host;
    b->bytes = bytes;
    b->device_bytes = device_bytes;
    if (status == CUDA_SUCCESS)
        status = cuMemAlloc(&b->device, device_bytes);
    if (status == CUDA_SUCCESS)
        status = cuStreamCreate(&b->stream, CU_STREAM_NON_BLOCKING);
    return status == CUDA_SUCCESS ? @S@_OK
        : status == CUDA_ERROR_OUT_OF_MEMORY ? @S@_MEMORY
        : status == CUDA_ERROR_INVALID_CONTEXT ? @S@_NO_CONTEXT
        : @S@_DRIVER;
}

/* Waits for a buffer's work, wipes it and gives it back. */
static void closed(buffer *b)
{
    if (b->stream) {
        if (b->device)
            cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);
        cuStreamSynchronize(b->stream);
        cuStreamDestroy(b->stream);
    }
    if (b->device)
        cuMemFree(b->device);
    if (b->host) {
        wiped(b->host, b->bytes);
        cuMemFreeHost(b->host);
    }
}

@WORK@