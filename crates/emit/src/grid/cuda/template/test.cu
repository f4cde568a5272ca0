/* @SAID@
 *
 * The self-test: published answers (NIST SP 800-38A, appendix F), and @TESTED@.
 */
#include "@S@.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(const char *what, int holds)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static void hex(uint8_t *bytes, const char *text)
{
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1; text += 2)
        *bytes++ = (uint8_t)byte;
}

static uint8_t random_byte(void)
{
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (uint8_t)(state >> 11);
}

@TESTS@
int main(void)
{
    @S@_kernel *kernel;
    CUdevice device;
    CUcontext context;
    char name[256] = "";
    must("no driver", cuInit(0) == CUDA_SUCCESS);
    must("no device", cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    must("context", cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    must("without a context", @S@_open(&kernel) == @S@_NO_CONTEXT);
    must("context", cuCtxSetCurrent(context) == CUDA_SUCCESS);
    must(@S@_sentence(@S@_DRIVER), @S@_open(&kernel) == @S@_OK);
    must("device", cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS);
    tested(kernel);
    @S@_close(kernel);
    cuDevicePrimaryCtxRelease(device);
    printf("@S@: right on %s\n", name);
    return 0;
}
