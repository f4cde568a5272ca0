enum { MOST = 6000, APART = @APART@ };

@COUNTED@/* The function on device memory, the text in one buffer and the result in another or the same. */
static void on_device(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t blocks, const uint8_t *keys,
    const uint8_t *counter, int in_place)
{
    CUdeviceptr from = 0, to = 0;
    (void)counter;
    must("device memory", cuMemAlloc(&from, 16 * blocks + 16) == CUDA_SUCCESS && cuMemAlloc(&to, 16 * blocks + 16) == CUDA_SUCCESS);
    if (blocks)
        must("copy", cuMemcpyHtoD(from, in, 16 * blocks) == CUDA_SUCCESS);
    must("launch", @S@_@VERB@(kernel, in_place ? from : to, from, blocks, keys@PASSED_COUNTER@, NULL) == @S@_OK);
    must("wait", cuCtxSynchronize() == CUDA_SUCCESS);
    if (blocks)
        must("copy", cuMemcpyDtoH(out, in_place ? from : to, 16 * blocks) == CUDA_SUCCESS);
    cuMemFree(from);
    cuMemFree(to);
}

static void tested(@S@_kernel *kernel)
{
    static uint8_t in[16 * MOST], out[16 * MOST], other[16 * MOST], one[16];
    static const size_t lengths[] = { 0, 1, 2, 31, 32, 33, 255, 256, 257, @THREADS@, @THREADS@ + 1, MOST };
    uint8_t key[@KEY@], keys[@KEYS@], counter[16], wanted[64];
    size_t k, at, block;
    hex(key, "@VECTOR_KEY@");
    hex(counter, "@VECTOR_IV@");
    hex(in, "@VECTOR_IN@");
    hex(wanted, "@VECTOR_OUT@");
    @S@_keys(key, keys);
    on_device(kernel, out, in, 4, keys, counter, 0);
    must("the published answer", !memcmp(out, wanted, 64));
    on_device(kernel, out, in, 4, keys, counter, !APART);
    must("the published answer, in place where that may be", !memcmp(out, wanted, 64));
    must("the published answer, from the host", @S@_@VERB@_host(kernel, out, in, 4, keys@PASSED_COUNTER@) == @S@_OK && !memcmp(out, wanted, 64));

    /* Every block of a long text is the block alone. */
    for (at = 0; at < sizeof in; at++)
        in[at] = random_byte();
    memset(counter, 0xff, 16);
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t blocks = lengths[k];
        memset(out, 0xa5, sizeof out);
        on_device(kernel, out, in, blocks, keys, counter, !APART && k & 1);
        memset(other, 0x5a, sizeof other);
        must("the host's function", @S@_@VERB@_host(kernel, other, in, blocks, keys@PASSED_COUNTER@) == @S@_OK);
        must("the host's function has another result", !memcmp(out, other, 16 * blocks));
        must("bytes behind the text are as they were", blocks == MOST || (out[16 * blocks] == 0xa5 && other[16 * blocks] == 0x5a));
        for (block = 0; block < blocks; block += 1 + blocks / 9) {
            uint8_t own[16];
            @OWN@;
            on_device(kernel, one, in + 16 * block, 1, keys, own, 0);
            must("a block of a text is not the block alone", !memcmp(one, out + 16 * block, 16));
        }
    }
    must("a result right behind its text", @S@_check(32, 16, 1) == @S@_OK);
    must("an odd pointer", @S@_@VERB@(kernel, 16, 8, 1, keys@PASSED_COUNTER@, NULL) == @S@_ALIGNMENT);
    must("a result that overlaps", @S@_@VERB@(kernel, 32, 16, 2, keys@PASSED_COUNTER@, NULL) == @S@_OVERLAP);
    must("a result that overlaps", @S@_@VERB@_host(kernel, out + 8, out, 2, keys@PASSED_COUNTER@) == @S@_OVERLAP);
    must("a result in its text's place", !APART || @S@_@VERB@(kernel, 16, 16, 1, keys@PASSED_COUNTER@, NULL) == @S@_OVERLAP);
    must("too many blocks", @S@_@VERB@(kernel, 0, 0, (size_t)1 << 38, keys@PASSED_COUNTER@, NULL) == @S@_LENGTH);
    must("no result", @S@_@VERB@(kernel, 0, 16, 1, keys@PASSED_COUNTER@, NULL) == @S@_NULL);
    must("no text", @S@_@VERB@_host(kernel, out, NULL, 1, keys@PASSED_COUNTER@) == @S@_NULL);
}
