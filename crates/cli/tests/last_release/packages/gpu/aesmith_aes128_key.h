/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * aesmith_aes128_key: key schedule of AES-128, on GPUs of NVIDIA, by aesmith 0.1.0. */
#ifndef AESMITH_AES128_KEY_H
#define AESMITH_AES128_KEY_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel in a context. Once it is open it is only read: threads of the host may share it, each with its context current. It is
 * closed when nobody uses it. */
typedef struct aesmith_aes128_key_kernel aesmith_aes128_key_kernel;

/* What went wrong; 0 is nothing. aesmith_aes128_key_sentence says it. */
enum {
    aesmith_aes128_key_OK,
    aesmith_aes128_key_NO_CONTEXT,
    aesmith_aes128_key_DRIVER,
    aesmith_aes128_key_TOO_LARGE,
    aesmith_aes128_key_MEMORY,
    aesmith_aes128_key_ALIGNMENT,
    aesmith_aes128_key_OVERLAP,
    aesmith_aes128_key_LENGTH,
    aesmith_aes128_key_NULL,
    aesmith_aes128_key_OLD_DRIVER,
    aesmith_aes128_key_OLD_DEVICE
};
const char *aesmith_aes128_key_sentence(int result);

/* Loads the kernel into the current context, which must stay there until it is closed. */
int aesmith_aes128_key_open(aesmith_aes128_key_kernel **kernel);
void aesmith_aes128_key_close(aesmith_aes128_key_kernel *kernel);

/* The round keys of one cipher key by the host, as the kernel makes them. Takes the same time for every key. */
void aesmith_aes128_key_keys(const uint8_t key[16], uint8_t round_keys[176]);

/* Whether a launch may take so many cipher keys at these addresses in device memory: multiples of 16, the round keys apart from
 * the cipher keys. The function below asks it. */
int aesmith_aes128_key_check(CUdeviceptr out, CUdeviceptr in, size_t count);

/* The round keys of many cipher keys in device memory, at multiples of 16: of each 16 bytes at `in`, one behind the other,
 * 176 at `out`, which lies apart. Returns once the launch is in the stream. The caller wipes both. */
int aesmith_aes128_key_expand(aesmith_aes128_key_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t count, CUstream stream);

/* The same in memory of the host, apart, through two buffers whose copies overlap. Returns when all is done; the buffers are
 * wiped. If something goes wrong, a part of the round keys may be written. */
int aesmith_aes128_key_expand_host(aesmith_aes128_key_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count);

#ifdef __cplusplus
}
#endif
#endif
