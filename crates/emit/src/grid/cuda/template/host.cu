/* @SAID@
 *
 * Host code over CUDA's driver interface, in what C99 and C++ have in common, for GCC and Clang (others take no string as long
 * as the kernel's). The kernel is the text @S@.ptx, which is
 * proved; this file is not. aesmith tests such host code with a stand-in of the driver; it has run on no GPU: `make check` does.
 * @KEPT@
 */
#include "@S@.h"
#include <stdlib.h>
#include <string.h>

/* Blocks of text that a buffer of the host function holds. */
#ifndef AESMITH_CHUNK
#define AESMITH_CHUNK ((size_t)1 << 20)
#endif

enum { THREADS = @THREADS@, SHARED = @SHARED@ };
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
        "more blocks than memory can hold",
        "a pointer is null",@MORE_SENTENCES@
    };
    return result >= 0 && (size_t)result < sizeof sentences / sizeof *sentences ? sentences[result] : "no such result";
}

int @S@_open(@S@_kernel **kernel)
{
    CUdevice device;
    int most = 0, processors = 0, groups = 0;
    @S@_kernel *made;
    *kernel = NULL;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return @S@_NO_CONTEXT;
    if (cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS)
        return @S@_DRIVER;
    if (most < SHARED)
        return @S@_TOO_LARGE;
    made = (@S@_kernel *)calloc(1, sizeof *made);
    if (!made)
        return @S@_MEMORY;
    if (cuModuleLoadData(&made->module, PTX) != CUDA_SUCCESS) {
        free(made);
        return @S@_DRIVER;
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

/* Writes zeros that no compiler leaves out. */
static void wiped(void *memory, size_t bytes)
{
    volatile uint8_t *byte = (volatile uint8_t *)memory;
    while (bytes--)
        *byte++ = 0;
}

/* A product in the field of FIPS-197, 4.2. */
static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0, left = a, k;
    for (k = 0; k < 8; k++) {
        product ^= left & (0u - (b >> k & 1u));
        left = left << 1 ^ (0x11bu & (0u - (left >> 7)));
    }
    return (uint8_t)product;
}

/* The S-box by its definition (FIPS-197, 5.1.1): the inverse is the 254th power. No look-up, so no time hangs on the key. */
static uint8_t substituted(uint8_t x)
{
    uint8_t power = x;
    unsigned k, sum;
    for (k = 0; k < 6; k++)
        power = times(times(power, power), x);
    sum = times(power, power);
    sum ^= sum << 1 ^ sum << 2 ^ sum << 3 ^ sum << 4;
    return (uint8_t)(sum ^ sum >> 8 ^ 0x63);
}

void @S@_keys(const uint8_t key[@KEY@], uint8_t round_keys[@KEYS@])
{
    uint8_t constant = 1, word[4], plain[ALL], *to = round_keys;
    unsigned at, k, round;
    /* Threads expand it by themselves. */
    if (@KEYS@ == KEY) {
        memcpy(round_keys, key, KEY);
        return;
    }
    memcpy(plain, key, KEY);
    for (at = KEY; at < ALL; at += 4) {
        memcpy(word, plain + at - 4, 4);
        if (at % KEY == 0) {
            uint8_t first = word[0];
            for (k = 0; k < 3; k++)
                word[k] = substituted(word[k + 1]);
            word[3] = substituted(first);
            word[0] ^= constant;
            constant = times(constant, 2);
        } else if (KEY == 32 && at % KEY == 16) {
            for (k = 0; k < 4; k++)
                word[k] = substituted(word[k]);
        }
        for (k = 0; k < 4; k++)
            plain[at + k] = word[k] ^ plain[at + k - KEY];
    }
    for (round = 0; round <= ROUNDS; round++) {
        const uint8_t *from = plain + 16 * (DECRYPTS ? ROUNDS - round : round);
        for (at = 0; at < 16; at++) {
            const uint8_t *column = from + at / 4 * 4;
            /* Round keys of the equivalent inverse cipher (FIPS-197, 5.3.5). */
            uint8_t byte = !DECRYPTS || round == 0 || round == ROUNDS
                ? from[at]
                : times(column[at % 4], 14) ^ times(column[(at + 1) % 4], 11) ^ times(column[(at + 2) % 4], 13)
                    ^ times(column[(at + 3) % 4], 9);
            if (round < PLAIN || round == ROUNDS)
                *to++ = byte;
            else
                for (k = 0; k < 32; k++)
                    *to++ = (uint8_t)(0u - (byte >> k / 4 & 1u));
        }
    }
@MASKED@    wiped(plain, sizeof plain);
    wiped(word, sizeof word);
}

/* Puts a launch into a stream. The driver copies the arguments before the call returns. */
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