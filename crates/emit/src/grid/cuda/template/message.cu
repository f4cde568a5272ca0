/* TURN: blocks of text that a block of threads takes in a turn. */
enum { TURN = @TURN@ };
/* Whether a result may not take its text's place. */
enum { APART = @APART@ };

int @S@_@VERB@(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t blocks,
    const uint8_t round_keys[@KEYS@]@COUNTER@, CUstream stream)
{
    unsigned long long count = blocks;
    size_t groups = (blocks + TURN - 1) / TURN;
    void *arguments[] = { @ARGUMENTS@ };
    if (in % 16 || out % 16)
        return @S@_ALIGNMENT;
    if (count >> 38)
        return @S@_LENGTH;
    if ((APART || in != out) && in < out + 16 * count && out < in + 16 * count)
        return @S@_OVERLAP;
    if (!blocks)
        return @S@_OK;
    if (!kernel || !in || !out || !round_keys@OR_NO_COUNTER@)
        return @S@_NULL;
    return launched(kernel, groups > kernel->groups ? kernel->groups : groups, stream, arguments);
}

/* A piece of the text in a buffer, and where its result goes. */
typedef struct {
    buffer memory;
    uint8_t *out;
    size_t blocks;
} piece;

/* Waits for a piece, and takes its result out. */
static int taken(piece *p)
{
    if (!p->blocks)
        return @S@_OK;
    if (cuStreamSynchronize(p->memory.stream) != CUDA_SUCCESS)
        return @S@_DRIVER;
    memcpy(p->out, p->memory.host, 16 * p->blocks);
    p->blocks = 0;
    return @S@_OK;
}
@ADVANCED@
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t blocks,
    const uint8_t round_keys[@KEYS@]@COUNTER@)
{
    piece pieces[2];
    size_t room = blocks < AESMITH_CHUNK ? blocks : AESMITH_CHUNK, done, number;
    int result = @S@_OK;@NEXT@
    if ((unsigned long long)blocks >> 38)
        return @S@_LENGTH;
    if ((uintptr_t)in != (uintptr_t)out && (uintptr_t)in < (uintptr_t)out + 16 * blocks
        && (uintptr_t)out < (uintptr_t)in + 16 * blocks)
        return @S@_OVERLAP;
    if (!blocks)
        return @S@_OK;
    if (!kernel || !in || !out || !round_keys@OR_NO_COUNTER@)
        return @S@_NULL;
@START@    memset(pieces, 0, sizeof pieces);
    for (number = 0; number < 2 && result == @S@_OK; number++)
        result = opened(&pieces[number].memory, 16 * room, (APART + 1) * 16 * room);
    for (done = 0, number = 0; done < blocks && result == @S@_OK; done += room, number ^= 1) {
        piece *p = &pieces[number];
        const buffer *b = &p->memory;
        CUdeviceptr made = b->device + APART * 16 * room;
        size_t now = blocks - done < room ? blocks - done : room;
        result = taken(p);
        if (result != @S@_OK)
            break;
        memcpy(b->host, in + 16 * done, 16 * now);
        if (cuMemcpyHtoDAsync(b->device, b->host, 16 * now, b->stream) != CUDA_SUCCESS) {
            result = @S@_DRIVER;
            break;
        }
        result = @S@_@VERB@(kernel, made, b->device, now, round_keys@PASSED@, b->stream);
        if (result == @S@_OK && cuMemcpyDtoHAsync(b->host, made, 16 * now, b->stream) != CUDA_SUCCESS)
            result = @S@_DRIVER;
        p->out = out + 16 * done;
        p->blocks = result == @S@_OK ? now : 0;@ADVANCE@
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
