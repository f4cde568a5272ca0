//! Kernels in our own interpreter, against FIPS-197's cipher.

use crate::dimensions;
use std::process::Command;
use std::time::Duration;

use aesmith_cipher::Problem;
use aesmith_cipher::block::{Block, decrypt, encrypt, expand_key, expand_key_inverse};
use aesmith_cipher::problem::{Direction, KeySize, Task};
use aesmith_isa::assemble::text;
use object::{Object, ObjectSection};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use aesmith_arrange::Variant;
use aesmith_judge::judge::{Call, Cycles, ExactJudge, Question};
use aesmith_judge::outside::{Temporary, need, step};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::interpreter::{Interpreter, Trace};
use aesmith_processor::trial::{built, part};

const KEY: u64 = 0x4_0000;
const IV: u64 = 0x4_0800;
const IN: u64 = 0x4_0c00;
const OUT: u64 = 0x4_1000;

pub(super) fn core(name: &str) -> &'static Core {
    CORES.iter().find(|c| c.name == name).expect("a core of this family")
}

fn tasks() -> [Task; 7] {
    [
        Task::Ecb(Direction::Encrypt),
        Task::Ecb(Direction::Decrypt),
        Task::KeySchedule(Direction::Encrypt),
        Task::KeySchedule(Direction::Decrypt),
        Task::Ctr,
        Task::CbcEncrypt { streams: 1 },
        Task::CbcDecrypt,
    ]
}

/// A call on random inputs, and the expected outputs.
fn call(kernel: &Kernel, rng: &mut ChaCha8Rng, blocks: usize) -> (Call, Vec<Vec<u8>>) {
    let problem = kernel.contract.problem;
    let bytes = |rng: &mut ChaCha8Rng, n: usize| (0..n).map(|_| rng.random()).collect::<Vec<u8>>();
    let cipher_key = bytes(rng, problem.key.bytes());
    let forward = expand_key(problem.key, &cipher_key);
    let inverse = expand_key_inverse(problem.key, &cipher_key);
    let key = (KEY, kernel.contract.key_bytes(&cipher_key));
    let text = bytes(rng, 16 * blocks.max(2));
    let block = |k: usize| -> Block { text[16 * k..16 * k + 16].try_into().expect("16 bytes") };
    // Carries out of the last byte, and out of all bytes.
    let mut iv: Block = bytes(rng, 16).try_into().expect("16 bytes");
    iv[15] = 0xfe;
    if rng.random() {
        iv = [0xff; 16];
    }
    let xor = |a: Block, b: Block| -> Block { std::array::from_fn(|i| a[i] ^ b[i]) };
    let mut out: Vec<u8> = Vec::new();
    let mut chain = iv;
    match problem.task {
        Task::Ecb(direction) => {
            let count = usize::from(kernel.contract.blocks);
            let one = |k| match direction {
                Direction::Encrypt => encrypt(&forward, block(k)),
                Direction::Decrypt => decrypt(&inverse, block(k)),
            };
            let done: Vec<u8> = (0..count).flat_map(one).collect();
            let call = Call {
                arguments: vec![KEY as u32, IN as u32, OUT as u32],
                writes: vec![key, (IN, text[..16 * count].to_vec())],
                reads: vec![(OUT, 16 * count)],
            };
            return (call, vec![done]);
        }
        Task::KeySchedule(direction) => {
            let keys = if direction == Direction::Encrypt { forward } else { inverse };
            let keys = kernel.contract.packing.pack(&keys);
            let call = Call {
                arguments: vec![KEY as u32, IN as u32],
                writes: vec![(IN, cipher_key)],
                reads: vec![(KEY, keys.len())],
            };
            return (call, vec![keys]);
        }
        Task::Ctr => {
            for k in 0..blocks {
                out.extend(xor(encrypt(&forward, chain), block(k)));
                chain = u128::from_be_bytes(chain).wrapping_add(1).to_be_bytes();
            }
        }
        Task::CbcDecrypt => {
            for k in 0..blocks {
                out.extend(xor(decrypt(&inverse, block(k)), chain));
                chain = block(k);
            }
        }
        _ => {
            for k in 0..blocks {
                chain = encrypt(&forward, xor(block(k), chain));
                out.extend(chain);
            }
        }
    }
    let call = Call {
        arguments: vec![KEY as u32, IV as u32, IN as u32, OUT as u32, blocks as u32],
        writes: vec![key, (IV, iv.to_vec()), (IN, text[..16 * blocks].to_vec())],
        reads: vec![(OUT, 16 * blocks), (IV, 16)],
    };
    (call, vec![out, chain.to_vec()])
}

