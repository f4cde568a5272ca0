/* Whether a launch may take `blocks` blocks of 16 bytes, from the beginning of these buffers or parts of buffers on:
 * @PLACE@. The function below asks it. */
int @S@_check(cl_mem out, cl_mem in, size_t blocks);

/* Whole blocks of 16 bytes from the beginning of buffers of the kernel's context, or of parts of them, @PLACE@. The queue
 * is one of the kernel's device that executes in order. Returns once the launch is in the queue.@COUNTER_SAID@ */
int @S@_@VERB@(@S@_kernel *kernel, cl_command_queue queue, cl_mem out, cl_mem in, size_t blocks@ROUND_KEYS@@COUNTER@);

/* Whole blocks in memory of the host, in place or apart, through two buffers whose copies overlap. Returns when all is done;
 * the buffers are wiped. If something goes wrong, a part of the result may be written. */
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t blocks@ROUND_KEYS@@COUNTER@);

