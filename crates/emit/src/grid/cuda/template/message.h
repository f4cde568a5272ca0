/* Whether a launch may take whole blocks of 16 bytes at these addresses in device memory: multiples of 16, @PLACE@. The
 * function below asks it. */
int @S@_check(CUdeviceptr out, CUdeviceptr in, size_t blocks);

/* Whole blocks of 16 bytes in device memory, at multiples of 16, @PLACE@. Returns once the launch is in the stream.@COUNTER_SAID@ */
int @S@_@VERB@(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t blocks@ROUND_KEYS@@COUNTER@, CUstream stream);

/* Whole blocks in memory of the host, in place or apart, through two buffers whose copies overlap. Returns when all is done;
 * the buffers are wiped. If something goes wrong, a part of the result may be written. */
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t blocks@ROUND_KEYS@@COUNTER@);

