//! Options of the GNU tools and conditions of the C preprocessor for AVR.

use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Builds, Emulator, Gnu, NOT_ELF, Optional, Platform, Reach, Wrong, cpu, wrong};

/// Cores that lack what the kernels need (AVRe with all registers, or later): cores with 16 registers lack the lower
/// ones, and the first cores have neither `movw` nor `lpm` with a register operand.
const OLD: [Wrong; 3] = [
    NOT_ELF,
    wrong("defined(__AVR_TINY__)", "a core of 16 registers (AVRrc: ATtiny4 to ATtiny40)"),
    wrong(
        "!defined(__AVR_HAVE_MOVW__) || !defined(__AVR_HAVE_LPMX__)",
        "a core without movw and lpm of any register",
    ),
];

const AVRE: Builds = Builds {
    meant: "defined(__AVR__)",
    meant_earlier: None,
    defines: &["__AVR__", "__ELF__", "__AVR_HAVE_MOVW__", "__AVR_HAVE_LPMX__"],
    form: "AVRe and later with 32 registers",
    wrong: &OLD,
    wrong_with_addresses: &[],
};

/// Only on AVRxt and AVRxm does a write of SPL hold off interrupts: elsewhere an interrupt may come between the
/// writes of the two halves of the stack pointer.
const AVRXT: Builds = Builds {
    defines: &["__AVR__", "__ELF__", "__AVR_HAVE_MOVW__", "__AVR_HAVE_LPMX__", "__AVR_XMEGA__"],
    form: "AVRxt",
    wrong: &[OLD[0], OLD[1], OLD[2], wrong("!defined(__AVR_XMEGA__)", "an AVR before AVRxm and AVRxt")],
    ..AVRE
};

/// The GNU tool settings of a processor.
pub fn gnu(core: &Core) -> Gnu {
    let cpu = cpu(core);
    // The flags of the GNU tools name a device, or an architecture for which the tools have no start-up code.
    let architecture = cpu.starts_with("avr");
    Gnu {
        flags: format!("-mmcu={cpu}"),
        // The linker accepts object files of devices as they are, but must be told the architecture.
        linker: if architecture { format!("-m{cpu}") } else { String::new() },
        // No AVR has a cache.
        uncached: "1",
        // Compilers define it for devices with more than 64 KiB of flash.
        reach: Some(Reach {
            more: "defined(__AVR_HAVE_ELPM__)",
            by: "lpm",
            bytes: 1 << 16,
            nothing: "R_AVR_NONE",
        }),
        optional: &[
            Optional {
                has_row: |row| ["jmp", "call"].contains(&row.name.as_str()),
                has: "defined(__AVR_HAVE_JMP_CALL__)",
                name: "jmp and call",
            },
            Optional {
                has_row: |row| row.class == "multiply",
                has: "defined(__AVR_HAVE_MUL__)",
                name: "the multiplier",
            },
        ],
        // simavr simulates devices, the ATmega328P among them; architectures stand for AVRxt here.
        emulator: (!architecture).then_some(Emulator {
            command: "simavr -m atmega328p -f 16000000",
            package: "simavr",
            linker: "",
        }),
        arduino: Some(if architecture { "megaavr" } else { "avr" }),
        platforms: if architecture {
            &[Platform { name: "atmelmegaavr", uncached: true }]
        } else {
            &[Platform { name: "atmelavr", uncached: true }]
        },
        ..Gnu::plain("avr-", if architecture { AVRXT } else { AVRE }, ";", "binutils-avr gcc-avr avr-libc")
    }
}
