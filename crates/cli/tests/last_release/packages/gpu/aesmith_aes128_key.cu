/* SPDX-License-Identifier: Apache-2.0 OR MIT
 * aesmith_aes128_key: key schedule of AES-128, on GPUs of NVIDIA, by aesmith 0.1.0.
 *
 * Host code over CUDA's driver interface, in what C99 and C++ have in common, for GCC and Clang (others take no string as long
 * as the kernel's). The kernel is the text aesmith_aes128_key.ptx, which is
 * proved; this file is not. aesmith tests such host code with a stand-in of the driver, and has run some on an NVIDIA H100;
 * `make check` runs this one on your card.
 * The caller wipes keys in device memory; the host's function wipes its own.
 */
#include "aesmith_aes128_key.h"
#include <stdlib.h>
#include <string.h>

/* Blocks of text that a buffer of the host function holds. 1 MiB was the fastest by which texts of 1 GiB in the host's
 * memory went through an NVIDIA H100 and an H200: 4.2 and 4.9 GB/s, and 3.0 and 3.9 in pieces of 16 MiB. */
#ifndef AESMITH_CHUNK
#define AESMITH_CHUNK ((size_t)1 << 16)
#endif

enum { THREADS = 1024, SHARED = 32768 };
/* The oldest compute capability that the kernel's text is for, ten times; and CUDA_ERROR_UNSUPPORTED_PTX_VERSION, which cuda.h has
 * from CUDA 11.1 on. */
enum { TARGET = 75, UNSUPPORTED_PTX_VERSION = 222 };
enum { ROUNDS = 10, KEY = 16, ALL = 16 * (ROUNDS + 1), DECRYPTS = 0 };
/* How many of the first round keys the kernel takes as they are, beside the last; of others it takes each bit as four bytes. */
enum { PLAIN = 11 };