fn trace(core: &'static Core, kernel: &Kernel, call: &Call) -> Trace {
    let image = kernel.image((core.isa)()).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("has its symbol");
    let trace = Interpreter::new(core).trace(&image, function, call, 1_000_000);
    trace.unwrap_or_else(|e| panic!("{}: {e}", kernel.variant))
}

/// Checks a kernel against the cipher.
pub(super) fn check(core: &'static Core, variant: &Variant, rng: &mut ChaCha8Rng) -> (Kernel, Trace) {
    let kernel = built(core, variant).unwrap_or_else(|e| panic!("{variant}: {e}"));
    for blocks in [1, 4] {
        let (call, wanted) = call(&kernel, rng, blocks);
        let found = trace(core, &kernel, &call).answer.expect("an answer");
        assert!(found.read == wanted, "{variant}: wrong for {blocks} blocks");
    }
    // In place.
    let (mut call, wanted) = call(&kernel, rng, 3);
    if kernel.contract.problem.is_message() {
        let place = call.arguments.iter().position(|&a| a == OUT as u32).expect("out is an argument");
        call.arguments[place] = IN as u32;
        call.reads[0].0 = IN;
    }
    let found = trace(core, &kernel, &call);
    assert!(found.answer.as_ref().expect("an answer").read == wanted, "{variant}: wrong in place");
    (kernel, found)
}

/// Variants that together contain every value of every dimension.
fn sample(core: &'static Core, problem: Problem) -> Vec<Variant> {
    let plain = core.table.plain(problem);
    let mut found = vec![plain.clone()];
    found.extend(plain.neighbours());
    // Only one of the numbers.
    let kept = |v: &Variant| v.is(dimensions::Kept::Four) || v.choice() == Some(dimensions::Kept::None);
    let remade =
        |v: &Variant| v.is(dimensions::Remade::Three) || v.choice() == Some(dimensions::Remade::None);
    found.retain(|v| kept(v) && remade(v));
    found
}

#[test]
fn every_choice_is_the_cipher() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for (name, all) in [("rv32imc", true), ("rv32-zkn", false)] {
        let core = core(name);
        for task in tasks() {
            for size in KeySize::ALL {
                // Key sizes differ in the number of rounds and the schedule, cores in the technique.
                let mut variants = sample(core, Problem::new(size, task));
                if !all || size != KeySize::Aes128 {
                    let plain = variants[0].clone();
                    variants.retain(|v| {
                        let differs = v.is(dimensions::Rounds::Looped) || v.is(dimensions::Inverse::Tables);
                        *v == plain || differs
                    });
                }
                for variant in &variants {
                    let (kernel, trace) = check(core, variant, &mut rng);
                    let cycles = trace.answer.and_then(|a| a.cycles).expect("counted");
                    println!("{variant}: {cycles} cycles, {} bytes", kernel.flash((core.isa)()));
                }
            }
        }
    }
}

/// A proof of a variant's kernel.
pub(super) fn proved(core: &'static Core, variant: &Variant) -> aesmith_prove::bits::Proof {
    let kernel = built(core, variant).expect("builds");
    let image = kernel.image((core.isa)()).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("has its symbol");
    aesmith_prove::bits::prove((core.isa)(), core.convention, &image, function, &kernel.contract)
        .unwrap_or_else(|e| panic!("{variant}: {e}"))
}

#[test]
fn kernels_are_proved() {
    for task in tasks() {
        let problem = Problem::new(KeySize::Aes128, task);
        for variant in part(sample(core("rv32imc"), problem), 2) {
            let proof = proved(core("rv32imc"), &variant);
            let gates = variant.is(dimensions::State::Sliced) || variant.is(dimensions::Sbox::Circuit);
            assert_eq!(proof.constant_time, gates, "{variant}: {:?}", proof.hangs);
        }
        let zkn = core("rv32-zkn");
        let variant = zkn.table.plain(problem);
        assert!(proved(zkn, &variant).constant_time, "{variant}");
    }
}

