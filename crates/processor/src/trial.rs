//! Common test code of all families: calls of kernels on random data, answered by any judge, and compared with the
//! cipher.

pub mod instructions;
pub mod kernels;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use aesmith_cipher::problem::Problem;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::calls::{Expected, Layout, random_call};
use crate::core::{Core, Kernel};
use crate::interpreter::Interpreter;
use aesmith_arrange::{Dimension, Variant};
use aesmith_judge::judge::{Answer, Emulator, Question};

/// Maximum number of instructions in a call of these tests.
const LIMIT: u64 = 1_000_000;

/// True in a soak test, which has no time limit and includes slow cases.
pub fn is_soak() -> bool {
    std::env::var_os("AESMITH_SOAK").is_some()
}

/// The cases of a test: all in a soak, else every `step`-th, beginning with the first.
pub fn part<T>(all: impl IntoIterator<Item = T>, step: usize) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if is_soak() { 1 } else { step })
}

/// The kernel of a variant.
///
/// Several tests of a program need the same kernels, and ordering instructions takes most of their time, so each kernel
/// is built once in a process.
///
/// # Errors
/// It cannot be built.
pub fn built(core: &'static Core, variant: &Variant) -> Result<Kernel, String> {
    type Built = Arc<OnceLock<Result<Kernel, String>>>;
    static BUILT: Mutex<BTreeMap<(usize, String), Built>> = Mutex::new(BTreeMap::new());
    let of = (std::ptr::from_ref(core).addr(), variant.to_string());
    let built = BUILT.lock().unwrap_or_else(PoisonError::into_inner).entry(of).or_default().clone();
    built.get_or_init(|| (core.build)(variant)).clone()
}

/// The kernel with the last value of every choice, or of as many choices as can be combined.
///
/// # Errors
/// Even the plain variant cannot be built.
pub fn of_last_values(core: &Core, problem: Problem) -> Result<Kernel, String> {
    let plain = core.table.plain(problem);
    let last = |v: &Variant, d: &Dimension| v.clone().with(d, d.all().last().expect("a value")).clamped();
    let every = core.table.dimensions.iter().fold(plain.clone(), |v, d| last(&v, d));
    // Building a kernel takes time: choices are set one by one only if all of them cannot be combined.
    if let Ok(kernel) = (core.build)(&every) {
        return Ok(kernel);
    }
    let mut kernel = (core.build)(&plain)?;
    for d in core.table.dimensions {
        let next = last(&kernel.variant, d);
        if next != kernel.variant
            && let Ok(built) = (core.build)(&next)
        {
            kernel = built;
        }
    }
    Ok(kernel)
}

/// Calls with random keys and texts; the counters of successive calls carry over each possible number of bytes.
pub fn asked(core: &Core, kernel: &Kernel, count: usize) -> Vec<Expected> {
    let image = kernel.image((core.isa)()).expect("assembles");
    let layout = Layout::new(core, &image, kernel.contract).expect("has room");
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    // For a function that counts blocks: up to three of its iterations and some single blocks.
    let most = 3 * usize::from(kernel.contract.blocks.max(1)) + 2;
    let one = |k: usize| {
        let least = match kernel.contract.counts_blocks() {
            true => 1 + (most - k % most) % most,
            false => kernel.contract.blocks.into(),
        };
        let mut given = random_call(&mut random, kernel.contract, least, least);
        given.iv[15] = 0x55;
        given.iv[16 - k % 17..].fill(0xff);
        layout.call(&given)
    };
    (0..count).map(one).collect()
}

/// A judge's answers to `count` calls, checked against the cipher.
pub fn judged(core: &'static Core, kernel: &Kernel, judge: &dyn Emulator, count: usize) -> Vec<Answer> {
    let image = kernel.image((core.isa)()).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("has its symbol");
    let asked = asked(core, kernel, count);
    let calls = asked.iter().map(|e| e.call.clone()).collect();
    let question = Question { image: &image, function, calls, limit: LIMIT };
    let answers = judge.answer(&question).unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
    for (answer, expected) in answers.iter().zip(&asked) {
        assert_eq!(answer.read, expected.memory, "{}", kernel.variant);
    }
    answers
}

/// Cycles and instructions of a block in a long message, from the difference of two messages that are short enough for
/// the interpreter; `None` for variants that cannot be built.
pub fn of_a_block(core: &'static Core, variant: &Variant) -> Option<(f64, f64)> {
    let kernel = built(core, variant).ok()?;
    let image = kernel.image((core.isa)()).expect("assembles");
    let layout = Layout::new(core, &image, kernel.contract).expect("has room");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut call = |blocks: usize| {
        let mut given = random_call(&mut random, kernel.contract, blocks, blocks);
        given.iv[15] = 0;
        layout.call(&given).call
    };
    let calls = vec![call(8), call(24)];
    let function = image.symbol(&kernel.symbol).expect("the function");
    let question = Question { image: &image, function, calls, limit: LIMIT };
    let answers = Interpreter::new(core).answer(&question).expect("runs");
    let each = |of: fn(&Answer) -> Option<u64>| {
        let [short, long] = [0, 1].map(|k| of(&answers[k]).expect("counted") as f64);
        (long - short) / 16.0
    };
    Some((each(|a| a.cycles), each(|a| a.instructions)))
}
