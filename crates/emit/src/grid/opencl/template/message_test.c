enum { MOST = 6000, APART = @APART@, COUNTS = @COUNTS@, CHAINS = @CHAINS@ };

@CIPHER@/* FIPS-197, 5.1, or 5.3, which takes the same round keys from the last on. */
static void cipher(uint8_t state[16], const uint8_t *keys)
{
    uint8_t next[16];
    unsigned round, at;
    for (round = 0; round <= ROUNDS; round++) {
        const uint8_t *key = keys + 16 * (DECRYPTS ? ROUNDS - round : round);
        for (at = 0; round && at < 16; at++)
            next[at] = (DECRYPTS ? inverse : sbox)[state[(at + (DECRYPTS ? 12 : 4) * (at % 4)) % 16]];
        if (round)
            memcpy(state, next, 16);
        if (!DECRYPTS && round && round < ROUNDS)
            mixed(state);
        for (at = 0; at < 16; at++)
            state[at] ^= key[at];
        if (DECRYPTS && round && round < ROUNDS)
            mixed(state);
    }
}

/* A text by the cipher in C, block for block. */
static void in_c(uint8_t *out, const uint8_t *in, size_t blocks, const uint8_t *key, const uint8_t iv[16])
{
    uint8_t keys[16 * (ROUNDS + 1)], chain[16], state[16];
    size_t block;
    unsigned at;
    expanded(keys, key);
    memcpy(chain, iv, 16);
    for (block = 0; block < blocks; block++, in += 16, out += 16) {
        memcpy(state, COUNTS ? chain : in, 16);
        cipher(state, keys);
        for (at = 0; at < 16; at++)
            out[at] = state[at] ^ (COUNTS ? in[at] : CHAINS ? chain[at] : 0);
        for (at = 16; COUNTS && at-- && !++chain[at];)
            ;
        if (CHAINS)
            memcpy(chain, in, 16);
    }
}

/* The function on device memory, the text in one buffer and the result in another or the same. */
static void on_device(const place *p, uint8_t *out, const uint8_t *in, size_t blocks, const uint8_t *keys,
    const uint8_t *counter, int in_place)
{
    cl_mem from = memory(p, 16 * blocks + 1), to = in_place ? from : memory(p, 16 * blocks + 1);
    (void)counter;
    put(p, to, out, 16 * blocks + 1);
    put(p, from, in, 16 * blocks);
    must("launch", @S@_@VERB@(p->kernel, p->queue, to, from, blocks, keys@PASSED_COUNTER@) == @S@_OK);
    got(p, out, to, 16 * blocks + 1);
    clReleaseMemObject(from);
    if (!in_place)
        clReleaseMemObject(to);
}