static const char PTX[] =
    ".version 7.8\n"
    ".target sm_75\n"
    ".address_size 64\n"
    "\n"
    "// Shared memory that a launch gives each block, in bytes: 32768\n"
    ".const .align 16 .b32 words[256] = {\n"
    "    0xa56363c6, 0x847c7cf8, 0x997777ee, 0x8d7b7bf6, 0x0df2f2ff, 0xbd6b6bd6, 0xb16f6fde, 0x54c5c591,\n"
    "    0x50303060, 0x03010102, 0xa96767ce, 0x7d2b2b56, 0x19fefee7, 0x62d7d7b5, 0xe6abab4d, 0x9a7676ec,\n"
    "    0x45caca8f, 0x9d82821f, 0x40c9c989, 0x877d7dfa, 0x15fafaef, 0xeb5959b2, 0xc947478e, 0x0bf0f0fb,\n"
    "    0xecadad41, 0x67d4d4b3, 0xfda2a25f, 0xeaafaf45, 0xbf9c9c23, 0xf7a4a453, 0x967272e4, 0x5bc0c09b,\n"
    "    0xc2b7b775, 0x1cfdfde1, 0xae93933d, 0x6a26264c, 0x5a36366c, 0x413f3f7e, 0x02f7f7f5, 0x4fcccc83,\n"
    "    0x5c343468, 0xf4a5a551, 0x34e5e5d1, 0x08f1f1f9, 0x937171e2, 0x73d8d8ab, 0x53313162, 0x3f15152a,\n"
    "    0x0c040408, 0x52c7c795, 0x65232346, 0x5ec3c39d, 0x28181830, 0xa1969637, 0x0f05050a, 0xb59a9a2f,\n"
    "    0x0907070e, 0x36121224, 0x9b80801b, 0x3de2e2df, 0x26ebebcd, 0x6927274e, 0xcdb2b27f, 0x9f7575ea,\n"
    "    0x1b090912, 0x9e83831d, 0x742c2c58, 0x2e1a1a34, 0x2d1b1b36, 0xb26e6edc, 0xee5a5ab4, 0xfba0a05b,\n"
    "    0xf65252a4, 0x4d3b3b76, 0x61d6d6b7, 0xceb3b37d, 0x7b292952, 0x3ee3e3dd, 0x712f2f5e, 0x97848413,\n"
    "    0xf55353a6, 0x68d1d1b9, 0x00000000, 0x2cededc1, 0x60202040, 0x1ffcfce3, 0xc8b1b179, 0xed5b5bb6,\n"
    "    0xbe6a6ad4, 0x46cbcb8d, 0xd9bebe67, 0x4b393972, 0xde4a4a94, 0xd44c4c98, 0xe85858b0, 0x4acfcf85,\n"
    "    0x6bd0d0bb, 0x2aefefc5, 0xe5aaaa4f, 0x16fbfbed, 0xc5434386, 0xd74d4d9a, 0x55333366, 0x94858511,\n"
    "    0xcf45458a, 0x10f9f9e9, 0x06020204, 0x817f7ffe, 0xf05050a0, 0x443c3c78, 0xba9f9f25, 0xe3a8a84b,\n"
    "    0xf35151a2, 0xfea3a35d, 0xc0404080, 0x8a8f8f05, 0xad92923f, 0xbc9d9d21, 0x48383870, 0x04f5f5f1,\n"
    "    0xdfbcbc63, 0xc1b6b677, 0x75dadaaf, 0x63212142, 0x30101020, 0x1affffe5, 0x0ef3f3fd, 0x6dd2d2bf,\n"
    "    0x4ccdcd81, 0x140c0c18, 0x35131326, 0x2fececc3, 0xe15f5fbe, 0xa2979735, 0xcc444488, 0x3917172e,\n"
    "    0x57c4c493, 0xf2a7a755, 0x827e7efc, 0x473d3d7a, 0xac6464c8, 0xe75d5dba, 0x2b191932, 0x957373e6,\n"
    "    0xa06060c0, 0x98818119, 0xd14f4f9e, 0x7fdcdca3, 0x66222244, 0x7e2a2a54, 0xab90903b, 0x8388880b,\n"
    "    0xca46468c, 0x29eeeec7, 0xd3b8b86b, 0x3c141428, 0x79dedea7, 0xe25e5ebc, 0x1d0b0b16, 0x76dbdbad,\n"
    "    0x3be0e0db, 0x56323264, 0x4e3a3a74, 0x1e0a0a14, 0xdb494992, 0x0a06060c, 0x6c242448, 0xe45c5cb8,\n"
    "    0x5dc2c29f, 0x6ed3d3bd, 0xefacac43, 0xa66262c4, 0xa8919139, 0xa4959531, 0x37e4e4d3, 0x8b7979f2,\n"
    "    0x32e7e7d5, 0x43c8c88b, 0x5937376e, 0xb76d6dda, 0x8c8d8d01, 0x64d5d5b1, 0xd24e4e9c, 0xe0a9a949,\n"
    "    0xb46c6cd8, 0xfa5656ac, 0x07f4f4f3, 0x25eaeacf, 0xaf6565ca, 0x8e7a7af4, 0xe9aeae47, 0x18080810,\n"
    "    0xd5baba6f, 0x887878f0, 0x6f25254a, 0x722e2e5c, 0x241c1c38, 0xf1a6a657, 0xc7b4b473, 0x51c6c697,\n"
    "    0x23e8e8cb, 0x7cdddda1, 0x9c7474e8, 0x211f1f3e, 0xdd4b4b96, 0xdcbdbd61, 0x868b8b0d, 0x858a8a0f,\n"
    "    0x907070e0, 0x423e3e7c, 0xc4b5b571, 0xaa6666cc, 0xd8484890, 0x05030306, 0x01f6f6f7, 0x120e0e1c,\n"
    "    0xa36161c2, 0x5f35356a, 0xf95757ae, 0xd0b9b969, 0x91868617, 0x58c1c199, 0x271d1d3a, 0xb99e9e27,\n"
    "    0x38e1e1d9, 0x13f8f8eb, 0xb398982b, 0x33111122, 0xbb6969d2, 0x70d9d9a9, 0x898e8e07, 0xa7949433,\n"
    "    0xb69b9b2d, 0x221e1e3c, 0x92878715, 0x20e9e9c9, 0x49cece87, 0xff5555aa, 0x78282850, 0x7adfdfa5,\n"
    "    0x8f8c8c03, 0xf8a1a159, 0x80898909, 0x170d0d1a, 0xdabfbf65, 0x31e6e6d7, 0xc6424284, 0xb86868d0,\n"
    "    0xc3414182, 0xb0999929, 0x772d2d5a, 0x110f0f1e, 0xcbb0b07b, 0xfc5454a8, 0xd6bbbb6d, 0x3a16162c\n"
    "};\n"
    ".extern .shared .align 16 .b8 tables[];\n"
    "\n"
    ".visible .entry aesmith_aes128_key(\n"
    "    .param .u64 in,\n"
    "    .param .u64 out,\n"
    "    .param .u64 blocks\n"
    ")\n"
    ".reqntid 1024, 1, 1\n"
    "{\n"
    "    .reg .b32 %r<200>;\n"
    "    .reg .b64 %rd<32>;\n"
    "    .reg .pred %p<8>;\n"
    "\n"
    "    mov.u32 %r0, tables;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mov.u64 %rd0, words;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    shl.b32 %r2, %r1, 4;\n"
    "    add.u32 %r2, %r2, %r0;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    shr.u32 %r3, %r1, 3;\n"
    "    shl.b32 %r1, %r3, 2;\n"
    "    cvt.u64.u32 %rd1, %r1;\n"
    "    add.u64 %rd2, %rd0, %rd1;\n"
    "    mov.b32 %r1, 0;\n"
    "L12:\n"
    "    ld.const.b32 %r3, [%rd2+0];\n"
    "    st.shared.v4.b32 [%r2+0], {%r3, %r3, %r3, %r3};\n"
    "    add.u32 %r2, %r2, 16384;\n"
    "    add.u64 %rd2, %rd2, 512;\n"
    "    add.u32 %r1, %r1, 1;\n"
    "    setp.lt.u32 %p0, %r1, 2;\n"
    "    @%p0 bra L12;\n"
    "    bar.sync 0;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    and.b32 %r2, %r1, 31;\n"
    "    shl.b32 %r1, %r2, 3;\n"
    "    add.u32 %r2, %r1, %r1;\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    ld.param.u64 %rd0, [in];\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    ld.param.u64 %rd2, [blocks];\n"
    "    mov.u32 %r3, %ctaid.x;\n"
    "    mov.u32 %r4, %nctaid.x;\n"
    "    cvt.u64.u32 %rd3, %r2;\n"
    "    mul.wide.u32 %rd4, %r3, 1024;\n"
    "    add.u64 %rd5, %rd4, %rd3;\n"
    "    mul.wide.u32 %rd3, %r4, 1024;\n"
    "    mov.u32 %r3, %nctaid.x;\n"
    "    mov.u32 %r4, %ctaid.x;\n"
    "    mul.wide.u32 %rd4, %r4, 16384;\n"
    "    mul.wide.u32 %rd6, %r2, 16;\n"
    "    add.u64 %rd7, %rd0, %rd4;\n"
    "    add.u64 %rd0, %rd7, %rd6;\n"
    "    mov.u32 %r4, %ctaid.x;\n"
    "    mul.wide.u32 %rd4, %r4, 180224;\n"
    "    mul.wide.u32 %rd6, %r2, 176;\n"
    "    add.u64 %rd7, %rd1, %rd4;\n"
    "    add.u64 %rd1, %rd7, %rd6;\n"
    "    mul.wide.u32 %rd4, %r3, 16384;\n"
    "    mul.wide.u32 %rd6, %r3, 180224;\n"
    "    setp.ge.u64 %p0, %rd5, %rd2;\n"
    "    @%p0 bra L306;\n"
    "L49:\n"
    "    ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd0+0];\n"
    "    st.global.v4.b32 [%rd1+0], {%r2, %r3, %r4, %r5};\n"
    "    prmt.b32 %r6, %r5, %r1, 21780;\n"
    "    shr.u32 %r7, %r6, 1;\n"
    "    add.u32 %r6, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21796;\n"
    "    shr.u32 %r8, %r6, 1;\n"
    "    add.u32 %r6, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21812;\n"
    "    shr.u32 %r9, %r6, 1;\n"
    "    add.u32 %r6, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21764;\n"
    "    shr.u32 %r10, %r6, 1;\n"
    "    add.u32 %r6, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r6+0];\n"
    "    prmt.b32 %r6, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r6, %r7, 21520;\n"
    "    xor.b32 %r6, %r2, %r8;\n"
    "    xor.b32 %r2, %r6, 1;\n"
    "    xor.b32 %r6, %r3, %r2;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    xor.b32 %r4, %r5, %r3;\n"
    "    st.global.v4.b32 [%rd1+16], {%r2, %r6, %r3, %r4};\n"
    "    prmt.b32 %r5, %r4, %r1, 21780;\n"
    "    shr.u32 %r7, %r5, 1;\n"
    "    add.u32 %r5, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21796;\n"
    "    shr.u32 %r8, %r5, 1;\n"
    "    add.u32 %r5, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21812;\n"
    "    shr.u32 %r9, %r5, 1;\n"
    "    add.u32 %r5, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21764;\n"
    "    shr.u32 %r10, %r5, 1;\n"
    "    add.u32 %r5, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r5+0];\n"
    "    prmt.b32 %r5, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r5, %r7, 21520;\n"
    "    xor.b32 %r5, %r2, %r8;\n"
    "    xor.b32 %r2, %r5, 2;\n"
    "    xor.b32 %r5, %r6, %r2;\n"
    "    xor.b32 %r6, %r3, %r5;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    st.global.v4.b32 [%rd1+32], {%r2, %r5, %r6, %r3};\n"
    "    prmt.b32 %r4, %r3, %r1, 21780;\n"
    "    shr.u32 %r7, %r4, 1;\n"
    "    add.u32 %r4, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21796;\n"
    "    shr.u32 %r8, %r4, 1;\n"
    "    add.u32 %r4, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21812;\n"
    "    shr.u32 %r9, %r4, 1;\n"
    "    add.u32 %r4, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21764;\n"
    "    shr.u32 %r10, %r4, 1;\n"
    "    add.u32 %r4, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r4+0];\n"
    "    prmt.b32 %r4, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r4, %r7, 21520;\n"
    "    xor.b32 %r4, %r2, %r8;\n"
    "    xor.b32 %r2, %r4, 4;\n"
    "    xor.b32 %r4, %r5, %r2;\n"
    "    xor.b32 %r5, %r6, %r4;\n"
    "    xor.b32 %r6, %r3, %r5;\n"
    "    st.global.v4.b32 [%rd1+48], {%r2, %r4, %r5, %r6};\n"
    "    prmt.b32 %r3, %r6, %r1, 21780;\n"
    "    shr.u32 %r7, %r3, 1;\n"
    "    add.u32 %r3, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21796;\n"
    "    shr.u32 %r8, %r3, 1;\n"
    "    add.u32 %r3, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21812;\n"
    "    shr.u32 %r9, %r3, 1;\n"
    "    add.u32 %r3, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21764;\n"
    "    shr.u32 %r10, %r3, 1;\n"
    "    add.u32 %r3, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r3+0];\n"
    "    prmt.b32 %r3, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r3, %r7, 21520;\n"
    "    xor.b32 %r3, %r2, %r8;\n"
    "    xor.b32 %r2, %r3, 8;\n"
    "    xor.b32 %r3, %r4, %r2;\n"
    "    xor.b32 %r4, %r5, %r3;\n"
    "    xor.b32 %r5, %r6, %r4;\n"
    "    st.global.v4.b32 [%rd1+64], {%r2, %r3, %r4, %r5};\n"
    "    prmt.b32 %r6, %r5, %r1, 21780;\n"
    "    shr.u32 %r7, %r6, 1;\n"
    "    add.u32 %r6, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21796;\n"
    "    shr.u32 %r8, %r6, 1;\n"
    "    add.u32 %r6, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21812;\n"
    "    shr.u32 %r9, %r6, 1;\n"
    "    add.u32 %r6, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21764;\n"
    "    shr.u32 %r10, %r6, 1;\n"
    "    add.u32 %r6, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r6+0];\n"
    "    prmt.b32 %r6, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r6, %r7, 21520;\n"
    "    xor.b32 %r6, %r2, %r8;\n"
    "    xor.b32 %r2, %r6, 16;\n"
    "    xor.b32 %r6, %r3, %r2;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    xor.b32 %r4, %r5, %r3;\n"
    "    st.global.v4.b32 [%rd1+80], {%r2, %r6, %r3, %r4};\n"
    "    prmt.b32 %r5, %r4, %r1, 21780;\n"
    "    shr.u32 %r7, %r5, 1;\n"
    "    add.u32 %r5, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21796;\n"
    "    shr.u32 %r8, %r5, 1;\n"
    "    add.u32 %r5, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21812;\n"
    "    shr.u32 %r9, %r5, 1;\n"
    "    add.u32 %r5, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21764;\n"
    "    shr.u32 %r10, %r5, 1;\n"
    "    add.u32 %r5, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r5+0];\n"
    "    prmt.b32 %r5, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r5, %r7, 21520;\n"
    "    xor.b32 %r5, %r2, %r8;\n"
    "    xor.b32 %r2, %r5, 32;\n"
    "    xor.b32 %r5, %r6, %r2;\n"
    "    xor.b32 %r6, %r3, %r5;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    st.global.v4.b32 [%rd1+96], {%r2, %r5, %r6, %r3};\n"
    "    prmt.b32 %r4, %r3, %r1, 21780;\n"
    "    shr.u32 %r7, %r4, 1;\n"
    "    add.u32 %r4, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21796;\n"
    "    shr.u32 %r8, %r4, 1;\n"
    "    add.u32 %r4, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21812;\n"
    "    shr.u32 %r9, %r4, 1;\n"
    "    add.u32 %r4, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r4+0];\n"
    "    prmt.b32 %r4, %r3, %r1, 21764;\n"
    "    shr.u32 %r10, %r4, 1;\n"
    "    add.u32 %r4, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r4+0];\n"
    "    prmt.b32 %r4, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r4, %r7, 21520;\n"
    "    xor.b32 %r4, %r2, %r8;\n"
    "    xor.b32 %r2, %r4, 64;\n"
    "    xor.b32 %r4, %r5, %r2;\n"
    "    xor.b32 %r5, %r6, %r4;\n"
    "    xor.b32 %r6, %r3, %r5;\n"
    "    st.global.v4.b32 [%rd1+112], {%r2, %r4, %r5, %r6};\n"
    "    prmt.b32 %r3, %r6, %r1, 21780;\n"
    "    shr.u32 %r7, %r3, 1;\n"
    "    add.u32 %r3, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21796;\n"
    "    shr.u32 %r8, %r3, 1;\n"
    "    add.u32 %r3, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21812;\n"
    "    shr.u32 %r9, %r3, 1;\n"
    "    add.u32 %r3, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r3+0];\n"
    "    prmt.b32 %r3, %r6, %r1, 21764;\n"
    "    shr.u32 %r10, %r3, 1;\n"
    "    add.u32 %r3, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r3+0];\n"
    "    prmt.b32 %r3, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r3, %r7, 21520;\n"
    "    xor.b32 %r3, %r2, %r8;\n"
    "    xor.b32 %r2, %r3, 128;\n"
    "    xor.b32 %r3, %r4, %r2;\n"
    "    xor.b32 %r4, %r5, %r3;\n"
    "    xor.b32 %r5, %r6, %r4;\n"
    "    st.global.v4.b32 [%rd1+128], {%r2, %r3, %r4, %r5};\n"
    "    prmt.b32 %r6, %r5, %r1, 21780;\n"
    "    shr.u32 %r7, %r6, 1;\n"
    "    add.u32 %r6, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21796;\n"
    "    shr.u32 %r8, %r6, 1;\n"
    "    add.u32 %r6, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21812;\n"
    "    shr.u32 %r9, %r6, 1;\n"
    "    add.u32 %r6, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r6+0];\n"
    "    prmt.b32 %r6, %r5, %r1, 21764;\n"
    "    shr.u32 %r10, %r6, 1;\n"
    "    add.u32 %r6, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r6+0];\n"
    "    prmt.b32 %r6, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r6, %r7, 21520;\n"
    "    xor.b32 %r6, %r2, %r8;\n"
    "    xor.b32 %r2, %r6, 27;\n"
    "    xor.b32 %r6, %r3, %r2;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    xor.b32 %r4, %r5, %r3;\n"
    "    st.global.v4.b32 [%rd1+144], {%r2, %r6, %r3, %r4};\n"
    "    prmt.b32 %r5, %r4, %r1, 21780;\n"
    "    shr.u32 %r7, %r5, 1;\n"
    "    add.u32 %r5, %r7, %r0;\n"
    "    ld.shared.b32 %r7, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21796;\n"
    "    shr.u32 %r8, %r5, 1;\n"
    "    add.u32 %r5, %r8, %r0;\n"
    "    ld.shared.b32 %r8, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21812;\n"
    "    shr.u32 %r9, %r5, 1;\n"
    "    add.u32 %r5, %r9, %r0;\n"
    "    ld.shared.b32 %r9, [%r5+0];\n"
    "    prmt.b32 %r5, %r4, %r1, 21764;\n"
    "    shr.u32 %r10, %r5, 1;\n"
    "    add.u32 %r5, %r10, %r0;\n"
    "    ld.shared.b32 %r10, [%r5+0];\n"
    "    prmt.b32 %r5, %r7, %r8, 81;\n"
    "    prmt.b32 %r7, %r9, %r10, 81;\n"
    "    prmt.b32 %r8, %r5, %r7, 21520;\n"
    "    xor.b32 %r5, %r2, %r8;\n"
    "    xor.b32 %r2, %r5, 54;\n"
    "    xor.b32 %r5, %r6, %r2;\n"
    "    xor.b32 %r6, %r3, %r5;\n"
    "    xor.b32 %r3, %r4, %r6;\n"
    "    st.global.v4.b32 [%rd1+160], {%r2, %r5, %r6, %r3};\n"
    "    add.u64 %rd0, %rd0, %rd4;\n"
    "    add.u64 %rd1, %rd1, %rd6;\n"
    "    add.u64 %rd5, %rd5, %rd3;\n"
    "    setp.lt.u64 %p0, %rd5, %rd2;\n"
    "    @%p0 bra L49;\n"
    "L306:\n"
    "    ret;\n"
    "}\n";

