/* Threads that a stream has, and streams that a block of threads takes. */
enum { OF_A_STREAM = @OF_A_STREAM@, A_GROUP = @THREADS@ / OF_A_STREAM };
/* Bytes of a stream's round keys, and of its @VECTOR_NAME@, if it has one. */
enum { KEYS = @KEYS@, VECTOR = @VECTOR@ };
/* Whether a result in device memory may not take its text's place. In the host's it may: a part is taken from there before its
 * result comes. */
enum { APART = @APART@ };

int @S@_@VERB@_streams(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, CUdeviceptr blocks,
    CUdeviceptr round_keys@DEVICE_IVS@, size_t count, CUstream stream)
{
    unsigned long long streams = count, groups = streams / A_GROUP + (streams % A_GROUP != 0);
    void *arguments[] = { @ARGUMENTS@ };
    if (!count)
        return @S@_OK;
    if (!kernel || !out || !in || !blocks || !round_keys@OR_NO_IVS@)
        return @S@_NULL;
    if (out % 8 || in % 8 || blocks % 8 || round_keys % 16@OR_ODD_IVS@)
        return @S@_ALIGNMENT;
    if (groups >> 31)
        return @S@_STREAMS;
    return launched(kernel, (size_t)groups, stream, arguments);
}

/* Memory of a text, or of a result, which is written. */
typedef struct {
    unsigned long long from, to;
    int written;
} region;

/* Adds the memory of a stream: one region if the result may take the text's place and does. */
static int entered(region *regions, size_t *found, unsigned long long out, unsigned long long in, unsigned long long blocks,
    int apart)
{
    unsigned long long bytes = 16 * blocks;
    region *next = regions + *found;
    if (!blocks)
        return @S@_OK;
    if (!out || !in)
        return @S@_NULL;
    if (blocks >> 38 || out + bytes < out || in + bytes < in)
        return @S@_LENGTH;
    next->from = out;
    next->to = out + bytes;
    next->written = 1;
    ++*found;
    if (apart || in != out) {
        next[1].from = in;
        next[1].to = in + bytes;
        ++*found;
    }
    return @S@_OK;
}

static int by_address(const void *a, const void *b)
{
    unsigned long long x = ((const region *)a)->from, y = ((const region *)b)->from;
    return x < y ? -1 : x > y;
}

/* Whether memory that is written overlaps other memory: regions in order are held against the ends of those before. */
static int overlap(region *regions, size_t found)
{
    unsigned long long read = 0, written = 0;
    size_t k;
    qsort(regions, found, sizeof *regions, by_address);
    for (k = 0; k < found; k++) {
        const region *r = &regions[k];
        unsigned long long *end = r->written ? &written : &read;
        if (r->from < written || (r->written && r->from < read))
            return @S@_OVERLAP;
        if (*end < r->to)
            *end = r->to;
    }
    return @S@_OK;
}

int @S@_check(const CUdeviceptr *out, const CUdeviceptr *in, const unsigned long long *blocks, size_t count)
{
    region *regions;
    size_t k, found = 0;
    int result = @S@_OK;
    if (!count)
        return @S@_OK;
    if (!out || !in || !blocks)
        return @S@_NULL;
    regions = (region *)calloc(count, 2 * sizeof *regions);
    if (!regions)
        return @S@_MEMORY;
    for (k = 0; k < count && result == @S@_OK; k++) {
        result = entered(regions, &found, out[k], in[k], blocks[k], APART);
        if (result == @S@_OK && blocks[k] && (out[k] % 16 || in[k] % 16))
            result = @S@_ALIGNMENT;
    }
    if (result == @S@_OK)
        result = overlap(regions, found);
    free(regions);
    return result;
}

/* A place in a buffer and the stream that has it until it is done: its blocks, how many of them are done, and how many are in the
 * buffer, from which byte on. */
typedef struct {
    size_t stream, blocks, done, now, at;
} place;

