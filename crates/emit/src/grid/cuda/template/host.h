/* @SAID@ */
#ifndef @GUARD@
#define @GUARD@

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel in a context. Once it is open it is only read: threads of the host may share it, each with its context current. It is
 * closed when it is not used. */
typedef struct @S@_kernel @S@_kernel;

/* What went wrong; 0 is nothing. @S@_sentence says it. */
enum {
    @S@_OK,
    @S@_NO_CONTEXT,
    @S@_DRIVER,
    @S@_TOO_LARGE,
    @S@_MEMORY,
    @S@_ALIGNMENT,
    @S@_OVERLAP,
    @S@_LENGTH,
    @S@_NULL@MORE_RESULTS@,
    @S@_OLD_DRIVER,
    @S@_OLD_DEVICE
};
const char *@S@_sentence(int result);

/* Loads the kernel into the current context, which must stay there until it is closed. */
int @S@_open(@S@_kernel **kernel);
void @S@_close(@S@_kernel *kernel);

/* @KEYS_SAID@ Takes the same time for every key. */
void @S@_keys(const uint8_t key[@KEY@], uint8_t round_keys[@KEYS@]);

@INTERFACE@#ifdef __cplusplus
}
#endif
#endif
