//! Instructions that a kernel executes per block, by class: counted in the simulator between two message
//! lengths; and the saving of each choice of a variant, from the plain variant of its technique to the
//! variant. Published counts for comparison are in `published`.

mod published;
mod table;
mod waterfall;

pub use published::{BASELINE, Mix, number, published_of};
pub use table::executed_on;
pub use waterfall::{Step, Waterfall, counting, counting_on, descend, waterfall, waterfall_on};

use crate::error::TuneError;
use aesmith_arrange::Variant;
use aesmith_cipher::{Direction, Problem, Task};
use aesmith_dataflow::memory::{self, Layout};
use aesmith_dataflow::table::{Last, Tables};
use aesmith_dataflow::{count, technique};
use aesmith_processor::measured::{Counts, Executed as Visits, Line, Measured, TimingClass};
use serde::Serialize;
use std::ops::{AddAssign, Sub};
use std::sync::{Mutex, PoisonError};

/// Instructions by class. Each is counted once: one that loads and computes belongs to the class of its
/// computation, and is also counted in [`Classes::combined`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Classes {
    /// All instructions.
    pub instructions: f64,
    /// Loads that do not compute.
    pub loads: f64,
    /// Stores.
    pub stores: f64,
    /// Arithmetic, logic, shifts and moves of general registers.
    pub integer: f64,
    /// Jumps, calls and returns.
    pub branches: f64,
    /// Vector arithmetic and logic.
    pub vector: f64,
    /// Moves of bytes and lanes within vectors, or between registers of two kinds.
    pub shuffles: f64,
    /// AES instructions.
    pub aes: f64,
    /// Prefetches, fences and no-ops.
    pub other: f64,
    /// Instructions, among all of those, that compute and load at once.
    pub combined: f64,
}

impl Classes {
    /// Names and counts of the classes, without the total.
    pub fn rows(&self) -> [(&'static str, f64); 8] {
        [
            ("loads", self.loads),
            ("stores", self.stores),
            ("integer", self.integer),
            ("branches", self.branches),
            ("vector", self.vector),
            ("shuffles", self.shuffles),
            ("aes", self.aes),
            ("other", self.other),
        ]
    }

    fn map(self, other: Classes, f: impl Fn(f64, f64) -> f64) -> Classes {
        Classes {
            instructions: f(self.instructions, other.instructions),
            loads: f(self.loads, other.loads),
            stores: f(self.stores, other.stores),
            integer: f(self.integer, other.integer),
            branches: f(self.branches, other.branches),
            vector: f(self.vector, other.vector),
            shuffles: f(self.shuffles, other.shuffles),
            aes: f(self.aes, other.aes),
            other: f(self.other, other.other),
            combined: f(self.combined, other.combined),
        }
    }

    fn divided(self, by: f64) -> Classes {
        self.map(self, |a, _| a / by)
    }
}

impl Sub for Classes {
    type Output = Classes;

    fn sub(self, other: Classes) -> Classes {
        self.map(other, |a, b| a - b)
    }
}

impl AddAssign for Classes {
    fn add_assign(&mut self, other: Classes) {
        *self = self.map(other, |a, b| a + b);
    }
}

/// Instruction counts of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Executed {
    /// The problem.
    pub problem: String,
    /// Per additional block of each stream in a long message; per call for a key set-up.
    pub steady: Classes,
    /// Per block over a whole call with 4096 bytes for each stream, the published length.
    pub at_4096: Option<Classes>,
}

