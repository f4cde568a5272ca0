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
use aesmith_processor::core::{Chips, Core, InChip};
use aesmith_processor::processor::Record;

const AVR: Core = Core {
    record: Record {
        checked: Some("avr"),
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

/// Chips with a core of this family. GCC's lists of chips by architecture (GCC manual, AVR Options) tell which of them have
/// `MUL`, `JMP` and `CALL` (avr5, avr51 and avr6), lack some of these (avr25, avr35 and avr4), lack `MOVW` or `LPM` into any
/// register (avr1, avr2, avr3 and avr31), or have 16 registers (avrtiny).
pub static CHIPS: &Chips = &[
    (
        InChip::Is("avr"),
        "at90can128 at90can32 at90can64 at90pwm161 at90pwm216 at90pwm316 at90scr100 at90usb1286 at90usb1287
         at90usb646 at90usb647 atmega128 atmega1280 atmega1281 atmega1284 atmega1284p atmega1284rfr2
         atmega128a atmega128rfa1 atmega128rfr2 atmega16 atmega161 atmega162 atmega163 atmega164a atmega164p
         atmega164pa atmega165 atmega165a atmega165p atmega165pa atmega168 atmega168a atmega168p atmega168pa
         atmega168pb atmega169 atmega169a atmega169p atmega169pa atmega16a atmega16hva atmega16hva2
         atmega16hvb atmega16hvbrevb atmega16m1 atmega16u4 atmega2560 atmega2561 atmega2564rfr2 atmega256rfr2
         atmega32 atmega323 atmega324a atmega324p atmega324pa atmega325 atmega3250 atmega3250a atmega3250p
         atmega3250pa atmega325a atmega325p atmega325pa atmega328 atmega328p atmega328pb atmega329 atmega3290
         atmega3290a atmega3290p atmega3290pa atmega329a atmega329p atmega329pa atmega32a atmega32c1
         atmega32hvb atmega32hvbrevb atmega32m1 atmega32u4 atmega32u6 atmega406 atmega64 atmega640 atmega644
         atmega644a atmega644p atmega644pa atmega644rfr2 atmega645 atmega6450 atmega6450a atmega6450p
         atmega645a atmega645p atmega649 atmega6490 atmega6490a atmega6490p atmega649a atmega649p atmega64a
         atmega64c1 atmega64hve atmega64hve2 atmega64m1 atmega64rfr2 arduinoleonardo arduinomega arduinomicro
         arduinonano arduinopromini arduinouno",
    ),
    (
        InChip::Is("avrxt"),
        "atmega808 atmega809 atmega1608 atmega1609 atmega3208 atmega3209 atmega4808 atmega4809 attiny202
         attiny204 attiny212 attiny214 attiny402 attiny404 attiny406 attiny412 attiny414 attiny416 attiny417
         attiny424 attiny426 attiny427 attiny804 attiny806 attiny807 attiny814 attiny816 attiny817 attiny824
         attiny826 attiny827 attiny1604 attiny1606 attiny1607 attiny1614 attiny1616 attiny1617 attiny1624
         attiny1626 attiny1627 attiny3214 attiny3216 attiny3217 attiny3224 attiny3226 attiny3227 avr16dd*
         avr16du* avr16ea* avr16eb* avr32da* avr32db* avr32dd* avr32du* avr32ea* avr32eb* avr64da* avr64db*
         avr64dd* avr64du* avr64ea* avr128da* avr128db*",
    ),
    (
        InChip::Lacks("avr"),
        "at90pwm1 at90pwm2 at90pwm2b at90pwm3 at90pwm3b at90pwm81 at90usb162 at90usb82 atmega16u2 atmega32u2
         atmega48 atmega48a atmega48p atmega48pa atmega48pb atmega8 atmega8515 atmega8535 atmega88 atmega88a
         atmega88p atmega88pa atmega88pb atmega8a atmega8hva atmega8u2 attiny13 attiny13a attiny1634
         attiny167 attiny2313 attiny2313a attiny24 attiny24a attiny25 attiny261 attiny261a attiny4313
         attiny43u attiny44 attiny441 attiny44a attiny45 attiny461 attiny461a attiny48 attiny828 attiny84
         attiny841 attiny84a attiny85 attiny861 attiny861a attiny87 attiny88",
    ),
    (
        InChip::Another,
        "at90c8534 at90s1200 at90s2313 at90s2323 at90s2333 at90s2343 at90s4414 at90s4433 at90s4434 at90s8515
         at90s8535 atmega103 attiny10 attiny11 attiny12 attiny15 attiny20 attiny22 attiny26 attiny28 attiny4
         attiny40 attiny5 attiny9 attiny102 attiny104 atxmega*",
    ),
];

/// The processors of this family.
pub static CORES: &[Core] = &[
    AVR,
    Core {
        record: Record {
            checked: Some("avr"),
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
