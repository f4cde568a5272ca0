//! The exam of every kernel before it is stored or delivered: published vectors, a chain like NIST's Monte
//! Carlo test, and random keys and blocks, in an independent judge.

use aesmith_cipher::firmware::Firmware;
use aesmith_emit::package::vectors::vector;
use aesmith_judge::judge::{Answer, Call};
use aesmith_processor::bits_certificate::FULL_EXAM;
use aesmith_processor::calls::{Expected, Given, Layout, next_key, random_call};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Links of the Monte Carlo chain. Each link is a call of its own; its input is the cipher's output of the
/// previous link, so the chain is correct exactly if all links are.
const CHAIN: usize = 1000;
/// Number of random keys and texts.
const RANDOM: usize = 1000;
/// Number of shorter calls that are counted if cycles depend on data.
const SHORTER: usize = 100;

const _: () = assert!((CHAIN + RANDOM) as u64 >= FULL_EXAM, "a full exam is what certificates call one");

/// Calls with their expected results.
pub struct Exam {
    calls: Vec<Expected>,
    /// Index of the first random call; vectors and the chain come before it.
    random: usize,
    /// Index of the first call whose cycles are compared: from there on, public data is equal in all calls of
    /// a length. Counters are public, and kernels may branch on their carries.
    timed: usize,
}

/// The result of an exam.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Number of calls, all answered correctly.
    pub calls: usize,
    /// True if calls of equal lengths (with one counter or IV) all took the same number of cycles; `None` if
    /// the judge counts none.
    pub same_cycles: Option<bool>,
    /// Cycles of the random calls of one length; `None` if the judge counts none.
    pub spread: Option<Spread>,
    /// Most bytes of stack, if the judge measures them.
    pub stack: Option<u64>,
}

/// Cycles of many calls with random data and of one length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// The fewest.
    pub least: u64,
    /// Their mean.
    pub mean: f64,
    /// The most.
    pub most: u64,
}

impl Spread {
    /// The spread of some calls; `None` without calls.
    pub fn of(cycles: &[u64]) -> Option<Spread> {
        let (least, most) = (*cycles.iter().min()?, *cycles.iter().max()?);
        let mean = cycles.iter().map(|c| *c as f64).sum::<f64>() / cycles.len() as f64;
        Some(Spread { least, mean, most })
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap_or(""), 16).unwrap_or(0)).collect()
}

impl Exam {
    /// The exam for a contract, with the random part of a seed.
    pub fn new(layout: &Layout, contract: Firmware, seed: u64) -> Exam {
        Exam::with_chain(layout, contract, seed, CHAIN)
    }

    /// The exam without the chain, with vectors and random data only, for slow judges.
    pub(crate) fn without_chain(layout: &Layout, contract: Firmware, seed: u64) -> Exam {
        Exam::with_chain(layout, contract, seed, 0)
    }

    fn with_chain(layout: &Layout, contract: Firmware, seed: u64, links: usize) -> Exam {
        let problem = contract.problem;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut calls = Vec::new();
        let least = usize::from(contract.a_call());
        let vector = vector(problem.key, problem.task);
        let key = bytes(vector.key);
        if problem.is_message() {
            let iv = bytes(vector.iv).try_into().unwrap_or([0; 16]);
            let whole = if problem.has_iv() { 4 } else { least };
            for input in bytes(vector.input).chunks_exact(16 * whole) {
                let given = Given { key: key.clone(), iv, input: input.to_vec(), in_place: false };
                calls.push(layout.call(&given));
            }
        } else {
            calls.push(layout.call(&Given { key, iv: [0; 16], input: Vec::new(), in_place: false }));
        }
        let mut given = random_call(&mut random, contract, least, layout.most.min(least.max(1)));
        for link in 0..links {
            let expected = layout.call(&given);
            if problem.is_message() {
                given.input.clone_from(&expected.memory[1]);
                if problem.has_iv() {
                    // Blocks chain through the text; the IV or counter continues, too.
                    given.iv =
                        expected.memory.last().and_then(|iv| iv[..].try_into().ok()).unwrap_or([0; 16]);
                }
                if link % 100 == 99 {
                    random.fill(&mut given.key[..]);
                }
            } else {
                given.key = next_key(&contract, &given.key);
            }
            calls.push(expected);
        }
        let first = calls.len();
        for _ in 0..RANDOM {
            calls.push(layout.call(&random_call(&mut random, contract, least, layout.most)));
        }
        let mut timed = 0;
        if problem.has_iv() {
            timed = calls.len();
            for _ in 0..RANDOM {
                let given = random_call(&mut random, contract, layout.most, layout.most);
                calls.push(layout.call(&Given { iv: [0; 16], ..given }));
            }
        }
        Exam { calls, random: first, timed }
    }