/// Key schedules without look-ups, of all sizes and directions, in all forms.
#[test]
fn key_schedules_are_made_in_constant_time() {
    let core = core("rv32imc");
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for direction in [Direction::Encrypt, Direction::Decrypt] {
        for size in KeySize::ALL {
            let all = core.table.all(Problem::new(size, Task::KeySchedule(direction)));
            let plain = |v: &&Variant| v.is(dimensions::Sbox::Circuit) && !v.is(dimensions::Code::Compressed);
            for variant in part(all.iter().filter(plain), 3) {
                let (kernel, trace) = check(core, variant, &mut rng);
                let cycles = trace.answer.and_then(|a| a.cycles).expect("counted");
                println!("{variant}: {cycles} cycles, {} bytes", kernel.flash((core.isa)()));
                assert!(proved(core, variant).constant_time, "{variant}");
            }
        }
    }
}

/// Every available judge of a core: equal output; prints its cycles next to the model's.
pub(super) fn judged(core: &'static Core, variant: &Variant, rng: &mut ChaCha8Rng) {
    let (kernel, _) = check(core, variant, rng);
    let image = kernel.image((core.isa)()).expect("assembles");
    let function = image.symbol(&kernel.symbol).expect("has its symbol");
    let (calls, wanted): (Vec<_>, Vec<_>) = (0..10).map(|_| call(&kernel, rng, 1)).unzip();
    let modelled = trace(core, &kernel, &calls[0]).answer.and_then(|a| a.cycles).unwrap_or(0);
    for judge in (core.judges)() {
        if let Err(why) = judge.present() {
            println!("skipped: {}: {why}", judge.name());
            continue;
        }
        let question = Question { image: &image, function, calls: calls.clone(), limit: 1_000_000 };
        let answers = judge.answer(&question).unwrap_or_else(|e| panic!("{variant}: {e}"));
        for (answer, wanted) in answers.iter().zip(&wanted) {
            assert!(answer.read == *wanted, "{variant}: {} disagrees", judge.name());
        }
        if let Some(cycles) = answers[0].cycles {
            let error = 100.0 * (modelled as f64 - cycles as f64) / cycles as f64;
            println!("{variant}: {cycles} by {}, model {modelled} ({error:+.1} %)", judge.name());
            // The model has no caches.
            assert!(core.cached || error.abs() < 1.0, "the model of {} is off by {error:.1} %", core.name);
        }
    }
}

#[test]
fn judges_say_the_same() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for core in ["picorv32", "ibex", "ibex-writeback", "vexriscv", "rv32-zkn"].map(core) {
        for task in tasks() {
            // If the model is exact, one kernel per task suffices; cached memory differs.
            let all = sample(core, Problem::new(KeySize::Aes128, task));
            let told = |(k, v): &(usize, &Variant)| *k == 0 || core.cached && v.is(dimensions::Bytes::Tables);
            let told = all.iter().enumerate().filter(told);
            told.for_each(|(_, variant)| judged(core, variant, &mut rng));
        }
    }
}

#[test]
fn gnu_as_makes_the_same_code() {
    let tool = |name: &str| need(&format!("riscv64-unknown-elf-{name}"), "binutils-riscv64-unknown-elf");
    let (assembler, linker) = match (tool("as"), tool("ld")) {
        (Ok(assembler), Ok(linker)) => (assembler, linker),
        (Err(why), _) | (_, Err(why)) => return println!("skipped: {why}"),
    };
    for core in [core("rv32imc"), core("rv32-zkn")] {
        let isa = (core.isa)();
        for task in tasks() {
            let all = sample(core, Problem::new(KeySize::Aes128, task));
            let plain = |v: &&Variant| !v.is(dimensions::Code::Compressed) && !v.is(dimensions::Kept::Four);
            for variant in part(all.iter().filter(plain), 2) {
                let kernel = built(core, variant).expect("builds");
                let mut source = String::from(".option norvc\n");
                for section in &kernel.sections {
                    source.push_str(&format!(".section {}\n{}", section.name, text(isa, section, "#")));
                }
                let source = Temporary::new(source.as_bytes()).expect("written");
                let (object, linked) =
                    (Temporary::new(&[]).expect("a file"), Temporary::new(&[]).expect("a file"));
                let mut command = Command::new(&assembler);
                command.args(["-march=rv32imc_zbkb_zkne_zknd", "-mabi=ilp32", "-mno-relax", "-o"]);
                step(command.arg(&object.path).arg(&source.path), Duration::from_secs(60))
                    .expect("assembles");
                let mut command = Command::new(&linker);
                command.args(["-melf32lriscv", "-Ttext=0x10000", "-e0"]);
                if let Some(tables) = kernel.sections.iter().find(|s| s.name == ".rodata") {
                    command.arg(format!("--section-start=.rodata={:#x}", tables.address));
                }
                command.arg("-o");
                step(command.arg(&linked.path).arg(&object.path), Duration::from_secs(60)).expect("links");
                let bytes = std::fs::read(&linked.path).expect("read");
                let file = object::File::parse(&*bytes).expect("an ELF file");
                for segment in kernel.image(isa).expect("assembles").segments {
                    let section =
                        file.sections().find(|s| s.address() == segment.address).expect("a section");
                    assert!(section.data().expect("data") == segment.bytes, "{variant}: other code");
                }
            }
        }
    }
}