struct aesmith_aes128_key_kernel {
    CUmodule module;
    CUfunction function;
    /* Blocks of threads that the device holds at once. */
    size_t groups;
};

const char *aesmith_aes128_key_sentence(int result)
{
    static const char *const sentences[] = {
        "nothing went wrong",
        "no context is current: call cuCtxSetCurrent first",
        "CUDA's driver refused a call",
        "the device gives a block of threads less than 32768 bytes of shared memory, which the kernel needs",
        "memory could not be allocated",
        "a pointer is at no multiple of 16",
        "the round keys overlap the cipher keys",
        "more keys than memory can hold",
        "a pointer is null",
        "the driver is older than the kernel's text (PTX 7.8): install a driver of CUDA 11.8 or newer (520.61.05 on Linux)",
        "the device is older than the kernel's target (sm_75, compute capability 7.5)"
    };
    return result >= 0 && (size_t)result < sizeof sentences / sizeof *sentences ? sentences[result] : "no such result";
}

int aesmith_aes128_key_open(aesmith_aes128_key_kernel **kernel)
{
    CUdevice device;
    int most = 0, processors = 0, groups = 0, major = 0, minor = 0, status;
    aesmith_aes128_key_kernel *made;
    *kernel = NULL;
    if (cuCtxGetDevice(&device) != CUDA_SUCCESS)
        return aesmith_aes128_key_NO_CONTEXT;
    if (cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) != CUDA_SUCCESS
        || cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device) != CUDA_SUCCESS)
        return aesmith_aes128_key_DRIVER;
    if (major < TARGET / 10 || (major == TARGET / 10 && minor < TARGET % 10))
        return aesmith_aes128_key_OLD_DEVICE;
    if (most < SHARED)
        return aesmith_aes128_key_TOO_LARGE;
    made = (aesmith_aes128_key_kernel *)calloc(1, sizeof *made);
    if (!made)
        return aesmith_aes128_key_MEMORY;
    status = (int)cuModuleLoadData(&made->module, PTX);
    if (status != CUDA_SUCCESS) {
        free(made);
        return status == UNSUPPORTED_PTX_VERSION ? aesmith_aes128_key_OLD_DRIVER : aesmith_aes128_key_DRIVER;
    }
    if (cuModuleGetFunction(&made->function, made->module, "aesmith_aes128_key") != CUDA_SUCCESS
        || cuFuncSetAttribute(made->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, SHARED) != CUDA_SUCCESS
        || cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, made->function, THREADS, SHARED) != CUDA_SUCCESS
        || groups < 1) {
        aesmith_aes128_key_close(made);
        return aesmith_aes128_key_DRIVER;
    }
    made->groups = (size_t)groups * (size_t)processors;
    *kernel = made;
    return aesmith_aes128_key_OK;
}

