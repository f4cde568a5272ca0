//! Kernels for GPUs: from a variant to a program.

pub mod counter;
pub mod message;
pub mod tables;
pub mod writer;

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::mode::Role;
use aesmith_cipher::{Problem, Task};
use aesmith_isa::grid::GridProgram;
use aesmith_processor::grid::GridKernel;

use crate::dimensions as d;
use crate::text;
use message::Message;
use tables::Shape;
use writer::Writer;

/// Whether there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::Ctr)
}

/// The kernel of a variant: a pure function.
///
/// # Errors
/// The choices do not go together.
pub fn build(variant: &Variant) -> Result<GridKernel, String> {
    let problem = variant.problem;
    if !solves(problem) {
        return Err(format!("a GPU has no kernels for {problem}"));
    }
    let shape = Shape {
        direction: problem.mode().direction,
        threads: variant.choice().map_or(1024, d::Threads::count),
        replicas: variant.choice().map_or(32, d::Replicas::count),
        four: variant.is(d::Tables::Four),
    };
    shape.check()?;
    let cached = variant.is(d::Counter::Cached);
    let message = Message { problem, shape, blocks: variant.choice().map_or(1, d::Blocks::count), cached };
    let mut w = Writer::default();
    message.write(&mut w);
    let key = 16 * (problem.key.rounds() as u32 + 1);
    let arguments = problem.mode().arguments.iter().map(|argument| match argument.role {
        Role::Key => (Role::Key, key),
        Role::Iv => (Role::Iv, 16),
        role => (role, 8),
    });
    let program = GridProgram {
        symbol: Firmware::name(problem),
        insns: w.finish()?,
        parameters: text::parameters(&arguments.collect::<Vec<_>>()),
        constants: tables::constants(shape.direction),
        shared: shape.shared(),
        threads: shape.threads as u32,
    };
    let contract = Firmware {
        problem,
        packing: Packing::RoundKeys,
        blocks: if cached { 8 } else { message.blocks as u8 },
    };
    Ok(GridKernel { variant: variant.clone(), contract, program })
}
