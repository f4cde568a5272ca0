//! The lab report on its own target: byte-wise AES-128 on a processor other than this machine, one key setup and one
//! block. The interpreter executes every instruction, the machine model gives its cycles, and both are attributed to a
//! step: with everything in local memory, behind caches, and without caches.

use crate::code::{self, Code};
use crate::memory::{Accesses, FIRST, Memory, NEXT};
use crate::published::{self, Comparison, SizeComparison};
use crate::{Combination, ProfileError, Sizes, Step};
use aesmith_cipher::Problem;
use aesmith_cipher::modes::message;
use aesmith_judge::judge::{Call, Question};
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Cycles with one kind of memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The memory of program and data.
    pub memory: Memory,
    /// Cycles by step, in the order of [`Step::ALL`].
    pub steps: Vec<(Step, u64)>,
    /// Cycles of key setup and one block.
    pub whole: u64,
    /// Total cycles by a judge that counts the processor's own cycles; only with local memory.
    pub judged: Option<u64>,
}

impl Run {
    /// Cycles that belong to no step: loads and stores of the block, calls, the loop of rounds.
    pub fn rest(&self) -> u64 {
        self.whole.saturating_sub(self.steps.iter().map(|(_, cycles)| cycles).sum())
    }

    /// Cycles of the steps of one round, averaged over the `rounds` of a block.
    pub fn round(&self, rounds: usize) -> f64 {
        let steps = self.steps.iter().filter(|(step, _)| *step != Step::ExpandKey);
        steps.map(|(_, cycles)| *cycles).sum::<u64>() as f64 / rounds as f64
    }

    /// Cycles of a step.
    pub fn of(&self, step: Step) -> u64 {
        self.steps.iter().find(|(s, _)| *s == step).map_or(0, |(_, cycles)| *cycles)
    }
}

/// The profile of one combination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedProfile {
    /// The optimizations that are on.
    pub combination: Combination,
    /// Sizes of the functions and their tables, in bytes.
    pub sizes: Sizes,
    /// One run for each memory.
    pub runs: Vec<Run>,
}

/// The profiles of all combinations on a processor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedReport {
    /// The processor.
    pub processor: String,
    /// The problem that is computed.
    pub problem: String,
    /// A description of the programs' making.
    pub code: String,
    /// The kind of figure that the machine model's cycles are.
    pub cycles: String,
    /// The cycles that memory adds.
    pub memory: String,
    /// The judge that gave [`Run::judged`], or the reason why none did.
    pub judge: String,
    /// All profiles: no optimization first, all four last.
    pub profiles: Vec<CountedProfile>,
    /// The report's cycles beside ours.
    pub comparisons: Vec<Comparison>,
    /// The report's sizes beside ours.
    pub size_comparisons: Vec<SizeComparison>,
}

/// The most instructions that a program may execute; more means that it does not end.
const LIMIT: u64 = 1_000_000;
/// The maximum size of a prepared key, in bytes.
const KEY_BYTES: usize = 1024;

/// Profiles every combination on a processor, working in `folder`, where the files of the last one are left. Calls
/// `tell` with each combination before it runs.
///
/// # Errors
/// There is no compiler, the processor belongs to another family, or a program does not compute AES.
pub fn profile_counted(
    core: &'static Core,
    folder: &Path,
    mut tell: impl FnMut(Combination),
) -> Result<CountedReport, ProfileError> {
    let judge = (core.judges)().into_iter().find(|j| j.counts_cycles());
    let (judge, said) = match judge {
        None => (None, "no judge counts this processor's cycles: they are the model's".to_owned()),
        Some(judge) => match judge.present() {
            Ok(()) => {
                let name = judge.name();
                (Some(judge), name)
            }
            Err(why) => (None, why),
        },
    };
    let mut profiles = Vec::new();
    let mut made = String::new();
    for combination in Combination::all() {
        tell(combination);
        let code = code::code(core, combination, folder)?;
        let mut runs = run(core, &code)?;
        if let Some(judge) = &judge {
            let (expand, encrypt) = calls(core, None);
            let mut sum = 0;
            for (name, call) in [(&code.expand, expand), (&code.encrypt, encrypt)] {
                let function = code.image.symbol(name).map_err(ProfileError)?;
                let question = Question { image: &code.image, function, calls: vec![call], limit: LIMIT };
                let answers = judge.answer(&question).map_err(ProfileError)?;
                sum += answers.first().and_then(|a| a.cycles).unwrap_or(0);
            }
            runs[0].judged = Some(sum);
        }
        made.clone_from(&code.made);
        profiles.push(CountedProfile { combination, sizes: code.sizes, runs });
    }
    let comparisons = published::compare(&profiles);
    let size_comparisons = published::compare_sizes(&profiles);
    Ok(CountedReport {
        processor: core.name.into(),
        problem: crate::program::PROBLEM.into(),
        code: made,
        cycles: core.model_about.into(),
        memory: format!(
            "caches as UG984 has them by default (8 KiB each, direct mapped, lines of 4 words, written through), \
             empty at the start; assumed: external memory takes {FIRST} cycles to the first word, {NEXT} to the next"
        ),
        judge: said,
        profiles,
        comparisons,
        size_comparisons,
    })
}