void aesmith_aes128_key_close(aesmith_aes128_key_kernel *kernel)
{
    if (!kernel)
        return;
    cuModuleUnload(kernel->module);
    free(kernel);
}

/* Writes zeros that no compiler leaves out. */
static void wiped(void *memory, size_t bytes)
{
    volatile uint8_t *byte = (volatile uint8_t *)memory;
    while (bytes--)
        *byte++ = 0;
}

/* A product in the field of FIPS-197, 4.2. */
static uint8_t times(uint8_t a, uint8_t b)
{
    unsigned product = 0, left = a, k;
    for (k = 0; k < 8; k++) {
        product ^= left & (0u - (b >> k & 1u));
        left = left << 1 ^ (0x11bu & (0u - (left >> 7)));
    }
    return (uint8_t)product;
}

/* The S-box by its definition (FIPS-197, 5.1.1): the inverse is the 254th power. No look-up, so no time hangs on the key. */
static uint8_t substituted(uint8_t x)
{
    uint8_t power = x;
    unsigned k, sum;
    for (k = 0; k < 6; k++)
        power = times(times(power, power), x);
    sum = times(power, power);
    sum ^= sum << 1 ^ sum << 2 ^ sum << 3 ^ sum << 4;
    return (uint8_t)(sum ^ sum >> 8 ^ 0x63);
}