#[test]
fn blocks_reach_their_bounds() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for core in CORES {
        for task in tasks() {
            let variant = core.table.plain(Problem::new(KeySize::Aes128, task));
            let (kernel, trace) = check(core, &variant, &mut rng);
            let cycles = trace.answer.as_ref().and_then(|a| a.cycles).expect("counted") as f64;
            let (bound, _) = (core.bound)(&variant).expect("a bound");
            println!("{variant}: {cycles} cycles, bound {bound}, {} bytes", kernel.flash((core.isa)()));
            assert!(cycles >= bound, "{variant}: {cycles} cycles, below the bound of {bound}");
            if matches!(task, Task::Ecb(_)) {
                assert!(cycles <= 1.03 * bound, "{variant}: {cycles} cycles, the bound is {bound}");
            }
        }
    }
}

/// Cycles per block of a longer message.
fn marginal(core: &'static Core, kernel: &Kernel, rng: &mut ChaCha8Rng) -> f64 {
    let mut cycles = |blocks| {
        let (mut call, _) = call(kernel, rng, blocks);
        // No carry out of the last byte.
        if let Some((_, iv)) = call.writes.iter_mut().find(|(at, _)| *at == IV) {
            iv[15] = 0;
        }
        trace(core, kernel, &call).answer.and_then(|a| a.cycles).expect("counted") as f64
    };
    (cycles(17) - cycles(1)) / 16.0
}

#[test]
fn cached_counters_cost_less() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for core in CORES {
        let problem = Problem::new(KeySize::Aes128, Task::Ctr);
        let plain = core.table.plain(problem);
        let cached = plain.with_choice(crate::dimensions::Counter::Cached).expect("a value");
        let [plain, cached] = [plain, cached].map(|variant| {
            let (kernel, _) = check(core, &variant, &mut rng);
            marginal(core, &kernel, &mut rng)
        });
        println!("{}: {plain} cycles a block of counters, {cached} cached", core.name);
        assert!(cached < 0.9 * plain);
    }
}

/// With four tables, key and text share lines of a 4-KiB cache with them at every address, with two tables only
/// at some addresses.
#[test]
fn tables_and_keys_meet_in_a_cache() {
    let core = core("vexriscv");
    let measured = |text: &str, place: Option<u64>, judge: &dyn ExactJudge| -> Vec<u64> {
        let variant = core.table.parse(&format!("aes128-ecb {text}")).expect("a variant");
        let mut kernel = built(core, &variant).expect("builds");
        if let (Some(place), Some(tables)) = (place, kernel.sections.get_mut(1)) {
            tables.address = place;
        }
        let answers = aesmith_processor::trial::judged(core, &kernel, judge, 50);
        answers.iter().filter_map(|a| a.cycles).collect()
    };
    for judge in (core.judges)().into_iter().filter(|j| j.cycles() == Cycles::Exact) {
        if let Err(why) = judge.present() {
            return println!("skipped: {why}");
        }
        let two = "technique=halves rounds=paired";
        let apart = measured(two, None, &*judge);
        assert!(apart.len() == 50 && apart.iter().all(|&c| c == 1003), "{apart:?}");
        let together = measured(two, Some(0x2_0000), &*judge);
        assert!(together.iter().all(|&c| c > 1020), "{together:?}");
        let four = measured("technique=tables bytes=tables", None, &*judge);
        let mean = four.iter().sum::<u64>() / 50;
        assert!(mean <= 1020 && four.iter().any(|&c| c != four[0]), "{four:?}");
    }
}