/* A buffer for streams: round keys, initial vectors, addresses of texts and of results, and numbers of blocks, an element a place;
 * and text. In device memory results that lie apart stand behind the text. */
typedef struct {
    buffer memory;
    place *places;
    int busy;
} batch;

/* What a call was given; the next stream that has had no place; places and blocks of text of a buffer, and from which byte on
 * vectors, addresses of texts and of results, numbers of blocks and text stand in it, behind the round keys. */
typedef struct {
    uint8_t *const *out;
    const uint8_t *const *in;
    const size_t *blocks;
    const uint8_t *round_keys, *ivs;
    size_t count, next, places, room;
    size_t vectors, addresses, results, numbers, text;
} call;
@ADVANCED@
/* Waits for a buffer's work, and takes results out. */
static int taken(const call *c, batch *b)
{
    size_t k;
    if (!b->busy)
        return @S@_OK;
    b->busy = 0;
    if (cuStreamSynchronize(b->memory.stream) != CUDA_SUCCESS)
        return @S@_DRIVER;
    for (k = 0; k < c->places; k++) {
        place *p = &b->places[k];
        const uint8_t *made = b->memory.host + p->at;
        if (!p->now)
            continue;
@FOLLOWS@        memcpy(c->out[p->stream] + 16 * p->done, made, 16 * p->now);
        p->done += p->now;
        p->now = 0;
    }
    return @S@_OK;
}

/* Gives places that are free to the next streams, with their keys. How many places have a stream; whether any is new. */
static size_t placed(call *c, batch *b, int *fresh)
{
    size_t k, waiting = 0;
    for (k = 0; k < c->places; k++) {
        place *p = &b->places[k];
        while (p->done == p->blocks && c->next < c->count) {
            p->stream = c->next++;
            p->blocks = c->blocks[p->stream];
            p->done = 0;
            memcpy(b->memory.host + KEYS * k, c->round_keys + KEYS * p->stream, KEYS);
            if (VECTOR != 0)
                memcpy(b->memory.host + c->vectors + 16 * k, c->ivs + 16 * p->stream, 16);
            *fresh = 1;
        }
        waiting += p->done < p->blocks;
    }
    return waiting;
}

/* Fills a buffer with text: streams share what room there is. How many blocks. */
static size_t filled(const call *c, batch *b, size_t waiting)
{
    CUdeviceptr *addresses = (CUdeviceptr *)(void *)(b->memory.host + c->addresses);
    CUdeviceptr *results = (CUdeviceptr *)(void *)(b->memory.host + c->results);
    unsigned long long *numbers = (unsigned long long *)(void *)(b->memory.host + c->numbers);
    size_t k, left = c->room;
    for (k = 0; k < c->places; k++) {
        place *p = &b->places[k];
        p->at = c->text + 16 * (c->room - left);
        if (p->done < p->blocks) {
            size_t share = left / waiting--, rest = p->blocks - p->done;
            p->now = share < rest ? share : rest;
            memcpy(b->memory.host + p->at, c->in[p->stream] + 16 * p->done, 16 * p->now);
            left -= p->now;
        }
        addresses[k] = b->memory.device + p->at;
        results[k] = addresses[k] + APART * 16 * c->room;
        numbers[k] = p->now;
    }
    return c->room - left;
}

/* Has the device take what is in a buffer. */
static int sent(const call *c, batch *b, @S@_kernel *kernel, size_t blocks, int fresh)
{
    buffer *m = &b->memory;
    CUdeviceptr made = m->device + c->text + APART * 16 * c->room;
    int result;
    b->busy = 1;
    if ((fresh && cuMemcpyHtoDAsync(m->device, m->host, KEYS * c->places, m->stream) != CUDA_SUCCESS)
        || cuMemcpyHtoDAsync(m->device + c->vectors, m->host + c->vectors, c->text - c->vectors + 16 * blocks, m->stream)
            != CUDA_SUCCESS)
        return @S@_DRIVER;
    result = @S@_@VERB@_streams(kernel, m->device + c->results, m->device + c->addresses, m->device + c->numbers,
        m->device@PASSED_DEVICE_IVS@, c->places, m->stream);
    if (result != @S@_OK)
        return result;
    return cuMemcpyDtoHAsync(m->host + c->text, made, 16 * blocks, m->stream) == CUDA_SUCCESS ? @S@_OK : @S@_DRIVER;
}

