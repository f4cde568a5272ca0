/* Stands between a package's code and OpenCL, by the linker's --wrap. What is read from a device without waiting comes when somebody
 * waits for the queue, so that a host that does not wait has what was there before. Memory that was copied to or from without
 * waiting, that was mapped, or made with a copy of the host's, must be wiped when it is given back, or the program ends. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256 };

cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_command_queue __real_clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int *);
cl_int __real_clReleaseCommandQueue(cl_command_queue);
cl_int __real_clReleaseMemObject(cl_mem);
cl_int __real_clFinish(cl_command_queue);
cl_int __real_clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
cl_int __real_clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *);
void *__real_clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *, cl_event *, cl_int *);

static struct {
    cl_command_queue queue;
    cl_mem from;
    size_t at, bytes;
    void *to;
} reads[MOST];
static cl_command_queue queues[MOST];
static cl_mem secret[MOST];

static void failed(const char *why)
{
    printf("FAILED: %s\n", why);
    exit(1);
}

/* A place of a table that is free, or has something. */
#define PLACE(k, table, wanted)                  \
    for (k = 0; k < MOST && (table) != (wanted); k++) \
        ;                                        \
    if (k == MOST)                               \
        failed("too many things at once, or one that was given back")

static void fill(cl_mem memory)
{
    int k;
    for (k = 0; k < MOST; k++)
        if (secret[k] == memory)
            return;
    PLACE(k, secret[k], NULL);
    secret[k] = memory;
}

cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *status)
{
    cl_mem made = __real_clCreateBuffer(context, flags, bytes, host, status);
    if (flags & CL_MEM_COPY_HOST_PTR)
        fill(made);
    return made;
}

cl_command_queue __wrap_clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
    cl_command_queue made = __real_clCreateCommandQueue(context, device, properties, status);
    int k;
    if (made) {
        PLACE(k, queues[k], NULL);
        queues[k] = made;
    }
    return made;
}

cl_int __wrap_clReleaseCommandQueue(cl_command_queue queue)
{
    int k;
    PLACE(k, queues[k], queue);
    queues[k] = NULL;
    return __real_clReleaseCommandQueue(queue);
}

cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem to, cl_bool waits, size_t at, size_t bytes, const void *from,
    cl_uint count, const cl_event *events, cl_event *event)
{
    if (!waits)
        fill(to);
    return __real_clEnqueueWriteBuffer(queue, to, waits, at, bytes, from, count, events, event);
}

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem from, cl_bool waits, size_t at, size_t bytes, void *to,
    cl_uint count, const cl_event *events, cl_event *event)
{
    int k;
    if (waits)
        return __real_clEnqueueReadBuffer(queue, from, waits, at, bytes, to, count, events, event);
    fill(from);
    PLACE(k, reads[k].queue, NULL);
    reads[k].queue = queue;
    reads[k].from = from;
    reads[k].at = at;
    reads[k].bytes = bytes;
    reads[k].to = to;
    return CL_SUCCESS;
}

void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool waits, cl_map_flags flags, size_t at, size_t bytes,
    cl_uint count, const cl_event *events, cl_event *event, cl_int *status)
{
    fill(memory);
    return __real_clEnqueueMapBuffer(queue, memory, waits, flags, at, bytes, count, events, event, status);
}

cl_int __wrap_clFinish(cl_command_queue queue)
{
    cl_int status = __real_clFinish(queue);
    int k;
    for (k = 0; k < MOST; k++)
        if (reads[k].queue == queue && status == CL_SUCCESS) {
            status = __real_clEnqueueReadBuffer(queue, reads[k].from, CL_TRUE, reads[k].at, reads[k].bytes, reads[k].to, 0, NULL, NULL);
            reads[k].queue = NULL;
        }
    return status;
}

/* Whether memory is all zeros, once all that is in queues is done. */
static int is_wiped(cl_mem memory)
{
    size_t bytes = 0, k;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue queue;
    cl_int status;
    unsigned char *all;
    int wiped = 1;
    for (k = 0; k < MOST; k++)
        if (queues[k])
            __real_clFinish(queues[k]);
    if (clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS
        || clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS
        || clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL) != CL_SUCCESS)
        failed("memory that is given back is none");
    queue = __real_clCreateCommandQueue(context, device, 0, &status);
    all = (unsigned char *)malloc(bytes);
    if (status != CL_SUCCESS || !all
        || __real_clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, bytes, all, 0, NULL, NULL) != CL_SUCCESS)
        failed("memory that is given back cannot be read");
    for (k = 0; k < bytes; k++)
        wiped &= !all[k];
    free(all);
    __real_clReleaseCommandQueue(queue);
    return wiped;
}

cl_int __wrap_clReleaseMemObject(cl_mem memory)
{
    int k;
    for (k = 0; k < MOST; k++)
        if (secret[k] == memory) {
            if (!is_wiped(memory))
                failed("memory is given back that is not wiped");
            secret[k] = NULL;
        }
    return __real_clReleaseMemObject(memory);
}
