/* @SAID@
 *
 * Host code over OpenCL 1.2, in C99, for GCC and Clang (others take no string as long as the kernel's). The kernel is the text
 * @S@.cl, which restates @S@.ptx. It is that text which is proved: neither
 * the other nor this file is. The certificate says who has executed the kernel; `make check` does so on the devices that are here.
 * @KEPT@
 */
#include "@S@.h"
#include <stdlib.h>
#include <string.h>

/* Blocks of 16 bytes of results that a buffer of the host function holds. 1 MiB was the fastest by which texts of 1 GiB in the host's
 * memory went through an NVIDIA H100 and an H200: 4.2 and 4.9 GB/s, and 3.0 and 3.9 in pieces of 16 MiB. */
#ifndef AESMITH_CHUNK
#define AESMITH_CHUNK ((size_t)1 << 16)
#endif

enum { THREADS = @THREADS@, SHARED = @SHARED@, SHARE = SHARED ? SHARED : 1 };
enum { ROUNDS = @ROUNDS@, KEY = @KEY@, ALL = 16 * (ROUNDS + 1), DECRYPTS = @DECRYPTS@ };
/* How many of the first round keys the kernel takes as they are, beside the last; of others it takes each bit as four bytes. */
enum { PLAIN = @PLAIN@ };
/* Work-items that a compute unit is given at once. OpenCL does not tell how many it holds. */
enum { RESIDENT = 2048 };

static const char SOURCE[] =
@SOURCE@;

struct @S@_kernel {
    cl_context context;
    cl_device_id device;
    cl_program program;
    /* Work-groups of a launch: as many as the device is given at once. */
    size_t groups;
};

const char *@S@_sentence(int result)
{
    static const char *const sentences[] = {
        "nothing went wrong",
        "OpenCL refused a call",
        "the device gives a work-group less than @SHARED@ bytes of local memory or fewer than @THREADS@ work-items, which the kernel needs",
        "the device has the highest byte of a word first, and the kernel the lowest",
        "the device's compiler refuses the kernel",
        "the queue may execute commands out of their order",
        "memory could not be allocated",
        "a buffer is too small for this number of @MANY@",
        "@OVERLAP_SAID@",
        "more @MANY@ than memory can hold",
        "a pointer is null",
    };
    return result >= 0 && (size_t)result < sizeof sentences / sizeof *sentences ? sentences[result] : "no such result";
}

/* What a call of OpenCL comes to. */
static int result_of(cl_int status)
{
    return status == CL_SUCCESS ? @S@_OK
        : status == CL_OUT_OF_HOST_MEMORY || status == CL_OUT_OF_RESOURCES || status == CL_MEM_OBJECT_ALLOCATION_FAILURE
        ? @S@_MEMORY
        : @S@_DRIVER;
}

/* Whether the device executes work-groups of the kernel, once it is built. */
static int fits(const @S@_kernel *kernel)
{
    size_t most = 0;
    cl_int status;
    cl_kernel built = clCreateKernel(kernel->program, "@S@", &status);
    if (status != CL_SUCCESS)
        return result_of(status);
    status = clGetKernelWorkGroupInfo(built, kernel->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    clReleaseKernel(built);
    return status != CL_SUCCESS ? result_of(status) : most < THREADS ? @S@_TOO_LARGE : @S@_OK;
}

int @S@_open(@S@_kernel **kernel, cl_context context, cl_device_id device)
{
    const char *source = SOURCE;
    cl_ulong local = 0;
    cl_uint units = 0;
    cl_bool little = CL_FALSE;
    cl_int status;
    size_t most = 0, resident = RESIDENT / THREADS;
    int result;
    @S@_kernel *made;
    *kernel = NULL;
    if (!context || !device)
        return @S@_NULL;
    if (clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL) != CL_SUCCESS
        || clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL) != CL_SUCCESS
        || clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL) != CL_SUCCESS
        || clGetDeviceInfo(device, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL) != CL_SUCCESS)
        return @S@_DRIVER;
    if (!little)
        return @S@_ORDER;
    if ((cl_long)local < SHARED || most < THREADS)
        return @S@_TOO_LARGE;
    made = (@S@_kernel *)calloc(1, sizeof *made);
    if (!made)
        return @S@_MEMORY;
    made->context = context;
    made->device = device;
    if (resident > local / SHARE)
        resident = (size_t)(local / SHARE);
    made->groups = units * (resident ? resident : 1);
    made->program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    result = result_of(status);
    if (result == @S@_OK && clBuildProgram(made->program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        result = @S@_BUILD;
    if (result == @S@_OK)
        result = fits(made);
    if (result != @S@_OK) {
        @S@_close(made);
        return result;
    }
    *kernel = made;
    return @S@_OK;
}

void @S@_close(@S@_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->program)
        clReleaseProgram(kernel->program);
    free(kernel);
}

