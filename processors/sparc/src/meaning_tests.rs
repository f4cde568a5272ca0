//! The semantics of every row against qemu, on random operands: a program of small functions, each with one
//! instruction between loads of its operands and stores of its results.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Kind};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QEMU;
use super::table::{I0, O0, isa};
use aesmith_judge::judge::Call;
use aesmith_judge::outside::gnu::at_corner;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes};

const OPERANDS: u64 = 0x40000;
const RESULTS: u64 = 0x40100;
/// In the middle of the range of a load or store.
const MEMORY: u64 = 0x40300;

/// The registers of the instruction under test, and another one, none of them in a window.
const RD: i32 = 1;
const RS1: i32 = 2;
const RS2: i32 = 3;
const OTHER: i32 = 4;
/// The register that records which instructions after a jump are executed.
const COUNTED: i32 = 5;
/// The addresses of operands and results, and a register for the return address in between.
const FROM: i32 = O0 as i32;
const TO: i32 = O0 as i32 + 1;
const BACK: i32 = O0 as i32 + 2;
const RETURN: i32 = O0 as i32 + 7;
/// A window register for comparisons of windows, and a register that keeps the caller's value in between.
const LOCAL: i32 = 16;
const KEPT: i32 = O0 as i32 + 3;
/// 64-bit operand words: three registers, and two that are compared for the condition codes.
const WORDS: usize = 5;
/// 64-bit result words: two registers, the return address, jumps, windows, condition codes, `y`.
const RESULT_WORDS: usize = 15;

fn item(name: &str, fields: &[(&str, i32)]) -> Item {
    Item::Insn(isa().insn(name, fields))
}

fn set(r: i32, from: i32) -> Item {
    item("or", &[("rd", r), ("rs1", 0), ("rs2", from)])
}

/// A function around an instruction: it leaves registers, condition codes, the direction of a branch, the registers of a
/// window, and `y`.
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let load = |r: i32, k: i32| item("ldx_i", &[("rd", r), ("rs1", FROM), ("simm", 8 * k)]);
    let store = |r: i32, k: i32| item("stx_i", &[("rd", r), ("rs1", TO), ("simm", 8 * k)]);
    let count = |by: i32| item("add_i", &[("rd", COUNTED), ("rs1", COUNTED), ("simm", by)]);
    let mut items = vec![set(BACK, RETURN), load(RD, 3), load(OTHER, 4)];
    items.push(item("subcc", &[("rd", 0), ("rs1", RD), ("rs2", OTHER)]));
    items.push(item("wry", &[("rs1", RD), ("rs2", 0)]));
    items.extend([load(RD, 0), load(RS1, 1), load(RS2, 2), set(COUNTED, 0), set(KEPT, LOCAL)]);
    let mut insn = Insn { row, fields: [0; 8] };
    let of = isa.of(&insn);
    // It leaves a window that only a `save` makes: a test of its own has both.
    if of.name.starts_with("return") {
        return None;
    }
    let memory = of.effects.loads || of.effects.stores;
    let (window, jump) = (of.class == "window", of.class == "jump");
    // Equal registers test that all operands are read before a result is written.
    let same = !(memory || window || of.effects.jumps) && rng.random();
    let one = |of: &[i32], rng: &mut ChaCha8Rng| of[if same { rng.random_range(0..of.len()) } else { 0 }];
    for (place, field) in of.fields.iter().enumerate() {
        let bits = of.pattern.width(place);
        let drawn = at_corner((1 << bits.min(31)) - 1, rng.random()) as u32;
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            (Kind::Register { .. }, "rd") if jump => OTHER,
            (Kind::Register { .. }, "rd") => one(&[RD, RS1], rng),
            (Kind::Register { .. }, "rs1") => one(&[RS1, RD], rng),
            (Kind::Register { .. }, _) => one(&[RS2, RS1, RD], rng),
            (Kind::Relative { .. }, _) => 12,
            (_, "simm") if memory => 8 * rng.random_range(-8..8),
            (_, "simm") if jump => 4 * rng.random_range(-100..100),
            (_, "simm") => ((drawn << (32 - bits)) as i32) >> (32 - bits),
            _ => drawn as i32,
        };
    }
    if window {
        items.push(set(LOCAL, RS2));
    }
    if window && of.name.starts_with("restore") {
        items.push(item("save", &[("rd", 0), ("rs1", 0), ("rs2", 0)]));
        items.extend([set(LOCAL, RS1), set(I0 as i32 + 4, RS1)]);
    }
    let save = window && of.name.starts_with("save");
    let at = items.len();
    items.push(Item::Insn(insn));
    items.extend([count(1), count(2), count(4)]);
    if save {
        // The arguments, seen from the new window.
        items.push(item("add", &[("rd", OTHER), ("rs1", i32::from(I0)), ("rs2", I0 as i32 + 1)]));
        items.push(set(LOCAL, OTHER));
        items.push(item("restore", &[("rd", 0), ("rs1", 0), ("rs2", 0)]));
    }
    // Judges use their own return addresses.
    let back = if of.name == "call" { RETURN } else { 0 };
    items.extend([store(RD, 0), store(OTHER, 1), store(back, 2), store(COUNTED, 3)]);
    items.extend([store(if window { LOCAL } else { RS1 }, 4), store(O0 as i32 + 4, 5)]);
    for (k, condition) in (6..).zip(["neg", "e", "vs", "cs"].iter().flat_map(|c| [(c, "icc"), (c, "xcc")])) {
        items.push(set(OTHER, 0));
        items.push(item(&format!("mov{}_{}_i", condition.0, condition.1), &[("rd", OTHER), ("simm", 1)]));
        items.push(store(OTHER, k));
    }
    items.extend([item("rdy", &[("rd", OTHER)]), store(OTHER, 14), set(LOCAL, KEPT)]);
    items.extend([item("jmpl_i", &[("rd", 0), ("rs1", BACK), ("simm", 8)]), item("nop", &[])]);
    Some(Around { items, at })
}

