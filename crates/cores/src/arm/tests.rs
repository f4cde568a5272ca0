//! Kernels in ARM state: what they compute in our interpreter and in qemu, and what they cost.

use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse, xor};
use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};
use aesmith_isa::assemble::text;
use aesmith_prove_cores::prove;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::core::Kernel;
use crate::interpreter::Interpreter;
use crate::judge::{Answer, Call, Judge, Question};
use crate::outside::need;
use crate::variant::Variant;

/// Every problem and variant of a core.
pub fn kernels(core: &'static Core) -> Vec<Kernel> {
    let problems = Problem::all().into_iter().filter(|p| (core.solves)(*p));
    let variants = problems.flat_map(|p| Variant::all(p, core.name, core.dimensions));
    variants.map(|v| (core.build)(&v).unwrap_or_else(|e| panic!("{v}: {e}"))).collect()
}

/// Those to hold against other programs: all of the smallest key, and one shape of the larger ones,
/// which differ in the number of rounds.
fn sample(core: &'static Core) -> Vec<Kernel> {
    let mut all = kernels(core);
    all.retain(|k| {
        let v = &k.variant;
        v.problem.key == KeySize::Aes128 || v.is("rounds", "looped") && v.is("body", "two")
    });
    all
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
            let one = |&b: &Block| match direction {
                Direction::Encrypt => encrypt(&forward, b),
                Direction::Decrypt => decrypt(&inverse, b),
            };
            let expected = text.iter().flat_map(one).collect();
            let call = Call {
                arguments: vec![key as u32, input as u32, output as u32],
                writes: vec![(key, keys), (input, text.concat())],
                reads: vec![(output, 16 * text.len())],
            };
            return (call, vec![expected]);
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
pub fn judged(core: &'static Core, kernel: &Kernel, judge: &dyn Judge, count: usize) -> Vec<Answer> {
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
            if let Some((least, _)) = (core.bound)(&kernel.variant) {
                for answer in answers {
                    assert!(answer.cycles.unwrap() as f64 > least, "{}: {answer:?}", kernel.variant);
                }
            }
        }
    }
}

#[test]
fn qemu_computes_the_same_with_the_same_stack() {
    for core in [&CORES[0], &CORES[2]] {
        for judge in (core.judges)() {
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            for kernel in sample(core) {
                let theirs = judged(core, &kernel, &*judge, 20);
                let ours = judged(core, &kernel, &Interpreter::new(core), 20);
                // qemu sees which bytes differ from what was there before.
                let most = |answers: &[Answer]| answers.iter().map(|a| a.stack).max();
                assert_eq!(most(&theirs), most(&ours), "{}", kernel.variant);
            }
        }
    }
}

#[test]
fn gnu_as_makes_the_same_bytes_of_the_text() {
    let assembler = match need("arm-none-eabi-as", "binutils-arm-none-eabi") {
        Ok(path) => path,
        Err(why) => return println!("skipped: {why}"),
    };
    for kernel in kernels(&CORES[0]) {
        let isa = table::isa();
        let source = format!(".syntax unified\n.arm\n.cpu arm7tdmi\n{}", text(isa, &kernel.sections[0], "@"));
        let ours = kernel.image(isa).unwrap();
        let theirs = table::tests::assembled(&assembler, &source);
        assert!(ours.segments[0].bytes == theirs, "{}", kernel.variant);
    }
}

#[test]
fn every_kernel_is_proved() {
    let core = &CORES[1];
    for kernel in sample(core) {
        let image = kernel.image((core.isa)()).unwrap();
        let function = image.symbol(&kernel.symbol).unwrap();
        let proof = prove((core.isa)(), core.convention, &image, function, &kernel.contract)
            .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
        let judged = judged(core, &kernel, &Interpreter::new(core), 1);
        assert_eq!(Some(proof.stack_bytes), judged[0].stack, "{}", kernel.variant);
        let slices = kernel.variant.is("state", "sliced");
        let encrypts = kernel.contract.problem.is_message();
        assert_eq!(proof.constant_time, slices && encrypts, "{}", kernel.variant);
    }
}

/// Cycles of a block without saving registers, call and return, beside the bound: what Osvik, Bos,
/// Stefan and Canright (FSE 2010) give as 544 on ARM.
#[test]
fn the_goal_is_met() {
    for core in &CORES[1..] {
        for size in KeySize::ALL {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let problem = Problem::new(size, Task::Ecb(direction));
                let variant = Variant::plain(problem, core.name, core.dimensions);
                let kernel = (core.build)(&variant).unwrap();
                let whole = judged(core, &kernel, &Interpreter::new(core), 1)[0].cycles.unwrap();
                // STMDB and LDMIA of eight registers, and the return.
                let back = if core.name == "strongarm" { 2 } else { 3 };
                let inner = whole - 16 - back;
                let (least, _) = (core.bound)(&variant).unwrap();
                println!("{variant}: {inner} cycles, {whole} with saved registers and return, bound {least}");
                assert!(inner as f64 <= least + 2.0);
                assert!(size != KeySize::Aes128 || inner <= 544);
            }
        }
    }
}

/// What a block more costs in a message, beside the bound of a block for itself.
#[test]
fn blocks_of_messages_cost_little() {
    for core in CORES {
        for task in [Task::Ctr, Task::CbcEncrypt { streams: 1 }, Task::CbcDecrypt] {
            let variant = Variant::plain(Problem::new(KeySize::Aes128, task), core.name, core.dimensions);
            let kernel = (core.build)(&variant).unwrap();
            let image = kernel.image((core.isa)()).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let calls = [1, 9].map(|n| question(core, &kernel, &mut rng, (n, 0)).0).to_vec();
            let question =
                Question { image: &image, function: image.symbols[&kernel.symbol], calls, limit: 100_000 };
            let answers = Interpreter::new(core).answer(&question).unwrap();
            let [one, nine] = [&answers[0], &answers[1]].map(|a| a.cycles.unwrap());
            let more = (nine - one) as f64 / 8.0;
            println!("{variant}: {more} cycles a block, {one} for a call with one");
            let (least, _) = (core.bound)(&variant).unwrap();
            assert!(more >= least && more < least + 60.0, "{variant}: {more}, bound {least}");
        }
    }
}

/// Kernels without look-ups take the same time whatever the key and the text.
#[test]
fn slices_take_constant_time() {
    let core = &CORES[1];
    for kernel in kernels(core) {
        if kernel.variant.is("state", "sliced") && kernel.contract.problem.is_message() {
            let v = &kernel.variant;
            let one = v.problem.key == KeySize::Aes128 && v.is("rounds", "looped");
            let answers = judged(core, &kernel, &Interpreter::new(core), if one { 1000 } else { 20 });
            let cycles = answers[0].cycles.unwrap();
            println!("{}: {:.1} cycles a byte", kernel.variant, cycles as f64 / 32.0);
            assert!(answers.iter().all(|a| a.cycles == Some(cycles)));
        }
    }
}