    /// The block count, and calls with random data of that length: half the length of those whose cycles are
    /// compared. If cycles depend on data, the difference of the means gives the cost of a block.
    pub fn shorter(layout: &Layout, contract: Firmware, seed: u64) -> (usize, Vec<Call>) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let blocks = layout.most / 2;
        let call = |_| {
            let given = random_call(&mut random, contract, blocks, blocks);
            layout.call(&Given { iv: [0; 16], ..given }).call
        };
        (blocks, (0..SHORTER).map(call).collect())
    }

    /// The calls to put to the judge.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.iter().map(|e| e.call.clone()).collect()
    }

    /// Checks answers against the cipher.
    pub fn mark(&self, answers: &[Answer]) -> Result<Marks, String> {
        if answers.len() != self.calls.len() {
            return Err(format!("{} of {} calls were answered", answers.len(), self.calls.len()));
        }
        let mut cycles: std::collections::HashMap<usize, u64> = std::collections::HashMap::new();
        let (mut same, mut counted) = (true, true);
        let mut random = Vec::new();
        for (number, (expected, answer)) in self.calls.iter().zip(answers).enumerate() {
            if answer.read != expected.memory {
                let place = (0..).zip(expected.memory.iter().zip(&answer.read)).find(|(_, (e, a))| e != a);
                let (buffer, (wanted, got)) = place.ok_or("it did not answer with all memory asked for")?;
                let kind =
                    if number < self.random { "vectors and the Monte-Carlo chain" } else { "random data" };
                return Err(format!(
                    "call {} (of {kind}) leaves {} in buffer {buffer}, where {} must be",
                    number + 1,
                    hex(got),
                    hex(wanted)
                ));
            }
            match answer.cycles {
                Some(_) if number < self.timed => {}
                Some(count) => {
                    let length = expected.memory.get(1).map_or(0, Vec::len);
                    same &= *cycles.entry(length).or_insert(count) == count;
                    if number >= self.random {
                        random.push(count);
                    }
                }
                None => counted = false,
            }
        }
        Ok(Marks {
            calls: answers.len(),
            same_cycles: counted.then_some(same),
            spread: Spread::of(&random).filter(|_| counted),
            stack: answers
                .iter()
                .map(|a| a.stack)
                .collect::<Option<Vec<_>>>()
                .and_then(|s| s.into_iter().max()),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().take(32).map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::Problem;
    use aesmith_judge::judge::Emulator;
    use aesmith_processor::cost::BuiltKernel;
    use aesmith_processor::interpreter::Interpreter;

    fn made(problem: &str) -> (&'static aesmith_processor::core::Core, BuiltKernel) {
        let core = aesmith_processors::core("arm7tdmi").unwrap();
        let problem: Problem = problem.parse().unwrap();
        let variant = core.table.plain(problem);
        (core, BuiltKernel::new(core, (core.build)(&variant).unwrap()).unwrap())
    }

    fn examined(core: &'static aesmith_processor::core::Core, made: &BuiltKernel) -> Result<Marks, String> {
        let exam = Exam::new(&made.layout, made.kernel.contract, 1);
        exam.mark(&Interpreter::new(core).answer(&made.question(exam.calls()))?)
    }

    #[test]
    fn kernels_pass_and_a_wrong_bit_in_a_table_does_not() {
        for problem in ["aes128-ecb", "aes192-key"] {
            let (core, mut kernel) = made(problem);
            let marks = examined(core, &kernel).unwrap();
            assert!(marks.calls > CHAIN + RANDOM, "{problem}");
            assert_eq!(marks.stack.map(|s| s < 200), Some(true));
            let segment = kernel.image.segments.iter_mut().find(|s| s.bytes.len() > 256).unwrap();
            let table = segment.bytes.windows(3).position(|w| w == [0x7c, 0x77, 0x7b]);
            // T-tables have the S-box byte twice in a row.
            let at = table.or_else(|| segment.bytes.windows(2).position(|w| w == [0x7c, 0x7c])).unwrap();
            segment.bytes[at] ^= 1;
            let error = examined(core, &kernel).unwrap_err();
            assert!(error.contains("must be"), "{problem}: {error}");
        }
    }

    #[test]
    fn cycles_that_depend_on_data_have_a_range_and_a_mean() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[4, 1, 7]), Some(Spread { least: 1, mean: 4.0, most: 7 }));
        let (core, kernel) = made("aes128-ecb");
        let exam = Exam::new(&kernel.layout, kernel.kernel.contract, 1);
        let answers = Interpreter::new(core).answer(&kernel.question(exam.calls())).unwrap();
        let marks = exam.mark(&answers).unwrap();
        let spread = marks.spread.unwrap();
        assert_eq!((marks.same_cycles, spread.least), (Some(true), spread.most));
        let mut uneven = answers;
        // Cycles of the vectors are only checked for equality.
        uneven[0].cycles = uneven[0].cycles.map(|c| c + 1);
        assert_eq!(exam.mark(&uneven).unwrap().spread, Some(spread));
        *uneven.last_mut().unwrap().cycles.as_mut().unwrap() += RANDOM as u64;
        let wider = exam.mark(&uneven).unwrap();
        assert_eq!(wider.same_cycles, Some(false));
        let wider = wider.spread.unwrap();
        assert_eq!((wider.least, wider.most), (spread.least, spread.most + RANDOM as u64));
        assert!((wider.mean - spread.mean - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_chain_goes_on_from_what_came_out() {
        let (_, kernel) = made("aes128-ecb");
        let exam = Exam::new(&kernel.layout, kernel.kernel.contract, 1);
        let text = |number: usize| exam.calls[number].call.writes[1].1.clone();
        let first = exam.random - CHAIN;
        for link in first..exam.random - 1 {
            assert_eq!(text(link + 1), exam.calls[link].memory[1], "link {link}");
        }
    }
}