/// Operands that are valid for the instruction.
fn operands(insn: &Insn, here: u64, rng: &mut ChaCha8Rng) -> [u64; WORDS] {
    let isa = isa();
    let row = isa.of(insn);
    let mut any = || match rng.random_range(0..4) {
        0 => [0, 1, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff][rng.random_range(0..6)],
        1 => u64::from(rng.random::<u32>()),
        _ => rng.random(),
    };
    let mut words = [any(), any(), any(), any(), any()];
    if rng.random_bool(0.2) {
        words[4] = words[3];
    }
    let simm = isa.operand(insn, "simm").unwrap_or(0);
    let of_registers = isa.operand(insn, "rs2").is_some();
    if row.effects.loads || row.effects.stores {
        words[1] = MEMORY;
        words[2] = (8 * rng.random_range(-8i64..8)) as u64;
    }
    if row.name.starts_with("jmpl") {
        words[2] = 4 * rng.random_range(0..100);
        let more = if of_registers { words[2] } else { simm as i64 as u64 };
        words[1] = (here + 12).wrapping_sub(more);
    }
    words
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let words = operands(&placed.insn, placed.address, rng).map(u64::to_be_bytes).concat();
    Call {
        arguments: vec![OPERANDS as u32, RESULTS as u32, placed.function as u32, 0, 7],
        writes: vec![(OPERANDS, words), (MEMORY - 128, bytes(256, rng))],
        reads: vec![(RESULTS, 8 * RESULT_WORDS), (MEMORY - 128, 256)],
    }
}

#[test]
fn meanings_are_those_of_qemu() {
    let enter = vec![item("jmpl_i", &[("rd", 0), ("rs1", BACK), ("simm", 0)]), item("nop", &[])];
    let (core, judge) = (&CORES[0], &QEMU);
    Meanings { core, judge, start: 0x10000, enter, open: false, times: 2, calls: 20, around, call }
        .compare(5);
}