/* What is no launch that the certificate admits, and parts of memory. */
static void refused(const place *p, const uint8_t *keys, const uint8_t *counter, const uint8_t *key)
{
    static uint8_t text[32], made[32], wanted[32];
    size_t step = alignment(p);
    cl_mem whole = memory(p, 4 * step), first = part(whole, 0, 2 * step), second = part(whole, step, 2 * step),
        third = part(whole, 2 * step, 2 * step), few = memory(p, 31);
    cl_int status;
    cl_command_queue loose = clCreateCommandQueue(p->context, p->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    (void)counter;
    must("a result that overlaps", @S@_@VERB@(p->kernel, p->queue, second, first, 2 * step / 16, keys@PASSED_COUNTER@) == @S@_OVERLAP);
    must("a result that overlaps from before", @S@_check(first, second, 2 * step / 16) == @S@_OVERLAP);
    must("a result in a part of its text's memory", @S@_check(second, whole, step / 16 + 1) == @S@_OVERLAP);
    must("a result right behind its text", @S@_check(second, first, step / 16) == @S@_OK);
    must("a result in its text's place", @S@_check(first, first, 1) == (APART ? @S@_OVERLAP : @S@_OK));
    must("the whole and its beginning", @S@_check(first, whole, 1) == (APART ? @S@_OVERLAP : @S@_OK));
    must("a short text", @S@_@VERB@(p->kernel, p->queue, whole, few, 2, keys@PASSED_COUNTER@) == @S@_SHORT);
    must("a short result", @S@_check(few, whole, 2) == @S@_SHORT);
    must("a result that is long enough", @S@_check(few, whole, 1) == @S@_OK);
    must("too many blocks", @S@_@VERB@(p->kernel, p->queue, whole, few, (size_t)1 << 38, keys@PASSED_COUNTER@) == @S@_LENGTH);
    must("no text", @S@_@VERB@(p->kernel, p->queue, whole, NULL, 1, keys@PASSED_COUNTER@) == @S@_NULL);
    must("no result", @S@_check(NULL, whole, 1) == @S@_NULL);
    must("no queue", @S@_@VERB@(p->kernel, NULL, few, whole, 1, keys@PASSED_COUNTER@) == @S@_NULL);
    must("no block", @S@_@VERB@(NULL, NULL, NULL, NULL, 0, keys@PASSED_COUNTER@) == @S@_OK);
    /* A device may have no such queue. */
    if (status == CL_SUCCESS) {
        must("a queue without order", @S@_@VERB@(p->kernel, loose, few, whole, 1, keys@PASSED_COUNTER@) == @S@_QUEUE);
        clReleaseCommandQueue(loose);
    }
    must("a result that overlaps, of the host", @S@_@VERB@_host(p->kernel, text + 8, text, 1, keys@PASSED_COUNTER@) == @S@_OVERLAP);
    must("too many blocks of the host", @S@_@VERB@_host(p->kernel, made, text, (size_t)1 << 38, keys@PASSED_COUNTER@) == @S@_LENGTH);
    must("no text of the host", @S@_@VERB@_host(p->kernel, made, NULL, 1, keys@PASSED_COUNTER@) == @S@_NULL);
    put(p, first, text, 32);
    must("parts of memory", @S@_@VERB@(p->kernel, p->queue, third, first, 2, keys@PASSED_COUNTER@) == @S@_OK);
    got(p, made, third, 32);
    in_c(wanted, text, 2, key, counter);
    must("parts of memory have another result", !memcmp(made, wanted, 32));
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(third);
    clReleaseMemObject(whole);
    clReleaseMemObject(few);
}

static void tested(const place *p)
{
    static uint8_t in[16 * MOST], out[16 * MOST + 1], other[16 * MOST + 1], right[16 * MOST];
    static const size_t lengths[] = { 0, 1, 2, 31, 32, 33, 255, 256, 257, @THREADS@, @THREADS@ + 1, MOST };
    uint8_t key[KEY], keys[KEYS], counter[16], wanted[64];
    size_t k, at;
    tables();
    hex(key, "@VECTOR_KEY@");
    hex(counter, "@VECTOR_IV@");
    hex(in, "@VECTOR_IN@");
    hex(wanted, "@VECTOR_OUT@");
    @S@_keys(key, keys);
    in_c(right, in, 4, key, counter);
    must("the published answer, by the cipher in C", !memcmp(right, wanted, 64));
    on_device(p, out, in, 4, keys, counter, 0);
    must("the published answer", !memcmp(out, wanted, 64));
    must("the published answer, from the host", @S@_@VERB@_host(p->kernel, other, in, 4, keys@PASSED_COUNTER@) == @S@_OK && !memcmp(other, wanted, 64));

    for (at = 0; at < sizeof in; at++)
        in[at] = random_byte();
    memset(counter, 0xff, 16);
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        size_t blocks = lengths[k];
        for (at = 0; at < sizeof key; at++)
            key[at] = random_byte();
        @S@_keys(key, keys);
        in_c(right, in, blocks, key, counter);
        memset(out, 0xa5, sizeof out);
        on_device(p, out, in, blocks, keys, counter, !APART && k & 1);
        must("another result than the cipher's", !memcmp(out, right, 16 * blocks));
        memset(other, 0x5a, sizeof other);
        must("the host's function", @S@_@VERB@_host(p->kernel, other, in, blocks, keys@PASSED_COUNTER@) == @S@_OK);
        must("the host's function has another result", !memcmp(other, right, 16 * blocks));
        must("bytes behind the text are as they were", out[16 * blocks] == 0xa5 && other[16 * blocks] == 0x5a);
        memcpy(other, in, 16 * blocks);
        must("the host's function in place", @S@_@VERB@_host(p->kernel, other, other, blocks, keys@PASSED_COUNTER@) == @S@_OK);
        must("the host's function has another result in place", !memcmp(other, right, 16 * blocks));
    }
    refused(p, keys, counter, key);
}
