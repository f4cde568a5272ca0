/* SPDX-License-Identifier: @LICENCE@ */
/* The self-test as a program by itself, for an emulator. */
int SELFTEST(void);

#if defined(__AVR__)
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

/* simavr prints what the serial line gets, and ends where a processor sleeps that nothing wakes. */
int main(void)
{
    const char *said = SELFTEST() ? "selftest FAILED\n" : "selftest passed\n";
    for (; *said; said++) {
        while (!(UCSR0A & (1 << UDRE0))) {
        }
        UCSR0B = 1 << TXEN0;
        UDR0 = (unsigned char)*said;
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
#else
void _start(void);

/* Linux's `exit`. */
void _start(void)
{
#if defined(__arm__)
    register int failed __asm__("r0") = SELFTEST();
    register int call __asm__("r7") = 1;
    __asm__ volatile("svc 0" : : "r"(failed), "r"(call) : "memory");
#elif defined(__powerpc__)
    register int call __asm__("r0") = 1;
    register int failed __asm__("r3") = SELFTEST();
    __asm__ volatile("li 0, 1\n\tsc" : : "r"(failed), "r"(call) : "memory");
#elif defined(__i386__)
    int failed = SELFTEST();
    __asm__ volatile("int $0x80" : : "a"(1), "b"(failed) : "memory");
#elif defined(__sparc__)
    register long call __asm__("g1") = 1;
    register long failed __asm__("o0") = SELFTEST();
    __asm__ volatile("mov 1, %%g1\n\tta 0x6d" : : "r"(failed), "r"(call) : "memory");
#else
    register int failed __asm__("a0") = SELFTEST();
    register int call __asm__("a7") = 93;
    __asm__ volatile("ecall" : : "r"(failed), "r"(call) : "memory");
#endif
    for (;;) {
    }
}
#endif
