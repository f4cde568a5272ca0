//! The kernels to be checked, their and bytewise programs.

use aesmith_cipher::block::expand_key;
use aesmith_cipher::modes::message;
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_isa::assemble::assemble;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::bytewise::{self, Choices};
use super::dimensions::{Sbox, Technique, is_of_words};
use super::judge::QEMU;
use super::table::isa;
use aesmith_judge::judge::{Call, Emulator, Instrument, Question};
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::kernels::{Checks, buildable, near, problems, steady, variants};

const KEY: u64 = 0x40000;
const INPUT: u64 = 0x40200;
const OUTPUT: u64 = 0x40300;

/// The bound of a message includes the code for carries of its counter, which most blocks do not execute.
const CHECKS: Checks = Checks { bounded: false, bounds_one_block: false, ..Checks::PROVED };

#[test]
fn kernels_are_right_and_proved() {
    let all = buildable(&CORES[0], near(&CORES[0], &["", "rounds=looped"], [4, 4]));
    Checks { judged: 3, judged_calls: 1000, ..CHECKS }.of(&CORES[0], &all);
}

#[test]
fn table_encryption_is_near_its_bound() {
    for core in CORES {
        let variant = &variants(core, &["aes128-ecb"])[0];
        let cycles = steady(core, variant, &Interpreter::new(core), 3).cycles.expect("counted") as f64;
        let (bound, _) = (core.bound)(variant).expect("a bound");
        assert!(bound <= cycles && cycles < bound * 1.03, "{}: {cycles} cycles, bound {bound}", core.name);
    }
}

/// Slices and key schedules by gates have no look-ups: their proof says so, and their cycles do not depend on data.
#[test]
fn gates_take_constant_time() {
    let core = &CORES[0];
    let mut texts: Vec<String> = [
        "aes128-ecb technique=bitsliced",
        "aes256-ecb technique=bitsliced barrel=no",
        "aes192-ecb-dec technique=bitsliced",
        "aes128-ctr technique=bitsliced",
        "aes128-cbc technique=bitsliced barrel=no",
        "aes128-cbc-dec technique=bitsliced",
        "aes128-key-dec rounds=looped keys=sliced sbox=circuit",
    ]
    .map(str::to_owned)
    .into();
    for problem in problems(core).filter(|p| matches!(p.task, Task::KeySchedule(_))) {
        for choices in ["", " barrel=no", " sbox=circuit", " sbox=circuit barrel=no"] {
            texts.push(format!("{problem} rounds=looped{choices}"));
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let constant = |v: &aesmith_arrange::Variant| Some(v.is(Sbox::Circuit) || v.is(Technique::Bitsliced));
    Checks { calls: 20, constant, ..CHECKS }.of(core, &variants(core, &texts));
}

/// Features that no other kernel has: counters that share two rounds, key words made of others, tables of InvMixColumns.
#[test]
fn what_only_kernels_of_words_have_is_right_and_proved() {
    let all = variants(
        &CORES[0],
        &[
            "aes128-ctr counter=cached",
            "aes256-ctr counter=cached barrel=no remade=1 tables=2",
            "aes192-cbc-dec tables=1 last=words",
            "aes128-cbc-dec extract=memory remade=2",
            "aes192-key-dec inverse=tables barrel=no",
            "aes256-key-dec inverse=tables",
        ],
    );
    assert!(all.iter().all(is_of_words));
    Checks { judged: 1, judged_calls: 1000, ..CHECKS }.of(&CORES[0], &all);
}

#[test]
fn bytewise_programs_compute_the_cipher_here_and_in_qemu() {
    let problem: Problem = "aes128-ecb".parse().expect("a problem");
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for bits in 0..16 {
        let on = |k: u8| bits >> k & 1 == 1;
        let choices = Choices { unrolled: on(0), looked_up: on(1), inlined: on(2), words: on(3) };
        let sections = bytewise::program(choices, &CORES[0]).expect("is written");
        let image = assemble(isa(), &sections).expect("assembles");
        let mut cipher_key = vec![0; 16];
        let mut block = vec![0; 16];
        rng.fill_bytes(&mut cipher_key);
        rng.fill_bytes(&mut block);
        let keys = expand_key(KeySize::Aes128, &cipher_key).concat();
        let expand = Call {
            arguments: vec![KEY as u32, INPUT as u32],
            writes: vec![(INPUT, cipher_key.clone())],
            reads: vec![(KEY, 176)],
        };
        let encrypt = Call {
            arguments: vec![KEY as u32, INPUT as u32, OUTPUT as u32],
            writes: vec![(KEY, keys.clone()), (INPUT, block.clone())],
            reads: vec![(OUTPUT, 16)],
        };
        let encrypted = message(problem, &cipher_key, [0; 16], &block).0;
        for (name, call, expected) in
            [(bytewise::EXPAND, expand, keys), (bytewise::ENCRYPT, encrypt, encrypted)]
        {
            let function = image.symbol(name).expect("the function");
            let question = Question { image: &image, function, calls: vec![call], limit: 100_000 };
            let ours = Interpreter::new(&CORES[0]).answer(&question).expect("runs");
            assert_eq!(ours[0].read, std::slice::from_ref(&expected), "{name} {choices:?}");
            if QEMU.present().is_ok() {
                let theirs = QEMU.answer(&question).expect("runs in qemu");
                assert_eq!(theirs[0].read, [expected], "{name} {choices:?}");
            }
        }
    }
}
