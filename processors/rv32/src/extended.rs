//! RV32 processors with custom instructions, in opcode custom-0.

use std::sync::OnceLock;

use aesmith_cipher::problem::Direction;
use aesmith_extension::cover::Costs;
use aesmith_extension::file::{Extension, Instruction, Mistake};
use aesmith_extension::sets;
use aesmith_extension::verilog::Unit;

use super::judge::QEMU;
use super::kernels::{self, Base};
use super::{ZBKB, dimensions, unit_judge};
use aesmith_arrange::{Table, Variant};
use aesmith_judge::judge::Emulator;
use aesmith_processor::attach::{Attached, Port, attached};
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;

/// Costs of the code that `kernels` writes, if a load takes as long as other instructions.
const COSTS: Costs =
    Costs { turn: 3.0, keep: 1.0, mix: 16.0, unmix: 35.0, look: [3.0, 4.0, 4.0, 3.0], place: 1.0 };

/// PicoRV32's co-processor interface: any instruction that the core does not know, with two source registers.
pub static PCPI: Port = Port {
    name: "PCPI",
    reads: 2,
    fixed: &[],
    encoding: "FFFFFFF xb[4:0] xa[4:0] FFF xd[4:0] 0001011",
    repeats: true,
    standard: "rv32",
    fields: &[],
    // A load takes five cycles, other instructions three.
    costs: Costs { look: [3.7, 4.7, 4.7, 3.7], ..COSTS },
    wrapper: Some("pcpi"),
    tried: true,
    core,
};

/// VexRiscv's custom function unit: opcode custom-0 only, two registers.
pub static CFU: Port = Port { name: "the CFU", standard: "", costs: COSTS, wrapper: Some("cfu"), ..PCPI };

/// A core that only documents describe: whatever an R-type instruction can say.
pub static PLAIN: Port = Port { name: "the R-type", costs: COSTS, wrapper: None, tried: false, ..PCPI };

/// The ratified instructions on a core that also has Zbkb, whose rotation is one instruction.
static RATIFIED: Port = Port { costs: Costs { turn: 1.0, mix: 12.0, unmix: 29.0, ..COSTS }, ..PLAIN };

/// Zkne and Zknd on a core with Zbkb: the instructions of `rv32-zkn`.
pub fn ratified() -> &'static Attached {
    static ATTACHED: OnceLock<Result<&'static Attached, Mistake>> = OnceLock::new();
    let made = ATTACHED.get_or_init(|| {
        let extension = Extension::parse(sets::find("zkn").unwrap_or_default())?;
        attached(&ZBKB, &RATIFIED, Box::leak(Box::new(extension)), Unit::default())
    });
    made.as_ref().unwrap_or_else(|e| panic!("zkn.toml: {e}"))
}

/// Judges: the base's RTL with the unit, and qemu if it knows the instructions.
fn judges(attached: &'static Attached) -> Vec<Box<dyn Emulator>> {
    let mut judges: Vec<Box<dyn Emulator>> = Vec::new();
    if std::ptr::eq(attached.port, &PCPI) {
        judges.push(unit_judge::pico_with(attached));
    } else if std::ptr::eq(attached.port, &CFU) {
        judges.push(unit_judge::vex_with(attached));
    }
    // Checks that encodings and semantics are those ratified.
    let known = ratified().extension;
    let same = |i: &Instruction| {
        let same = |k: &&Instruction| k.encodings == i.encodings && k.meaning == i.meaning;
        known.instructions.iter().any(|k| same(&k))
    };
    if !attached.port.standard.is_empty() && attached.extension.instructions.iter().all(same) {
        judges.push(Box::new(QEMU));
    }
    judges
}

fn core(base: &'static Core, attached: &'static Attached) -> Core {
    let name: &str = Box::leak(format!("{}+{}", base.name, attached.extension.name).into_boxed_str());
    let compressed = base.table.dimensions.iter().any(|d| d.name == "code");
    let reordered = [Direction::Encrypt, Direction::Decrypt].map(|d| attached.reordered(d).is_some());
    let choices = dimensions::extended(compressed, reordered);
    let of = move || Base { isa: attached.isa, timing: base.timing, instructions: Some(attached) };
    Core {
        record: Record {
            checked: None,
            name,
            table: Box::leak(Box::new(Table::new(name, choices, dimensions::technique))),
            ..base.record
        },
        isa: Box::leak(Box::new(|| attached.isa)),
        build: Box::leak(Box::new(move |variant: &Variant| kernels::build(variant, of()))),
        bound: Box::leak(Box::new(move |variant: &Variant| kernels::bound(variant, of()))),
        judges: Box::leak(Box::new(move || judges(attached))),
        port: None,
        ..*base
    }
}
