// SPDX-License-Identifier: Apache-2.0 OR MIT
// Says on the serial line whether the library computes what is published.
#include <aesmith_aes128_ecb_cortex_m3.h>

extern "C" int aesmith_aes128_ecb_cortex_m3_selftest(void);

void setup() {
    Serial.begin(9600);
    Serial.println(aesmith_aes128_ecb_cortex_m3_selftest() ? "FAILED" : "ok");
}

void loop() {
}