/* Looks at what a call was given, and says how many blocks a buffer needs room for. */
static int admitted(const call *c, size_t *room)
{
    region *regions = (region *)calloc(c->count, 2 * sizeof *regions);
    size_t k, found = 0;
    int result = regions ? @S@_OK : @S@_MEMORY;
    *room = 0;
    for (k = 0; k < c->count && result == @S@_OK; k++) {
        result = entered(regions, &found, (uintptr_t)c->out[k], (uintptr_t)c->in[k], c->blocks[k], 0);
        *room = c->blocks[k] < AESMITH_CHUNK - *room ? *room + c->blocks[k] : AESMITH_CHUNK;
    }
    if (result == @S@_OK)
        result = overlap(regions, found);
    free(regions);
    return result;
}

/* Executes a call whose buffers are open. It is done when neither has a stream left. */
static int executed(call *c, batch batches[2], @S@_kernel *kernel)
{
    size_t number, ended = 0;
    for (number = 0; ended < 2; number ^= 1) {
        batch *b = &batches[number];
        int fresh = 0, result = taken(c, b);
        size_t waiting = result == @S@_OK ? placed(c, b, &fresh) : 0;
        ended = waiting ? 0 : ended + 1;
        if (waiting)
            result = sent(c, b, kernel, filled(c, b, waiting), fresh);
        if (result != @S@_OK)
            return result;
    }
    return @S@_OK;
}

int @S@_@VERB@_streams_host(@S@_kernel *kernel, uint8_t *const *out, const uint8_t *const *in,
    const size_t *blocks, const uint8_t *round_keys@HOST_IVS@, size_t count)
{
    call c;
    batch batches[2];
    size_t number;
    int result;
    if (!count)
        return @S@_OK;
    if (!kernel || !out || !in || !blocks || !round_keys@OR_NO_IVS@)
        return @S@_NULL;
    memset(&c, 0, sizeof c);
    memset(batches, 0, sizeof batches);
    c.out = out;
    c.in = in;
    c.blocks = blocks;
    c.round_keys = round_keys;
    c.ivs = @GIVEN_IVS@;
    c.count = count;
    result = admitted(&c, &c.room);
    if (result != @S@_OK || !c.room)
        return result;
    /* Half of the streams, as many as the device takes at once, and no more than leave 16 blocks for each in a full buffer. */
    c.places = (count + 1) / 2;
    if (c.places > A_GROUP * kernel->groups)
        c.places = A_GROUP * kernel->groups;
    if (c.places > AESMITH_CHUNK / 16)
        c.places = AESMITH_CHUNK / 16;
    /* Keys may end at no multiple of 16. */
    c.vectors = (KEYS * c.places + 15) / 16 * 16;
    c.addresses = c.vectors + VECTOR * c.places;
    c.results = c.addresses + APART * sizeof(CUdeviceptr) * c.places;
    c.numbers = c.results + sizeof(CUdeviceptr) * c.places;
    c.text = (c.numbers + sizeof(unsigned long long) * c.places + 15) / 16 * 16;
    for (number = 0; number < 2 && result == @S@_OK; number++) {
        size_t bytes = c.text + 16 * c.room;
        batches[number].places = (place *)calloc(c.places, sizeof(place));
        result = batches[number].places ? opened(&batches[number].memory, bytes, bytes + APART * 16 * c.room) : @S@_MEMORY;
    }
    if (result == @S@_OK)
        result = executed(&c, batches, kernel);
    for (number = 0; number < 2; number++) {
        closed(&batches[number].memory);
        free(batches[number].places);
    }
    return result;
}
