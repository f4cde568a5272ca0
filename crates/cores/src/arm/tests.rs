//! Kernels in ARM state: what they compute in our interpreter and in qemu, and what they cost.

use aesmith_cipher::block::{decrypt, encrypt};
use aesmith_cipher::problem::{Direction, Problem, Task};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::core::Kernel;
use crate::interpreter::Interpreter;
use crate::judge::{Call, Judge, Question};

/// Every problem and variant of a core.
fn kernels(core: &'static Core) -> Vec<Kernel> {
    let problems = Problem::all().into_iter().filter(|p| (core.solves)(*p));
    let variants = problems.flat_map(|p| Variant::all(p, core.name, core.dimensions));
    variants.map(|v| (core.build)(&v).unwrap_or_else(|e| panic!("{v}: {e}"))).collect()
}

/// A call with random key and text, and what it must give.
fn question(core: &Core, kernel: &Kernel, rng: &mut ChaCha8Rng) -> (Call, Vec<Vec<u8>>) {
    let problem = kernel.contract.problem;
    let cipher_key: Vec<u8> = (0..problem.key.bytes()).map(|_| rng.random()).collect();
    let [key, input, output] = [0, 0x1000, 0x2000].map(|o| core.buffers + o);
    let keys = kernel.contract.key_bytes(&cipher_key);
    let text: [u8; 16] = rng.random();
    let round = aesmith_cipher::block::expand_key(problem.key, &cipher_key);
    let expected = match problem.task {
        Task::Ecb(Direction::Encrypt) => encrypt(&round, text),
        _ => decrypt(&round, text),
    };
    let call = Call {
        arguments: vec![key as u32, input as u32, output as u32],
        writes: vec![(key, keys), (input, text.to_vec())],
        reads: vec![(output, 16)],
    };
    (call, vec![expected.to_vec()])
}

#[test]
fn kernels_compute_the_cipher() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for core in CORES {
        for kernel in kernels(core) {
            let image = kernel.image((core.isa)()).unwrap();
            let function = image.symbol(&kernel.symbol).unwrap();
            let asked: Vec<_> = (0..3).map(|_| question(core, &kernel, &mut rng)).collect();
            let calls = asked.iter().map(|(c, _)| c.clone()).collect();
            let question = Question { image: &image, function, calls, limit: 100_000 };
            let answers = Interpreter::new(core)
                .answer(&question)
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
            for (answer, (_, expected)) in answers.iter().zip(&asked) {
                assert_eq!(&answer.read, expected, "{}", kernel.variant);
            }
            println!(
                "{}: {:?} cycles, {} bytes, stack {:?}",
                kernel.variant,
                answers[0].cycles.unwrap(),
                kernel.flash((core.isa)()),
                answers[0].stack.unwrap()
            );
        }
    }
}
