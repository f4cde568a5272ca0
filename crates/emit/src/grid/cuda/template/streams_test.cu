enum { OF_A_STREAM = @OF_A_STREAM@, A_GROUP = @THREADS@ / OF_A_STREAM, MOST = 2 * A_GROUP + 3 };
enum { KEYS = @KEYS@, VECTOR = @VECTOR@, APART = @APART@ };
/* What stands behind each text, and is nobody's. */
enum { BEHIND = 16 };

/* Streams in one memory: from which byte on, how many blocks, round keys, and initial vectors. */
typedef struct {
    size_t count, bytes;
    size_t *at, *blocks;
    uint8_t *text, *keys, *ivs;
} streams;

/* Memory that must be there. */
static void *memory(size_t bytes)
{
    void *place = calloc(bytes + 16, 1);
    must("memory", place != NULL);
    return place;
}

/* So many streams, with as many blocks as are given. */
static streams made(size_t count, const size_t *blocks)
{
    streams s;
    size_t k;
    s.count = count;
    s.bytes = 0;
    s.at = (size_t *)memory(count * sizeof *s.at);
    s.blocks = (size_t *)memory(count * sizeof *s.blocks);
    for (k = 0; k < count; k++) {
        s.at[k] = s.bytes;
        s.blocks[k] = blocks[k];
        s.bytes += 16 * blocks[k] + BEHIND;
    }
    s.text = (uint8_t *)memory(s.bytes);
    memset(s.text, 0xa5, s.bytes);
    s.keys = (uint8_t *)memory(KEYS * count);
    s.ivs = (uint8_t *)memory(16 * count);
    return s;
}

static void freed(streams s)
{
    free(s.at);
    free(s.blocks);
    free(s.text);
    free(s.keys);
    free(s.ivs);
}

/* What is uploaded. */
static CUdeviceptr up(const void *from, size_t bytes)
{
    CUdeviceptr to = 0;
    must("device memory", cuMemAlloc(&to, bytes + 16) == CUDA_SUCCESS);
    must("copy", !bytes || cuMemcpyHtoD(to, from, bytes) == CUDA_SUCCESS);
    return to;
}

/* The function on device memory, texts in one memory and results in another or the same. */
static void on_device(@S@_kernel *kernel, uint8_t *out, const streams *s, int in_place)
{
    CUdeviceptr *from = (CUdeviceptr *)memory(s->count * sizeof *from), *to = (CUdeviceptr *)memory(s->count * sizeof *to);
    unsigned long long *blocks = (unsigned long long *)memory(s->count * sizeof *blocks);
    CUdeviceptr text = up(s->text, s->bytes), result = in_place ? text : up(out, s->bytes);
    CUdeviceptr arrays[5];
    size_t k;
    for (k = 0; k < s->count; k++) {
        from[k] = text + s->at[k];
        to[k] = result + s->at[k];
        blocks[k] = s->blocks[k];
    }
    must("streams that a launch may take", @S@_check(to, from, blocks, s->count) == @S@_OK);
    arrays[0] = up(to, s->count * sizeof *to);
    arrays[1] = up(from, s->count * sizeof *from);
    arrays[2] = up(blocks, s->count * sizeof *blocks);
    arrays[3] = up(s->keys, KEYS * s->count);
    arrays[4] = up(s->ivs, 16 * s->count);
    must("launch", @S@_@VERB@_streams(kernel, arrays[0], arrays[1], arrays[2], arrays[3]@PASSED_ARRAY@, s->count, NULL) == @S@_OK);
    must("wait", cuCtxSynchronize() == CUDA_SUCCESS);
    must("copy", cuMemcpyDtoH(out, result, s->bytes) == CUDA_SUCCESS);
    for (k = 0; k < 5; k++)
        cuMemFree(arrays[k]);
    cuMemFree(text);
    if (!in_place)
        cuMemFree(result);
    free(from);
    free(to);
    free(blocks);
}

