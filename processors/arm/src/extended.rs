//! Custom instructions on ARMv4 processors.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, Task};
use aesmith_extension::cover::Costs;

use super::hooked;
use super::kernels::extended::{build, solves};
use aesmith_arrange::{Dimension, Table, Technique, Variant, numbered};
use aesmith_processor::attach::{Attached, Port};
use aesmith_processor::core::Core;
use aesmith_processor::processor::Record;

#[cfg(test)]
mod tests;

/// Custom instructions as operations of a coprocessor with access to the register file: the encoding of CDP
/// (DDI 0100, A3.13), which no ARMv4 core without a coprocessor executes. Loads take three cycles, as on
/// ARM7TDMI.
pub(crate) static PORT: Port = Port {
    name: "the coprocessor space",
    reads: 2,
    fixed: &["r4", "r5", "r6", "r7"],
    encoding: "cond[3:0] 1110 FFFF xa[3:0] xd[3:0] 0FFF FFF 0 xb[3:0]",
    repeats: false,
    standard: "arm",
    fields: &[("cond", super::table::ALWAYS)],
    costs: COSTS,
    wrapper: None,
    tried: true,
    core,
};

/// Rotations are free in an exclusive or, and so is the placement of a byte that is looked up.
const COSTS: Costs =
    Costs { turn: 0.5, keep: 1.0, mix: 8.0, unmix: 20.0, look: [4.0, 4.0, 4.0, 3.0], place: 0.0 };

/// Like `PORT`, for processors on which a load issues in one cycle: ARM9TDMI and StrongARM.
pub static PIPELINED: Port = Port { costs: Costs { look: [2.0, 2.0, 2.0, 1.0], ..COSTS }, ..PORT };

/// The port of a core on which instructions are not tried unless it is named.
pub(crate) static UNTRIED: Port = Port { tried: false, ..PIPELINED };

const SCHEDULE: Dimension = Dimension::of::<dimensions::Schedule>(
    "round keys made before and read, or made from the cipher key as rounds go",
    |v| matches!(v.problem.task, Task::Ecb(_)),
);

const KEYS: Dimension = Dimension::of::<dimensions::Keys>(
    "round keys loaded with one LDM: two where registers suffice, or one, which saves fewer registers",
    |v| matches!(v.problem.task, Task::Ecb(_)) && v.is(dimensions::Schedule::Before),
);

const LAYOUT: Dimension = Dimension {
    quiet: true,
    ..Dimension::of::<dimensions::Layout>(
        "the state and round keys in the order that the extension's file says, or in the one that its instructions want: \
         found by what a round then takes, and turned once at the beginning and at the end",
        |_| true,
    )
};

fn decrypts(v: &Variant) -> bool {
    v.problem.mode().direction == Direction::Decrypt
}

/// The dimensions of kernels with custom instructions. For each direction a flag tells if rounds cost less in
/// another order of the state.
fn choices([encrypt, decrypt]: [bool; 2]) -> &'static [Dimension] {
    static STATED: &[Dimension] = &numbered([SCHEDULE, KEYS]);
    static EITHER: &[Dimension] = &numbered([SCHEDULE, KEYS, LAYOUT]);
    static ENCRYPT: &[Dimension] =
        &numbered([SCHEDULE, KEYS, Dimension { applies: |v| !decrypts(v), ..LAYOUT }]);
    static DECRYPT: &[Dimension] = &numbered([SCHEDULE, KEYS, Dimension { applies: decrypts, ..LAYOUT }]);
    match (encrypt, decrypt) {
        (false, false) => STATED,
        (true, true) => EITHER,
        (true, false) => ENCRYPT,
        (false, true) => DECRYPT,
    }
}

fn core(base: &'static Core, attached: &'static Attached) -> Core {
    let name: &str = Box::leak(format!("{}+{}", base.name, attached.extension.name).into_boxed_str());
    let reordered = [Direction::Encrypt, Direction::Decrypt].map(|d| attached.reordered(d).is_some());
    Core {
        record: Record {
            checked: None,
            name,
            table: Box::leak(Box::new(Table::new(name, choices(reordered), |_| Technique::Aes))),
            solves,
            ..base.record
        },
        isa: Box::leak(Box::new(|| attached.isa)),
        build: Box::leak(Box::new(move |variant: &Variant| build(attached, variant))),
        // The base's judges do not know the instructions.
        judges: Box::leak(Box::new(move || vec![hooked::hooked(attached)])),
        // A lower bound would depend on the instructions.
        bound: &|_| None,
        ..*base
    }
}
