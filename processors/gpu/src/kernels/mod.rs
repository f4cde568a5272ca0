//! Kernels for GPUs: from a variant to a program.

pub mod counter;
pub mod message;
mod mixed;
mod schedule;
pub mod sliced;
mod sliced_counter;
mod streams;
pub mod tables;
pub mod writer;

use aesmith_arrange::{Choice, Variant};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::mode::{Next, Role};
use aesmith_cipher::{Direction, Problem, Task};
use aesmith_isa::grid::{GridProgram, roles};
use aesmith_processor::grid::{GridKernel, Turn};

use crate::dimensions as d;
use crate::text;
use message::{Keys, Message};
use mixed::Mixed;
use schedule::Expansion;
use sliced::Sliced;
use tables::Shape;
use writer::Writer;

/// True if there are kernels for a problem.
pub fn solves(problem: Problem) -> bool {
    matches!(
        problem.task,
        Task::Ecb(_) | Task::Ctr | Task::CbcDecrypt | Task::CbcEncrypt { streams: 1 } | Task::KeySchedule(_)
    )
}

/// The kernel of a variant: a pure function.
///
/// # Errors
/// The choices are incompatible.
pub fn build(variant: &Variant) -> Result<GridKernel, String> {
    let problem = variant.problem;
    if !solves(problem) {
        return Err(format!("a GPU has no kernels for {problem}"));
    }
    let mut w = Writer::new(variant.choice().map_or(16, d::Width::number));
    let made = if variant.is(d::Technique::Mixed) {
        if !d::is_mixed(problem) {
            return Err(format!(
                "technique=mixed is written for ECB and CTR: take technique=table for {problem}"
            ));
        }
        let mixed = Mixed {
            problem,
            cached: variant.is(d::Counter::Cached),
            share: variant.choice().map_or(3, d::Share::number),
        };
        mixed.write(&mut w);
        Made {
            packing: mixed.sliced().packing(),
            blocks: sliced::BLOCKS as u8,
            threads: mixed::THREADS,
            shared: mixed.shape().shared(),
            constants: tables::constants(mixed.shape().direction),
            turns: mixed.turns(16),
        }
    } else if variant.is(d::Technique::Bitsliced) {
        if problem.mode().next() == Next::Output {
            return Err(
                "blocks that wait for each other are not bit-sliced: a thread would wait for 32 streams"
                    .into(),
            );
        }
        let threads = variant.choice().map_or(128, d::Warps::threads);
        let (cached, looped) = (variant.is(d::Counter::Cached), variant.is(d::Rounds::Looped));
        let sliced = Sliced { problem, threads, cached, looped, mixed: false };
        sliced.write(&mut w);
        Made {
            packing: sliced.packing(),
            blocks: sliced::BLOCKS as u8,
            threads: sliced.threads,
            shared: 0,
            constants: Vec::new(),
            turns: vec![Turn {
                blocks: sliced::BLOCKS as u32,
                inner: sliced.inner(),
                bytes: 16,
                times: 1,
                looks_up: false,
            }],
        }
    } else {
        tables(variant, &mut w)?
    };
    let contract = Firmware { problem, packing: made.packing, blocks: made.blocks };
    let arguments = roles(problem).into_iter().map(|role| match role {
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
        registers: variant.choice().and_then(d::Registers::most),
    };
    Ok(GridKernel { variant: variant.clone(), contract, program, turns: made.turns })
}

/// The properties of a program besides its instructions.
struct Made {
    packing: Packing,
    /// Blocks of text per iteration of a thread.
    blocks: u8,
    threads: i32,
    shared: u32,
    constants: Vec<u8>,
    /// The text that threads process per iteration.
    turns: Vec<Turn>,
}

impl Made {
    /// The properties of a kernel with look-ups, whose threads process `blocks` blocks of text, or keys, per
    /// iteration; each becomes `bytes` bytes of output.
    fn by_tables(shape: Shape, packing: Packing, blocks: u8, bytes: u32) -> Made {
        Made {
            packing,
            blocks,
            threads: shape.threads,
            shared: shape.shared(),
            constants: tables::constants(shape.direction),
            turns: vec![Turn { blocks: blocks.into(), inner: 1, bytes, times: 1, looks_up: true }],
        }
    }
}

/// Writes a kernel with look-ups.
fn tables(variant: &Variant, w: &mut Writer) -> Result<Made, String> {
    let problem = variant.problem;
    let shape = Shape {
        direction: problem.mode().direction,
        threads: variant.choice().map_or(1024, d::Threads::number),
        replicas: variant.choice().map_or(32, d::Replicas::number),
        tables: variant.choice().map_or(4, d::Tables::number),
    };
    shape.check()?;
    if d::of_keys(problem) {
        // Key expansion uses the encryption S-box in both directions.
        let shape = Shape { direction: Direction::Encrypt, tables: 1, ..shape };
        Expansion { problem, shape }.write(w);
        let bytes = 16 * (problem.key.rounds() as u32 + 1);
        return Ok(Made::by_tables(shape, Packing::RoundKeys, 1, bytes));
    }
    let cached = variant.is(d::Counter::Cached);
    let blocks = variant.choice().map_or(1, d::Blocks::number);
    let of_a_stream = d::of_a_stream(variant);
    let schedule = variant.choice().unwrap_or(d::Schedule::Before);
    let (keys, ahead) = (Keys::Parameters, variant.is(d::Loads::Ahead));
    Message { problem, shape, blocks, cached, of_a_stream, chain: None, schedule, keys, ahead }.write(w);
    let packing = if schedule == d::Schedule::Before { Packing::RoundKeys } else { Packing::CipherKey };
    Ok(Made::by_tables(shape, packing, if cached { 8 } else { blocks as u8 }, 16))
}
