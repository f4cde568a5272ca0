//! Instruction semantics of AVR against simavr: every instruction on random registers, flags and memory.

use aesmith_isa::assemble::Item;
use aesmith_isa::image::Image;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::Simavr;
use super::table::isa;
use aesmith_judge::judge::Call;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes, random};

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
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let of = &isa.rows[usize::from(row)];
    if APART.contains(&of.name.as_str()) {
        return None;
    }
    let mut insn = random(isa, row, rng, |_| true);
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
    let at = items.len();
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
    Some(Around { items, at })
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let mut registers = bytes(33, rng);
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
    let at = |a: i32| Image::DATA + a as u64;
    let data = (Image::DATA + DATA.0, bytes(DATA.1, rng));
    Call {
        arguments: vec![placed.function as u32 / 2],
        writes: vec![(at(BEFORE), registers), data, (at(MARK), vec![0x5a])],
        reads: vec![(at(AFTER), 35), (Image::DATA + DATA.0, DATA.1)],
    }
}

#[test]
fn meanings_are_those_of_simavr() {
    let isa = isa();
    let z = isa.insn("movw", &[("ed", 30), ("er", 24)]);
    let contents = (0..0x400u32).map(|k| ((k * 0x9d) >> 2) as u8).collect();
    // Z points to program memory, too.
    let enter = vec![Item::Insn(z), Item::Insn(isa.insn("ijmp", &[])), Item::Bytes(contents)];
    let (core, judge) = (&CORES[0], &Simavr::COUNTING);
    Meanings { core, judge, start: 0, enter, open: false, times: 2, calls: 24, around, call }.compare(3);
}
