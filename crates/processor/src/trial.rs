//! What the tests of all families ask of kernels: calls on random data, answered by any judge, held
//! against the cipher.

use aesmith_cipher::problem::Problem;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::calls::{Expected, Layout, random_call};
use crate::core::{Core, Kernel};
use aesmith_judge::judge::{Answer, ExactJudge, Question};

/// More instructions than any call of these tests executes.
const LIMIT: u64 = 1_000_000;

/// Every problem and variant of a core.
pub fn kernels(core: &'static Core) -> Vec<Kernel> {
    let problems = Problem::all().into_iter().filter(|p| (core.solves)(*p));
    let variants = problems.flat_map(|p| core.table.all(p));
    variants.map(|v| (core.build)(&v).unwrap_or_else(|e| panic!("{v}: {e}"))).collect()
}

/// Calls with random keys and texts; counters carry over every number of bytes in turn.
pub fn asked(core: &Core, kernel: &Kernel, count: usize) -> Vec<Expected> {
    let image = kernel.image((core.isa)()).expect("assembles");
    let layout = Layout::new(core, &image, kernel.contract).expect("has room");
    let mut random = ChaCha8Rng::seed_from_u64(count as u64);
    let one = |k: usize| {
        let least = if kernel.contract.counts_blocks() { 1 + k % 5 } else { kernel.contract.blocks.into() };
        let mut given = random_call(&mut random, kernel.contract, least, least);
        given.iv[15] = 0x55;
        given.iv[16 - k % 17..].fill(0xff);
        layout.call(&given)
    };
    (0..count).map(one).collect()
}

/// A judge's answers to so many calls, all right.
pub fn judged(core: &'static Core, kernel: &Kernel, judge: &dyn ExactJudge, count: usize) -> Vec<Answer> {
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
