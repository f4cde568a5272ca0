/* Memory of the device with a copy of bytes, for one launch. */
static int copied(const @S@_kernel *kernel, cl_mem *memory, const uint8_t *bytes, size_t count)
{
    cl_int status;
    *memory = clCreateBuffer(kernel->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, count, (void *)(uintptr_t)bytes, &status);
    return result_of(status);
}

/* Has it wiped behind the launch, and gives it back: OpenCL keeps it as long as commands need it. */
static int forgotten(cl_command_queue queue, cl_mem memory, size_t count)
{
    const cl_uchar zero = 0;
    cl_int status = CL_SUCCESS;
    if (memory) {
        status = clEnqueueFillBuffer(queue, memory, &zero, 1, 0, count, 0, NULL, NULL);
        clReleaseMemObject(memory);
    }
    return result_of(status);
}

/* Puts a launch into a queue, with these round keys@AND_COUNTER@. */
static int passed(const @S@_kernel *kernel, cl_command_queue queue, cl_mem out, cl_mem in, size_t count,
    const uint8_t *round_keys@COUNTER@)
{
    cl_mem keys = NULL@IV_MEMORY@;
    int result = copied(kernel, &keys, round_keys, @KEYS@), wiping;
@COPIED_IV@    if (result == @S@_OK)
        result = launched(kernel, queue, out, in, count, keys@PASSED_IV@);
    wiping = forgotten(queue, keys, @KEYS@);
@FORGOTTEN_IV@    return result == @S@_OK ? wiping : result;
}

