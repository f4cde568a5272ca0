//! The Monte Carlo tests of NIST's CAVS (CBC) and ACVP (ECB), all 100 results of 1,000 calls each, on every
//! family of kernels of every technique. CTR kernels run the ECB tests with the block as their counter.

// This test runs kernels.
#![cfg(target_arch = "x86_64")]

use crate::families;
use crate::families::{KeySetUp, Ready};
use crate::known_answers::{Block, MONTE_CARLO, Vector, read};
use aesmith_arrange::Technique;
use aesmith_cipher::{Direction, KeySize, Problem, Task, problem::STREAMS};
use std::array::from_fn;

/// The state of one test between two calls (AESAVS, section 6.4).
#[derive(Clone, Copy, Default)]
struct Chain {
    iv: Block,
    text: Block,
    /// The last output and the one before it; initially the IV of a CBC test.
    last: Block,
    before: Block,
}

impl Chain {
    fn new(start: &Vector) -> Chain {
        let text = start.input[..].try_into().unwrap();
        Chain { iv: start.iv, text, last: start.iv, before: [0; 16] }
    }

    /// Continues after a call: ECB encrypts its output again, CBC the previous output.
    fn took(&mut self, output: Block, chained: bool) {
        self.text = if chained { self.last } else { output };
        self.before = std::mem::replace(&mut self.last, output);
    }
}

/// 1,000 calls on one stream. ECB processes `copies` copies of its block in each call.
fn thousand(ready: &Ready, structure: &[u8], start: &Vector, copies: usize) -> Chain {
    let problem = ready.kernel.variant.problem;
    let mut chain = Chain::new(start);
    let (mut texts, mut outputs) = (vec![[0; 16]; copies], vec![[0; 16]; copies]);
    for _ in 0..1000 {
        let counter = &mut chain.text.clone();
        let iv = if problem.task == Task::Ctr {
            counter
        } else {
            texts.fill(chain.text);
            &mut chain.iv
        };
        let (input, output) = (texts.as_ptr().cast(), outputs.as_mut_ptr().cast());
        // SAFETY: a kernel of this problem, its key structure, whole buffers.
        unsafe { ready.code.message(problem, structure, iv, input, output, 16 * copies) };
        assert!(outputs.iter().all(|o| *o == outputs[0]), "{}", ready.kernel.variant);
        chain.took(outputs[0], problem.task != Task::Ctr && problem.has_iv());
    }
    chain
}

/// 1,000 calls on one stream per start; the other streams of the kernel are empty.
fn thousand_streams(ready: &Ready, structures: &[&[u8]], starts: &[Vector]) -> Vec<Chain> {
    let mut chains: [Chain; 16] = from_fn(|i| starts.get(i).map_or_else(Chain::default, Chain::new));
    let mut outputs = [[0; 16]; 16];
    let keys: [*const u8; 16] = from_fn(|i| structures[i.min(starts.len() - 1)].as_ptr());
    let lengths: [usize; 16] = from_fn(|i| if i < starts.len() { 16 } else { 0 });
    for _ in 0..1000 {
        let inputs: [*const u8; 16] = from_fn(|i| chains[i].text.as_ptr());
        let texts: [*mut u8; 16] = from_fn(|i| outputs[i].as_mut_ptr());
        let ivs: [*mut u8; 16] = from_fn(|i| chains[i].iv.as_mut_ptr());
        // SAFETY: a kernel of at most 16 streams, its key structures, a block for each pointer.
        unsafe { ready.code.streams(&keys, &ivs, &inputs, &texts, &lengths) };
        chains.iter_mut().zip(&outputs).take(starts.len()).for_each(|(c, o)| c.took(*o, true));
    }
    chains[..starts.len()].to_vec()
}

/// Checks a result, and that the next key, IV and text follow from it.
fn check(ready: &Ready, end: &Chain, result: &Vector, next: Option<&Vector>) {
    let variant = &ready.kernel.variant;
    assert_eq!(end.last[..], result.output, "{variant}\nunder {:02x?}", result.key);
    let Some(next) = next else { return };
    let both = [end.before, end.last].concat();
    let change = &both[32 - result.key.len()..];
    let key: Vec<u8> = result.key.iter().zip(change).map(|(k, c)| k ^ c).collect();
    assert_eq!(key, next.key, "{variant}");
    let text = if result.mode.starts_with("cbc") { end.before } else { end.last };
    assert_eq!(text[..], next.input, "{variant}");
}

/// The 100 results of the test of one key size, and key structures for them, made by kernels.
struct Results {
    all: Vec<Vector>,
    structures: Vec<Vec<u8>>,
}

impl Results {
    fn new(problem: Problem, set_up: &KeySetUp) -> Results {
        let mode = match problem.task {
            Task::Ecb(Direction::Decrypt) => "ecb-dec",
            Task::CbcDecrypt => "cbc-dec",
            Task::CbcEncrypt { .. } => "cbc",
            _ => "ecb",
        };
        let all = MONTE_CARLO.iter().flat_map(|file| read(file));
        let all: Vec<Vector> = all.filter(|v| v.mode == mode && v.key.len() == problem.key.bytes()).collect();
        assert_eq!(all.len(), 100, "results of {mode}");
        let made = all.iter().enumerate().map(|(i, v)| set_up.structures(&v.key).swap_remove(i % 2));
        Results { structures: made.collect(), all }
    }

    /// Runs the whole test through a kernel.
    fn check(&self, ready: &Ready) {
        let Results { all, structures } = self;
        let problem = ready.kernel.variant.problem;
        let streams = problem.streams();
        for first in (0..all.len()).step_by(streams) {
            let group = first..all.len().min(first + streams);
            let ends = if streams == 1 {
                // Every tenth result passes through the main loop, as a text of equal blocks.
                let wide = matches!(problem.task, Task::Ecb(_)) && first % 10 == 3;
                let copies = if wide { ready.kernel.loop_blocks + 1 } else { 1 };
                vec![thousand(ready, &structures[first], &all[first], copies)]
            } else {
                let structures: Vec<&[u8]> = structures[group.clone()].iter().map(|s| &s[..]).collect();
                thousand_streams(ready, &structures, &all[group.clone()])
            };
            for (i, end) in group.zip(&ends) {
                check(ready, end, &all[i], all.get(i + 1));
            }
        }
    }
}

/// Every family of AES instructions.
fn monte_carlo(task: Task) {
    for size in KeySize::ALL {
        let problem = Problem::new(size, task);
        let Some(set_up) = KeySetUp::new(problem) else { return };
        let results = Results::new(problem, &set_up);
        families::each(problem, |ready| results.check(ready));
    }
}

#[test]
fn ecb() {
    monte_carlo(Task::Ecb(Direction::Encrypt));
    monte_carlo(Task::Ecb(Direction::Decrypt));
}

#[test]
fn ctr() {
    monte_carlo(Task::Ctr);
}

#[test]
fn cbc() {
    monte_carlo(Task::CbcDecrypt);
    for streams in STREAMS {
        monte_carlo(Task::CbcEncrypt { streams });
    }
}

/// Every family of a technique, with key structures that its own kernels made on the same level.
fn chains(technique: Technique) {
    families::each_family(technique, |ready| {
        let problem = ready.kernel.variant.problem;
        Results::new(problem, &KeySetUp::by(problem, technique, &ready.target)).check(ready);
    });
}

mod chains_of_every_technique {
    by_each_technique!(chains);
}
