/* How many bytes a second come over the bus: plain copies by CUDA's driver, and the functions of a package for AES-128-CTR that
 * take text from the host's memory, or from the card's. A JSON object a line. Built with the package: see scripts/card.sh.
 *
 *   bus MIB          of a text of so many MiB
 *   bus MIB CHUNK    the package's function alone, which was built with AESMITH_CHUNK=CHUNK */
#include "aesmith_aes128_ctr.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

const size_t MOST_PART = (size_t)16 << 20;
const int TIMES = 3;

void must(const char *what, bool holds)
{
    if (holds)
        return;
    printf("{\"part\":\"bus\",\"name\":\"%s\",\"code\":1,\"said\":\"%s failed\"}\n", what, what);
    exit(1);
}

bool done(CUresult result)
{
    return result == CUDA_SUCCESS;
}

double seconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The least time of some that something takes, as a line; `bytes` are those of the text, counted once. */
template <class Work>
void timed(const char *name, size_t bytes, Work work)
{
    double least = 1e300;
    for (int time = 0; time <= TIMES; time++) {
        double begun = seconds();
        must(name, work());
        double taken = seconds() - begun;
        /* The first is not counted. */
        if (time && taken < least)
            least = taken;
    }
    printf("{\"part\":\"bus\",\"name\":\"%s\",\"code\":0,\"bytes\":%zu,\"seconds\":%.6f,\"gigabytes_a_second\":%.3f}\n", name,
        bytes, least, (double)bytes / least / 1e9);
    fflush(stdout);
}

}

int main(int count, char **arguments)
{
    const size_t bytes = (count > 1 ? (size_t)atol(arguments[1]) : 1024) << 20, blocks = bytes / 16;
    const size_t part = bytes < MOST_PART ? bytes : MOST_PART;
    CUdevice device;
    CUcontext context;
    CUdeviceptr there = 0, back = 0;
    CUstream streams[2];
    aesmith_aes128_ctr_kernel *kernel;
    void *pinned = NULL, *result = NULL;
    uint8_t *text = (uint8_t *)malloc(bytes), *made = (uint8_t *)malloc(bytes);
    uint8_t key[16], counter[16], keys[16384];
    unsigned long long random = 88172645463325252ull;
    must("memory", text && made && bytes);
    must("driver", done(cuInit(0)) && done(cuDeviceGet(&device, 0)) && done(cuDevicePrimaryCtxRetain(&context, device)));
    must("context", done(cuCtxSetCurrent(context)));
    must("pinned memory", done(cuMemAllocHost(&pinned, bytes)) && done(cuMemAllocHost(&result, bytes)));
    must("device memory", done(cuMemAlloc(&there, bytes)) && done(cuMemAlloc(&back, bytes)));
    for (int k = 0; k < 2; k++)
        must("stream", done(cuStreamCreate(&streams[k], CU_STREAM_NON_BLOCKING)));
    for (size_t at = 0; at < bytes; at += 8) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        memcpy(text + at, &random, 8);
    }
    memcpy(key, text, 16);
    memset(counter, 0xff, 16);
    memset(made, 0, bytes);
    memset(result, 0, bytes);
    must("open", aesmith_aes128_ctr_open(&kernel) == aesmith_aes128_ctr_OK);
    aesmith_aes128_ctr_keys(key, keys);

    if (count > 2) {
        char name[100];
        snprintf(name, sizeof name, "aesmith_aes128_ctr_encrypt_host, AESMITH_CHUNK=%s", arguments[2]);
        timed(name, bytes, [&] {
            return aesmith_aes128_ctr_encrypt_host(kernel, made, text, blocks, keys, counter) == aesmith_aes128_ctr_OK;
        });
        return 0;
    }
    timed("host copies in its own memory", bytes, [&] { return memcpy(pinned, text, bytes) != NULL; });
    timed("to the card, pinned", bytes, [&] { return done(cuMemcpyHtoD(there, pinned, bytes)); });
    timed("from the card, pinned", bytes, [&] { return done(cuMemcpyDtoH(result, there, bytes)); });
    timed("to the card, pageable", bytes, [&] { return done(cuMemcpyHtoD(there, text, bytes)); });
    timed("from the card, pageable", bytes, [&] { return done(cuMemcpyDtoH(made, there, bytes)); });
    /* There and back in parts, by two streams whose copies overlap. */
    timed("to the card and back, pinned, two streams", bytes, [&] {
        bool all = true;
        size_t number = 0;
        for (size_t at = 0; at < bytes && all; at += part, number ^= 1) {
            size_t now = bytes - at < part ? bytes - at : part;
            all = done(cuStreamSynchronize(streams[number]))
                && done(cuMemcpyHtoDAsync(there + at, (uint8_t *)pinned + at, now, streams[number]))
                && done(cuMemcpyDtoHAsync((uint8_t *)result + at, there + at, now, streams[number]));
        }
        return done(cuStreamSynchronize(streams[0])) && done(cuStreamSynchronize(streams[1])) && all;
    });
    must("what came back", !memcmp(result, text, bytes));
    timed("aesmith_aes128_ctr_encrypt, in the card's memory", bytes, [&] {
        return aesmith_aes128_ctr_encrypt(kernel, back, there, blocks, keys, counter, NULL) == aesmith_aes128_ctr_OK
            && done(cuCtxSynchronize());
    });
    timed("aesmith_aes128_ctr_encrypt_host", bytes, [&] {
        return aesmith_aes128_ctr_encrypt_host(kernel, made, text, blocks, keys, counter) == aesmith_aes128_ctr_OK;
    });
    must("copy", done(cuMemcpyDtoH(result, back, bytes)));
    must("the host's function has the result of the card's", !memcmp(result, made, bytes) && memcmp(made, text, bytes));
    /* Twice is not at all. */
    must("decrypt", aesmith_aes128_ctr_encrypt_host(kernel, made, made, blocks, keys, counter) == aesmith_aes128_ctr_OK);
    must("the text comes back", !memcmp(made, text, bytes));
    timed("aesmith_aes128_ctr_encrypt_host, from and to pinned memory", bytes, [&] {
        return aesmith_aes128_ctr_encrypt_host(kernel, (uint8_t *)result, (const uint8_t *)pinned, blocks, keys, counter)
            == aesmith_aes128_ctr_OK;
    });
    aesmith_aes128_ctr_close(kernel);
    for (int k = 0; k < 2; k++)
        cuStreamDestroy(streams[k]);
    cuMemFree(there);
    cuMemFree(back);
    cuMemFreeHost(pinned);
    cuMemFreeHost(result);
    cuDevicePrimaryCtxRelease(device);
    free(text);
    free(made);
    return 0;
}
