/* Whether a launch may take `count` cipher keys, from the beginning of these buffers or parts of buffers on: the round keys apart
 * from the cipher keys. The function below asks it. */
int @S@_check(cl_mem out, cl_mem in, size_t count);

/* The round keys of many cipher keys, from the beginning of buffers of the kernel's context, or of parts of them: of each @KEY@ bytes
 * of `in`, one behind the other, @KEYS@ of `out`, which lies apart. The queue is one of the kernel's device that executes in order.
 * Returns once the launch is in the queue. The caller wipes both. */
int @S@_@VERB@(@S@_kernel *kernel, cl_command_queue queue, cl_mem out, cl_mem in, size_t count);

/* The same in memory of the host, apart, through two buffers whose copies overlap. Returns when all is done; the buffers are
 * wiped. If something goes wrong, a part of the round keys may be written. */
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count);

