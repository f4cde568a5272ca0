/* Whether a launch may take `count` cipher keys at these addresses in device memory: multiples of 16, the round keys apart from
 * the cipher keys. The function below asks it. */
int @S@_check(CUdeviceptr out, CUdeviceptr in, size_t count);

/* The round keys of many cipher keys in device memory, at multiples of 16: of each @KEY@ bytes at `in`, one behind the other,
 * @KEYS@ at `out`, which lies apart. Returns once the launch is in the stream. The caller wipes both. */
int @S@_@VERB@(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t count, CUstream stream);

/* The same in memory of the host, apart, through two buffers whose copies overlap. Returns when all is done; the buffers are
 * wiped. If something goes wrong, a part of the round keys may be written. */
int @S@_@VERB@_host(@S@_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count);