@EXPANSION@/* An element of a launch is @ELEMENT@: TAKEN bytes, of which it makes MADE. TURN: elements that a work-group takes in a turn. */
enum { TURN = @TURN@, TAKEN = @TAKEN@, MADE = @MADE@ };
/* Whether a result may not take the place of what it is made of: in a buffer, and in the host's memory, from which each part is
 * taken before its result comes. */
enum { APART = @APART@, HOST_APART = TAKEN != MADE };

/* Whether a result is refused for where it lies. */
static int overlaps(unsigned long long out, unsigned long long in, unsigned long long count, int apart)
{
    return (apart || in != out) && in < out + MADE * count && out < in + TAKEN * count;
}

/* A buffer, or a part of one: the whole buffer, from which of its bytes on, and how many. */
typedef struct {
    cl_mem whole;
    size_t from, bytes;
} region;

static int found(region *r, cl_mem memory)
{
    r->whole = NULL;
    if (clGetMemObjectInfo(memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof r->whole, &r->whole, NULL) != CL_SUCCESS
        || clGetMemObjectInfo(memory, CL_MEM_OFFSET, sizeof r->from, &r->from, NULL) != CL_SUCCESS
        || clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof r->bytes, &r->bytes, NULL) != CL_SUCCESS)
        return @S@_DRIVER;
    if (!r->whole)
        r->whole = memory;
    return @S@_OK;
}

int @S@_check(cl_mem out, cl_mem in, size_t count)
{
    region text, made;
    int result;
    if ((unsigned long long)count >> 38)
        return @S@_LENGTH;
    if (!count)
        return @S@_OK;
    if (!out || !in)
        return @S@_NULL;
    result = found(&text, in);
    if (result == @S@_OK)
        result = found(&made, out);
    if (result != @S@_OK)
        return result;
    if (text.bytes / TAKEN < count || made.bytes / MADE < count)
        return @S@_SHORT;
    return text.whole == made.whole && overlaps(made.from, text.from, count, APART) ? @S@_OVERLAP : @S@_OK;
}

/* Puts a launch into a queue. */
static int launched(const @S@_kernel *kernel, cl_command_queue queue, cl_mem out, cl_mem in,
    size_t count@CONSTANTS@)
{
    cl_ulong elements = count;
    size_t groups = count / TURN + (count % TURN != 0), local = THREADS, global;
    const struct {
        size_t bytes;
        const void *value;
    } arguments[] = {
        @ARGUMENTS@,
    };
    cl_uint k;
    cl_int status;
    /* Arguments belong to a kernel object: each launch has its own. */
    cl_kernel own = clCreateKernel(kernel->program, "@S@", &status);
    if (status != CL_SUCCESS)
        return result_of(status);
    for (k = 0; k < sizeof arguments / sizeof *arguments && status == CL_SUCCESS; k++)
        status = clSetKernelArg(own, k, arguments[k].bytes, arguments[k].value);
    global = THREADS * (groups > kernel->groups ? kernel->groups : groups);
    if (status == CL_SUCCESS)
        status = clEnqueueNDRangeKernel(queue, own, 1, NULL, &global, &local, 0, NULL, NULL);
    clReleaseKernel(own);
    return result_of(status);
}