void aesmith_aes128_key_keys(const uint8_t key[16], uint8_t round_keys[176])
{
    uint8_t constant = 1, word[4], plain[ALL], *to = round_keys;
    unsigned at, k, round;
    /* Threads expand it by themselves. */
    if (176 == KEY) {
        memcpy(round_keys, key, KEY);
        return;
    }
    memcpy(plain, key, KEY);
    for (at = KEY; at < ALL; at += 4) {
        memcpy(word, plain + at - 4, 4);
        if (at % KEY == 0) {
            uint8_t first = word[0];
            for (k = 0; k < 3; k++)
                word[k] = substituted(word[k + 1]);
            word[3] = substituted(first);
            word[0] ^= constant;
            constant = times(constant, 2);
        } else if (KEY == 32 && at % KEY == 16) {
            for (k = 0; k < 4; k++)
                word[k] = substituted(word[k]);
        }
        for (k = 0; k < 4; k++)
            plain[at + k] = word[k] ^ plain[at + k - KEY];
    }
    for (round = 0; round <= ROUNDS; round++) {
        const uint8_t *from = plain + 16 * (DECRYPTS ? ROUNDS - round : round);
        for (at = 0; at < 16; at++) {
            const uint8_t *column = from + at / 4 * 4;
            /* Round keys of the equivalent inverse cipher (FIPS-197, 5.3.5). */
            uint8_t byte = !DECRYPTS || round == 0 || round == ROUNDS
                ? from[at]
                : times(column[at % 4], 14) ^ times(column[(at + 1) % 4], 11) ^ times(column[(at + 2) % 4], 13)
                    ^ times(column[(at + 3) % 4], 9);
            if (round < PLAIN || round == ROUNDS)
                *to++ = byte;
            else
                for (k = 0; k < 32; k++)
                    *to++ = (uint8_t)(0u - (byte >> k / 4 & 1u));
        }
    }
    wiped(plain, sizeof plain);
    wiped(word, sizeof word);
}

