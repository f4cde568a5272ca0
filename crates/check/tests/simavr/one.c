/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Executes single instructions of an ATmega328P in libsimavr. A line of standard input has, in hexadecimal, the code (6
 * bytes, from address 0x400 on), r0 to r31, SREG, and the stack pointer (high byte first). The rest of the memories holds
 * `filler` of the addresses. The answer has registers, SREG, stack pointer and program counter, and all changed bytes of RAM.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

enum { AT = 0x400, RAM_FIRST = 0x100 };

static uint8_t filler(unsigned address) {
    return (address * 181 + (address >> 8) * 59 + 7) & 255;
}

static void silent(struct avr_t *a, const int level, const char *format, va_list values) {
    (void)a, (void)level, (void)format, (void)values;
}

static int digit(char c) {
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

int main(void) {
    avr_global_logger_set(silent);
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    if (!avr)
        return 1;
    avr_init(avr);
    avr->log = LOG_NONE;
    avr->frequency = 16000000;
    for (unsigned i = 0; i <= avr->flashend; i++)
        avr->flash[i] = filler(i);
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint8_t bytes[41];
        if (strlen(line) < 2 * sizeof bytes)
            return 2;
        for (unsigned i = 0; i < sizeof bytes; i++)
            bytes[i] = digit(line[2 * i]) << 4 | digit(line[2 * i + 1]);
        avr_reset(avr);
        avr->state = cpu_Running;
        memcpy(avr->flash + AT, bytes, 6);
        for (unsigned i = RAM_FIRST; i <= avr->ramend; i++)
            avr->data[i] = filler(i);
        memcpy(avr->data, bytes + 6, 32);
        for (unsigned i = 0; i < 8; i++)
            avr->sreg[i] = bytes[38] >> i & 1;
        avr->data[R_SPH] = bytes[39];
        avr->data[R_SPL] = bytes[40];
        avr->pc = AT;
        avr_run(avr);
        for (unsigned i = 0; i < 32; i++)
            printf("%02x", avr->data[i]);
        unsigned flags = 0;
        for (unsigned i = 0; i < 8; i++)
            flags |= avr->sreg[i] << i;
        printf(" %02x %02x%02x %x", flags, avr->data[R_SPH], avr->data[R_SPL], (unsigned)avr->pc);
        for (unsigned i = RAM_FIRST; i <= avr->ramend; i++)
            if (avr->data[i] != filler(i))
                printf(" %x=%02x", i, avr->data[i]);
        putchar('\n');
    }
    return 0;
}
