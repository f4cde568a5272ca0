/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls a function of an AVR program in libsimavr as often as it is told to and says what each call
 * gave and cost. Reads lines from standard input and answers on standard output, in the words of
 * outside/runner.rs. The processor is an ATmega328P (AVRe+, 16-bit program counter).
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simavr/sim_avr.h>
#include <simavr/sim_core.h>

enum {
    DATA = 0x800000,   /* where GNU binutils put the data memory */
    RAM_FIRST = 0x100, /* ATmega328P datasheet, section 8.3: registers and I/O lie below */
    ARGUMENT_BYTES = 18, /* r25 down to r8 carry arguments */
    LINE = 4 << 20,
};

struct write {
    uint32_t address, length;
    uint8_t *bytes;
};
struct read {
    uint32_t address, length;
};

static avr_t *avr;
static uint8_t *ram;    /* data memory as loaded */
static uint8_t *loaded; /* for each byte of flash, whether the program has it */
static uint32_t function, return_address;
static uint64_t limit = 1000000;
static uint32_t arguments[64], argument_count;
static struct write writes[256];
static unsigned write_count;
static struct read reads[256];
static unsigned read_count;

static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("error ", stdout);
    vprintf(format, values);
    putchar('\n');
    fflush(stdout);
    exit(0);
}

static void silent(struct avr_t *a, const int level, const char *format, va_list values) {
    (void)a, (void)level, (void)format, (void)values;
}

static int digit(char c) {
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static uint8_t *bytes_of(const char *hex, uint32_t *length) {
    *length = strspn(hex, "0123456789abcdef") / 2;
    uint8_t *bytes = malloc(*length + 1);
    for (uint32_t i = 0; i < *length; i++)
        bytes[i] = digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]);
    return bytes;
}

/* A place in the data memory, or the end with a sentence. */
static uint8_t *data_at(uint32_t address, uint32_t length, const char *what) {
    uint32_t at = address - DATA;
    if (address < DATA || at < RAM_FIRST || at + length > (uint32_t)avr->ramend + 1)
        fail("%s of %u bytes at %#x is not in the RAM of an ATmega328P (0x800100 to 0x8008ff)", what,
             length, address);
    return avr->data + at;
}

static void load(uint32_t address, const char *hex) {
    uint32_t length;
    uint8_t *bytes = bytes_of(hex, &length);
    if (address >= DATA) {
        uint8_t *at = data_at(address, length, "a segment");
        memcpy(ram + (at - avr->data), bytes, length);
    } else {
        /* The last word of flash is where the function returns to. */
        if (address + length > return_address)
            fail("a segment of %u bytes at %#x does not fit into the flash of an ATmega328P (32 KiB "
                 "less two bytes)", length, address);
        memcpy(avr->flash + address, bytes, length);
        memset(loaded + address, 1, length);
    }
    free(bytes);
}

static uint16_t stack_pointer(void) {
    return avr->data[R_SPL] | avr->data[R_SPH] << 8;
}

static void push(uint8_t byte) {
    uint16_t sp = stack_pointer();
    avr->data[sp--] = byte;
    avr->data[R_SPL] = sp & 255;
    avr->data[R_SPH] = sp >> 8;
}

/* avr-gcc's convention: r2 to r17, r28 and r29 are the caller's, r1 is zero. */
static int kept(int r) {
    return (r >= 1 && r <= 17) || r == 28 || r == 29;
}

