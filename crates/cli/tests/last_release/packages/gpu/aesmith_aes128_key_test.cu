/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * aesmith_aes128_key: key schedule of AES-128, on GPUs of NVIDIA, by aesmith 0.1.0.
 *
 * The self-test: published answers (FIPS-197, appendix A), and many keys against the round keys that the host makes.
 */
#include "aesmith_aes128_key.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(const char *what, int holds)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static void hex(uint8_t *bytes, const char *text)
{
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2)
        *bytes++ = (uint8_t)byte;
}

static uint8_t random_byte(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (uint8_t)(state >> 11);
}

enum { KEY = 16, KEYS = 176, MOST = 3000 };

/* The function on device memory. */
static void on_device(aesmith_aes128_key_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count)
{
    CUdeviceptr from = 0, to = 0;
    must("device memory", cuMemAlloc(&from, KEY * count + 16) == CUDA_SUCCESS && cuMemAlloc(&to, KEYS * count + 16) == CUDA_SUCCESS);
    must("copy", cuMemcpyHtoD(from, in, KEY * count + 1) == CUDA_SUCCESS && cuMemcpyHtoD(to, out, KEYS * count + 1) == CUDA_SUCCESS);
    must("keys that a launch may take", aesmith_aes128_key_check(to, from, count) == aesmith_aes128_key_OK);
    must("launch", aesmith_aes128_key_expand(kernel, to, from, count, NULL) == aesmith_aes128_key_OK);
    must("wait", cuCtxSynchronize() == CUDA_SUCCESS);
    must("copy", cuMemcpyDtoH(out, to, KEYS * count + 1) == CUDA_SUCCESS);
    cuMemFree(from);
    cuMemFree(to);
}

static void tested(aesmith_aes128_key_kernel *kernel)
{
    static uint8_t in[KEY * MOST + 1], out[KEYS * MOST + 1], other[KEYS * MOST + 1], one[KEYS + 1];
    static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 255, 256, 257, 1024, 1024 + 1, MOST };
    uint8_t last[16];
    size_t k, at;
    hex(in, "2b7e151628aed2a6abf7158809cf4f3c");
    hex(last, "d014f9a8c9ee2589e13f0cc8b6630ca6");
    on_device(kernel, one, in, 1);
    must("the published round key", !memcmp(one + (0 ? 0 : KEYS - 16), last, 16));
    must("the first round key", !memcmp(one + (0 ? KEYS - 16 : 0), in, 16));

    for (at = 0; at < sizeof in; at++)
        in[at] = random_byte();
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t count = counts[k];
        memset(out, 0xa5, sizeof out);
        on_device(kernel, out, in, count);
        memset(other, 0xa5, sizeof other);
        must("the host's function", aesmith_aes128_key_expand_host(kernel, other, in, count) == aesmith_aes128_key_OK);
        must("the host's function has other round keys", !memcmp(out, other, KEYS * count));
        must("bytes behind the round keys are as they were", out[KEYS * count] == 0xa5 && other[KEYS * count] == 0xa5);
        for (at = 0; at < count; at++) {
            aesmith_aes128_key_keys(in + KEY * at, one);
            must("round keys are not those that the host makes", !memcmp(one, out + KEYS * at, KEYS));
        }
    }
    must("an odd address of cipher keys", aesmith_aes128_key_expand(kernel, 1024, 8, 1, NULL) == aesmith_aes128_key_ALIGNMENT);
    must("an odd address of round keys", aesmith_aes128_key_expand(kernel, 1032, 16, 1, NULL) == aesmith_aes128_key_ALIGNMENT);
    must("round keys that overlap cipher keys", aesmith_aes128_key_expand(kernel, 32 + KEYS, 32 + KEYS + 16, 2, NULL) == aesmith_aes128_key_OVERLAP);
    must("cipher keys that overlap round keys", aesmith_aes128_key_check(1024, 1024 - 16, 2) == aesmith_aes128_key_OVERLAP);
    must("round keys in their place", aesmith_aes128_key_expand(kernel, 1024, 1024, 1, NULL) == aesmith_aes128_key_OVERLAP);
    must("round keys right before", aesmith_aes128_key_check(1024, 1024 + KEYS, 1) == aesmith_aes128_key_OK);
    must("cipher keys right before", aesmith_aes128_key_check(1024 + KEY * 2, 1024, 2) == aesmith_aes128_key_OK);
    must("round keys in their place, from the host", aesmith_aes128_key_expand_host(kernel, out, out, 1) == aesmith_aes128_key_OVERLAP);
    must("round keys that overlap, from the host", aesmith_aes128_key_expand_host(kernel, out, out + KEYS - 1, 1) == aesmith_aes128_key_OVERLAP);
    must("too many keys", aesmith_aes128_key_expand(kernel, 0, 0, (size_t)1 << 38, NULL) == aesmith_aes128_key_LENGTH);
    must("too many keys, from the host", aesmith_aes128_key_expand_host(kernel, out, in, (size_t)1 << 38) == aesmith_aes128_key_LENGTH);
    must("no result", aesmith_aes128_key_expand(kernel, 0, 1024, 1, NULL) == aesmith_aes128_key_NULL);
    must("no cipher keys", aesmith_aes128_key_expand(kernel, 1024, 0, 1, NULL) == aesmith_aes128_key_NULL);
    must("no kernel", aesmith_aes128_key_expand(NULL, 1024, 16, 1, NULL) == aesmith_aes128_key_NULL);
    must("no cipher keys, from the host", aesmith_aes128_key_expand_host(kernel, out, NULL, 1) == aesmith_aes128_key_NULL);
}

int main(void)
{
    aesmith_aes128_key_kernel *kernel;
    CUdevice device;
    CUcontext context;
    char name[256] = "";
    int result;
    must("no driver", cuInit(0) == CUDA_SUCCESS);
    must("no device", cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    must("context", cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    must("without a context", aesmith_aes128_key_open(&kernel) == aesmith_aes128_key_NO_CONTEXT);
    must("context", cuCtxSetCurrent(context) == CUDA_SUCCESS);
    result = aesmith_aes128_key_open(&kernel);
    must(aesmith_aes128_key_sentence(result), result == aesmith_aes128_key_OK);
    must("device", cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS);
    tested(kernel);
    aesmith_aes128_key_close(kernel);
    cuDevicePrimaryCtxRelease(device);
    printf("aesmith_aes128_key: right on %s\n", name);
    return 0;
}