/// The key and plaintext of the example of FIPS-197, appendix B.
const CIPHER_KEY: [u8; 16] =
    [0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c];
const BLOCK: [u8; 16] =
    [0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34];

/// The calls of the key schedule and the cipher. `key` is the key schedule's output; without it the round keys are
/// used.
fn calls(core: &Core, key: Option<Vec<u8>>) -> (Call, Call) {
    let [key_at, input, output] = [0, 0x800, 0x900].map(|at| core.buffers + at);
    let problem: Problem = crate::program::PROBLEM.parse().expect("a problem's name");
    let keys = key.unwrap_or_else(|| aesmith_cipher::block::expand_key(problem.key, &CIPHER_KEY).concat());
    let expand = Call {
        arguments: vec![key_at as u32, input as u32],
        writes: vec![(input, CIPHER_KEY.to_vec())],
        reads: vec![(key_at, KEY_BYTES)],
    };
    let encrypt = Call {
        arguments: vec![key_at as u32, input as u32, output as u32, 16],
        writes: vec![(key_at, keys), (input, BLOCK.to_vec())],
        reads: vec![(output, 16)],
    };
    (expand, encrypt)
}

/// Executes one key setup and one block, checks the result, and counts cycles with each memory.
fn run(core: &'static Core, code: &Code) -> Result<Vec<Run>, ProfileError> {
    let mut memories = Memory::ALL.map(Accesses::new);
    let mut cycles: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    let mut interpreter = Interpreter::new(core);
    let mut call = |name: &str, call: &Call| -> Result<Vec<u8>, ProfileError> {
        let function = code.image.symbol(name).map_err(ProfileError)?;
        let trace = interpreter.watched(&code.image, function, call, LIMIT, &mut |executed, access, own| {
            let bytes = executed.isa.of(executed.insn).bytes();
            let sums = cycles.entry(executed.pc).or_default();
            for (memory, sum) in memories.iter_mut().zip(sums) {
                *sum += u64::from(own) + memory.added(executed.pc, bytes, access);
            }
        });
        let answer = trace.map_err(ProfileError)?.answer;
        Ok(answer.and_then(|a| a.read.into_iter().next()).unwrap_or_default())
    };
    let key = call(&code.expand, &calls(core, None).0)?;
    let found = call(&code.encrypt, &calls(core, Some(key)).1)?;
    let problem: Problem = crate::program::PROBLEM.parse().expect("a problem's name");
    if found != message(problem, &CIPHER_KEY, [0; 16], &BLOCK).0 {
        return Err(ProfileError(format!("what runs on {} is not AES, so it is not profiled", core.name)));
    }
    let addresses: Vec<u64> = cycles.keys().copied().collect();
    let steps = code.steps(&addresses)?;
    let sum = |k: usize, step: Option<Step>| {
        let of = |at: &u64| step.is_none() || steps.get(at).copied() == step;
        cycles.iter().filter(|(at, _)| of(at)).map(|(_, sums)| sums[k]).sum()
    };
    let one = |(k, memory): (usize, Memory)| Run {
        memory,
        steps: Step::ALL.map(|step| (step, sum(k, Some(step)))).to_vec(),
        whole: sum(k, None),
        judged: None,
    };
    Ok(Memory::ALL.into_iter().enumerate().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_code_is_profiled_by_steps() {
        let core = aesmith_processors::core("microblaze-5").expect("a processor");
        let folder = std::env::temp_dir();
        let report = profile_counted(core, &folder, |_| {}).expect("is profiled");
        assert_eq!(report.profiles.len(), 16);
        for profile in &report.profiles {
            let [local, cached, external] = &profile.runs[..] else { panic!("three memories") };
            assert!(local.whole < cached.whole && cached.whole < external.whole, "{}", profile.combination);
            assert!(local.steps.iter().all(|(_, cycles)| *cycles > 0), "{}", profile.combination);
            assert!(local.rest() < local.whole / 4, "{}", profile.combination);
        }
        // Each optimization speeds up the function that it is meant for.
        for comparison in report.comparisons.iter().filter(|c| !c.what.starts_with("text")) {
            assert!(comparison.local.1 < comparison.local.0, "{}", comparison.what);
        }
    }

    #[test]
    fn compiled_code_is_profiled_by_steps_even_where_they_are_inlined() {
        let core = aesmith_processors::core("picorv32").expect("a processor");
        if crate::tools::version("riscv64-unknown-elf-gcc").is_none() {
            return println!(
                "skipped: there is no riscv64-unknown-elf-gcc; apt-get install gcc-riscv64-unknown-elf"
            );
        }
        let folder = std::env::temp_dir().join(format!("aesmith-counted-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for combination in [0, 4, 15].map(|k| Combination::all().nth(k).expect("one of 16")) {
            let code = code::code(core, combination, &folder).expect("compiles");
            let runs = run(core, &code).expect("is AES");
            assert!(runs[0].steps.iter().all(|(_, cycles)| *cycles > 0), "{combination}: {:?}", runs[0]);
            assert!(runs[0].rest() < runs[0].whole / 4, "{combination}: {:?}", runs[0]);
        }
        std::fs::remove_dir_all(&folder).expect("is removed");
    }
}
