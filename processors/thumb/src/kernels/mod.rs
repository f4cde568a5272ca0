//! Writers of kernels for the Cortex-M: from a variant to code and tables.

pub mod block;
pub mod bytes;
pub mod counter;
pub(crate) mod evict;
pub mod expand;
pub mod gates;
pub mod looped;
pub(crate) mod looped_bytes;
pub mod modes;
pub mod rounds;
pub mod sliced;
pub(crate) mod sliced_inverse;
pub mod sliced_keys;
pub mod sliced_messages;
pub mod tables;
pub mod writer;

use crate::dimensions;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::{Direction, Problem, Task};
use aesmith_isa::timing::Timing;

use aesmith_arrange::Variant;
use aesmith_order::inorder::Search;
use aesmith_processor::core::Kernel;
use bytes::Doubling;
use writer::How;

/// The number of order changes that a seed stands for.
const MOVES: u32 = 60_000;

/// The name of a problem's function.
pub fn symbol(problem: Problem) -> Result<String, String> {
    if !Firmware::is_offered(problem) {
        return Err(format!("{problem} has no kernels for the Cortex-M"));
    }
    Ok(Firmware::name(problem))
}

/// The kernel of a variant, arranged for a timing; `lanes` is true if there are instructions on byte lanes (the
/// DSP extension, DDI 0403, A4.4.4).
pub fn build(variant: &Variant, timing: &'static Timing, lanes: bool) -> Result<Kernel, String> {
    let problem = variant.problem;
    let symbol = symbol(problem)?;
    let search = Search { seed: variant.seed, moves: if variant.seed > 0 { MOVES } else { 0 } };
    let how = How { timing, search };
    let looped = variant.is(dimensions::Rounds::Looped);
    let sliced = variant.is(dimensions::Technique::Bitsliced);
    let form = match variant.is(dimensions::Technique::Bytewise) {
        true => block::Form::Bytes(if lanes { Doubling::Carries } else { Doubling::Plain }),
        false => block::Form::Columns,
    };
    let sections = match problem.task {
        Task::Ecb(direction) if sliced => sliced::function_of_two(problem.key, &symbol, direction, looped)?,
        Task::Ecb(direction) if looped => {
            let memory = variant.choice().unwrap_or(dimensions::Memory::Ram);
            match form {
                block::Form::Columns => {
                    let last = variant.choice().unwrap_or(dimensions::Last::Row);
                    let shape = looped::Shape { memory, last };
                    looped::function_of(problem.key, &symbol, direction, shape, &how)?
                }
                block::Form::Bytes(doubling) => {
                    let tail = variant.choice().unwrap_or(dimensions::Tail::Own);
                    let shape = looped_bytes::Shape { doubling, memory, tail };
                    looped_bytes::function_of(problem.key, &symbol, direction, shape, &how)?
                }
            }
        }
        Task::Ecb(direction) => block::unrolled(problem.key, &symbol, direction, form, &how)?,
        Task::KeySchedule(direction) if variant.is(dimensions::Sbox::Circuit) => {
            gates::schedule(problem.key, &symbol, direction, sliced, &how)?
        }
        Task::KeySchedule(direction) => expand::unrolled(problem.key, &symbol, direction, sliced, &how)?,
        task if sliced => sliced_messages::function((problem.key, task), &symbol, looped, &how)?,
        task => {
            let kept = variant.choice().unwrap_or(dimensions::Counter::Cached);
            modes::message(problem.key, task, &symbol, kept, &how)?
        }
    };
    // Cached rounds add up addresses in the table of words: at a multiple of its size no sum carries, which the
    // prover does not follow.
    let sums = matches!(problem.task, Task::Ctr) && !sliced && !variant.is(dimensions::Counter::Each);
    let kernel = Kernel {
        variant: variant.clone(),
        contract: match sliced {
            true => {
                let blocks = if matches!(problem.task, Task::Ecb(_)) { 2 } else { 1 };
                let packing = match problem.mode().direction {
                    Direction::Encrypt => Packing::FixslicedUnshifted,
                    Direction::Decrypt => Packing::Fixsliced,
                };
                Firmware { problem, packing, blocks }
            }
            false => Firmware { problem, packing: Packing::RoundKeys, blocks: 1 },
        },
        symbol,
        sections,
        table_alignment: if sums { 1024 } else { 4 },
    };
    Ok(kernel.returning_without_blocks(|some| writer::entry(writer::Line::new().isa, some)))
}