static void call(void) {
    avr_reset(avr);
    avr->state = cpu_Running;
    memcpy(avr->data + RAM_FIRST, ram + RAM_FIRST, avr->ramend + 1 - RAM_FIRST);
    for (int r = 0; r < 32; r++)
        avr->data[r] = r == 1 ? 0 : 0xa5 ^ (r * 7);
    for (unsigned i = 0; i < write_count; i++)
        memcpy(data_at(writes[i].address, writes[i].length, "memory to write"), writes[i].bytes,
               writes[i].length);
    avr->data[R_SPL] = avr->ramend & 255;
    avr->data[R_SPH] = avr->ramend >> 8;
    unsigned in_registers = argument_count < ARGUMENT_BYTES / 2 ? argument_count : ARGUMENT_BYTES / 2;
    for (unsigned i = argument_count; i-- > in_registers;) {
        push(arguments[i] >> 8);
        push(arguments[i] & 255);
    }
    for (unsigned i = 0; i < in_registers; i++) {
        avr->data[24 - 2 * i] = arguments[i] & 255;
        avr->data[25 - 2 * i] = arguments[i] >> 8;
    }
    uint16_t before = stack_pointer();
    push(return_address >> 1 & 255);
    push(return_address >> 9);
    uint16_t entry = stack_pointer(), lowest = entry;
    uint8_t expected[32];
    memcpy(expected, avr->data, sizeof expected);

    avr->pc = function;
    avr_cycle_count_t start = avr->cycle;
    uint64_t executed = 0;
    while (avr->pc != return_address) {
        avr_flashaddr_t pc = avr->pc;
        if (executed++ == limit)
            fail("the function did not return within %llu instructions; it was at %#x",
                 (unsigned long long)limit, (unsigned)pc);
        if (pc > avr->flashend || !loaded[pc])
            fail("the program ran to %#x, where it has no instruction", (unsigned)pc);
        int state = avr_run(avr);
        if (state != cpu_Running)
            fail("simavr stopped at %#x: no instruction, a sleep, or an access outside memory",
                 (unsigned)pc);
        uint16_t sp = stack_pointer();
        if (sp < lowest)
            lowest = sp;
    }
    uint64_t cycles = avr->cycle - start;
    if (stack_pointer() != before)
        fail("the function returned with the stack pointer at %#x instead of %#x", stack_pointer(),
             before);
    for (int r = 0; r < 32; r++)
        if (kept(r) && avr->data[r] != expected[r])
            fail("the function returned with r%d changed, which belongs to its caller%s", r,
                 r == 1 ? " (it has to be zero)" : "");
    printf("ok %llu %llu %u", (unsigned long long)cycles, (unsigned long long)executed,
           (unsigned)(entry - lowest));
    for (unsigned i = 0; i < read_count; i++) {
        const uint8_t *at = data_at(reads[i].address, reads[i].length, "memory to read");
        putchar(' ');
        putchar('x');
        for (uint32_t j = 0; j < reads[i].length; j++)
            printf("%02x", at[j]);
    }
    putchar('\n');
    for (unsigned i = 0; i < write_count; i++)
        free(writes[i].bytes);
    write_count = read_count = argument_count = 0;
}

int main(void) {
    avr_global_logger_set(silent);
    avr = avr_make_mcu_by_name("atmega328p");
    if (!avr)
        fail("this libsimavr has no ATmega328P");
    avr_init(avr);
    avr->log = LOG_NONE;
    avr->frequency = 16000000;
    return_address = avr->flashend - 1;
    memset(avr->flash, 0xff, avr->flashend + 1);
    ram = calloc(1, avr->ramend + 1);
    loaded = calloc(1, avr->flashend + 1);
    char *line = malloc(LINE);
    while (fgets(line, LINE, stdin)) {
        char *rest, *word = strtok_r(line, " \n", &rest);
        if (!word)
            continue;
        char *first = strtok_r(NULL, " \n", &rest);
        char *second = strtok_r(NULL, " \n", &rest);
        uint32_t value = first ? strtoul(first, NULL, 16) : 0;
        if (!strcmp(word, "segment"))
            load(value, strtok_r(NULL, " \n", &rest));
        else if (!strcmp(word, "function"))
            function = value;
        else if (!strcmp(word, "limit"))
            limit = strtoull(first, NULL, 16);
        else if (!strcmp(word, "argument") && argument_count < 64)
            arguments[argument_count++] = value;
        else if (!strcmp(word, "write") && write_count < 256) {
            struct write *w = &writes[write_count++];
            w->address = value;
            w->bytes = bytes_of(second, &w->length);
        } else if (!strcmp(word, "read") && read_count < 256)
            reads[read_count++] = (struct read){value, strtoul(second, NULL, 16)};
        else if (!strcmp(word, "call"))
            call();
        else
            fail("the runner was told '%s', which it does not know, or too much at once", word);
    }
    return 0;
}
