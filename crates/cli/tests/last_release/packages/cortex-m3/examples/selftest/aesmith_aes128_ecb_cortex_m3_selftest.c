/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Published vectors (FIPS-197, SP 800-38A). aesmith_aes128_ecb_cortex_m3_selftest returns how many functions fail. */
#include "aesmith_aes128_ecb_cortex_m3.h"

static uint8_t digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void bytes(uint8_t *to, const char *hex, unsigned count)
{
    unsigned n;
    for (n = 0; n < count; n++) {
        to[n] = (uint8_t)(digit(hex[2 * n]) << 4 | digit(hex[2 * n + 1]));
    }
}

static int differs(const uint8_t *a, const char *hex, unsigned count)
{
    unsigned n;
    uint8_t wanted;
    for (n = 0; n < count; n++) {
        bytes(&wanted, hex + 2 * n, 1);
        if (a[n] != wanted) {
            return 1;
        }
    }
    return 0;
}

int aesmith_aes128_ecb_cortex_m3_selftest(void);

int aesmith_aes128_ecb_cortex_m3_selftest(void)
{
    static union { aesmith_aes128_key aes128; } key;
    static uint32_t cipher_key[8], text[16], result[16];
    int failed = 0;

    bytes((uint8_t *)cipher_key, "2b7e151628aed2a6abf7158809cf4f3c", 16);
    aesmith_aes128_init(&key.aes128, (uint8_t *)cipher_key);
    bytes((uint8_t *)text, "6bc1bee22e409f96e93d7e117393172a", 16);
    aesmith_aes128_encrypt(&key.aes128, (uint8_t *)text, (uint8_t *)result);
    failed += differs((uint8_t *)result, "3ad77bb40d7a3660a89ecaf32466ef97", 16);
    aesmith_aes128_wipe(&key.aes128);

    return failed;
}

#ifdef SELFTEST_MAIN
#include <stdio.h>

int main(void)
{
    int failed = aesmith_aes128_ecb_cortex_m3_selftest();
    puts(failed ? "FAILED" : "ok");
    return failed;
}
#endif
