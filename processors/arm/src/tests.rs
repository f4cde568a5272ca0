//! Kernels in ARM state: their outputs in our interpreter and in qemu, and their costs.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, KeySize, Problem, Task};
use aesmith_isa::assemble::text;
use aesmith_prove::bits::prove;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use aesmith_judge::judge::{Answer, ExactJudge, Judge, Question};
use aesmith_judge::outside::need;
use aesmith_processor::calls::{Layout, random_call};
use aesmith_processor::core::Kernel;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::{judged, kernels};

/// Kernels to be compared with other programs: all of the smallest key, and one shape of the larger ones, which
/// differ in the number of rounds.
fn sample(core: &'static Core) -> Vec<Kernel> {
    let mut all = kernels(core);
    all.retain(|k| {
        let v = &k.variant;
        let fly = v.is(dimensions::Schedule::Fly);
        v.problem.key == KeySize::Aes128
            || fly
            || v.is(dimensions::Rounds::Looped) && v.is(dimensions::Body::Two)
    });
    all
}

#[test]
fn kernels_compute_the_cipher() {
    for core in CORES {
        for kernel in kernels(core) {
            let answers = judged(core, &kernel, &Interpreter::new(core), 4);
            let (cycles, bytes) = (answers[0].cycles.unwrap(), kernel.flash((core.isa)()));
            println!("{}: {cycles} cycles, {bytes} bytes", kernel.variant);
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
                // qemu detects only bytes that differ from their old values.
                let most = |answers: &[Answer]| answers.iter().map(|a| a.stack).max();
                assert_eq!(most(&theirs), most(&ours), "{}", kernel.variant);
            }
        }
    }
}

/// Kernels of ARMv4T return to callers in Thumb state.
#[test]
fn thumb_code_calls_them() {
    let judge = qemu_arm::ARMV4T_FROM_THUMB;
    if let Err(why) = judge.present() {
        return println!("skipped: {why}");
    }
    let mut kinds = std::collections::BTreeSet::new();
    for kernel in sample(&CORES[0]) {
        let v = &kernel.variant;
        let slices = v.is(dimensions::State::Sliced);
        let shape = (slices, v.is(dimensions::Rounds::Looped), v.is(dimensions::Schedule::Fly));
        // Only the return is tested: a kernel of each shape, called twice.
        if kinds.insert(format!("{} {shape:?}", kernel.contract.problem)) {
            judged(&CORES[0], &kernel, &judge, 2);
        }
    }
    assert!(kinds.len() > 12, "{kinds:?}");
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

/// True if a kernel is the shortest one of a mode.
fn is_small(kernel: &Kernel) -> bool {
    let v = &kernel.variant;
    v.problem.key == KeySize::Aes128 && v.is(dimensions::Rounds::Looped)
}

#[test]
fn every_kernel_is_proved() {
    let core = &CORES[1];
    for kernel in sample(core) {
        let slices = kernel.variant.is(dimensions::State::Sliced) && kernel.contract.problem.is_message();
        // The circuits of two counters in 33 cases take the prover ten seconds, so one kernel of each mode is
        // proved.
        if slices && kernel.contract.problem.has_iv() && !is_small(&kernel) {
            continue;
        }
        let image = kernel.image((core.isa)()).unwrap();
        let function = image.symbol(&kernel.symbol).unwrap();
        let proof = prove((core.isa)(), core.convention, &image, function, &kernel.contract)
            .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
        let judged = judged(core, &kernel, &Interpreter::new(core), 1);
        assert_eq!(Some(proof.stack_bytes), judged[0].stack, "{}", kernel.variant);
        let gates = slices || kernel.variant.is(dimensions::Sbox::Circuit);
        assert_eq!(proof.constant_time, gates, "{}", kernel.variant);
    }
}

/// Cycles of a block without register saves, call and return, next to the bound: Osvik, Bos, Stefan and
/// Canright (FSE 2010) state 544 on ARM.
#[test]
fn the_goal_is_met() {
    for core in &CORES[1..] {
        for size in KeySize::ALL {
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                let problem = Problem::new(size, Task::Ecb(direction));
                let variant = core.table.plain(problem);
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

/// The cost of one more block in a message, next to the bound of a single block.
#[test]
fn blocks_of_messages_cost_little() {
    for core in CORES {
        for task in [Task::Ctr, Task::CbcEncrypt { streams: 1 }, Task::CbcDecrypt] {
            let variant = core.table.plain(Problem::new(KeySize::Aes128, task));
            let kernel = (core.build)(&variant).unwrap();
            let image = kernel.image((core.isa)()).unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let layout = Layout::new(core, &image, kernel.contract).unwrap();
            let calls = [1, 9].map(|n| layout.call(&random_call(&mut random, kernel.contract, n, n)).call);
            let calls = calls.to_vec();
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

/// Kernels without look-ups take the same time for every key and text.
#[test]
fn slices_take_constant_time() {
    let core = &CORES[1];
    for kernel in kernels(core) {
        // The time of a message depends on its length, and on how far its counters carry.
        let problem = kernel.contract.problem;
        let slices =
            kernel.variant.is(dimensions::State::Sliced) && problem.is_message() && !problem.has_iv();
        if slices || kernel.variant.is(dimensions::Sbox::Circuit) {
            let v = &kernel.variant;
            let one = slices && v.problem.key == KeySize::Aes128 && v.is(dimensions::Rounds::Looped);
            let answers = judged(core, &kernel, &Interpreter::new(core), if one { 1000 } else { 20 });
            let cycles = answers[0].cycles.unwrap();
            println!("{}: {:.1} cycles a byte", kernel.variant, cycles as f64 / 32.0);
            assert!(answers.iter().all(|a| a.cycles == Some(cycles)));
        }
    }
}

/// Six saved registers are stored and loaded in twelve cycles instead of sixteen, and the rounds have no
/// stalls.
#[test]
fn few_registers_cost_no_cycle_in_rounds() {
    for (name, problem, cycles) in [
        ("arm9tdmi", "aes128-ecb", 548),
        ("strongarm", "aes128-ecb", 547),
        ("arm9tdmi", "aes128-ecb-dec", 549),
        ("strongarm", "aes128-ecb-dec", 548),
    ] {
        let core = CORES.iter().find(|c| c.name == name).unwrap();
        let variant = core.table.parse(&format!("{problem} registers=few")).unwrap();
        let kernel = (core.build)(&variant).unwrap();
        let answers = judged(core, &kernel, &Interpreter::new(core), 4);
        assert!(
            answers.iter().all(|a| a.cycles == Some(cycles)),
            "{name} {problem}: {:?}",
            answers[0].cycles
        );
    }
}