/* The function on memory of the host. */
static void from_host(@S@_kernel *kernel, uint8_t *out, const streams *s, int in_place)
{
    const uint8_t **from = (const uint8_t **)memory(s->count * sizeof *from);
    uint8_t **to = (uint8_t **)memory(s->count * sizeof *to);
    size_t k;
    if (in_place)
        memcpy(out, s->text, s->bytes);
    for (k = 0; k < s->count; k++) {
        from[k] = (in_place ? out : s->text) + s->at[k];
        to[k] = out + s->at[k];
    }
    must("the host's function", @S@_@VERB@_streams_host(kernel, to, from, s->blocks, s->keys@PASSED_HOST_IVS@, s->count) == @S@_OK);
    free(from);
    free(to);
}

@COUNTED@/* Every block of the streams as a stream of its own. */
static void by_blocks(@S@_kernel *kernel, const streams *s, const uint8_t *result)
{
    size_t total = 0, k, block, next, *ones;
    uint8_t *out;
    streams single;
    for (k = 0; k < s->count; k++)
        total += s->blocks[k];
    ones = (size_t *)memory(total * sizeof *ones);
    for (k = 0; k < total; k++)
        ones[k] = 1;
    single = made(total, ones);
    for (k = 0, next = 0; k < s->count; k++)
        for (block = 0; block < s->blocks[k]; block++, next++) {
            size_t at = s->at[k] + 16 * block;
            memcpy(single.text + single.at[next], s->text + at, 16);
            memcpy(single.keys + KEYS * next, s->keys + KEYS * k, KEYS);
            @OWN@;
        }
    out = (uint8_t *)memory(single.bytes);
    on_device(kernel, out, &single, !APART);
    for (k = 0, next = 0; k < s->count; k++)
        for (block = 0; block < s->blocks[k]; block++, next++)
            must("a block of a stream is not the block alone",
                !memcmp(out + single.at[next], result + s->at[k] + 16 * block, 16));
    freed(single);
    free(ones);
    free(out);
}

/* So many streams with keys of their own, the last of which has a published answer. */
static void many(@S@_kernel *kernel, size_t count)
{
    static const size_t lengths[] = { 0, 17, 1, 2, 0, 0, 33, 15, 16, 3, 31, 100, 0 };
    uint8_t key[@KEY@], wanted[64], *out;
    size_t k, at, *blocks = (size_t *)memory(count * sizeof *blocks);
    int in_place;
    streams s;
    for (k = 0; k < count; k++)
        blocks[k] = k + 1 == count ? 4 : k == 5 ? 6000 : lengths[k % (sizeof lengths / sizeof *lengths)];
    s = made(count, blocks);
    for (k = 0; k < count; k++) {
        for (at = 0; at < 16 * blocks[k]; at++)
            s.text[s.at[k] + at] = random_byte();
        for (at = 0; at < 16; at++)
            s.ivs[16 * k + at] = k % 3 == 2 ? 0xff : random_byte();
        for (at = 0; at < sizeof key; at++)
            key[at] = random_byte();
        if (k + 1 == count) {
            hex(key, "@VECTOR_KEY@");
            hex(s.ivs + 16 * k, "@VECTOR_IV@");
            hex(s.text + s.at[k], "@VECTOR_IN@");
            hex(wanted, "@VECTOR_OUT@");
        }
        @S@_keys(key, s.keys + KEYS * k);
    }
    out = (uint8_t *)memory(s.bytes);
    for (in_place = 0; in_place < 2; in_place++) {
        uint8_t *other = (uint8_t *)memory(s.bytes);
        memset(out, 0xa5, s.bytes);
        on_device(kernel, out, &s, in_place && !APART);
        must("the published answer", !memcmp(out + s.at[count - 1], wanted, 64));
        memset(other, 0xa5, s.bytes);
        from_host(kernel, other, &s, in_place);
        must("the host's function has another result", !memcmp(out, other, s.bytes));
        for (k = 0; k < count; k++)
            for (at = 0; at < BEHIND; at++)
                must("bytes behind a text are as they were", out[s.at[k] + 16 * blocks[k] + at] == 0xa5);
        free(other);
    }
    by_blocks(kernel, &s, out);
    freed(s);
    free(out);
    free(blocks);
}

