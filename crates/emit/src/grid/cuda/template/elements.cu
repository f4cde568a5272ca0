/* An element of a launch is @ELEMENT@: TAKEN bytes, of which it makes MADE. TURN: elements that a block of threads takes in a
 * turn. */
enum { TURN = @TURN@, TAKEN = @TAKEN@, MADE = @MADE@ };
/* Whether a result may not take the place of what it is made of: in device memory, and in the host's, from which each part is
 * taken before its result comes. */
enum { APART = @APART@, HOST_APART = TAKEN != MADE };

/* Whether a result is refused for where it lies. */
static int overlaps(unsigned long long out, unsigned long long in, unsigned long long count, int apart)
{
    return (apart || in != out) && in < out + MADE * count && out < in + TAKEN * count;
}

int @S@_check(CUdeviceptr out, CUdeviceptr in, size_t count)
{
    unsigned long long elements = count;
    if (in % 16 || out % 16)
        return @S@_ALIGNMENT;
    if (elements >> 38)
        return @S@_LENGTH;
    if (overlaps(out, in, elements, APART))
        return @S@_OVERLAP;
    return elements && (!in || !out) ? @S@_NULL : @S@_OK;
}

int @S@_@VERB@(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t count@ROUND_KEYS@@COUNTER@, CUstream stream)
{
    unsigned long long elements = count;
    size_t groups = count / TURN + (count % TURN != 0);
    void *arguments[] = { @ARGUMENTS@ };
    int result = @S@_check(out, in, count);
    if (result != @S@_OK || !count)
        return result;
    if (!kernel@OR_NO_KEYS@@OR_NO_COUNTER@)
        return @S@_NULL;
    return launched(kernel, groups > kernel->groups ? kernel->groups : groups, stream, arguments);
}

/* Elements in a buffer, and where their result goes. */
typedef struct {
    buffer memory;
    uint8_t *out;
    size_t count;
} piece;

/* Waits for a piece, and takes its result out. */
static int taken(piece *p)
{
    if (!p->count)
        return @S@_OK;
    if (cuStreamSynchronize(p->memory.stream) != CUDA_SUCCESS)
        return @S@_DRIVER;
    memcpy(p->out, p->memory.host, MADE * p->count);
    p->count = 0;
    return @S@_OK;
}
@ADVANCED@
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count@ROUND_KEYS@@COUNTER@)
{
    piece pieces[2];
    size_t room = AESMITH_CHUNK / (MADE / 16), apart, done, number;
    int result = @S@_OK;@NEXT@
    if ((unsigned long long)count >> 38)
        return @S@_LENGTH;
    if (overlaps((uintptr_t)out, (uintptr_t)in, count, HOST_APART))
        return @S@_OVERLAP;
    if (!count)
        return @S@_OK;
    if (!kernel || !in || !out@OR_NO_KEYS@@OR_NO_COUNTER@)
        return @S@_NULL;
@START@    memset(pieces, 0, sizeof pieces);
    room = count < room ? count : room ? room : 1;
    /* From which byte on results stand in device memory. */
    apart = APART * ((TAKEN * room + 15) / 16 * 16);
    for (number = 0; number < 2 && result == @S@_OK; number++)
        result = opened(&pieces[number].memory, MADE * room, apart + MADE * room);
    for (done = 0, number = 0; done < count && result == @S@_OK; done += room, number ^= 1) {
        piece *p = &pieces[number];
        const buffer *b = &p->memory;
        CUdeviceptr made = b->device + apart;
        size_t now = count - done < room ? count - done : room;
        result = taken(p);
        if (result != @S@_OK)
            break;
        memcpy(b->host, in + TAKEN * done, TAKEN * now);
        if (cuMemcpyHtoDAsync(b->device, b->host, TAKEN * now, b->stream) != CUDA_SUCCESS) {
            result = @S@_DRIVER;
            break;
        }
        result = @S@_@VERB@(kernel, made, b->device, now@PASSED_KEYS@@PASSED@, b->stream);
        if (result == @S@_OK && cuMemcpyDtoHAsync(b->host, made, MADE * now, b->stream) != CUDA_SUCCESS)
            result = @S@_DRIVER;
        p->out = out + MADE * done;
        p->count = result == @S@_OK ? now : 0;@ADVANCE@
    }
    /* The older of the two first. */
    for (done = 0; done < 2; done++, number ^= 1) {
        int ended = taken(&pieces[number]);
        if (result == @S@_OK)
            result = ended;
    }
    for (number = 0; number < 2; number++)
        closed(&pieces[number].memory);
    return result;
}
