//! The lines of the table: target figures for each processor, with their sources.

use aesmith_tune::evaluate::costing::Point;
use aesmith_tune::front::Budgets;

/// The figure that must be reached, and the figure aimed at.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// In the line's unit: cycles, cycles per byte or instructions.
    Cycles(f64, f64),
    /// Fractions above the bound.
    AboveBound(f64, f64),
    /// No target: the figure is shown with its bound.
    Shown,
}

/// The unit of a figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Per block or key, as the function is called.
    Call,
    /// Per block in registers, without call and return.
    Registers,
    /// Per byte.
    Byte,
    /// Instructions per additional block of a long message.
    Instructions,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The processor.
    pub processor: &'static str,
    /// The problem.
    pub problem: &'static str,
    /// A description of the line.
    pub what: &'static str,
    /// The target figures.
    pub target: Target,
    /// The unit of the figure.
    pub unit: Unit,
    /// True if only constant-time kernels count.
    pub constant_time: bool,
    /// The published code whose figure must be reached, and how it is counted; empty if the goal is ours.
    pub source: &'static str,
    /// Hard limits.
    pub budgets: Budgets,
    /// True for kernels that count.
    pub only: Option<fn(&Point) -> bool>,
    /// True if the limits apply to a package with encryption, decryption and their key schedules, chosen
    /// together; the figure is that of one function.
    pub package: bool,
}

const NONE: Budgets = Budgets { flash: None, ram: None, stack: None };

pub(super) const fn line(
    processor: &'static str,
    problem: &'static str,
    what: &'static str,
    target: Target,
) -> Line {
    Line {
        processor,
        problem,
        what,
        target,
        unit: Unit::Call,
        constant_time: false,
        source: "",
        budgets: NONE,
        only: None,
        package: false,
    }
}

fn registers(point: &Point) -> bool {
    point.variant.text_of("convention") == Some("registers") && point.cost.ram > 0
}

fn keys_of_encryption(point: &Point) -> bool {
    point.variant.text_of("keys") == Some("forward")
}

fn registers_and_keys_of_encryption(point: &Point) -> bool {
    registers(point) && keys_of_encryption(point)
}

fn registers_and_flash(point: &Point) -> bool {
    point.variant.text_of("convention") == Some("registers") && point.cost.ram == 0
}

fn single(point: &Point) -> bool {
    point.blocks == 1
}

fn bytes(point: &Point) -> bool {
    point.variant.text_of("technique") == Some("bytewise")
}

fn looks_up(point: &Point) -> bool {
    point.variant.text_of("technique") == Some("table")
}

fn permutes(point: &Point) -> bool {
    point.variant.text_of("technique") == Some("vperm")
}

/// A loop over messages, with its excess over its bound.
const fn of_loop(processor: &'static str, problem: &'static str, only: Option<fn(&Point) -> bool>) -> Line {
    Line { only, ..line(processor, problem, "loop", Target::AboveBound(0.05, 0.02)) }
}

fn two(point: &Point) -> bool {
    point.blocks == 2
}

/// Tables in flash, none in RAM.
const FLASH: Budgets = Budgets { flash: None, ram: Some(0), stack: None };
const fn within(flash: u64) -> Budgets {
    Budgets { flash: Some(flash), ..FLASH }
}

/// A function of one package in as many bytes of flash as the published one, without tables in RAM.
const fn of_package(problem: &'static str, target: Target) -> Line {
    let what = "function of a package within 2,170 bytes";
    Line { budgets: within(2170), package: true, source: RGRGRG_C, ..line("avr", problem, what, target) }
}

/// Published code, and how its figure is counted.
const RGRGRG_REGISTERS: &str = "rgrgrg/AVR-AES-faster: a block in registers, without call and return";
const RGRGRG_C: &str = "rgrgrg/AVR-AES-faster: C functions of one package in 2,170 bytes, tables in flash";
const RGRGRG_SMALL: &str = "rgrgrg/AVR-AES-faster: a block in registers, S-box in flash, 662 bytes in all";
const JNK0LE: &str = "jnk0le/cortexm-AES: a C function, by this model";
const STOFFELEN: &str = "Stoffelen 2019: a C function, one block, by the same judge";
const STOFFELEN_MEAN: &str =
    "Stoffelen 2019: one block; mean of 1,000 random blocks 1,122, by the same judge";

const OPENSSL_ALTIVEC: &str =
    "OpenSSL, vpaes-ppc: 11.9 cycles/byte for one stream on a 74x0, measured; ours are modelled";
const BERNSTEIN_SCHWABE_G4: &str =
    "Bernstein and Schwabe 2008: 233 cycles on a PowerPC G4, measured; ours are modelled";

