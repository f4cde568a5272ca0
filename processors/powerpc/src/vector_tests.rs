//! The semantics of AltiVec's rows against qemu, on random operands: each instruction between loads of its
//! registers and a store of its result.

use aesmith_isa::assemble::Item;
use aesmith_isa::{Insn, Kind};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QEMU;
use super::table::{V0, isa};
use aesmith_judge::judge::Call;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes};

/// Four registers.
const OPERANDS: u64 = 0x40000;
/// The result, and the memory near which loads and stores access.
const RESULT: u64 = 0x40100;
const MEMORY: u64 = 0x40200;
/// Address registers that do not hold the arguments.
const INDEX: i32 = 9;
const BASE: i32 = 10;

fn item(name: &str, fields: &[(&str, i32)]) -> Item {
    Item::Insn(isa().insn(name, fields))
}

fn moved(name: &str, v: u8, base: i32, index: i32) -> [Item; 2] {
    let vt = i32::from(V0 + v);
    [item("li", &[("rt", 8), ("si", index)]), item(name, &[("vt", vt), ("ra", base), ("rb", 8)])]
}

/// A function around an instruction.
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    if !isa.rows[usize::from(row)].fields.iter().any(|field| field.name == "vt") {
        return None;
    }
    let mut insn = Insn { row, fields: [0; 8] };
    let name = &isa.of(&insn).name;
    for (place, field) in isa.of(&insn).fields.iter().enumerate() {
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            (_, "vt") => i32::from(V0),
            (_, "va") => i32::from(V0 + 1),
            (_, "vb") => i32::from(V0 + 2),
            (_, "vc") => i32::from(V0 + 3),
            (_, "ra") => BASE,
            (_, "rb") if name.ends_with("_absolute") => BASE,
            (Kind::Register { .. }, _) => INDEX,
            (_, "five") => rng.random_range(-16..16),
            _ => rng.random_range(0..1 << isa.of(&insn).pattern.width(place)),
        };
    }
    let mut items: Vec<Item> = (0..4).flat_map(|v| moved("lvx", v, 3, 16 * i32::from(v))).collect();
    items.push(item("addi", &[("rt", BASE), ("ra", 5), ("si", rng.random_range(-40..40))]));
    items.push(item("li", &[("rt", INDEX), ("si", rng.random_range(-40..40))]));
    let at = items.len();
    items.push(Item::Insn(insn));
    items.extend(moved("stvx", 0, 4, 0));
    items.push(item("blr", &[]));
    Some(Around { items, at })
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let mut operands = bytes(64, rng);
    // Random elements are rarely equal.
    if rng.random_bool(0.3) {
        operands.copy_within(16..24, 32);
    }
    Call {
        arguments: vec![OPERANDS as u32, RESULT as u32, MEMORY as u32, placed.function as u32],
        writes: vec![(OPERANDS, operands), (MEMORY - 80, bytes(160, rng)), (RESULT, vec![0; 16])],
        reads: vec![(RESULT, 16), (MEMORY - 80, 160)],
    }
}

#[test]
fn meanings_are_those_of_qemu() {
    let enter = vec![item("mtctr", &[("rs", 6)]), item("bctr", &[])];
    let (core, judge) = (&CORES[0], &QEMU);
    let count =
        Meanings { core, judge, start: 0x10000, enter, open: false, times: 3, calls: 20, around, call }
            .compare(9);
    assert!(count == 0 || count > 3 * 40, "{count} functions");
}
