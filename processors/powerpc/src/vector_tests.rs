//! The semantics of AltiVec's rows against qemu, on random operands: each instruction between loads of its
//! registers and a store of its result.

use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::{Insn, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QemuPowerPc;
use super::table::{V0, isa};
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_processor::interpreter::Interpreter;

const CODE: u64 = 0x10000;
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
fn around(row: u16, rng: &mut ChaCha8Rng) -> (Insn, Vec<Item>) {
    let isa = isa();
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
    items.push(Item::Insn(insn));
    items.extend(moved("stvx", 0, 4, 0));
    items.push(item("blr", &[]));
    (insn, items)
}

#[test]
fn meanings_are_those_of_qemu() {
    if let Err(why) = QemuPowerPc.present() {
        return println!("skipped: {why}");
    }
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut rows = 0;
    for (number, row) in isa.rows.iter().enumerate() {
        if !row.fields.iter().any(|field| field.name == "vt") {
            continue;
        }
        rows += 1;
        for _ in 0..3 {
            let (insn, items) = around(number as u16, &mut rng);
            let section = Section { name: ".text", address: CODE, writable: false, items };
            let image = assemble(isa, &[section]).unwrap_or_else(|e| panic!("{}: {e}", row.name));
            let shown = isa.print(&insn, |_| None);
            let mut call = || {
                let mut bytes = |count: usize| -> Vec<u8> { (0..count).map(|_| rng.random()).collect() };
                let (mut operands, memory) = (bytes(64), bytes(160));
                // Random elements are rarely equal.
                if rng.random_bool(0.3) {
                    operands.copy_within(16..24, 32);
                }
                Call {
                    arguments: vec![OPERANDS as u32, RESULT as u32, MEMORY as u32],
                    writes: vec![(OPERANDS, operands), (MEMORY - 80, memory), (RESULT, vec![0; 16])],
                    reads: vec![(RESULT, 16), (MEMORY - 80, 160)],
                }
            };
            let calls: Vec<Call> = (0..20).map(|_| call()).collect();
            let question = Question { image: &image, function: CODE, calls, limit: 1000 };
            let ours =
                Interpreter::new(&CORES[0]).answer(&question).unwrap_or_else(|e| panic!("{shown}: {e}"));
            let theirs = QemuPowerPc.answer(&question).unwrap_or_else(|e| panic!("{shown}: {e}"));
            for ((a, b), call) in ours.iter().zip(&theirs).zip(&question.calls) {
                assert_eq!(a.read, b.read, "{shown} on {:02x?}", call.writes[0].1);
            }
        }
    }
    assert!(rows > 40, "{rows} rows");
}
