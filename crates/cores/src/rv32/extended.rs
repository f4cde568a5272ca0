//! RV32 processors with custom instructions, in opcode custom-0.

use aesmith_extension::cover::Costs;

use crate::attach::{Attached, Port};
use crate::core::Core;

const COSTS: Costs = Costs { turn: 3.0, keep: 1.0, mix: 20.0 };

/// PicoRV32's co-processor interface: any instruction that the core does not know, two registers.
pub static PCPI: Port = Port {
    name: "PCPI",
    reads: 2,
    fixed: &[],
    encoding: "FFFFFFF xb[4:0] xa[4:0] FFF xd[4:0] 0001011",
    repeats: true,
    standard: "rv32",
    fields: &[],
    costs: COSTS,
    core,
};

/// VexRiscv's custom function unit: opcode custom-0 only, two registers.
pub static CFU: Port = Port { name: "the CFU", standard: "", ..PCPI };

/// A core that only documents describe: whatever an R-type instruction can say.
pub static PLAIN: Port = Port { name: "the R-type", ..PCPI };

fn core(base: &'static Core, attached: &'static Attached) -> Core {
    let name = format!("{}+{}", base.name, attached.extension.name);
    Core { name: Box::leak(name.into_boxed_str()), isa: Box::leak(Box::new(|| attached.isa)), ..*base }
}
