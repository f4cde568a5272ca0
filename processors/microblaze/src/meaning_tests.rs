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
use aesmith_processor::core::Core;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes, word};

const OPERANDS: u64 = 0x40000;
const RESULTS: u64 = 0x40100;
/// In the middle of the range of a load or store.
const MEMORY: u64 = 0x40300;

/// The registers of the instruction under test.
const RD: i32 = 9;
const RA: i32 = 11;
const RB: i32 = 12;

/// A function around an instruction: it leaves `rd`, the carry, and the direction of a branch.
fn around(row: u16, start: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = isa();
    let name = isa.rows[usize::from(row)].name.clone();
    // Programs here lie above the range of 16 bits; the forms with a prefix are tested. Writing MSR is privileged under an
    // operating system.
    if matches!(name.as_str(), "brai" | "braid" | "bralid" | "mts") {
        return None;
    }
    let load = |r: i32, k: i32| Item::Insn(isa.insn("lwi", &[("rd", r), ("ra", 5), ("imm", 4 * k)]));
    let store = |r: i32, k: i32| Item::Insn(isa.insn("swi", &[("rd", r), ("ra", 6), ("imm", 4 * k)]));
    let add = |r: i32, imm: i32| Item::Insn(isa.insn("addik", &[("rd", r), ("ra", r), ("imm", imm)]));
    let mut items = vec![load(RA, 0), load(RB, 1), load(RD, 2), load(8, 3)];
    // The carry is bit 0 of the old value of r8.
    items.push(Item::Insn(isa.insn("sra", &[("rd", 8), ("ra", 8)])));
    let mut insn = Insn { row, fields: [0; 8] };
    let bytes = u64::from(isa.of(&insn).bytes());
    let at = items.len();
    let here = start + 4 * at as u64;
    // Jumps skip two instructions that count in r7, the first of which is the delay slot.
    let distance = bytes as i32 + 8;
    let effects = &isa.of(&insn).effects;
    // Equal registers test that all operands are read before a result is written.
    let same = !(effects.loads || effects.stores || effects.jumps || name == "mfs") && rng.random();
    let one = |of: &[i32], rng: &mut ChaCha8Rng| of[if same { rng.random_range(0..of.len()) } else { 0 }];
    for (place, field) in isa.of(&insn).fields.iter().enumerate() {
        insn.fields[place] = match (field.kind, field.name.as_str()) {
            (Kind::Register { .. }, "rd") => one(&[RD, RA], rng),
            (Kind::Register { .. }, "ra") => one(&[RA, RD], rng),
            (Kind::Register { .. }, _) => one(&[RB, RA, RD], rng),
            (Kind::Relative { .. }, _) => distance,
            (_, "imm") if name.starts_with("bra") => (here as i32) + distance,
            (_, "imm") if name.starts_with("rtsd") => distance,
            (_, "imm") if isa.of(&insn).effects.loads || isa.of(&insn).effects.stores => {
                4 * rng.random_range(-8..8)
            }
            (_, "imm") if bytes == 8 => at_corner(0xffff_ffff, rng.random()) as i32,
            (_, "imm") => i32::from(at_corner(0xffff, rng.random()) as i16),
            (_, "width") => rng.random_range(1..16),
            (_, "top") => rng.random_range(16..32),
            // Other barriers put the processor to sleep.
            (_, "count") if name == "mbar" => rng.random_range(0..3),
            (_, "count") if isa.of(&insn).fields.len() == 4 => rng.random_range(0..16),
            _ => at_corner(31, rng.random()) as i32,
        };
    }
    items.push(Item::Insn(insn));
    if name == "mfs" {
        // The model of MSR has only the carry.
        items.push(Item::Insn(isa.insn("andi", &[("rd", RD), ("ra", RD), ("imm", 4)])));
    }
    items.extend([add(7, 1), add(7, 2), add(7, 4)]);
    items.push(Item::Insn(isa.insn("addc", &[("rd", 10), ("ra", 0), ("rb", 0)])));
    items.extend([store(RD, 0), store(10, 1), store(7, 2), store(RA, 3)]);
    items.push(Item::Insn(isa.insn("rtsd", &[("ra", 15), ("imm", 8)])));
    items.push(Item::Insn(isa.insn("nop", &[])));
    Some(Around { items, at })
}

/// Values of `ra` and `rb` that are valid for the instruction.
fn operands(placed: &Placed, rng: &mut ChaCha8Rng) -> [u32; 2] {
    let row = isa().of(&placed.insn);
    let (here, distance) = (placed.address as u32, u32::from(row.bytes()) + 8);
    if row.effects.loads || row.effects.stores {
        return [MEMORY as u32, 4 * rng.random_range(0..8)];
    }
    if row.name.starts_with("rtsd") {
        return [here, 0];
    }
    let a = word(rng);
    if matches!(row.class.as_str(), "jump" | "jump_slot" | "branch" | "branch_slot") {
        return [a, if row.name.starts_with("bra") { here + distance } else { distance }];
    }
    [a, if rng.random_bool(0.1) { a } else { rng.random() }]
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let [a, b] = operands(placed, rng);
    let words = [a, b, rng.random(), rng.random()].map(u32::to_le_bytes).concat();
    Call {
        arguments: vec![OPERANDS as u32, RESULTS as u32, 0, placed.function as u32],
        writes: vec![(OPERANDS, words), (MEMORY - 64, bytes(128, rng))],
        reads: vec![(RESULTS, 16), (MEMORY - 64, 128)],
    }
}

#[test]
fn meanings_are_those_of_qemu() {
    // A processor with all units.
    let core = Box::leak(Box::new(Core { isa: &super::table::isa, ..CORES[0] }));
    let enter = vec![Item::Insn(isa().insn("bra", &[("rb", 8)]))];
    let judge = &QEMU;
    Meanings { core, judge, start: 0x10000, enter, open: false, times: 3, calls: 30, around, call }
        .compare(5);
}