/* What is no launch that the certificate admits. */
static void refused(@S@_kernel *kernel)
{
    static uint8_t text[96], keys[2 * KEYS], ivs[32];
    CUdeviceptr in[2] = { 256, 256 }, out[2] = { 512, 1024 };
    unsigned long long blocks[2] = { 2, 3 };
    const uint8_t *from[2] = { text, text };
    uint8_t *to[2] = { text + 48, text };
    size_t numbers[2] = { 2, 0 };
    (void)ivs;
    must("no stream", @S@_@VERB@_streams(kernel, 0, 0, 0, 0@ZERO_IVS@, 0, NULL) == @S@_OK);
    must("no array of texts", @S@_@VERB@_streams(kernel, 16, 0, 16, 16@AN_ARRAY@, 1, NULL) == @S@_NULL);
    must("an odd array", @S@_@VERB@_streams(kernel, 16, 20, 16, 16@AN_ARRAY@, 1, NULL) == @S@_ALIGNMENT);
    must("odd keys", @S@_@VERB@_streams(kernel, 16, 16, 16, 24@AN_ARRAY@, 1, NULL) == @S@_ALIGNMENT);
    must("too many streams", @S@_@VERB@_streams(kernel, 16, 16, 16, 16@AN_ARRAY@, (size_t)1 << 42, NULL) == @S@_STREAMS);@REFUSED_IVS@
    must("texts that are the same", @S@_check(out, in, blocks, 2) == @S@_OK);
    out[1] = 512 + 16;
    must("results that overlap", @S@_check(out, in, blocks, 2) == @S@_OVERLAP);
    out[1] = 256 + 32;
    must("a result that overlaps its text", @S@_check(out, in, blocks, 2) == @S@_OVERLAP);
    out[1] = 256;
    must("a result in the place of another's text", @S@_check(out, in, blocks, 2) == @S@_OVERLAP);
    must("a result in its own text's place", @S@_check(in, in, blocks, 1) == (APART ? @S@_OVERLAP : @S@_OK));
    out[1] = 1024 + 8;
    must("an odd address", @S@_check(out, in, blocks, 2) == @S@_ALIGNMENT);
    blocks[1] = 0;
    must("any address of a stream of no block", @S@_check(out, in, blocks, 2) == @S@_OK);
    blocks[1] = 1ull << 38;
    must("too many blocks", @S@_check(out, in, blocks, 2) == @S@_LENGTH);
    in[1] = 0;
    must("no text", @S@_check(out, in, blocks, 2) == @S@_NULL);
    must("no numbers", @S@_check(out, in, NULL, 2) == @S@_NULL);
    must("a result beside the text", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys@HOST_IVS_HERE@, 2) == @S@_OK);
    numbers[1] = 1;
    must("a result in the place of another's text", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys@HOST_IVS_HERE@, 2) == @S@_OVERLAP);
    numbers[1] = (size_t)1 << 38;
    must("too many blocks", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys@HOST_IVS_HERE@, 2) == @S@_LENGTH);
    to[1] = NULL;
    must("no result", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys@HOST_IVS_HERE@, 2) == @S@_NULL);
    must("no texts", @S@_@VERB@_streams_host(kernel, to, NULL, numbers, keys@HOST_IVS_HERE@, 2) == @S@_NULL);
    numbers[0] = numbers[1] = 0;
    must("streams of no block", @S@_@VERB@_streams_host(kernel, to, from, numbers, keys@HOST_IVS_HERE@, 2) == @S@_OK);
}

static void tested(@S@_kernel *kernel)
{
    static const size_t counts[] = { 1, 2, A_GROUP - 1, A_GROUP, A_GROUP + 1, MOST };
    size_t k;
    for (k = 0; k < sizeof counts / sizeof *counts; k++)
        many(kernel, counts[k]);
    refused(kernel);
}