@PASSING@int @S@_@VERB@(@S@_kernel *kernel, cl_command_queue queue, cl_mem out, cl_mem in,
    size_t count@ROUND_KEYS@@COUNTER@)
{
    cl_command_queue_properties properties = 0;
    int result = @S@_check(out, in, count);
    if (result != @S@_OK || !count)
        return result;
    if (!kernel || !queue@OR_NO_KEYS@@OR_NO_COUNTER@)
        return @S@_NULL;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL) != CL_SUCCESS)
        return @S@_DRIVER;
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return @S@_QUEUE;
@LAUNCH@}

/* Elements in buffers: one of the host, which the device copies by itself where it can, and those of the device, with a queue; and
 * where their result goes. */
typedef struct {
    cl_command_queue queue;
    cl_mem pinned, text, made;
    uint8_t *host, *out;
    size_t room, count;
} piece;

static int opened(const @S@_kernel *kernel, piece *p, size_t room)
{
    cl_int status;
    p->room = room;
    p->queue = clCreateCommandQueue(kernel->context, kernel->device, 0, &status);
    if (status == CL_SUCCESS)
        p->pinned = clCreateBuffer(kernel->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, MADE * room, NULL, &status);
    if (status == CL_SUCCESS)
        p->host = (uint8_t *)clEnqueueMapBuffer(p->queue, p->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, MADE * room, 0, NULL,
            NULL, &status);
    if (status == CL_SUCCESS)
        p->text = clCreateBuffer(kernel->context, CL_MEM_READ_WRITE, TAKEN * room, NULL, &status);
    if (status == CL_SUCCESS && APART)
        p->made = clCreateBuffer(kernel->context, CL_MEM_READ_WRITE, MADE * room, NULL, &status);
    return result_of(status);
}

/* Waits for a piece's work, wipes its buffers and gives them back. */
static void closed(piece *p)
{
    const cl_uchar zero = 0;
    if (p->text)
        clEnqueueFillBuffer(p->queue, p->text, &zero, 1, 0, TAKEN * p->room, 0, NULL, NULL);
    if (p->made)
        clEnqueueFillBuffer(p->queue, p->made, &zero, 1, 0, MADE * p->room, 0, NULL, NULL);
    if (p->queue)
        clFinish(p->queue);
    if (p->host) {
        wiped(p->host, MADE * p->room);
        clEnqueueUnmapMemObject(p->queue, p->pinned, p->host, 0, NULL, NULL);
        clFinish(p->queue);
    }
    if (p->made)
        clReleaseMemObject(p->made);
    if (p->text)
        clReleaseMemObject(p->text);
    if (p->pinned)
        clReleaseMemObject(p->pinned);
    if (p->queue)
        clReleaseCommandQueue(p->queue);
}

/* Waits for a piece, and takes its result out. */
static int taken(piece *p)
{
    if (!p->count)
        return @S@_OK;
    if (clFinish(p->queue) != CL_SUCCESS)
        return @S@_DRIVER;
    memcpy(p->out, p->host, MADE * p->count);
    p->count = 0;
    return @S@_OK;
}
@ADVANCED@
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count@ROUND_KEYS@@COUNTER@)
{
    piece pieces[2];
    size_t room = AESMITH_CHUNK / (MADE / 16), done, number;
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
    for (number = 0; number < 2 && result == @S@_OK; number++)
        result = opened(kernel, &pieces[number], room);
    for (done = 0, number = 0; done < count && result == @S@_OK; done += room, number ^= 1) {
        piece *p = &pieces[number];
        cl_mem made = APART ? p->made : p->text;
        size_t now = count - done < room ? count - done : room;
        result = taken(p);
        if (result != @S@_OK)
            break;
        memcpy(p->host, in + TAKEN * done, TAKEN * now);
        result = result_of(clEnqueueWriteBuffer(p->queue, p->text, CL_FALSE, 0, TAKEN * now, p->host, 0, NULL, NULL));
        if (result == @S@_OK)
            result = @S@_@VERB@(kernel, p->queue, made, p->text, now@PASSED_KEYS@@PASSED@);
        if (result == @S@_OK)
            result = result_of(clEnqueueReadBuffer(p->queue, made, CL_FALSE, 0, MADE * now, p->host, 0, NULL, NULL));
        /* The device begins, while the host goes on. */
        if (result == @S@_OK)
            result = result_of(clFlush(p->queue));
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
        closed(&pieces[number]);
    return result;
}
