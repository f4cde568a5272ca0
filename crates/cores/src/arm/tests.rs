//! Kernels in ARM state: what they compute in our interpreter and in qemu, and what they cost.

use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
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

/// A call with random key and text, and what it must give. Counters are close to a carry.
fn question(core: &Core, kernel: &Kernel, rng: &mut ChaCha8Rng) -> (Call, Vec<Vec<u8>>) {
    let contract = kernel.contract;
    let size = contract.problem.key;
    let cipher_key: Vec<u8> = (0..size.bytes()).map(|_| rng.random()).collect();
    let [key, vector, input, output] = [0, 0x1000, 0x2000, 0x3000].map(|o| core.buffers + o);
    let keys = contract.key_bytes(&cipher_key);
    let [forward, inverse] = [expand_key(size, &cipher_key), expand_key_inverse(size, &cipher_key)];
    let task = contract.problem.task;
    match task {
        Task::Ecb(direction) => {
            let text: Block = rng.random();
            let expected = if direction == Direction::Encrypt {
                encrypt(&forward, text)
            } else {
                decrypt(&inverse, text)
            };
            let call = Call {
                arguments: vec![key as u32, input as u32, output as u32],
                writes: vec![(key, keys), (input, text.to_vec())],
                reads: vec![(output, 16)],
            };
            return (call, vec![expected.to_vec()]);
        }
        Task::KeySchedule(_) => {
            let call = Call {
                arguments: vec![key as u32, input as u32],
                writes: vec![(input, cipher_key)],
                reads: vec![(key, keys.len())],
            };
            return (call, vec![keys]);
        }
        _ => {}
    }
    let count = rng.random_range(1..5usize);
    let text: Vec<u8> = (0..16 * count).map(|_| rng.random()).collect();
    let mut chain: Block = rng.random();
    if task == Task::Ctr {
        let carries = rng.random_range(0..17);
        chain[16 - carries..].fill(255);
    }
    let first = chain;
    let mut expected = Vec::new();
    for block in text.chunks(16) {
        let block: Block = block.try_into().unwrap();
        let out = match task {
            Task::Ctr => {
                let out = xor(encrypt(&forward, chain), block);
                chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes();
                out
            }
            Task::CbcDecrypt => {
                let out = xor(decrypt(&inverse, block), chain);
                chain = block;
                out
            }
            _ => {
                chain = encrypt(&forward, xor(block, chain));
                chain
            }
        };
        expected.extend(out);
    }
    let call = Call {
        arguments: vec![key as u32, vector as u32, input as u32, output as u32, count as u32],
        reads: vec![(output, text.len()), (vector, 16)],
        writes: vec![(key, keys), (vector, first.to_vec()), (input, text)],
    };
    (call, vec![expected, chain.to_vec()])
}

#[test]
fn kernels_compute_the_cipher() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for core in CORES {
        for kernel in kernels(core) {
            let image = kernel.image((core.isa)()).unwrap();
            let function = image.symbol(&kernel.symbol).unwrap();
            let asked: Vec<_> = (0..4).map(|_| question(core, &kernel, &mut rng)).collect();
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
