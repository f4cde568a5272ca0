//! The instruction tables of Thumb: ARMv6-M (Cortex-M0), and ARMv7-M with its DSP extension (Cortex-M3, M4).
//! Source: ARMv6-M and ARMv7-M Architecture Reference Manuals (DDI 0419, DDI 0403), chapters A5 to A7. The
//! tables have the integer instructions that compilers emit, and no system instructions.

use std::sync::LazyLock;

use aesmith_isa::sheet::Sheet;
use aesmith_isa::table::{Coding, Counter, LowestBit};
use aesmith_isa::{Description, Guard, Isa, Kind, Unaligned};

use crate::undefined::undefined;

/// The conditions' names, by number.
pub const CONDITIONS: [&str; 14] =
    ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"];

/// The condition expressions in the form of the engine; the last is "always".
const HOLDS: &[&str] = &[
    "Z",
    "~Z",
    "C",
    "~C",
    "N",
    "~N",
    "V",
    "~V",
    "C & ~Z",
    "~C | Z",
    "~(N ^ V)",
    "N ^ V",
    "~Z & ~(N ^ V)",
    "Z | (N ^ V)",
    "Z | ~Z",
];

/// A right shift by 1 to 32: 32 is encoded as 0.
static RIGHT: Coding = Coding {
    name: "right",
    number: |bits| if bits == 0 { 32 } else { bits as i64 },
    bits: |n| (1..=32).contains(&n).then_some(n as u64 & 31),
};

/// A size of 1 to 32, encoded as one less.
static SIZE: Coding = Coding {
    name: "size",
    number: |bits| bits as i64 + 1,
    bits: |n| (1..=32).contains(&n).then(|| n as u64 - 1),
};

/// A distance of 4 to 130 bytes ahead (cbz).
static AHEAD: Coding = Coding {
    name: "ahead",
    number: |bits| bits as i64 + 4,
    bits: |n| (4..=130).contains(&n).then(|| n as u64 - 4),
};

/// A distance of 25 bits; each of the two bits below the sign is encoded by its equality to the sign (DDI 0403,
/// A7.7.12, encoding T4).
static FAR: Coding = Coding {
    name: "far",
    number: |bits| {
        let sign = bits >> 24 & 1;
        let same = bits ^ (if sign == 0 { 3 << 22 } else { 0 });
        ((same << 39) as i64 >> 39) + 4
    },
    bits: |n| {
        let from = n - 4;
        let bits = from as u64 & 0x1ff_ffff;
        let fits = (-(1 << 24)..1 << 24).contains(&from) && from & 1 == 0;
        fits.then_some(bits ^ (if bits >> 24 == 0 { 3 << 22 } else { 0 }))
    },
};

/// The immediates of 32-bit data processing (DDI 0403, A5.3.2): a byte, a byte repeated in three
/// ways, or eight bits with a leading one, rotated.
static MODIFIED: Coding = Coding { name: "modified", number: modified, bits: modified_bits };

fn modified(bits: u64) -> i64 {
    let byte = bits & 0xff;
    i64::from(match bits >> 8 & 15 {
        0 => byte as u32,
        1 => (byte | byte << 16) as u32,
        2 => (byte << 8 | byte << 24) as u32,
        3 => (byte * 0x0101_0101) as u32,
        _ => ((byte | 0x80) as u32).rotate_right((bits >> 7 & 31) as u32),
    })
}

fn modified_bits(number: i64) -> Option<u64> {
    let value = u32::try_from(number).ok()?;
    let byte = u64::from(value & 0xff);
    let upper = u64::from(value >> 8 & 0xff);
    let repeated = [byte, 0x100 | byte, 0x200 | upper, 0x300 | byte];
    let rotated = (8..32).map(|by| {
        let bits = u64::from(value.rotate_left(by));
        (by as u64) << 7 | bits & 0x7f
    });
    repeated.into_iter().chain(rotated).find(|&bits| modified(bits) == number)
}

const fn number(width: u8) -> Kind {
    Kind::Number { signed: false, width }
}

