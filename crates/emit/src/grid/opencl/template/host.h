/* @SAID@ */
#ifndef @GUARD@
#define @GUARD@

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel in a context, for one of its devices. Once it is open it is only read: threads of the host may share it. It is closed
 * when it is not used. */
typedef struct @S@_kernel @S@_kernel;

/* What went wrong; 0 is nothing. @S@_sentence says it. */
enum {
    @S@_OK,
    @S@_DRIVER,
    @S@_TOO_LARGE,
    @S@_ORDER,
    @S@_BUILD,
    @S@_QUEUE,
    @S@_MEMORY,
    @S@_SHORT,
    @S@_OVERLAP,
    @S@_LENGTH,
    @S@_NULL
};
const char *@S@_sentence(int result);

/* Builds the kernel for a device of a context, which takes seconds. The kernel keeps the context until it is closed. */
int @S@_open(@S@_kernel **kernel, cl_context context, cl_device_id device);
void @S@_close(@S@_kernel *kernel);

/* @KEYS_SAID@ Takes the same time for every key. */
void @S@_keys(const uint8_t key[@KEY@], uint8_t round_keys[@KEYS@]);

@INTERFACE@#ifdef __cplusplus
}
#endif
#endif
