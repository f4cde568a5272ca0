//! The semantics of every row against qemu, on random operands: a program of small functions, each with one
//! instruction between loads of its operands and stores of its results.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Kind};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QEMU;
use super::table::isa;
use aesmith_judge::judge::Call;
use aesmith_judge::outside::gnu::at_corner;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes, word};

const OPERANDS: u64 = 0x40000;
const RESULTS: u64 = 0x40100;
/// In the middle of the range of a load or store.
const MEMORY: u64 = 0x40300;

/// Registers of the instruction under test.
const RT: i32 = 9;
const RA: i32 = 10;
const RB: i32 = 11;
const RS: i32 = 12;
/// The register that records which instructions after a jump are executed.
const COUNTED: i32 = 7;
/// The register that holds the return address in between, and another one.
const BACK: i32 = 6;
const OTHER: i32 = 8;
/// Operand words: four registers, CTR, LR, and the carry.
const WORDS: usize = 7;
/// Condition register fields that are not callee-saved.
const FIELDS: [i32; 5] = [0, 1, 5, 6, 7];

fn item(name: &str, fields: &[(&str, i32)]) -> Item {
    Item::Insn(isa().insn(name, fields))
}

/// A function around an instruction: it leaves registers, the condition register, the carry, CTR, LR, and the
/// direction of a branch.
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let of = &isa.rows[usize::from(row)];
    // Sixteen bits cannot address the memory of these programs. Vector rows have a test of their own; the system's value of
    // VRSAVE is unknown.
    let is_absolute = of.name.ends_with("_absolute") && !of.name.ends_with("x_absolute");
    if is_absolute || of.fields.iter().any(|field| field.name == "vt") || of.name.ends_with("vrsave") {
        return None;
    }
    // These write registers that are callee-saved: see `several_registers_are_moved_as_by_qemu`.
    if of.name.contains("mw_") {
        return None;
    }
    let load = |r: i32, k: i32| item("lwz", &[("rt", r), ("ra", 3), ("d", 4 * k)]);
    let store = |r: i32, k: i32| item("stw", &[("rt", r), ("ra", 4), ("d", 4 * k)]);
    let count = |by: i32| item("addi", &[("rt", COUNTED), ("ra", COUNTED), ("si", by)]);
    let mut items = vec![item("mflr", &[("rt", BACK)]), load(OTHER, 4), item("mtctr", &[("rs", OTHER)])];
    items.extend([load(OTHER, 5), item("mtlr", &[("rs", OTHER)])]);
    items.extend([load(RT, 0), load(RA, 1), load(RB, 2), load(RS, 3)]);
    for field in FIELDS {
        // The fields differ: some compare as signed numbers, some as unsigned ones.
        let name = if field % 2 == 0 { "cmpw" } else { "cmplw" };
        items.push(item(name, &[("cr", 32 + field), ("ra", if field < 6 { RA } else { RS }), ("rb", RB)]));
    }
    items.extend([load(OTHER, 6), item("addic", &[("rt", OTHER), ("ra", OTHER), ("si", -1)])]);
    items.push(item("li", &[("rt", COUNTED), ("si", 0)]));
    let at = items.len();
    let mut insn = Insn { row, fields: [0; 8] };
    let effects = &isa.of(&insn).effects;
    let memory = effects.loads || effects.stores;
    // Equal registers test that all operands are read before a result is written. The result of `mfcr` is
    // masked below, in RT.
    let same = !memory && isa.of(&insn).name != "mfcr" && rng.random();
    let one = |of: &[i32], rng: &mut ChaCha8Rng| of[if same { rng.random_range(0..of.len()) } else { 0 }];
    for (place, field) in isa.of(&insn).fields.iter().enumerate() {
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            (Kind::Register { .. }, "rt") => one(&[RT, RA], rng),
            (Kind::Register { .. }, "ra") => one(&[RA, RT], rng),
            (Kind::Register { .. }, "rb") => one(&[RB, RA, RS], rng),
            (Kind::Register { .. }, "rs") => one(&[RS, RA, RB], rng),
            (Kind::Register { base, .. }, _) => i32::from(base) + FIELDS[rng.random_range(0..FIELDS.len())],
            (Kind::Relative { .. }, _) => 8,
            (_, "d") if memory => rng.random_range(-32..32),
            (_, "d" | "si") => i32::from(at_corner(0xffff, rng.random()) as i16),
            // A bit of a field that is not callee-saved.
            (_, "bi") => 4 * FIELDS[rng.random_range(0..FIELDS.len())] + rng.random_range(0..4),
            // Fields that are not callee-saved.
            (_, "mask") => at_corner(0xff, rng.random()) as i32 & 0b1100_0111,
            (_, "ui") => at_corner(0xffff, rng.random()) as i32,
            _ => at_corner(31, rng.random()) as i32,
        };
    }
    items.push(Item::Insn(insn));
    items.extend([count(1), count(2), count(4)]);
    // The values of callee-saved fields are unknown.
    let own = |r: i32| item("rlwinm", &[("ra", r), ("rs", r), ("sh", 0), ("mb", 20), ("me", 7)]);
    if isa.of(&insn).name == "mfcr" {
        items.push(own(RT));
    }
    items.extend([store(RT, 0), store(RA, 1), item("mfcr", &[("rt", OTHER)])]);
    items.extend([own(OTHER), store(OTHER, 2)]);
    items.extend([
        item("li", &[("rt", OTHER)]),
        item("addze", &[("rt", OTHER), ("ra", OTHER)]),
        store(OTHER, 3),
    ]);
    items.extend([item("mfctr", &[("rt", OTHER)]), store(OTHER, 4)]);
    items.extend([item("mflr", &[("rt", OTHER)]), store(OTHER, 5), store(COUNTED, 6)]);
    items.extend([item("mtlr", &[("rs", BACK)]), item("blr", &[])]);
    Some(Around { items, at })
}