const fn coded(width: u8, label: bool, coding: &'static Coding) -> Kind {
    Kind::Coded { width, label, coding }
}

const KINDS: &[(&str, Kind)] = &[
    ("rd", Kind::Register { base: 0, step: 1 }),
    ("rn", Kind::Register { base: 0, step: 1 }),
    ("rm", Kind::Register { base: 0, step: 1 }),
    ("rt", Kind::Register { base: 0, step: 1 }),
    ("ra", Kind::Register { base: 0, step: 1 }),
    ("imm", number(32)),
    ("sh", number(8)),
    ("rot", number(8)),
    ("lsb", number(8)),
    ("msb", number(8)),
    ("list", number(16)),
    ("label", Kind::Relative { bias: 4, width: 32 }),
    ("right", coded(8, false, &RIGHT)),
    ("size", coded(8, false, &SIZE)),
    ("ahead", coded(32, true, &AHEAD)),
    ("far", coded(32, true, &FAR)),
    ("const", coded(32, false, &MODIFIED)),
    ("even", Kind::Names { width: 3, names: &["eq", "cs", "mi", "vs", "hi", "ge", "gt", "al"] }),
    ("odd", Kind::Names { width: 3, names: &["ne", "cc", "pl", "vc", "ls", "lt", "le", "nv"] }),
];

/// On ARMv6-M no access may be unaligned.
const UNALIGNED_V6M: Unaligned = Unaligned::Never {
    is: "is a HardFault",
    source: "ARMv6-M Architecture Reference Manual, Arm DDI 0419, A3.2",
};

/// On ARMv7-M unaligned LDRD, STRD, LDM, STM, PUSH and POP fault; LDR and STR do not.
const UNALIGNED_V7M: Unaligned = Unaligned::Single {
    others: "is a UsageFault",
    source: "ARMv7-M Architecture Reference Manual, Arm DDI 0403, A3.2.1, with CCR.UNALIGN_TRP clear",
};

const DESCRIPTION: Description = Description {
    unit: 2,
    general: 16,
    counter: Some(Counter { register: 15, ahead: 4, lowest_bit: LowestBit::Thumb }),
    kinds: KINDS,
    conditions: HOLDS,
    ..Description::PLAIN
};

const NARROW: &str = include_str!("narrow.txt");
const CALLS: &str = include_str!("calls.txt");

static V6M: LazyLock<Isa> = LazyLock::new(|| {
    let text = [NARROW, include_str!("v6m.txt"), CALLS].concat();
    let about = Description { name: "ARMv6-M", unaligned: UNALIGNED_V6M, ..DESCRIPTION };
    Sheet::compiled_in(&text).isa(about).leaving(undefined)
});

static V7M: LazyLock<Isa> = LazyLock::new(|| {
    let text = [NARROW, include_str!("v7m.txt"), CALLS, include_str!("wide.txt")].concat();
    let guard = Guard::Block("it");
    let about = Description { name: "ARMv7-M", unaligned: UNALIGNED_V7M, guard, ..DESCRIPTION };
    Sheet::compiled_in(&text).isa(about).leaving(undefined)
});

/// The optional part of the architecture, which a processor of ARMv7-M or ARMv8-M may lack.
const DSP: &str = "the DSP extension";

/// ARMv6-M: Cortex-M0.
pub fn v6m() -> &'static Isa {
    &V6M
}

/// ARMv7-M with the DSP extension: Cortex-M4 and M7.
pub(crate) fn v7m() -> &'static Isa {
    &V7M
}

/// ARMv7-M without the DSP extension: Cortex-M3.
pub fn m3() -> &'static Isa {
    static M3: LazyLock<Isa> = LazyLock::new(|| v7m().clone().without("a Cortex-M3", &[DSP]));
    &M3
}

/// ARMv7-M without the DSP extension, which a Cortex-M33 may lack.
pub fn m33() -> &'static Isa {
    static M33: LazyLock<Isa> =
        LazyLock::new(|| v7m().clone().without("a Cortex-M33 (its makers may leave it out)", &[DSP]));
    &M33
}
