//! The kernels to be checked, and their figures.

use std::collections::BTreeSet;

use aesmith_arrange::Variant;
use aesmith_cipher::problem::KeySize;
use aesmith_judge::judge::Instrument;
use aesmith_judge::outside::qemu_arm;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::kernels::{Checks, core, steady, thirds, variants};
use aesmith_processor::trial::{built, judged, of_a_block};

use super::CORES;
use super::dimensions::{Body, Rounds, Sbox, Schedule, Technique};

/// True for slices of two blocks and for circuits, which have no look-ups.
fn gates(v: &Variant) -> bool {
    slices(v) || v.is(Sbox::Circuit)
}

fn slices(v: &Variant) -> bool {
    v.is(Technique::Bitsliced) && v.problem.is_message()
}

/// True for the kernels to hold against other programs: all of the smallest key, and one shape of the larger ones, which differ
/// in the number of rounds.
fn is_told(v: &Variant) -> bool {
    v.problem.key == KeySize::Aes128 || v.is(Schedule::Fly) || v.is(Rounds::Looped) && v.is(Body::Two)
}

/// True if a kernel is proved: circuits of two counters in 33 cases take the prover ten seconds, so one kernel of each mode is.
fn is_proved(v: &Variant) -> bool {
    let is_small = v.problem.key == KeySize::Aes128 && v.is(Rounds::Looped);
    is_told(v) && (!slices(v) || !v.problem.has_iv() || is_small)
}

const CHECKS: Checks = Checks {
    bounded: false,
    stack_proved: true,
    constant: |v| Some(gates(v)),
    judged: 1,
    same_stack: true,
    ..Checks::PROVED
};

#[test]
fn kernels_are_right_and_run_in_qemu() {
    for core in [&CORES[0], &CORES[2]] {
        let (told, others): (Vec<_>, Vec<_>) = thirds(core).into_iter().partition(is_told);
        Checks { proved: 0, ..CHECKS }.of(core, &told);
        Checks { proved: 0, judged: 0, ..CHECKS }.of(core, &others);
    }
}

#[test]
fn kernels_are_right_and_proved() {
    let (proved, others): (Vec<_>, Vec<_>) = thirds(&CORES[1]).into_iter().partition(is_proved);
    Checks { judged: 0, ..CHECKS }.of(&CORES[1], &proved);
    Checks { proved: 0, judged: 0, ..CHECKS }.of(&CORES[1], &others);
}

/// Kernels of ARMv4T return to callers in Thumb state.
#[test]
fn thumb_code_calls_them() {
    let judge = qemu_arm::ARMV4T_FROM_THUMB;
    if let Err(why) = judge.present() {
        return println!("skipped: {why}");
    }
    let mut kinds = BTreeSet::new();
    for v in thirds(&CORES[0]).iter().filter(|v| is_told(v)) {
        let shape = (v.is(Technique::Bitsliced), v.is(Rounds::Looped), v.is(Schedule::Fly));
        // Only the return is tested: a kernel of each shape, called twice.
        if kinds.insert(format!("{} {shape:?}", v.problem)) {
            judged(&CORES[0], &built(&CORES[0], v).unwrap(), &judge, 2);
        }
    }
    assert!(kinds.len() > 12, "{kinds:?}");
}

/// Cycles of a call, and the bound.
fn cycles(core: &'static Core, variant: &Variant) -> (u64, f64) {
    let answer = steady(core, variant, &Interpreter::new(core), 1);
    (answer.cycles.unwrap(), (core.bound)(variant).unwrap().0)
}

/// Cycles of a block without saving registers, call and return, beside the bound. Osvik, Bos, Stefan and Canright (FSE 2010)
/// state 544 on ARM.
#[test]
fn the_goal_is_met() {
    for core in &CORES[1..] {
        for problem in
            ["aes128-ecb", "aes128-ecb-dec", "aes192-ecb", "aes192-ecb-dec", "aes256-ecb", "aes256-ecb-dec"]
        {
            let variant = &variants(core, &[problem])[0];
            let (whole, least) = cycles(core, variant);
            // STMDB and LDMIA of eight registers, and the return.
            let inner = whole - 16 - if core.name == "strongarm" { 2 } else { 3 };
            println!("{variant}: {inner} cycles, {whole} with saved registers and return, bound {least}");
            assert!(inner as f64 <= least + 2.0);
            assert!(variant.problem.key != KeySize::Aes128 || inner <= 544);
        }
    }
}

/// The cost of one more block in a message, beside the bound of a single block.
#[test]
fn blocks_of_messages_cost_little() {
    for core in CORES {
        for variant in variants(core, &["aes128-ctr", "aes128-cbc", "aes128-cbc-dec"]) {
            let (more, _) = of_a_block(core, &variant).unwrap();
            let (least, _) = (core.bound)(&variant).unwrap();
            assert!(more >= least && more < least + 60.0, "{variant}: {more}, bound {least}");
        }
    }
}

/// Kernels without look-ups take the same time for all keys and texts. The time of a message also depends on its length,
/// and on how far its counters carry.
#[test]
fn slices_take_constant_time() {
    let core = &CORES[1];
    for v in thirds(core).iter().filter(|v| gates(v) && !v.problem.has_iv()) {
        let is_one = slices(v) && v.problem.key == KeySize::Aes128 && v.is(Rounds::Looped);
        steady(core, v, &Interpreter::new(core), if is_one { 1000 } else { 20 });
    }
}

/// Six saved registers are stored and loaded in twelve cycles instead of sixteen, and no round waits.
#[test]
fn few_registers_cost_no_cycle_in_rounds() {
    for (name, problem, cycles) in [
        ("arm9tdmi", "aes128-ecb", 548),
        ("strongarm", "aes128-ecb", 547),
        ("arm9tdmi", "aes128-ecb-dec", 549),
        ("strongarm", "aes128-ecb-dec", 548),
    ] {
        let core = core(CORES, name);
        let variant = &variants(core, &[&format!("{problem} registers=few")])[0];
        let answer = steady(core, variant, &Interpreter::new(core), 4);
        assert_eq!(answer.cycles, Some(cycles), "{name} {problem}");
    }
}