/* Puts a launch into a stream. The driver copies the arguments before the call returns. */
static int launched(const aesmith_aes128_key_kernel *kernel, size_t groups, CUstream stream, void **arguments)
{
    return cuLaunchKernel(kernel->function, (unsigned)groups, 1, 1, THREADS, 1, 1, SHARED, stream, arguments, NULL)
            == CUDA_SUCCESS
        ? aesmith_aes128_key_OK
        : aesmith_aes128_key_DRIVER;
}

/* A buffer: of the host, whose copies the device makes by itself, and of the device. */
typedef struct {
    uint8_t *host;
    CUdeviceptr device;
    CUstream stream;
    size_t bytes, device_bytes;
} buffer;

static int opened(buffer *b, size_t bytes, size_t device_bytes)
{
    void *host = NULL;
    CUresult status = cuMemAllocHost(&host, bytes);
    b->host = (uint8_t *)host;
    b->bytes = bytes;
    b->device_bytes = device_bytes;
    if (status == CUDA_SUCCESS)
        status = cuMemAlloc(&b->device, device_bytes);
    if (status == CUDA_SUCCESS)
        status = cuStreamCreate(&b->stream, CU_STREAM_NON_BLOCKING);
    return status == CUDA_SUCCESS ? aesmith_aes128_key_OK
        : status == CUDA_ERROR_OUT_OF_MEMORY ? aesmith_aes128_key_MEMORY
        : status == CUDA_ERROR_INVALID_CONTEXT ? aesmith_aes128_key_NO_CONTEXT
        : aesmith_aes128_key_DRIVER;
}

