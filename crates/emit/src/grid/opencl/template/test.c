/* @SAID@
 *
 * The self-test, on every device that is here: published answers (@PUBLISHED@), and @TESTED@.
 */
#include "@S@.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = @ROUNDS@, KEY = @KEY@, KEYS = @KEYS@, DECRYPTS = @DECRYPTS@ };

/* A device, and what is its. */
typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    @S@_kernel *kernel;
} place;

@TESTING@/* Memory of a device. */
static cl_mem memory(const place *p, size_t bytes)
{
    cl_int status;
    cl_mem made = clCreateBuffer(p->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    must("device memory", status == CL_SUCCESS);
    return made;
}

/* A part of it. */
static cl_mem part(cl_mem whole, size_t from, size_t bytes)
{
    cl_buffer_region region;
    cl_int status;
    cl_mem made;
    region.origin = from;
    region.size = bytes;
    made = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    must("a part of device memory", status == CL_SUCCESS);
    return made;
}

static void put(const place *p, cl_mem to, const uint8_t *from, size_t bytes)
{
    must("copy", !bytes || clEnqueueWriteBuffer(p->queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL) == CL_SUCCESS);
}

static void got(const place *p, uint8_t *to, cl_mem from, size_t bytes)
{
    must("copy", !bytes || clEnqueueReadBuffer(p->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL) == CL_SUCCESS);
}

/* At which multiples of bytes parts of memory begin. */
static size_t alignment(const place *p)
{
    cl_uint bits = 0;
    must("device", clGetDeviceInfo(p->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL) == CL_SUCCESS);
    return bits / 8 < 16 ? 16 : bits / 8;
}

@TESTS@
/* Tests a device. Whether it can execute the kernel. */
static int tested_on(cl_device_id device)
{
    char name[256] = "";
    cl_int status;
    place p;
    int result;
    must("device", clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL) == CL_SUCCESS);
    p.device = device;
    p.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    must("context", status == CL_SUCCESS);
    p.queue = clCreateCommandQueue(p.context, device, 0, &status);
    must("queue", status == CL_SUCCESS);
    must("no device", @S@_open(&p.kernel, p.context, NULL) == @S@_NULL && !p.kernel);
    result = @S@_open(&p.kernel, p.context, device);
    if (result == @S@_TOO_LARGE || result == @S@_ORDER) {
        printf("@S@: not on %s: %s\n", name, @S@_sentence(result));
    } else {
        must(@S@_sentence(result), result == @S@_OK);
        tested(&p);
        @S@_close(p.kernel);
        printf("@S@: right on %s\n", name);
    }
    clReleaseCommandQueue(p.queue);
    clReleaseContext(p.context);
    return result == @S@_OK;
}

int main(void)
{
    enum { MANY = 16 };
    cl_platform_id platforms[MANY];
    cl_device_id devices[MANY];
    cl_uint found = 0, have, at, k;
    int right = 0;
    must("no platform", clGetPlatformIDs(MANY, platforms, &found) == CL_SUCCESS);
    for (at = 0; at < found && at < MANY; at++) {
        if (clGetDeviceIDs(platforms[at], CL_DEVICE_TYPE_ALL, MANY, devices, &have) != CL_SUCCESS)
            continue;
        for (k = 0; k < have && k < MANY; k++)
            right += tested_on(devices[k]);
    }
    must("there is no device that can execute the kernel", right > 0);
    return 0;
}
