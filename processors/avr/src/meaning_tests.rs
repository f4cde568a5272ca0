//! Instruction semantics of AVR against simavr: every instruction on random registers, flags and memory.

use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::image::Image;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::Simavr;
use super::table::isa;
use super::table_tests::{random, undefined};
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_processor::interpreter::Interpreter;

/// Addresses: registers and SREG before; registers, SREG and a byte that a skip leaves unchanged after; other memory.
const BEFORE: i32 = 0x500;
const AFTER: i32 = 0x540;
const MARK: i32 = 0x562;
const DATA: (u64, usize) = (0x300, 0x200);

/// Rows that do not continue with the next instruction, or that reach peripherals or the stack pointer. Kernels and
/// the tests of the judge use `rcall`, `ret`, `push`, `pop`, `jmp` and `in`.
const APART: [&str; 19] = [
    "sbis", "in_spl", "in_sph", "ijmp", "jmp", "rcall", "icall", "call", "ret", "reti", "push", "pop", "in",
    "out", "out_spl", "out_sph", "sbi", "cbi", "sbic",
];

/// A function that sets all registers and flags from memory, executes an instruction, and stores them.
fn around(row: usize, rng: &mut ChaCha8Rng) -> Image {
    let isa = isa();
    let of = &isa.rows[row];
    let mut insn = random(isa, row, rng);
    while undefined(&of.name, &insn) {
        insn = random(isa, row, rng);
    }
    for (place, field) in of.fields.iter().enumerate() {
        match field.name.as_str() {
            // The target is after the instruction that sets the mark.
            "t" => insn.fields[place] = 6,
            "m" => insn.fields[place] = DATA.0 as i32 + rng.random_range(0..DATA.1 as i32),
            _ => {}
        }
    }
    let mut items = Vec::new();
    let mut put = |name: &str, fields: &[(&str, i32)]| items.push(Item::Insn(isa.insn(name, fields)));
    let saved: Vec<i32> = (2..18).chain([28, 29]).collect();
    for &r in &saved {
        put("push", &[("rd", r)]);
    }
    // The interrupt enable flag belongs to the caller.
    put("in_sreg", &[("rd", 16)]);
    put("push", &[("rd", 16)]);
    put("lds", &[("rd", 16), ("m", BEFORE + 32)]);
    put("out_sreg", &[("rd", 16)]);
    for r in 0..32 {
        put("lds", &[("rd", r), ("m", BEFORE + r)]);
    }
    items.push(Item::Insn(insn));
    let mut put = |name: &str, fields: &[(&str, i32)]| items.push(Item::Insn(isa.insn(name, fields)));
    put("sts", &[("m", MARK), ("rd", 0)]);
    for r in 0..32 {
        put("sts", &[("m", AFTER + r), ("rd", r)]);
    }
    put("in_sreg", &[("rd", 16)]);
    put("sts", &[("m", AFTER + 32), ("rd", 16)]);
    put("pop", &[("rd", 16)]);
    put("out_sreg", &[("rd", 16)]);
    for &r in saved.iter().rev() {
        put("pop", &[("rd", r)]);
    }
    put("eor", &[("rd", 1), ("rr", 1)]);
    put("ret", &[]);
    // Z points to program memory, too.
    items.push(Item::Bytes((0..0x400).map(|_| rng.random()).collect()));
    let section = Section { name: ".text", address: 0, writable: false, items };
    assemble(isa, &[section]).expect("assembles")
}

#[test]
fn meanings_are_those_of_simavr() {
    if let Err(why) = Simavr::COUNTING.present() {
        return println!("skipped: {why}");
    }
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let at = |a: i32| Image::DATA + a as u64;
    for row in 0..isa.rows.len() {
        let name = isa.rows[row].name.as_str();
        if APART.contains(&name) {
            continue;
        }
        for _ in 0..2 {
            let image = around(row, &mut rng);
            let calls: Vec<Call> = (0..24)
                .map(|_| {
                    let mut registers: Vec<u8> = (0..33).map(|_| rng.random()).collect();
                    // Random values rarely reach the corners at which flags change.
                    for r in &mut registers[..26] {
                        if rng.random_range(0..4) == 0 {
                            *r = [0, 1, 0x7f, 0x80, 0x81, 0xff][rng.random_range(0..6)];
                        }
                    }
                    // Pointers to data; as word addresses they lie inside flash, too.
                    for high in [27, 29, 31] {
                        registers[high] = 3;
                    }
                    let data: Vec<u8> = (0..DATA.1).map(|_| rng.random()).collect();
                    Call {
                        arguments: vec![],
                        writes: vec![
                            (at(BEFORE), registers),
                            (Image::DATA + DATA.0, data),
                            (at(MARK), vec![0x5a]),
                        ],
                        reads: vec![(at(AFTER), 35), (Image::DATA + DATA.0, DATA.1)],
                    }
                })
                .collect();
            let question = Question { image: &image, function: 0, calls, limit: 1000 };
            let ours =
                Interpreter::new(&CORES[0]).answer(&question).unwrap_or_else(|e| panic!("{name}: {e}"));
            let theirs = Simavr::COUNTING.answer(&question).unwrap_or_else(|e| panic!("{name}: {e}"));
            for (k, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert_eq!(a, b, "{name}, call {k}: {:x?}", question.calls[k].writes[0].1);
            }
        }
    }
}
