enum { MOST = 3000 };

@CIPHER@/* The round keys of a key in order of use; of the equivalent inverse cipher by FIPS-197, 5.3.5. */
static void in_c(uint8_t *keys, const uint8_t *key)
{
    uint8_t forth[KEYS];
    unsigned round;
    expanded(forth, key);
    for (round = 0; round <= ROUNDS; round++) {
        memcpy(keys + 16 * round, forth + 16 * (DECRYPTS ? ROUNDS - round : round), 16);
        if (DECRYPTS && round && round < ROUNDS)
            mixed(keys + 16 * round);
    }
}

/* The function on device memory. */
static void on_device(const place *p, uint8_t *out, const uint8_t *in, size_t count)
{
    cl_mem from = memory(p, KEY * count + 1), to = memory(p, KEYS * count + 1);
    put(p, to, out, KEYS * count + 1);
    put(p, from, in, KEY * count);
    must("keys that a launch may take", @S@_check(to, from, count) == @S@_OK);
    must("launch", @S@_@VERB@(p->kernel, p->queue, to, from, count) == @S@_OK);
    got(p, out, to, KEYS * count + 1);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

/* What is no launch that the certificate admits, and parts of memory. */
static void refused(const place *p)
{
    static uint8_t text[KEY], made[2 * KEYS], wanted[KEYS];
    size_t count = alignment(p);
    /* The second part begins behind this number of cipher keys, and the third behind as many round keys. */
    cl_mem whole = memory(p, (KEY + KEYS) * (count + 1)), first = part(whole, 0, KEYS * (count + 1)),
        second = part(whole, KEY * count, KEYS * (count + 1)), third = part(whole, KEYS * count, KEY * (count + 1)),
        few = memory(p, KEYS - 1);
    cl_int status;
    cl_command_queue loose = clCreateCommandQueue(p->context, p->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    must("cipher keys that reach into round keys", @S@_@VERB@(p->kernel, p->queue, second, first, count + 1) == @S@_OVERLAP);
    must("cipher keys right before round keys", @S@_check(second, first, count) == @S@_OK);
    must("round keys that reach into cipher keys", @S@_check(first, third, count + 1) == @S@_OVERLAP);
    must("round keys right before cipher keys", @S@_check(first, third, count) == @S@_OK);
    must("round keys in their place", @S@_check(first, first, 1) == @S@_OVERLAP);
    must("few cipher keys", @S@_@VERB@(p->kernel, p->queue, whole, few, (KEYS - 1) / KEY + 1) == @S@_SHORT);
    must("few round keys", @S@_check(few, whole, 1) == @S@_SHORT);
    must("too many keys", @S@_@VERB@(p->kernel, p->queue, whole, few, (size_t)1 << 38) == @S@_LENGTH);
    must("no cipher keys", @S@_@VERB@(p->kernel, p->queue, whole, NULL, 1) == @S@_NULL);
    must("no round keys", @S@_check(NULL, whole, 1) == @S@_NULL);
    must("no queue", @S@_@VERB@(p->kernel, NULL, whole, few, 1) == @S@_NULL);
    must("no key", @S@_@VERB@(NULL, NULL, NULL, NULL, 0) == @S@_OK);
    /* A device may have no such queue. */
    if (status == CL_SUCCESS) {
        must("a queue without order", @S@_@VERB@(p->kernel, loose, whole, few, 1) == @S@_QUEUE);
        clReleaseCommandQueue(loose);
    }
    must("round keys in their place, of the host", @S@_@VERB@_host(p->kernel, made, made, 1) == @S@_OVERLAP);
    must("round keys that overlap, of the host", @S@_@VERB@_host(p->kernel, made, made + KEYS - 1, 1) == @S@_OVERLAP);
    must("too many keys of the host", @S@_@VERB@_host(p->kernel, made, text, (size_t)1 << 38) == @S@_LENGTH);
    must("no cipher keys of the host", @S@_@VERB@_host(p->kernel, made, NULL, 1) == @S@_NULL);
    put(p, third, text, KEY);
    must("parts of memory", @S@_@VERB@(p->kernel, p->queue, first, third, 1) == @S@_OK);
    got(p, made, first, KEYS);
    in_c(wanted, text);
    must("parts of memory have other round keys", !memcmp(made, wanted, KEYS));
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(third);
    clReleaseMemObject(whole);
    clReleaseMemObject(few);
}

static void tested(const place *p)
{
    static uint8_t in[KEY * MOST], out[KEYS * MOST + 1], other[KEYS * MOST + 1], right[KEYS * MOST];
    static const size_t counts[] = { 0, 1, 2, 31, 32, 33, 255, 256, 257, @THREADS@, @THREADS@ + 1, MOST };
    uint8_t last[16], one[KEYS];
    size_t k, at;
    tables();
    hex(in, "@VECTOR_KEY@");
    hex(last, "@VECTOR_LAST@");
    on_device(p, out, in, 1);
    must("the published round key", !memcmp(out + (DECRYPTS ? 0 : KEYS - 16), last, 16));
    must("the first round key", !memcmp(out + (DECRYPTS ? KEYS - 16 : 0), in, 16));

    for (at = 0; at < sizeof in; at++)
        in[at] = random_byte();
    for (at = 0; at < MOST; at++) {
        in_c(right + KEYS * at, in + KEY * at);
        @S@_keys(in + KEY * at, one);
        must("round keys that the host makes", !memcmp(one, right + KEYS * at, KEYS));
    }
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        size_t count = counts[k];
        memset(out, 0xa5, sizeof out);
        on_device(p, out, in, count);
        must("other round keys than those in C", !memcmp(out, right, KEYS * count));
        memset(other, 0xa5, sizeof other);
        must("the host's function", @S@_@VERB@_host(p->kernel, other, in, count) == @S@_OK);
        must("the host's function has other round keys", !memcmp(other, right, KEYS * count));
        must("bytes behind the round keys are as they were", out[KEYS * count] == 0xa5 && other[KEYS * count] == 0xa5);
    }
    refused(p);
}
