//! Kernels of the Cortex-M: their outputs in our interpreter and in qemu, and their costs.

use crate::dimensions;
use aesmith_cipher::problem::{KeySize, Task};
use aesmith_isa::assemble::text;
use aesmith_prove::bits::prove;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::table_tests::assembled;
use super::*;
use aesmith_judge::judge::{ExactJudge, Question};
use aesmith_processor::calls::{Layout, random_call};
use aesmith_processor::core::Kernel;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::{judged, kernels};

/// Kernels that differ from those of another processor: for ordering, the Cortex-M4 and M0+ use the timings of
/// the M3 and M0, so only the M4's kernels with byte lanes remain.
fn own_kernels(core: &'static Core) -> Vec<Kernel> {
    let mut all = if core.name == "cortex-m0plus" { Vec::new() } else { kernels(core) };
    all.retain(|k| core.name != "cortex-m4" || k.variant.is(dimensions::Entries::Bytes));
    // The memory of a table changes only its address: one key size suffices.
    all.retain(|k| !k.variant.is(dimensions::Memory::Flash) || k.contract.problem.key == KeySize::Aes128);
    all
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
            if kernel.contract.blocks == 2 || kernel.variant.is(dimensions::Sbox::Circuit) {
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
    for core in CORES {
        for judge in (core.judges)() {
            if let Err(why) = judge.present() {
                println!("skipped: {why}");
                continue;
            }
            for kernel in own_kernels(core) {
                let theirs = judged(core, &kernel, &*judge, 40);
                let ours = judged(core, &kernel, &Interpreter::new(core), 10);
                for (a, b) in theirs.iter().zip(&ours) {
                    assert_eq!(a.stack, b.stack, "{}", kernel.variant);
                }
            }
        }
    }
}

#[test]
fn gnu_as_makes_the_same_bytes_of_the_text() {
    for core in CORES {
        for kernel in own_kernels(core) {
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

/// True if a kernel is the shortest one of a mode.
fn is_small(kernel: &Kernel) -> bool {
    let v = &kernel.variant;
    v.problem.key == KeySize::Aes128 && v.is(dimensions::Rounds::Looped)
}

#[test]
fn every_kernel_is_proved() {
    for core in CORES {
        for kernel in own_kernels(core) {
            let sliced = kernel.variant.is(dimensions::Technique::Sliced);
            let slices =
                kernel.variant.is(dimensions::Technique::Fixsliced) && kernel.contract.problem.is_message();
            // Rounds of slices are equal on all processors. The circuits of two counters in 33 cases take the
            // prover ten seconds, so one kernel of each mode is proved.
            let has_iv = kernel.contract.problem.has_iv();
            if slices && (core.name != CORES[0].name || has_iv && !is_small(&kernel)) {
                continue;
            }
            // Key sizes differ only in the number of rounds.
            if sliced && has_iv && kernel.contract.problem.key != KeySize::Aes128 {
                continue;
            }
            let image = kernel.image((core.isa)()).unwrap();
            let function = image.symbol(&kernel.symbol).unwrap();
            let proof = prove((core.isa)(), core.convention, &image, function, &kernel.contract)
                .unwrap_or_else(|e| panic!("{}: {e}", kernel.variant));
            let judged = judged(core, &kernel, &Interpreter::new(core), 1);
            assert_eq!(Some(proof.stack_bytes), judged[0].stack, "{}", kernel.variant);
            // Key schedules look up bytes of the key, unless their S-box is a circuit.
            let gates = slices || sliced || kernel.variant.is(dimensions::Sbox::Circuit);
            assert_eq!(proof.constant_time, gates, "{}", kernel.variant);
        }
    }
}

/// The cost of one more block in a message.
#[test]
fn blocks_of_messages_cost_little() {
    for core in CORES {
        for kernel in kernels(core)
            .iter()
            .filter(|k| !matches!(k.contract.problem.task, Task::Ecb(_) | Task::KeySchedule(_)))
        {
            let image = kernel.image((core.isa)()).unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(1);
            let layout = Layout::new(core, &image, kernel.contract).unwrap();
            let mut call = |n: usize| layout.call(&random_call(&mut random, kernel.contract, n, n)).call;
            let calls = vec![call(1), call(9)];
            let question =
                Question { image: &image, function: image.symbols[&kernel.symbol], calls, limit: 100_000 };
            let answers = Interpreter::new(core).answer(&question).unwrap();
            let [one, nine] = [&answers[0], &answers[1]].map(|a| a.cycles.unwrap());
            let more = (nine - one) as f64 / 8.0;
            println!("{}: {more} cycles a block, {one} for a call with one", kernel.variant);
        }
    }
}

/// Constant time where it is claimed: the same number of cycles for each of a thousand keys and texts.
#[test]
fn slices_take_the_same_time_for_all_data() {
    let core = &CORES[0];
    for kernel in kernels(core).iter().filter(|k| k.contract.blocks == 2) {
        if !kernel.variant.is(dimensions::Rounds::Looped) {
            continue;
        }
        let count = if kernel.symbol.starts_with("aes128") { 1000 } else { 20 };
        let answers = judged(core, kernel, &Interpreter::new(core), count);
        assert!(answers.iter().all(|a| a.cycles == answers[0].cycles), "{}", kernel.variant);
    }
}

/// The published kernel with byte look-ups in a loop (github.com/jnk0le/cortexm-AES) takes 838 cycles by the
/// same rules, and 472 bytes plus its S-box.
#[test]
fn a_loop_of_bytes_is_shorter_and_faster_than_published_code() {
    let core = CORES.iter().find(|c| c.name == "cortex-m4").unwrap();
    let found = ["own", "shared"].map(|tail| {
        let text = format!("aes128-ecb entries=bytes rounds=looped tail={tail} memory=flash seed=1");
        let kernel = (core.build)(&core.table.parse(&text).unwrap()).unwrap();
        let cycles = judged(core, &kernel, &Interpreter::new(core), 1)[0].cycles.unwrap();
        (cycles, kernel.flash((core.isa)()) - 256)
    });
    assert_eq!(found, [(836, 464), (841, 336)]);
}
