//! AVR (AVRe+: ATmega328P; AVRxt: ATtiny of the 0- and 1-series, AVR Dx): an 8-bit processor with 32 registers and
//! two memories.

mod bound;
#[cfg(test)]
mod checked_tests;
mod cycles;
mod dimensions;
mod elf;
mod gnu;
pub mod judge;
#[cfg(test)]
mod kernel_tests;
mod kernels;
#[cfg(test)]
mod meaning_tests;
mod table;
mod undefined;

use aesmith_cipher::firmware::Firmware;
use aesmith_isa::convention::{Convention, Halves, Return};
use aesmith_isa::image::Image;

use aesmith_arrange::{Table, Technique};
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;

const AVR: Core = Core {
    record: Record {
        checked: true,
        name: "avr",
        about: "ATmega328P (AVRe+): 8 bits, 32 KiB of flash, 2 KiB of RAM",
        model_about: "sums of the AVR Instruction Set Manual (DS40002198), column AVRe; simavr gives the same on every kernel",
        cached: false,
        table: &Table::new("avr", dimensions::DIMENSIONS, |_| Technique::Bytewise),
        solves: Firmware::is_offered,
        starts: include_str!("starts.txt"),
    },
    linking: &elf::LINKING,
    isa: &table::isa,
    timing: &cycles::TIMING,
    convention: &CONVENTION,
    memory: &[(Image::DATA + 0x100, 2048)],
    stack_top: Image::DATA + 0x8ff,
    buffers: Image::DATA + 0x500,
    build: &kernels::build,
    judges: &|| vec![Box::new(judge::Simavr::COUNTING)],
    bound: &|v| bound::bound(v, &cycles::TIMING),
    port: None,
    cpu: Some("atmega328p"),
    in_registers: kernels::in_registers,
    jump: Some(kernels::jump),
    gnu: gnu::gnu,
};

/// Prefixes of chip names, each with the processor of this family in these chips; the longest match counts. An empty
/// processor name marks chips with a similar name but another core.
pub static CHIPS: &[(&str, &str)] = &[
    ("arduino", "avr"),
    ("at90", "avr"),
    ("atmega", "avr"),
    ("atmega16", "avr"),
    ("atmega160", "avrxt"),
    ("atmega32", "avr"),
    ("atmega320", "avrxt"),
    ("atmega480", "avrxt"),
    ("atmega8", "avr"),
    ("atmega80", "avrxt"),
    ("attiny", "avr"),
    ("attiny10", ""),
    ("attiny102", ""),
    ("attiny104", ""),
    ("attiny11", ""),
    ("attiny12", ""),
    ("attiny15", ""),
    ("attiny160", "avrxt"),
    ("attiny161", "avrxt"),
    ("attiny162", "avrxt"),
    ("attiny1634", "avr"),
    ("attiny167", "avr"),
    ("attiny20", "avrxt"),
    ("attiny21", "avrxt"),
    ("attiny22", "avrxt"),
    ("attiny2313", "avr"),
    ("attiny24", "avr"),
    ("attiny25", "avr"),
    ("attiny26", "avr"),
    ("attiny28", ""),
    ("attiny321", "avrxt"),
    ("attiny322", "avrxt"),
    ("attiny40", "avrxt"),
    ("attiny41", "avrxt"),
    ("attiny42", "avrxt"),
    ("attiny43", "avr"),
    ("attiny4313", "avr"),
    ("attiny44", "avr"),
    ("attiny45", "avr"),
    ("attiny48", "avr"),
    ("attiny80", "avrxt"),
    ("attiny81", "avrxt"),
    ("attiny82", "avrxt"),
    ("atxmega", ""),
    ("avr128", "avrxt"),
    ("avr16", "avrxt"),
    ("avr32d", "avrxt"),
    ("avr32e", "avrxt"),
    ("avr64", "avrxt"),
];

/// The processors of this family.
pub static CORES: &[Core] = &[
    AVR,
    Core {
        record: Record {
            checked: true,
            name: "avrxt",
            about: "AVRxt: ATtiny of the 0- and 1-series, ATmega of the 0-series, AVR DA, DB and DD",
            model_about: "modelled: sums of the AVR Instruction Set Manual (DS40002198), column AVRxt, data and stack in \
                          internal RAM; no judge that is free counts an AVRxt's cycles",
            table: &Table::new("avrxt", dimensions::DIMENSIONS, |_| Technique::Bytewise),
            ..AVR.record
        },
        isa: &table::isa_xt,
        convention: &CONVENTION_XT,
        timing: &cycles::AVRXT,
        judges: &|| vec![Box::new(judge::Simavr::OUTPUTS)],
        bound: &|v| bound::bound(v, &cycles::AVRXT),
        // The architecture of the ATtiny of the 0- and 1-series in the GNU tools.
        cpu: Some("avrxmega3"),
        ..AVR
    },
];

const BASE: Convention = Convention {
    name: "avr-gcc",
    source: "avr-gcc's ABI (GCC wiki, avr-gcc: Calling Convention)",
    arguments: &[
        &[24, 25],
        &[22, 23],
        &[20, 21],
        &[18, 19],
        &[16, 17],
        &[14, 15],
        &[12, 13],
        &[10, 11],
        &[8, 9],
    ],
    stack_pointer: 32,
    stack_arguments: 1,
    alignment: 1,
    red_zone: 0,
    saves: (0, 0),
    returns: Return::Pushed(2),
    // Register 40 is the global interrupt enable flag.
    saved: &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 40],
    fixed: &[(1, 0)],
    windows: None,
    stack_alignment: 1,
    held_alignment: 1,
    back_chain: false,
    callers_by_fours: false,
    slot: 0,
    reserved: &[],
    halves: Some(Halves {
        interrupts: 40,
        low_first: false,
        source: "AVR Instruction Set Manual (DS40002198), CLI and SEI",
    }),
    buffers: 1,
};

static CONVENTION: Convention = BASE;

/// The convention where the address of return takes three bytes.
pub(crate) const CONVENTION_OF_THREE_BYTES: Convention = Convention { returns: Return::Pushed(3), ..BASE };
pub(crate) const CONVENTION_XT_OF_THREE_BYTES: Convention =
    Convention { returns: Return::Pushed(3), ..BASE_XT };

/// A write of SPL holds off interrupts for four instructions, or until the next write to a peripheral.
const BASE_XT: Convention = Convention {
    halves: Some(Halves {
        interrupts: 40,
        low_first: true,
        source: "megaAVR 0-series Family Data Sheet (DS40002015), 7.7.2, Stack Pointer",
    }),
    ..BASE
};

static CONVENTION_XT: Convention = BASE_XT;
