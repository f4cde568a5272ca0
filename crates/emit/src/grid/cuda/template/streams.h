/* Streams in device memory, each with a key, a text and a length of its own. The arguments are addresses of arrays there, with an
 * element for each of `count` streams; they must not be written until the launch has ended.
 *   out, in      the addresses (CUdeviceptr) of results and texts, whole blocks of 16 bytes at multiples of 16. A result
 *                @PLACES@
 *   blocks       the numbers of blocks (unsigned long long), 0 and more
 *   round_keys   @KEYS@ bytes each, as @S@_keys makes them, at a multiple of 16
@IV_SAID@ * Returns once the launch is in the stream. What arrays hold is not looked at: @S@_check does that beforehand. */
int @S@_@VERB@_streams(@S@_kernel *kernel, CUdeviceptr out, CUdeviceptr in, CUdeviceptr blocks,
    CUdeviceptr round_keys@DEVICE_IVS@, size_t count, CUstream stream);

/* Whether a launch may take streams with these addresses in device memory and these numbers of blocks. The arrays are the host's.
 * Looks at addresses and at what overlaps; a stream of no block may have any address. */
int @S@_check(const CUdeviceptr *out, const CUdeviceptr *in, const unsigned long long *blocks, size_t count);

/* Streams in memory of the host, each in place or apart, through two buffers whose copies overlap: each buffer has streams of its
 * own, as many as the device takes at once, and parts of those that do not fit. Returns when all is done; the buffers are wiped.
 * If something goes wrong, a part of the results may be written.
 *   out, in      addresses of results and texts, at no multiple of anything. A result takes its own text's place, or overlaps no
 *                text and no other result
 *   round_keys   @KEYS@ bytes for each stream, as @S@_keys makes them, one behind the other
@HOST_IV_SAID@ */
int @S@_@VERB@_streams_host(@S@_kernel *kernel, uint8_t *const *out, const uint8_t *const *in,
    const size_t *blocks, const uint8_t *round_keys@HOST_IVS@, size_t count);

