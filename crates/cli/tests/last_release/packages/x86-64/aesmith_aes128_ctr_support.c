/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Written by aesmith 0.1.0. */
#include "aesmith_aes128_ctr.h"

#include <cpuid.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN void aesmith_aes128_ctr_schedule(aesmith_aes128_ctr_key *key, const uint8_t *key_bytes);

/* 1 if this CPU and system can run the kernel, else 2. */
static int ask(void)
{
    unsigned int a, b, leaf1_ecx, d, leaf7_ebx, leaf7_ecx, saved = 0;
    if (!__get_cpuid(1, &a, &b, &leaf1_ecx, &d)) {
        leaf1_ecx = 0;
    }
    if (!__get_cpuid_count(7, 0, &a, &leaf7_ebx, &leaf7_ecx, &d)) {
        leaf7_ebx = leaf7_ecx = 0;
    }
    /* The system must use XSAVE (bit 27), and XCR0 says which registers it saves. */
    if ((leaf1_ecx & 0x08000000u) != 0) {
        __asm__ __volatile__("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
    }
    /* aes, avx, bmi2, avx512f, avx512bw, vaes */
    if ((leaf1_ecx & 0x12000000u) == 0x12000000u
        && (leaf7_ebx & 0x40010100u) == 0x40010100u
        && (leaf7_ecx & 0x00000200u) == 0x00000200u
        && (saved & 0xe6u) == 0xe6u) {
        return 1;
    }
    return 2;
}

/*
 * The answer, 0 before the question: CPUID takes microseconds in a virtual machine. Threads that
 * ask at the same time find the same, so it does not matter which of them writes it.
 */
static int answer;

static int chosen(void)
{
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (known == 0) {
        known = ask();
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known;
}

void aesmith_aes128_ctr_init(aesmith_aes128_ctr_key *key, const uint8_t *key_bytes)
{
    aesmith_aes128_ctr_schedule(key, key_bytes);
}

void aesmith_aes128_ctr_wipe(aesmith_aes128_ctr_key *key)
{
    memset(key, 0, sizeof *key);
    /* The zeros are used, as far as the compiler knows. */
    __asm__ __volatile__("" : : "r"(key) : "memory");
}

const char *aesmith_aes128_ctr_kernel(void)
{
    return "vaes; "
           "aes128-ctr width=zmm keys=0x7fff interleave=1 distance=0 ii=3 prefetch=none source=1 ahead=0 restrict=no streaming=no cached=2 counter=add fold=yes loop=bottom align=1 tail=step wipe=no; "
           "sha256=6842745816257a4e1eca9466d9eb084522bb31d92da8ff084a4b4174b79ba8e3";
}

int aesmith_aes128_ctr_supported(void)
{
    return chosen() <= 1;
}
