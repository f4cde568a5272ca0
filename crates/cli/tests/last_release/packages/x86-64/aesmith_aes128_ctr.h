/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * AES-128-CTR, for x86-64. Written by aesmith 0.1.0.
 *
 * Kernel: technique vaes, SHA-256 6842745816257a4e1eca9466d9eb084522bb31d92da8ff084a4b4174b79ba8e3
 * Its recipe, of which `aesmith emit --variant` makes the same again from this very file:
 * version 0.1.0
 * cpu vaes
 * variant aes128-ctr width=zmm keys=0x7fff interleave=1 distance=0 ii=3 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=2 counter=add fold=yes loop=bottom align=1 tail=step wipe=no
 * variant aes128-key schedule=aesenclast wipe=no
 * aesmith_aes128_ctr: 2240 bytes of code, 272 of constants, 4168 of stack; may leave secrets in registers or on the stack; does not use the red zone
 *     0.133 cycles/byte at 32 KiB (2026-11-28 03:56), measured on Intel(R) Xeon(R) Processor
 * aesmith_aes128_ctr_schedule: 512 bytes of code, 176 of constants, 0 of stack; may leave secrets in registers or on the stack; does not use the red zone
 *     NOT TUNED: nothing is measured of it on this machine; `aesmith tune aes128-key` finds the best
 * Together: 3200 bytes of code and constants
 */
#ifndef AESMITH_AES128_CTR_H
#define AESMITH_AES128_CTR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A key made ready: 11 round keys of 16 bytes in order of use.
 * Any alignment will do; a multiple of 64 is best. It may be copied, and read by several
 * threads at once.
 */
typedef struct aesmith_aes128_ctr_key {
    uint8_t bytes[256];
} aesmith_aes128_ctr_key;

/* Makes `key` ready from the 16 bytes of a cipher key. */
void aesmith_aes128_ctr_init(aesmith_aes128_ctr_key *key, const uint8_t *key_bytes);

/*
 * `len` bytes from `in` to `out`, len below 2^63.
 * `iv` is the counter block, 128 bits big-endian; it is left at the counter of the next
 * block, so that calls chain. A call that ends inside a block has used that block up.
 * `in` and `out` are equal or do not overlap, of any alignment; nothing else overlaps them.
 */
void aesmith_aes128_ctr(const aesmith_aes128_ctr_key *key, uint8_t iv[16], const uint8_t *in, uint8_t *out,
    size_t len);

/* Overwrites a key with zeros. */
void aesmith_aes128_ctr_wipe(aesmith_aes128_ctr_key *key);

/* Names the kernel: technique, variant, and the hash of its bytes. */
const char *aesmith_aes128_ctr_kernel(void);

/*
 * Whether this CPU and operating system can run the kernel (aes, avx, bmi2, avx512f, avx512bw, vaes).
 * Where it is 0, calling anything but _wipe, _kernel and _supported ends in SIGILL.
 * The CPU is asked once, by the first function that needs to know.
 */
int aesmith_aes128_ctr_supported(void);

#ifdef __cplusplus
}
#endif

#endif
