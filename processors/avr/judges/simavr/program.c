/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands for the program `simavr` where only its library is installed: `-m DEVICE -f HERTZ FILE` runs FILE
   until the processor sleeps for good, and prints what its serial line gets. */
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    elf_firmware_t firmware;
    avr_t *avr;
    long steps;
    int state = cpu_Running;
    if (count != 6 || strcmp(arguments[1], "-m") || strcmp(arguments[3], "-f")) {
        fprintf(stderr, "simavr -m DEVICE -f HERTZ FILE\n");
        return 2;
    }
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(arguments[5], &firmware)) {
        return 1;
    }
    firmware.frequency = (uint32_t)atol(arguments[4]);
    avr = avr_make_mcu_by_name(arguments[2]);
    if (!avr || avr_init(avr)) {
        return 1;
    }
    avr_load_firmware(avr, &firmware);
    for (steps = 0; steps < 100000000 && state != cpu_Done && state != cpu_Crashed; steps++) {
        state = avr_run(avr);
    }
    avr_terminate(avr);
    return state != cpu_Done;
}
