//! ARM processors with custom instructions: in the space of coprocessor 0 to 7, CDP.

use aesmith_extension::cover::Costs;

use crate::attach::{Attached, Port};
use crate::core::Core;

/// Custom instructions as operations of a coprocessor that reaches the register file: the encoding of
/// CDP (DDI 0100, A3.13), which no ARMv4 core without a coprocessor executes.
pub static PORT: Port = Port {
    name: "the coprocessor space",
    reads: 2,
    fixed: &["r4", "r5", "r6", "r7"],
    encoding: "cond[3:0] 1110 FFFF xa[3:0] xd[3:0] 0FFF FFF 0 xb[3:0]",
    repeats: false,
    standard: "arm",
    fields: &[("cond", super::table::ALWAYS)],
    // Rotations come with an exclusive or.
    costs: Costs { turn: 0.5, keep: 1.0, mix: 17.0 },
    core,
};

fn core(base: &'static Core, attached: &'static Attached) -> Core {
    let name = format!("{}+{}", base.name, attached.extension.name);
    Core { name: Box::leak(name.into_boxed_str()), isa: Box::leak(Box::new(|| attached.isa)), ..*base }
}