/// Blocks of the two messages that the steady count is taken between: whole iterations of every loop, and
/// whole cycles of the fast counter byte.
const BLOCKS: [usize; 2] = [512, 1024];
/// Demands of an additional block of a long message on the machine: instructions that are executed, not only
/// present in the loop.
///
/// # Errors
/// The code does not run to its end in the simulator, or is not a kernel over messages.
pub(crate) fn steady_work(processor: &Measured, problem: Problem, code: &[u8]) -> Result<Counts, TuneError> {
    if !problem.is_message() {
        return Err(TuneError::Unsupported(format!("{problem} has no blocks")));
    }
    let blocks = ((BLOCKS[1] - BLOCKS[0]) * problem.streams()) as f64;
    let mut work = Counts::default();
    for (sign, length) in [(-1.0, BLOCKS[0]), (1.0, BLOCKS[1])] {
        for Visits { line, times } in visits(processor, problem, code, length)? {
            if line.parts.is_empty() {
                return Err(TuneError::Unsupported(format!("the table has no row for `{}`", line.text)));
            }
            work.add_times(&line, sign * times);
        }
    }
    // Instructions executed once per call cancel, exactly because the counts are whole numbers.
    work.kinds.retain(|_, count| *count != 0.0);
    work.kinds.values_mut().for_each(|count| *count /= blocks);
    work.instructions /= blocks;
    work.branches /= blocks;
    Ok(work)
}

