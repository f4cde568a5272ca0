/* Runs a kernel in OpenCL C once.
 *
 *     runner      a line for each platform: the bytes of local memory of its first device, the most work-items of a
 *                 work-group there, its name and its version
 *     runner PLATFORM FILE KERNEL ROLES GROUPS THREADS SHARED KEYS COUNT IN OUT
 *
 * PLATFORM is a part of its name. ROLES has a letter for each parameter: k the keys, i the counter, t the text, o the
 * result, n the number of blocks; after them comes the memory that threads share, of SHARED bytes. With `t` for the result, too, it
 * takes the text's place. Standard input has KEYS bytes of keys, 16 of a counter, and COUNT blocks of text, IN bytes each; standard
 * output gets the result, OUT bytes each. What goes wrong is a line of standard error.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16, NAME = 256, IV = 16 };

static void fail(const char *what, cl_int why)
{
    fprintf(stderr, "%s: OpenCL's error %d\n", what, (int)why);
    exit(1);
}

static void check(const char *what, cl_int status)
{
    if (status != CL_SUCCESS)
        fail(what, status);
}

static unsigned char *bytes(FILE *from, size_t count)
{
    unsigned char *all = calloc(count + 1, 1);
    if (!all || fread(all, 1, count, from) != count) {
        fprintf(stderr, "%zu bytes cannot be read\n", count);
        exit(1);
    }
    return all;
}

static char *text_of(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET)) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    text = (char *)bytes(file, (size_t)size);
    fclose(file);
    return text;
}

int main(int count, char **words)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint found = 0, at;
    cl_device_id device = NULL;
    cl_int status = clGetPlatformIDs(PLATFORMS, platforms, &found);
    if (status != CL_SUCCESS)
        found = 0;
    for (at = 0; at < found && at < PLATFORMS; at++) {
        char name[NAME] = "", version[NAME] = "";
        cl_ulong local = 0;
        size_t threads = 0;
        check("platform", clGetPlatformInfo(platforms[at], CL_PLATFORM_NAME, NAME, name, NULL));
        check("platform", clGetPlatformInfo(platforms[at], CL_PLATFORM_VERSION, NAME, version, NULL));
        if (count >= 2 && (device || !strstr(name, words[1])))
            continue;
        /* A platform may have no device. */
        if (clGetDeviceIDs(platforms[at], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
        if (device && count < 2) {
            check("device", clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
            check("device", clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof threads, &threads, NULL));
            printf("%llu %zu %s, %s\n", (unsigned long long)local, threads, name, version);
        }
    }
    if (count < 2)
        return 0;
    if (count != 12 || !device) {
        fprintf(stderr, "%s\n", count != 12 ? "eleven words are wanted" : "there is no such platform");
        return 1;
    }

    const char *source = text_of(words[2]), *roles = words[4];
    size_t groups = strtoul(words[5], NULL, 10), threads = strtoul(words[6], NULL, 10);
    size_t shared = strtoul(words[7], NULL, 10), keys = strtoul(words[8], NULL, 10);
    cl_ulong blocks = strtoul(words[9], NULL, 10);
    size_t size = (size_t)blocks * strtoul(words[10], NULL, 10), made = (size_t)blocks * strtoul(words[11], NULL, 10);
    size_t global = groups * threads;
    unsigned char *key = bytes(stdin, keys), *iv = bytes(stdin, IV), *text = bytes(stdin, size);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check("context", status);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check("queue", status);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check("program", status);
    /* Oclgrind does not know all functions of LLVM that optimizations bring in, as that of rotations (version 21.10). */
    status = clBuildProgram(program, 1, &device, strcmp(words[1], "Oclgrind") ? "" : "-cl-opt-disable", NULL, NULL);
    if (status != CL_SUCCESS) {
        char log[1 << 14] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        fail("build", status);
    }
    cl_kernel kernel = clCreateKernel(program, words[3], &status);
    check("kernel", status);
    cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem key_memory = clCreateBuffer(context, copied, keys, key, &status);
    check("keys", status);
    cl_mem iv_memory = clCreateBuffer(context, copied, IV, iv, &status);
    check("counter", status);
    /* A buffer of nothing is none. */
    cl_mem input = clCreateBuffer(context, CL_MEM_READ_WRITE, size ? size : 16, NULL, &status);
    check("text", status);
    cl_mem output = input;
    if (strchr(roles, 'o'))
        output = clCreateBuffer(context, CL_MEM_READ_WRITE, made ? made : 16, NULL, &status);
    check("result", status);
    if (size)
        check("text", clEnqueueWriteBuffer(queue, input, CL_TRUE, 0, size, text, 0, NULL, NULL));
    cl_uint number;
    for (number = 0; roles[number]; number++) {
        int is_result = roles[number] == 'o' || (roles[number] == 't' && strchr(roles, 't') != roles + number);
        cl_mem *memory = roles[number] == 'k'   ? &key_memory
                         : roles[number] == 'i' ? &iv_memory
                         : is_result            ? &output
                                                : &input;
        if (roles[number] == 'n')
            check("blocks", clSetKernelArg(kernel, number, sizeof blocks, &blocks));
        else
            check("pointer", clSetKernelArg(kernel, number, sizeof *memory, memory));
    }
    if (shared)
        check("shared memory", clSetKernelArg(kernel, number, shared, NULL));
    check("launch", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &threads, 0, NULL, NULL));
    check("finish", clFinish(queue));
    unsigned char *result = calloc(made + 1, 1);
    if (!result) {
        fprintf(stderr, "there is no memory for %zu bytes\n", made);
        return 1;
    }
    if (made)
        check("result", clEnqueueReadBuffer(queue, output, CL_TRUE, 0, made, result, 0, NULL, NULL));
    return fwrite(result, 1, made, stdout) == made ? 0 : 1;
}