/* Waits for a buffer's work, wipes it and gives it back. */
static void closed(buffer *b)
{
    if (b->stream) {
        if (b->device)
            cuMemsetD8Async(b->device, 0, b->device_bytes, b->stream);
        cuStreamSynchronize(b->stream);
        cuStreamDestroy(b->stream);
    }
    if (b->device)
        cuMemFree(b->device);
    if (b->host) {
        wiped(b->host, b->bytes);
        cuMemFreeHost(b->host);
    }
}

/* An element of a launch is a key: TAKEN bytes, of which it makes MADE. TURN: elements that a block of threads takes in a
 * turn. */
enum { TURN = 1024, TAKEN = 16, MADE = 176 };
/* Whether a result may not take the place of what it is made of: in device memory, and in the host's, from which each part is
 * taken before its result comes. */
enum { APART = 1, HOST_APART = TAKEN != MADE };

/* Whether a result is refused for where it lies. */
static int overlaps(unsigned long long out, unsigned long long in, unsigned long long count, int apart)
{
    return (apart || in != out) && in < out + MADE * count && out < in + TAKEN * count;
}

int aesmith_aes128_key_check(CUdeviceptr out, CUdeviceptr in, size_t count)
{
    unsigned long long elements = count;
    if (in % 16 || out % 16)
        return aesmith_aes128_key_ALIGNMENT;
    if (elements >> 38)
        return aesmith_aes128_key_LENGTH;
    if (overlaps(out, in, elements, APART))
        return aesmith_aes128_key_OVERLAP;
    return elements && (!in || !out) ? aesmith_aes128_key_NULL : aesmith_aes128_key_OK;
}

