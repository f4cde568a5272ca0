//! The instruction tables of Thumb: ARMv6-M (Cortex-M0), and ARMv7-M with its DSP extension (Cortex-M3, M4).
//! Source: ARMv6-M and ARMv7-M Architecture Reference Manuals (DDI 0419, DDI 0403), chapters A5 to A7. The
//! tables have the integer instructions that compilers emit, and no system instructions.

use std::sync::LazyLock;

use aesmith_isa::table::{Coding, Counter, LowestBit, Text};
use aesmith_isa::{Description, Guard, Isa, Kind, Unaligned};

use super::{narrow, wide};

use crate::undefined::undefined;

/// General registers, flags, the state of an IT block, and the GE bits that `sel` reads.
const REGISTERS: &[(&str, u8)] = &[
    ("r0", 32),
    ("r1", 32),
    ("r2", 32),
    ("r3", 32),
    ("r4", 32),
    ("r5", 32),
    ("r6", 32),
    ("r7", 32),
    ("r8", 32),
    ("r9", 32),
    ("r10", 32),
    ("r11", 32),
    ("r12", 32),
    ("sp", 32),
    ("lr", 32),
    ("pc", 32),
    ("N", 1),
    ("Z", 1),
    ("C", 1),
    ("V", 1),
    ("it", 8),
    ("ge", 4),
];

/// Conditions by number: assembler name, and expression (DDI 0403, A7.3).
pub const CONDITIONS: [(&str, &str); 14] = [
    ("eq", "Z"),
    ("ne", "~Z"),
    ("cs", "C"),
    ("cc", "~C"),
    ("mi", "N"),
    ("pl", "~N"),
    ("vs", "V"),
    ("vc", "~V"),
    ("hi", "C & ~Z"),
    ("ls", "~C | Z"),
    ("ge", "~(N ^ V)"),
    ("lt", "N ^ V"),
    ("gt", "~Z & ~(N ^ V)"),
    ("le", "Z | (N ^ V)"),
];

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

/// Sum and difference with carry and overflow; the carry of a difference means that there was no borrow. Both
/// are expressed as comparisons, from which proofs derive whether counters wrap.
const SUM: (&str, &str) = ("sum(x, y)", "r := x + y; c := ~y <u x; v := (~(x ^ y) & (x ^ r))[31]");
const DIFFERENCE: (&str, &str) =
    ("difference(x, y)", "r := x - y; c := ~(x <u y); v := ((x ^ y) & (x ^ r))[31]");
/// The sum with carry-in.
const ADDER: (&str, &str) = (
    "adder(x, y)",
    "t := zx(x, 33) + zx(y, 33) + zx(C, 33); r := t[31:0]; c := t[32]; v := ((x ^ r) & (y ^ r))[31]",
);
const NZ: (&str, &str) = ("nz(r)", "N = r[31]; Z = r == 0");
const NZCV: (&str, &str) = ("nzcv()", "nz(r); C = c; V = v");
const LITERAL: (&str, &str) = ("literal()", "(pc + 4) & 0xfffffffc");
const REVERSED: (&str, &str) = ("rev(x)", "cat(x[7:0], x[15:8], x[23:16], x[31:24])");

/// Macros of ARMv6-M, whose 16-bit instructions always set flags.
const MACROS_V6: &[(&str, &str)] = &[
    SUM,
    DIFFERENCE,
    ADDER,
    NZ,
    NZCV,
    LITERAL,
    REVERSED,
    ("set_nz()", "nz(r)"),
    ("set_nzc()", "nz(r); C = c"),
    ("set_nzcv()", "nzcv()"),
];

/// Macros of ARMv7-M: in an IT block, 16-bit instructions do not set flags.
const MACROS_V7: &[(&str, &str)] = &[
    SUM,
    DIFFERENCE,
    ADDER,
    NZ,
    NZCV,
    LITERAL,
    REVERSED,
    ("set_nz()", "if it[3:0] == 0 { nz(r) }"),
    ("set_nzc()", "if it[3:0] == 0 { nz(r); C = c }"),
    ("set_nzcv()", "if it[3:0] == 0 { nzcv() }"),
    (
        "bits_reversed(x)",
        "cat(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], \
         x[14], x[15], x[16], x[17], x[18], x[19], x[20], x[21], x[22], x[23], x[24], x[25], x[26], x[27], \
         x[28], x[29], x[30], x[31])",
    ),
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

fn description(
    name: &'static str,
    macros: &'static [(&'static str, &'static str)],
    guard: Guard,
    unaligned: Unaligned,
) -> Description {
    Description {
        name,
        address: 32,
        order: aesmith_isa::ByteOrder::Little,
        unit: 2,
        registers: REGISTERS,
        general: 16,
        unaligned,
        pairs: &[],
        zero: None,
        counter: Some(Counter { register: 15, ahead: 4, lowest_bit: LowestBit::Thumb }),
        kinds: KINDS,
        macros,
        guard,
        conditions: HOLDS,
        data: 0,
    }
}

fn compiled(about: Description, texts: &[Text]) -> Isa {
    Isa::new(about, texts)
        .unwrap_or_else(|mistake| panic!("the table of Thumb: {mistake}"))
        .leaving(undefined)
}

static V6M: LazyLock<Isa> = LazyLock::new(|| {
    let texts = [narrow::rows(), wide::calls()].concat();
    compiled(description("ARMv6-M", MACROS_V6, Guard::None, UNALIGNED_V6M), &texts)
});

static V7M: LazyLock<Isa> = LazyLock::new(|| {
    let texts = [narrow::rows(), narrow::rows_of_v7(), wide::calls(), wide::rows()].concat();
    let guard = Guard::Block("it");
    compiled(description("ARMv7-M", MACROS_V7, guard, UNALIGNED_V7M), &texts)
});

/// ARMv6-M: Cortex-M0.
pub fn v6m() -> &'static Isa {
    &V6M
}

/// ARMv7-M with the DSP extension: Cortex-M4 and M7.
pub fn v7m() -> &'static Isa {
    &V7M
}

/// ARMv7-M without the DSP extension: Cortex-M3.
pub fn m3() -> &'static Isa {
    static M3: LazyLock<Isa> = LazyLock::new(|| v7m().clone().without("a Cortex-M3", &[wide::DSP]));
    &M3
}

/// ARMv7-M without the DSP extension, which a Cortex-M33 may lack.
pub fn m33() -> &'static Isa {
    static M33: LazyLock<Isa> =
        LazyLock::new(|| v7m().clone().without("a Cortex-M33 (its makers may leave it out)", &[wide::DSP]));
    &M33
}
