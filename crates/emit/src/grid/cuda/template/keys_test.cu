enum { KEY = @KEY@, KEYS = @KEYS@, MOST = 3000 };

/* The function on device memory. */
static void on_device(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count)
{
    CUdeviceptr from = 0, to = 0;
    must("device memory", cuMemAlloc(&from, KEY * count + 16) == CUDA_SUCCESS && cuMemAlloc(&to, KEYS * count + 16) == CUDA_SUCCESS);
    must("copy", cuMemcpyHtoD(from, in, KEY * count + 1) == CUDA_SUCCESS && cuMemcpyHtoD(to, out, KEYS * count + 1) == CUDA_SUCCESS);
    must("keys that a launch may take", @S@_check(to, from, count) == @S@_OK);
    must("launch", @S@_@VERB@(kernel, to, from, count, NULL) == @S@_OK);
    must("wait", cuCtxSynchronize() == CUDA_SUCCESS);
    must("copy", cuMemcpyDtoH(out, to, KEYS * count + 1) == CUDA_SUCCESS);
    cuMemFree(from);
    cuMemFree(to);
}

static void tested(@S@_kernel *kernel)
{
    static uint8_t in[KEY * MOST + 1], out[KEYS * MOST + 1], other[KEYS * MOST + 1], one[KEYS + 1];
    static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 255, 256, 257, @THREADS@, @THREADS@ + 1, MOST };
    uint8_t last[16];
    size_t k, at;
    hex(in, "@VECTOR_KEY@");
    hex(last, "@VECTOR_LAST@");
    on_device(kernel, one, in, 1);
    must("the published round key", !memcmp(one + (@DECRYPTS@ ? 0 : KEYS - 16), last, 16));
    must("the first round key", !memcmp(one + (@DECRYPTS@ ? KEYS - 16 : 0), in, 16));

    for (at = 0; at < sizeof in; at++)
        in[at] = random_byte();
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t count = counts[k];
        memset(out, 0xa5, sizeof out);
        on_device(kernel, out, in, count);
        memset(other, 0xa5, sizeof other);
        must("the host's function", @S@_@VERB@_host(kernel, other, in, count) == @S@_OK);
        must("the host's function has other round keys", !memcmp(out, other, KEYS * count));
        must("bytes behind the round keys are as they were", out[KEYS * count] == 0xa5 && other[KEYS * count] == 0xa5);
        for (at = 0; at < count; at++) {
            @S@_keys(in + KEY * at, one);
            must("round keys are not those that the host makes", !memcmp(one, out + KEYS * at, KEYS));
        }
    }
    must("an odd address of cipher keys", @S@_@VERB@(kernel, 1024, 8, 1, NULL) == @S@_ALIGNMENT);
    must("an odd address of round keys", @S@_@VERB@(kernel, 1032, 16, 1, NULL) == @S@_ALIGNMENT);
    must("round keys that overlap cipher keys", @S@_@VERB@(kernel, 32 + KEYS, 32 + KEYS + 16, 2, NULL) == @S@_OVERLAP);
    must("cipher keys that overlap round keys", @S@_check(1024, 1024 - 16, 2) == @S@_OVERLAP);
    must("round keys in their place", @S@_@VERB@(kernel, 1024, 1024, 1, NULL) == @S@_OVERLAP);
    must("round keys right before", @S@_check(1024, 1024 + KEYS, 1) == @S@_OK);
    must("cipher keys right before", @S@_check(1024 + KEY * 2, 1024, 2) == @S@_OK);
    must("round keys in their place, from the host", @S@_@VERB@_host(kernel, out, out, 1) == @S@_OVERLAP);
    must("round keys that overlap, from the host", @S@_@VERB@_host(kernel, out, out + KEYS - 1, 1) == @S@_OVERLAP);
    must("too many keys", @S@_@VERB@(kernel, 0, 0, (size_t)1 << 38, NULL) == @S@_LENGTH);
    must("too many keys, from the host", @S@_@VERB@_host(kernel, out, in, (size_t)1 << 38) == @S@_LENGTH);
    must("no result", @S@_@VERB@(kernel, 0, 1024, 1, NULL) == @S@_NULL);
    must("no cipher keys", @S@_@VERB@(kernel, 1024, 0, 1, NULL) == @S@_NULL);
    must("no kernel", @S@_@VERB@(NULL, 1024, 16, 1, NULL) == @S@_NULL);
    must("no cipher keys, from the host", @S@_@VERB@_host(kernel, out, NULL, 1) == @S@_NULL);
}