int aesmith_aes128_key_expand(aesmith_aes128_key_kernel *kernel, CUdeviceptr out, CUdeviceptr in, size_t count, CUstream stream)
{
    unsigned long long elements = count;
    size_t groups = count / TURN + (count % TURN != 0);
    void *arguments[] = { &in, &out, &elements };
    int result = aesmith_aes128_key_check(out, in, count);
    if (result != aesmith_aes128_key_OK || !count)
        return result;
    if (!kernel)
        return aesmith_aes128_key_NULL;
    return launched(kernel, groups > kernel->groups ? kernel->groups : groups, stream, arguments);
}

/* Elements in a buffer, and where their result goes. */
typedef struct {
    buffer memory;
    uint8_t *out;
    size_t count;
} piece;

/* Waits for a piece, and takes its result out. */
static int taken(piece *p)
{
    if (!p->count)
        return aesmith_aes128_key_OK;
    if (cuStreamSynchronize(p->memory.stream) != CUDA_SUCCESS)
        return aesmith_aes128_key_DRIVER;
    memcpy(p->out, p->memory.host, MADE * p->count);
    p->count = 0;
    return aesmith_aes128_key_OK;
}

int aesmith_aes128_key_expand_host(aesmith_aes128_key_kernel *kernel, uint8_t *out, const uint8_t *in, size_t count)
{
    piece pieces[2];
    size_t room = AESMITH_CHUNK / (MADE / 16), apart, done, number;
    int result = aesmith_aes128_key_OK;
    if ((unsigned long long)count >> 38)
        return aesmith_aes128_key_LENGTH;
    if (overlaps((uintptr_t)out, (uintptr_t)in, count, HOST_APART))
        return aesmith_aes128_key_OVERLAP;
    if (!count)
        return aesmith_aes128_key_OK;
    if (!kernel || !in || !out)
        return aesmith_aes128_key_NULL;
    memset(pieces, 0, sizeof pieces);
    room = count < room ? count : room ? room : 1;
    /* From which byte on results stand in device memory. */
    apart = APART * ((TAKEN * room + 15) / 16 * 16);
    for (number = 0; number < 2 && result == aesmith_aes128_key_OK; number++)
        result = opened(&pieces[number].memory, MADE * room, apart + MADE * room);
    for (done = 0, number = 0; done < count && result == aesmith_aes128_key_OK; done += room, number ^= 1) {
        piece *p = &pieces[number];
        const buffer *b = &p->memory;
        CUdeviceptr made = b->device + apart;
        size_t now = count - done < room ? count - done : room;
        result = taken(p);
        if (result != aesmith_aes128_key_OK)
            break;
        memcpy(b->host, in + TAKEN * done, TAKEN * now);
        if (cuMemcpyHtoDAsync(b->device, b->host, TAKEN * now, b->stream) != CUDA_SUCCESS) {
            result = aesmith_aes128_key_DRIVER;
            break;
        }
        result = aesmith_aes128_key_expand(kernel, made, b->device, now, b->stream);
        if (result == aesmith_aes128_key_OK && cuMemcpyDtoHAsync(b->host, made, MADE * now, b->stream) != CUDA_SUCCESS)
            result = aesmith_aes128_key_DRIVER;
        p->out = out + MADE * done;
        p->count = result == aesmith_aes128_key_OK ? now : 0;
    }
    /* The older of the two first. */
    for (done = 0; done < 2; done++, number ^= 1) {
        int ended = taken(&pieces[number]);
        if (result == aesmith_aes128_key_OK)
            result = ended;
    }
    for (number = 0; number < 2; number++)
        closed(&pieces[number].memory);
    return result;
}
