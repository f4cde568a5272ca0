//! RV32I and M as rows, and the instruction sets of cores.
//!
//! Encodings and semantics: The RISC-V Instruction Set Manual, Volume I (20191213), chapters 2, 7 and 24.

use std::sync::OnceLock;

use aesmith_isa::sheet::Sheet;
use aesmith_isa::table::Coding;
use aesmith_isa::{Description, Isa, Kind, Unaligned};

use crate::undefined::undefined;

/// The immediate of `c.lui`: six bits, signed, written as the upper 20 bits that result.
static UPPER: Coding = Coding {
    name: "c.lui",
    number: |bits| if bits & 0x20 == 0 { bits as i64 } else { (bits | 0xf_ffc0) as i64 },
    bits: |number| match number {
        0..=0x1f => Some(number as u64),
        0xf_ffe0..=0xf_ffff => Some(number as u64 & 0x3f),
        _ => None,
    },
};

static KINDS: &[(&str, Kind)] = &[
    ("rd", Kind::Register { base: 0, step: 1 }),
    ("rs", Kind::Register { base: 0, step: 1 }),
    // The eight registers of most compressed instructions.
    ("cd", Kind::Register { base: 8, step: 1 }),
    ("cs", Kind::Register { base: 8, step: 1 }),
    ("imm", Kind::Number { signed: true, width: 32 }),
    ("uimm", Kind::Number { signed: false, width: 32 }),
    ("shamt", Kind::Number { signed: false, width: 8 }),
    ("upper", Kind::Coded { width: 32, label: false, coding: &UPPER }),
    ("off", Kind::Relative { bias: 0, width: 32 }),
];

/// The table of these parts of the architecture.
fn table(name: &'static str, parts: &[&str]) -> Isa {
    let about = Description {
        name,
        general: 32,
        unaligned: Unaligned::Never {
            is: "may be a trap: PicoRV32, FE310 and VexRiscv have no unaligned access",
            source: "The RISC-V Instruction Set Manual, Volume I (20191213), 2.6",
        },
        zero: Some(0),
        kinds: KINDS,
        ..Description::PLAIN
    };
    Sheet::compiled_in(&parts.concat()).isa(about).leaving(undefined)
}

const BASE: &str = include_str!("base.txt");
const MULTIPLICATION: &str = include_str!("multiplication.txt");
const COMPRESSED: &str = include_str!("compressed.txt");
const ZBKB: &str = include_str!("zbkb.txt");

/// RV32I.
pub fn rv32i() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32I", &[BASE]))
}

/// RV32IM.
pub(crate) fn rv32im() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32IM", &[BASE, MULTIPLICATION]))
}

/// RV32IMC.
pub fn rv32imc() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32IMC", &[BASE, MULTIPLICATION, COMPRESSED]))
}

/// RV32IMC as Ibex executes it: its load-store unit splits an unaligned access into two.
pub fn ibex() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let mut isa = rv32imc().clone();
        isa.about.unaligned =
            Unaligned::Works { source: "Ibex Reference Guide, Load-Store Unit, Misaligned Accesses" };
        isa
    })
}

/// RV32IMC with Zbkb.
pub(crate) fn zbkb() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| table("RV32IMC_Zbkb_Zkne_Zknd", &[BASE, MULTIPLICATION, COMPRESSED, ZBKB]))
}

/// RV32IMC with Zbkb, Zkne and Zknd.
pub fn zkn() -> &'static Isa {
    super::extended::ratified().isa
}
