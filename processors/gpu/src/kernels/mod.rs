//! Kernels for GPUs: from a variant to a program.

pub mod counter;
pub mod message;
pub mod sliced;
mod sliced_counter;
mod streams;
pub mod tables;
pub mod writer;

use aesmith_arrange::Variant;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::mode::{Next, Role};
use aesmith_cipher::{Problem, Task};
use aesmith_isa::grid::GridProgram;
use aesmith_processor::grid::GridKernel;

use crate::dimensions as d;
use crate::text;
use message::Message;
use sliced::Sliced;
use tables::Shape;
use writer::Writer;

/// Whether there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(problem.task, Task::Ecb(_) | Task::Ctr | Task::CbcDecrypt | Task::CbcEncrypt { streams: 1 })
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
    let mut w = Writer::default();
    let made = if variant.is(d::Technique::Bitsliced) {
        if problem.mode().next() == Next::Output {
            return Err(
                "blocks that wait for each other are not bit-sliced: a thread would wait for 32 streams"
                    .into(),
            );
        }
        let threads = variant.choice().map_or(128, d::Warps::threads);
        let (cached, looped) = (variant.is(d::Counter::Cached), variant.is(d::Rounds::Looped));
        let sliced = Sliced { problem, threads, cached, looped };
        sliced.write(&mut w);
        Made {
            packing: sliced.packing(),
            blocks: sliced::BLOCKS as u8,
            threads: sliced.threads,
            shared: 0,
            constants: Vec::new(),
            inner: sliced.inner(),
        }
    } else {
        tables(variant, &mut w)?
    };
    let contract = Firmware { problem, packing: made.packing, blocks: made.blocks };
    let arguments = problem.mode().arguments.iter().map(|argument| match argument.role {
        Role::Key => (Role::Key, contract.key_size() as u32),
        Role::Iv => (Role::Iv, 16),
        role => (role, 8),
    });
    let program = GridProgram {
        symbol: Firmware::name(problem),
        insns: w.finish()?,
        parameters: match d::of_a_stream(variant) {
            Some(_) => text::parameters_of_streams(&arguments.map(|(role, _)| role).collect::<Vec<_>>()),
            None => text::parameters(&arguments.collect::<Vec<_>>()),
        },
        constants: made.constants,
        shared: made.shared,
        threads: made.threads as u32,
    };
    Ok(GridKernel { variant: variant.clone(), contract, program, inner: made.inner })
}

/// What a program has beside its instructions.
struct Made {
    packing: Packing,
    /// Blocks of text of a thread's turn.
    blocks: u8,
    threads: i32,
    shared: u32,
    constants: Vec<u8>,
    /// How often a loop within a turn is gone round.
    inner: u32,
}

/// Writes a kernel by look-ups.
fn tables(variant: &Variant, w: &mut Writer) -> Result<Made, String> {
    let problem = variant.problem;
    let shape = Shape {
        direction: problem.mode().direction,
        threads: variant.choice().map_or(1024, d::Threads::count),
        replicas: variant.choice().map_or(32, d::Replicas::count),
        tables: variant.choice().map_or(4, d::Tables::count),
    };
    shape.check()?;
    let cached = variant.is(d::Counter::Cached);
    let blocks = variant.choice().map_or(1, d::Blocks::count);
    let of_a_stream = d::of_a_stream(variant);
    Message { problem, shape, blocks, cached, of_a_stream, chain: None, keys: Vec::new() }.write(w);
    Ok(Made {
        packing: Packing::RoundKeys,
        blocks: if cached { 8 } else { blocks as u8 },
        threads: shape.threads,
        shared: shape.shared(),
        constants: tables::constants(shape.direction),
        inner: 1,
    })
}
