//! Kernels of the Cortex-M: what they compute in our interpreter and in qemu, and what they cost.

use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
use aesmith_cipher::problem::{Direction, Problem, Task};
use aesmith_isa::assemble::text;
use aesmith_prove_cores::prove;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table_tests::assembled;
use super::*;
use crate::core::Kernel;
use crate::interpreter::Interpreter;
use crate::judge::{Answer, Call, Judge, Question};
use crate::variant::Variant;

/// Every problem and variant of a core.
fn kernels(core: &'static Core) -> Vec<Kernel> {
    let problems = Problem::all().into_iter().filter(|p| (core.solves)(*p));
    let variants = problems.flat_map(|p| Variant::all(p, core.name, core.dimensions));
    variants.map(|v| (core.build)(&v).unwrap_or_else(|e| panic!("{v}: {e}"))).collect()
}

/// A call with random key and text of so many blocks, and what it must give. So many bytes of the
/// counter are about to carry.
fn question(
    core: &Core,
    kernel: &Kernel,
    rng: &mut ChaCha8Rng,
    (count, carries): (usize, usize),
) -> (Call, Vec<Vec<u8>>) {
    let contract = kernel.contract;
    let size = contract.problem.key;
    let cipher_key: Vec<u8> = (0..size.bytes()).map(|_| rng.random()).collect();
    let [key, vector, input, output] = [0, 0x1000, 0x2000, 0x3000].map(|o| core.buffers + o);
    let keys = contract.key_bytes(&cipher_key);
    let [forward, inverse] = [expand_key(size, &cipher_key), expand_key_inverse(size, &cipher_key)];
    let task = contract.problem.task;
    match task {
        Task::Ecb(direction) => {
            let text: Vec<Block> = (0..contract.blocks).map(|_| rng.random()).collect();
            let one = |block: &Block| match direction {
                Direction::Encrypt => encrypt(&forward, *block),
                Direction::Decrypt => decrypt(&inverse, *block),
            };
            let expected: Vec<Block> = text.iter().map(one).collect();
            let call = Call {
                arguments: vec![key as u32, input as u32, output as u32],
                writes: vec![(key, keys), (input, text.concat())],
                reads: vec![(output, 16 * text.len())],
            };
            return (call, vec![expected.concat()]);
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
    let text: Vec<u8> = (0..16 * count).map(|_| rng.random()).collect();
    let mut chain: Block = rng.random();
    if task == Task::Ctr {
        chain[15] = 0x55;
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

/// Answers to random questions about a kernel.
fn judged(core: &'static Core, kernel: &Kernel, judge: &dyn Judge, count: usize) -> Vec<Answer> {
    let mut rng = ChaCha8Rng::seed_from_u64(count as u64);
    let image = kernel.image((core.isa)()).unwrap();
    let function = image.symbol(&kernel.symbol).unwrap();
    let asked: Vec<_> = (0..count).map(|k| question(core, kernel, &mut rng, (1 + k % 5, k % 17))).collect();
    let calls = asked.iter().map(|(c, _)| c.clone()).collect();
    let question = Question { image: &image, function, calls, limit: 100_000 };
    let answers = judge.answer(&question).unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
    for (answer, (_, expected)) in answers.iter().zip(&asked) {
        assert_eq!(&answer.read, expected, "{}", kernel.variant);
    }
    answers
}

#[test]
fn kernels_compute_the_cipher() {
    for core in CORES {
        for kernel in kernels(core) {
            let answers = judged(core, &kernel, &Interpreter::new(core), 4);
            let bound = (core.bound)(&kernel.variant);
            if let Some((least, _)) = bound {
                assert!(answers.iter().all(|a| a.cycles.unwrap() as f64 > least), "{}", kernel.variant);
            }
            if kernel.contract.blocks == 2 {
                let same = answers.iter().all(|a| a.cycles == answers[0].cycles);
                assert!(same, "{}: cycles depend on data", kernel.variant);
            }
            println!(
                "{}: {} cycles, bound {:?}, {} bytes, {} of RAM, stack {:?}",
                kernel.variant,
                answers[0].cycles.unwrap(),
                bound.map(|(least, _)| least),
                kernel.flash((core.isa)()),
                kernel.ram((core.isa)()),
                answers[0].stack,
            );
        }
    }
}

#[test]
fn qemu_computes_the_same_with_the_same_stack() {
    for core in CORES.iter().filter(|core| core.name != "cortex-m4") {
        for judge in (core.judges)() {
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            for kernel in kernels(core) {
                let theirs = judged(core, &kernel, &*judge, 40);
                let ours = judged(core, &kernel, &Interpreter::new(core), 40);
                for (a, b) in theirs.iter().zip(&ours) {
                    assert_eq!(a.stack, b.stack, "{}", kernel.variant);
                }
            }
        }
    }
}

#[test]
fn gnu_as_makes_the_same_bytes_of_the_text() {
    for core in CORES.iter().filter(|core| core.name != "cortex-m4") {
        for kernel in kernels(core) {
            let isa = (core.isa)();
            let mut source = format!(".syntax unified\n.thumb\n.cpu {}\n", core.name);
            let ours = kernel.image(isa).unwrap();
            for (name, address) in ours.symbols.iter().filter(|(name, _)| **name != kernel.symbol) {
                source.push_str(&format!(".equ {name}, {address:#x}\n"));
            }
            source.push_str(&text(isa, &kernel.sections[0], "@"));
            let Some((theirs, _)) = assembled(&source) else { return };
            let different = ours.segments[0].bytes.iter().zip(&theirs).position(|(a, b)| a != b);
            assert_eq!(different, None, "{}: {:?}", kernel.variant, different.map(|at| &theirs[at..at + 4]));
            assert_eq!(ours.segments[0].bytes.len(), theirs.len(), "{}", kernel.variant);
        }
    }
}

#[test]
fn every_kernel_is_proved() {
    for core in CORES.iter().filter(|core| core.name != "cortex-m4") {
        for kernel in kernels(core) {
            let image = kernel.image((core.isa)()).unwrap();
            let function = image.symbol(&kernel.symbol).unwrap();
            let proof = prove((core.isa)(), core.convention, &image, function, &kernel.contract)
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
            let judged = judged(core, &kernel, &Interpreter::new(core), 1);
            assert_eq!(Some(proof.stack_bytes), judged[0].stack, "{}", kernel.variant);
            // Key schedules look up bytes of the key.
            let sliced = kernel.contract.blocks == 2;
            assert_eq!(proof.constant_time, sliced, "{}", kernel.variant);
        }
    }
}

/// What a block more costs in a message.
#[test]
fn blocks_of_messages_cost_little() {
    for core in CORES {
        for kernel in kernels(core)
            .iter()
            .filter(|k| !matches!(k.contract.problem.task, Task::Ecb(_) | Task::KeySchedule(_)))
        {
            let image = kernel.image((core.isa)()).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let calls = [1, 9].map(|n| question(core, kernel, &mut rng, (n, 0)).0).to_vec();
            let question =
                Question { image: &image, function: image.symbols[&kernel.symbol], calls, limit: 100_000 };
            let answers = Interpreter::new(core).answer(&question).unwrap();
            let [one, nine] = [&answers[0], &answers[1]].map(|a| a.cycles.unwrap());
            let more = (nine - one) as f64 / 8.0;
            println!("{}: {more} cycles a block, {one} for a call with one", kernel.variant);
        }
    }
}

/// Constant time where it is claimed: as many cycles for each of a thousand keys and texts.
#[test]
fn slices_take_the_same_time_for_all_data() {
    let core = &CORES[0];
    for kernel in kernels(core).iter().filter(|k| k.contract.blocks == 2) {
        if !kernel.variant.is("rounds", "looped") {
            continue;
        }
        let count = if kernel.symbol.starts_with("aes128") { 1000 } else { 20 };
        let answers = judged(core, kernel, &Interpreter::new(core), count);
        assert!(answers.iter().all(|a| a.cycles == answers[0].cycles), "{}", kernel.variant);
    }
}