/// An execution: processor, problem, blocks, code, and executed instructions.
type Execution = (&'static str, Problem, usize, Box<[u8]>, Vec<Visits>);

/// Recent executions. A run and its report request a few kernels repeatedly, and each bitsliced kernel takes
/// seconds.
static EXECUTIONS: Mutex<Vec<Execution>> = Mutex::new(Vec::new());
/// Number of executions that are remembered.
const REMEMBERED: usize = 32;

fn visits(
    processor: &Measured,
    problem: Problem,
    code: &[u8],
    blocks: usize,
) -> Result<Vec<Visits>, TuneError> {
    let executions = || EXECUTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_same = |(name, of, length, bytes, _): &Execution| {
        (*name, *of, *length) == (processor.dialect.name, problem, blocks) && bytes[..] == *code
    };
    if let Some((.., known)) = executions().iter().find(|execution| is_same(execution)) {
        return Ok(known.clone());
    }
    let visits = (processor.executed)(problem, code, 16 * blocks).map_err(TuneError::Unsupported)?;
    let mut all = executions();
    if all.len() == REMEMBERED {
        all.remove(0);
    }
    all.push((processor.dialect.name, problem, blocks, code.into(), visits.clone()));
    Ok(visits)
}

/// Counts a kernel's instructions.
///
/// # Errors
/// The code does not run to its end in the simulator.
pub fn executed(processor: &Measured, problem: Problem, code: &[u8]) -> Result<Executed, TuneError> {
    let run = |blocks: usize| -> Result<Classes, TuneError> {
        let mut classes = Classes::default();
        for Visits { line, times } in visits(processor, problem, code, blocks)? {
            let one = classify(&line);
            classes += one.map(one, |n, _| n * times);
        }
        Ok(classes)
    };
    if problem.is_key_set_up() {
        return Ok(Executed { problem: problem.to_string(), steady: run(0)?, at_4096: None });
    }
    let streams = problem.streams() as f64;
    let steady = (run(BLOCKS[1])? - run(BLOCKS[0])?).divided((BLOCKS[1] - BLOCKS[0]) as f64 * streams);
    let at_4096 = run(256)?.divided(256.0 * streams);
    Ok(Executed { problem: problem.to_string(), steady, at_4096: Some(at_4096) })
}

/// Operations of a block in the technique's own form, independent of any processor; `None` for key set-ups
/// and for techniques without such a count.
pub fn operations(variant: &Variant) -> Option<Vec<(&'static str, f64)>> {
    if !variant.problem.is_message() {
        return None;
    }
    let inverse = variant.problem.key_schedule().task == Task::KeySchedule(Direction::Decrypt);
    let (size, rounds, choices) = (variant.problem.key, variant.problem.key.rounds(), variant.choices());
    let counts = if variant.has("tables") {
        let direction = if inverse { memory::Direction::Inverse } else { memory::Direction::Forward };
        let layout = Layout::ALL[usize::from(variant.get("tables"))];
        let last = Last::ALL[usize::from(variant.get("last"))];
        count::tables(Tables { layout, last, direction }, size, inverse)
    } else if variant.sliced() {
        count::group(&technique::sliced(variant.technique, choices, rounds, inverse)?)
    } else {
        count::block(variant.technique, choices, size, inverse)?
    };
    let per = |of: fn(&count::Counts) -> usize| counts.per_block(of);
    Some(vec![
        ("loads", per(|c| c.loads)),
        ("stores", per(|c| c.stores)),
        ("logic", per(|c| c.logic)),
        ("shifts", per(|c| c.shifts)),
        ("scalings", per(|c| c.scalings)),
        ("shuffles", per(|c| c.shuffles)),
        ("look-ups", per(|c| c.look_ups)),
        ("maps", per(|c| c.maps)),
        ("AES rounds", per(|c| c.aes_rounds)),
        ("total", per(count::Counts::total)),
    ])
}

/// The class of an instruction.
fn classify(line: &Line) -> Classes {
    use TimingClass::*;
    let mut classes = Classes { instructions: 1.0, ..Classes::default() };
    let Some((first, others)) = line.parts.split_first() else {
        classes.other = 1.0;
        return classes;
    };
    if !line.computes {
        if line.has(Store) || line.has(StreamingStore) {
            classes.stores = 1.0;
        } else {
            classes.loads = 1.0;
        }
        return classes;
    }
    if others.iter().any(|part| part.class == Load) {
        classes.combined = 1.0;
    }
    let class = match first.class {
        Aes | AesInvMixColumns | AesKeyGeneration => &mut classes.aes,
        Shuffle | CrossLane | BytePermute | BytePermuteTwo | LaneInsert | LaneExtract | Broadcast
        | ScalarToVector | VectorToScalar | MaskMove | MaskFromVector | VectorFromMask => {
            &mut classes.shuffles
        }
        BroadcastLoad => &mut classes.loads,
        ScalarMove | ScalarAlu | ScalarCarry | ScalarShift | ByteSwap | Lea => &mut classes.integer,
        Branch | Return => &mut classes.branches,
        Load => &mut classes.loads,
        Store | StreamingStore => &mut classes.stores,
        ZeroUpper | Prefetch | Fence | Nop => &mut classes.other,
        _ => &mut classes.vector,
    };
    *class = 1.0;
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::{dimensions, targets};

    #[test]
    fn rounds_and_stores_of_a_block_are_counted() {
        let variant = dimensions::variant("aes128-ecb interleave=4 keys=0x07ff").unwrap();
        let kernel = targets::ALL.build(&variant).unwrap();
        let counts = executed(kernel.processor, variant.problem, &kernel.bytes).unwrap();
        assert_eq!((counts.steady.aes, counts.steady.stores), (10.0, 1.0));
        let sum: f64 = counts.steady.rows().iter().map(|(_, n)| n).sum();
        assert_eq!(sum, counts.steady.instructions);
        assert!(counts.at_4096.unwrap().instructions > counts.steady.instructions);
    }

    #[test]
    fn a_blocks_work_is_its_rounds() {
        let variant = dimensions::variant("aes128-ecb width=zmm interleave=4 keys=0x07ff").unwrap();
        let kernel = targets::ALL.build(&variant).unwrap();
        let work = steady_work(kernel.processor, variant.problem, &kernel.bytes).unwrap();
        let rounds = work.kinds.iter().filter(|(kind, _)| kind.class == TimingClass::Aes);
        assert_eq!(rounds.map(|(_, n)| n).sum::<f64>(), 10.0 / 4.0);
    }

    #[test]
    fn streams_are_counted_by_block() {
        let variant = dimensions::variant("aes128-cbc-x2 together=yes").unwrap();
        let kernel = targets::ALL.build(&variant).unwrap();
        assert_eq!(executed(kernel.processor, variant.problem, &kernel.bytes).unwrap().steady.aes, 10.0);
    }
}