/// Operands that are valid for the instruction.
fn operands(insn: &Insn, here: u64, rng: &mut ChaCha8Rng) -> [u32; WORDS] {
    let isa = isa();
    let row = isa.of(insn);
    let mut words: [u32; WORDS] = std::array::from_fn(|_| word(rng));
    words[6] &= 1;
    if rng.random_bool(0.2) {
        words[2] = words[1];
    }
    if matches!(row.name.as_str(), "slw" | "srw" | "sraw" | "rlwnm") || row.name.ends_with('.') {
        words[2] &= if rng.random_bool(0.5) { 0x3f } else { u32::MAX };
    }
    if row.effects.loads || row.effects.stores {
        words[1] = MEMORY as u32;
        words[2] = rng.random_range(-32i32..32) as u32;
        if row.name.ends_with("x_absolute") {
            words[2] = words[2].wrapping_add(MEMORY as u32);
        }
    }
    // Jumps to register values skip one instruction, as the others do.
    match row.name.as_str() {
        name if name.starts_with("bclr") => words[5] = here as u32 + 8,
        "blr" => words[5] = here as u32 + 8,
        "bdnzlr" | "bdzlr" => {
            words[4] = rng.random_range(0..3);
            words[5] = here as u32 + 8;
        }
        "bctr" | "bctrl" => words[4] = here as u32 + 8,
        "bdnz" | "bdz" | "bc_count" | "bc_counted" => words[4] = rng.random_range(0..3),
        _ => {}
    }
    words
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let words = operands(&placed.insn, placed.address, rng).map(u32::to_be_bytes).concat();
    Call {
        arguments: vec![OPERANDS as u32, RESULTS as u32, placed.function as u32],
        writes: vec![(OPERANDS, words), (MEMORY - 80, bytes(160, rng))],
        reads: vec![(RESULTS, 4 * WORDS), (MEMORY - 80, 160)],
    }
}

/// A function that saves all registers from `rt` on, loads them and others from memory, stores them elsewhere, and takes
/// them back.
fn around_several(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let name = isa.rows[usize::from(row)].name.as_str();
    let first: i32 = name.split_once("mw_")?.1.parse().ok()?;
    let several =
        |name: &str, of: i32, base: i32, d: i32| item(&format!("{name}_{of}"), &[("ra", base), ("d", d)]);
    let mut items = vec![item("stwu", &[("rt", 1), ("ra", 1), ("d", -96)]), several("stmw", 14, 1, 8)];
    items.push(several("lmw", 14, 3, 0));
    items.push(item("addi", &[("rt", RA), ("ra", 4), ("si", 80)]));
    let at = items.len();
    items.push(several(
        name.split_once('_')?.0,
        first,
        if name.starts_with('l') { 3 } else { RA },
        4 * rng.random_range(-4..1),
    ));
    items.push(several("stmw", 14, 4, 0));
    items.extend([
        several("lmw", 14, 1, 8),
        item("addi", &[("rt", 1), ("ra", 1), ("si", 96)]),
        item("blr", &[]),
    ]);
    Some(Around { items, at })
}

fn call_several(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    Call {
        arguments: vec![OPERANDS as u32, RESULTS as u32, placed.function as u32],
        writes: vec![(OPERANDS - 16, bytes(128, rng)), (RESULTS, bytes(256, rng))],
        reads: vec![(RESULTS, 256)],
    }
}

#[test]
fn several_registers_are_moved_as_by_qemu() {
    let enter = vec![item("mtctr", &[("rs", 5)]), item("bctr", &[])];
    let (core, judge) = (&CORES[0], &QEMU);
    let (around, call) = (around_several, call_several);
    Meanings { core, judge, start: 0x10000, enter, open: false, times: 2, calls: 4, around, call }.compare(7);
}

#[test]
fn meanings_are_those_of_qemu() {
    let enter = vec![item("mtctr", &[("rs", 5)]), item("bctr", &[])];
    let (core, judge) = (&CORES[0], &QEMU);
    Meanings { core, judge, start: 0x10000, enter, open: false, times: 3, calls: 20, around, call }
        .compare(5);
}
