//! The kernels to be checked.

use aesmith_arrange::Variant;
use aesmith_cipher::problem::{KeySize, Task};
use aesmith_judge::judge::{Emulator, Kind};
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::kernels::{Checks, core, near, problems, steady, variants};
use aesmith_processor::trial::{built, judged, of_a_block, part};

use super::CORES;
use super::dimensions::{Bytes, Code, Counter, Inverse, Kept, Remade, Rounds, Sbox, Technique, is_of_words};

/// Some kernels have no bound; that of a message includes the code for carries of its counter, which most blocks do not execute.
const RIGHT: Checks = Checks { bounded: false, bounds_one_block: false, proved: 0, ..Checks::PROVED };

/// Variants that together have every value of every dimension, but only one value of numbers.
fn sample(core: &'static Core) -> Vec<Variant> {
    let mut found = near(core, &[""], [1, 1]);
    let kept = |v: &Variant| v.is(Kept::Four) || v.choice() == Some(Kept::None);
    let remade = |v: &Variant| v.is(Remade::Three) || v.choice() == Some(Remade::None);
    found.retain(|v| v == &core.table.plain(v.problem) || kept(v) && remade(v));
    found
}

/// The plain variants for AES-128.
fn plain(core: &'static Core) -> Vec<Variant> {
    let short = problems(core).filter(|p| p.key == KeySize::Aes128);
    short.map(|problem| core.table.plain(problem)).collect()
}

#[test]
fn every_choice_is_the_cipher_and_proved() {
    let proved =
        Checks { proved: 2, constant: |v| Some(v.is(Technique::Bitsliced) || v.is(Sbox::Circuit)), ..RIGHT };
    // Key sizes differ in the number of rounds and the schedule, cores in the technique.
    let few = |v: &Variant| *v == v.table.plain(v.problem) || v.is(Rounds::Looped) || v.is(Inverse::Tables);
    let imc = core(CORES, "rv32imc");
    let (short, long): (Vec<_>, Vec<_>) =
        sample(imc).into_iter().partition(|v| v.problem.key == KeySize::Aes128);
    proved.of(imc, &short);
    RIGHT.of(imc, &long.into_iter().filter(few).collect::<Vec<_>>());
    let zkn = core(CORES, "rv32-zkn");
    RIGHT.of(zkn, &sample(zkn).into_iter().filter(few).collect::<Vec<_>>());
    Checks { proved: 1, constant: |_| Some(true), ..RIGHT }.of(zkn, &plain(zkn));
}

/// Key schedules without look-ups, of all sizes and directions, in all forms.
#[test]
fn key_schedules_are_made_in_constant_time() {
    let core = core(CORES, "rv32imc");
    let schedules = problems(core).filter(|p| matches!(p.task, Task::KeySchedule(_)));
    let all = schedules.flat_map(|problem| {
        let all = core.table.all(problem).into_iter();
        part(all.filter(|v| v.is(Sbox::Circuit) && !v.is(Code::Compressed)), 3).collect::<Vec<_>>()
    });
    Checks { proved: 1, constant: |_| Some(true), ..RIGHT }.of(core, &all.collect::<Vec<_>>());
}

/// Features that no other kernel has: key words in registers, key words made of others, tables of InvMixColumns.
#[test]
fn what_only_kernels_of_words_have_is_proved() {
    let core = core(CORES, "rv32i");
    let all = variants(
        core,
        &[
            "aes128-ctr counter=cached kept=4 remade=3",
            "aes256-ctr technique=table tables=2 counter=cached kept=2 remade=1",
            "aes192-cbc technique=table tables=1 kept=4",
            "aes128-cbc-dec last=words kept=4 remade=3",
            "aes192-key-dec inverse=tables",
            "aes256-key-dec inverse=tables",
        ],
    );
    assert!(all.iter().all(is_of_words));
    Checks { proved: 1, constant: |_| Some(false), ..RIGHT }.of(core, &all);
}

/// One kernel per task is enough where the model is exact; with a cache, kernels with tables of bytes are added.
#[test]
fn judges_say_the_same() {
    for core in ["picorv32", "ibex", "ibex-writeback", "vexriscv", "rv32-zkn"].map(|name| core(CORES, name)) {
        let mut all = plain(core);
        if core.cached {
            let tables = |v: &Variant| v.problem.key == KeySize::Aes128 && v.is(Bytes::Tables);
            all.extend(sample(core).into_iter().filter(tables));
        }
        Checks { judged: 1, judged_calls: 10, error: 0.01, ..RIGHT }.of(core, &all);
    }
}

#[test]
fn blocks_reach_their_bounds() {
    for core in CORES {
        Checks { bounded: true, ..RIGHT }.of(core, &plain(core));
        for variant in variants(core, &["aes128-ecb", "aes128-ecb-dec"]) {
            let cycles = steady(core, &variant, &Interpreter::new(core), 2).cycles.expect("counted") as f64;
            let (bound, _) = (core.bound)(&variant).expect("a bound");
            assert!(cycles <= 1.03 * bound, "{} {variant}: {cycles} cycles, the bound is {bound}", core.name);
        }
    }
}

#[test]
fn cached_counters_cost_less() {
    for core in CORES {
        let plain = core.table.plain("aes128-ctr".parse().expect("a problem"));
        let cached = plain.with_choice(Counter::Cached).expect("a value");
        let [plain, cached] = [plain, cached].map(|v| of_a_block(core, &v).expect("is built").0);
        println!("{}: {plain} cycles a block of counters, {cached} cached", core.name);
        assert!(cached < 0.9 * plain);
    }
}

/// Key and text share lines of a cache of 4 KiB with four tables wherever these lie, with two only in some places.
#[test]
fn tables_and_keys_meet_in_a_cache() {
    let core = core(CORES, "vexriscv");
    let measured = |text: &str, place: Option<u64>, judge: &dyn Emulator| -> Vec<u64> {
        let variant = core.table.parse(&format!("aes128-ecb {text}")).expect("a variant");
        let mut kernel = built(core, &variant).expect("builds");
        if let (Some(place), Some(tables)) = (place, kernel.sections.get_mut(1)) {
            tables.address = place;
        }
        let answers = judged(core, &kernel, judge, 50);
        answers.iter().filter_map(|a| a.cycles).collect()
    };
    for judge in (core.judges)().into_iter().filter(|j| j.kind() == Kind::Exact) {
        if let Err(why) = judge.present() {
            return println!("skipped: {why}");
        }
        let two = "technique=table tables=2 rounds=paired";
        let apart = measured(two, None, &*judge);
        assert!(apart.len() == 50 && apart.iter().all(|&c| c == 1003), "{apart:?}");
        let together = measured(two, Some(0x2_0000), &*judge);
        assert!(together.iter().all(|&c| c > 1020), "{together:?}");
        let four = measured("technique=table bytes=tables", None, &*judge);
        let mean = four.iter().sum::<u64>() / 50;
        assert!(mean <= 1020 && four.iter().any(|&c| c != four[0]), "{four:?}");
    }
}
