/* @SAID@
 *
 * The self-test: published answers (@PUBLISHED@), and @TESTED@.
 */
#include "@S@.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@TESTING@@TESTS@
int main(void)
{
    @S@_kernel *kernel;
    CUdevice device;
    CUcontext context;
    char name[256] = "";
    int result;
    must("no driver", cuInit(0) == CUDA_SUCCESS);
    must("no device", cuDeviceGet(&device, 0) == CUDA_SUCCESS);
    must("context", cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    must("without a context", @S@_open(&kernel) == @S@_NO_CONTEXT);
    must("context", cuCtxSetCurrent(context) == CUDA_SUCCESS);
    result = @S@_open(&kernel);
    must(@S@_sentence(result), result == @S@_OK);
    must("device", cuDeviceGetName(name, sizeof name, device) == CUDA_SUCCESS);
    tested(kernel);
    @S@_close(kernel);
    cuDevicePrimaryCtxRelease(device);
    printf("@S@: right on %s\n", name);
    return 0;
}