const BERNSTEIN_SCHWABE_ULTRASPARC: &str =
    "Bernstein and Schwabe 2008: 193 cycles on an UltraSPARC III, measured; ours are modelled";

const BERNSTEIN_SCHWABE_PENTIUM4: &str =
    "Bernstein and Schwabe 2008: 415 instructions on a Pentium 4, for which no free model gives cycles";

const OSVIK_SPU: &str =
    "Osvik et al. 2010: 11.1 cycles/byte, 13.8 Gbps of a PlayStation 3, measured; ours are modelled";
const OSVIK_SPU_DECRYPTION: &str =
    "Osvik et al. 2010: 14.2 cycles/byte, 10.8 Gbps of a PlayStation 3, measured; ours are modelled";

/// The table.
pub const LINES: &[Line] = &[
    Line {
        unit: Unit::Registers,
        only: Some(registers),
        source: RGRGRG_REGISTERS,
        ..line("avr", "aes128-ecb", "block in registers, tables in RAM", Target::Cycles(1570.0, 1500.0))
    },
    Line {
        unit: Unit::Registers,
        only: Some(registers),
        source: RGRGRG_REGISTERS,
        ..line("avr", "aes128-ecb-dec", "block in registers, tables in RAM", Target::Cycles(2074.0, 2000.0))
    },
    Line {
        unit: Unit::Registers,
        only: Some(registers_and_keys_of_encryption),
        source: RGRGRG_REGISTERS,
        ..line(
            "avr",
            "aes128-ecb-dec",
            "block in registers, round keys of encryption",
            Target::Cycles(2074.0, 1800.0),
        )
    },
    Line {
        unit: Unit::Registers,
        budgets: FLASH,
        only: Some(registers_and_flash),
        source: RGRGRG_REGISTERS,
        ..line("avr", "aes128-ecb", "block in registers, tables in flash", Target::Cycles(1950.0, 1900.0))
    },
    Line {
        unit: Unit::Registers,
        // The limit includes the C function around the block.
        budgets: within(800),
        only: Some(registers_and_flash),
        source: RGRGRG_SMALL,
        ..line("avr", "aes128-ecb", "smallest, block in registers", Target::Cycles(2111.0, 2000.0))
    },
    of_package("aes128-ecb", Target::Cycles(2243.0, 2000.0)),
    of_package("aes128-ecb-dec", Target::Cycles(2829.0, 2500.0)),
    of_package("aes128-key", Target::Cycles(851.0, 800.0)),
    line("avr", "aes128-ctr", "a block of a message", Target::Cycles(1400.0, 1300.0)),
    line("avr", "aes128-key", "key schedule", Target::Cycles(700.0, 650.0)),
    line("arm9tdmi", "aes128-ecb", "encrypt", Target::Cycles(544.0, 540.0)),
    line("strongarm", "aes128-ecb", "encrypt", Target::Cycles(544.0, 540.0)),
    Line {
        source: JNK0LE,
        ..line("cortex-m3", "aes128-ecb", "encrypt, unrolled", Target::Cycles(595.0, 580.0))
    },
    Line {
        source: JNK0LE,
        ..line("cortex-m4", "aes128-ecb", "encrypt, unrolled", Target::Cycles(595.0, 580.0))
    },
    Line {
        budgets: within(1400),
        ..line(
            "cortex-m3",
            "aes128-ecb",
            "within 1,400 bytes of flash, none of RAM",
            Target::Cycles(700.0, 623.0),
        )
    },
    Line {
        source: JNK0LE,
        ..line("cortex-m3", "aes128-ctr", "a block of a message", Target::Cycles(489.0, 475.0))
    },
    Line {
        source: JNK0LE,
        ..line("cortex-m4", "aes128-ctr", "a block of a message", Target::Cycles(489.0, 475.0))
    },
    Line {
        unit: Unit::Byte,
        constant_time: true,
        only: Some(two),
        ..line("cortex-m4", "aes128-ecb", "constant time, 2 blocks", Target::Cycles(84.0, 80.0))
    },
    Line {
        // Its code and the 256 bytes of its S-box.
        budgets: within(472 + 256),
        only: Some(bytes),
        source: "jnk0le/cortexm-AES: a C function with byte look-ups in 472 bytes of code, by this model",
        ..line(
            "cortex-m4",
            "aes128-ecb",
            "single block, byte S-box, within 728 bytes of flash",
            Target::Cycles(838.0, 800.0),
        )
    },
    Line {
        constant_time: true,
        only: Some(single),
        ..line("cortex-m4", "aes128-ecb", "constant time, single block, no look-up", Target::Shown)
    },
    Line { source: JNK0LE, ..line("cortex-m0", "aes128-ecb", "encrypt", Target::Cycles(1125.0, 1080.0)) },
    Line {
        budgets: within(756),
        source: JNK0LE,
        ..line(
            "cortex-m0",
            "aes128-ecb",
            "within 756 bytes of flash, none of RAM",
            Target::Cycles(1642.0, 1567.0),
        )
    },
    Line {
        constant_time: true,
        only: Some(two),
        ..line("cortex-m0", "aes128-ecb", "constant time, 2 blocks", Target::Shown)
    },
    Line { source: STOFFELEN, ..line("fe310", "aes128-ecb", "T-tables", Target::Cycles(890.0, 890.0)) },
    Line { source: STOFFELEN, ..line("picorv32", "aes128-ecb", "T-tables", Target::Cycles(3121.0, 3121.0)) },
    Line { source: STOFFELEN, ..line("ibex", "aes128-ecb", "T-tables", Target::Cycles(1115.0, 1115.0)) },
    Line {
        source: STOFFELEN,
        ..line("ibex-writeback", "aes128-ecb", "T-tables", Target::Cycles(891.0, 891.0))
    },
    Line {
        source: STOFFELEN_MEAN,
        ..line("vexriscv", "aes128-ecb", "T-tables, mean of random blocks", Target::Cycles(1020.0, 980.0))
    },
    line("rv32-zkn", "aes128-ecb", "AES instructions", Target::Cycles(275.0, 260.0)),
    line("microblaze-5", "aes128-ecb", "tables, LMB", Target::AboveBound(0.08, 0.03)),
    Line {
        constant_time: true,
        only: Some(two),
        ..line("microblaze-5", "aes128-ecb", "constant time, 2 blocks", Target::Shown)
    },
    line("microblaze-3", "aes128-ecb", "tables, LMB", Target::Shown),
    Line {
        source: BERNSTEIN_SCHWABE_G4,
        only: Some(looks_up),
        ..line("ppc7410", "aes128-ctr", "a block of a message", Target::Cycles(228.0, 220.0))
    },
    Line {
        unit: Unit::Byte,
        constant_time: true,
        source: OPENSSL_ALTIVEC,
        ..line("ppc7410", "aes128-ctr", "AltiVec, constant time", Target::Cycles(9.0, 7.0))
    },
    Line { only: Some(looks_up), ..line("ppc7450", "aes128-ctr", "a block of a message", Target::Shown) },
    Line {
        unit: Unit::Byte,
        constant_time: true,
        ..line("ppc7450", "aes128-ctr", "AltiVec, constant time", Target::Shown)
    },
    Line {
        source: BERNSTEIN_SCHWABE_ULTRASPARC,
        ..line("ultrasparc3", "aes128-ctr", "a block of a message", Target::Cycles(175.0, 168.0))
    },
    Line {
        unit: Unit::Byte,
        constant_time: true,
        source: OSVIK_SPU,
        ..line("spu", "aes128-ecb", "16 blocks", Target::Cycles(10.5, 9.5))
    },
    Line {
        unit: Unit::Byte,
        constant_time: true,
        source: OSVIK_SPU_DECRYPTION,
        ..line("spu", "aes128-ecb-dec", "16 blocks", Target::Cycles(13.0, 11.5))
    },
    line("microblaze-v", "aes128-ecb", "tables, LMB", Target::Shown),
    // Loops of processors that issue in order, above the larger of their resource and recurrence bounds.
    of_loop("ultrasparc3", "aes128-ctr", None),
    of_loop("ultrasparc3", "aes128-cbc", None),
    of_loop("ultrasparc3", "aes128-cbc-dec", None),
    of_loop("ppc7410", "aes128-ctr", Some(looks_up)),
    of_loop("ppc7410", "aes128-ctr", Some(permutes)),
    of_loop("ppc7410", "aes128-cbc", Some(permutes)),
    of_loop("ppc7410", "aes128-cbc-dec", Some(permutes)),
    of_loop("ppc7450", "aes128-ctr", Some(looks_up)),
    of_loop("ppc7450", "aes128-ctr", Some(permutes)),
    of_loop("spu", "aes128-ctr", None),
    of_loop("spu", "aes128-cbc", None),
    of_loop("spu", "aes128-cbc-dec", None),
    Line {
        unit: Unit::Instructions,
        source: BERNSTEIN_SCHWABE_PENTIUM4,
        ..line("pentium4", "aes128-ctr", "a block of a message", Target::Cycles(415.0, 400.0))
    },
    Line { unit: Unit::Instructions, ..line("core2", "aes128-ctr", "a block of a message", Target::Shown) },
    Line {
        unit: Unit::Instructions,
        ..line("athlon64", "aes128-ctr", "a block of a message", Target::Shown)
    },
];
