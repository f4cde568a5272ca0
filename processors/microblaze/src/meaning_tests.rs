//! The semantics of every row against qemu, on random operands: a program of small functions, each with one
//! instruction between loads of its operands and stores of its results.

use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::{Insn, Kind};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::CORES;
use super::judge::QemuMicroBlaze;
use super::table::isa;
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_judge::outside::gnu::at_corner;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;

const OPERANDS: u64 = 0x40000;
const RESULTS: u64 = 0x40100;
/// In the middle of the range of a load or store.
const MEMORY: u64 = 0x40300;

/// The registers of the instruction under test.
const RD: i32 = 9;
const RA: i32 = 11;
const RB: i32 = 12;

/// A function around an instruction: it leaves `rd`, the carry, and the direction of a branch.
fn around(row: u16, at: u64, rng: &mut ChaCha8Rng) -> Vec<Item> {
    let isa = isa();
    let name = isa.rows[usize::from(row)].name.clone();
    let load = |r: i32, k: i32| Item::Insn(isa.insn("lwi", &[("rd", r), ("ra", 5), ("imm", 4 * k)]));
    let store = |r: i32, k: i32| Item::Insn(isa.insn("swi", &[("rd", r), ("ra", 6), ("imm", 4 * k)]));
    let add = |r: i32, imm: i32| Item::Insn(isa.insn("addik", &[("rd", r), ("ra", r), ("imm", imm)]));
    let mut items = vec![load(RA, 0), load(RB, 1), load(RD, 2), load(8, 3)];
    // The carry is bit 0 of the old value of r8.
    items.push(Item::Insn(isa.insn("sra", &[("rd", 8), ("ra", 8)])));
    let mut insn = Insn { row, fields: [0; 8] };
    let bytes = u64::from(isa.of(&insn).bytes());
    let here = at + 4 * items.len() as u64;
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
    items
}

/// Values of `ra` and `rb` that are valid for the instruction.
fn operands(name: &str, here: u64, distance: u32, rng: &mut ChaCha8Rng) -> [u32; 2] {
    let isa = isa();
    let row = isa.find(name).map(|r| &isa.rows[usize::from(r)]).expect("a row");
    if row.effects.loads || row.effects.stores {
        return [MEMORY as u32, 4 * rng.random_range(0..8)];
    }
    if name.starts_with("rtsd") {
        return [here as u32, 0];
    }
    let a = match rng.random_range(0..4) {
        0 => [0, 1, u32::MAX, 1 << 31][rng.random_range(0..4)],
        _ => rng.random(),
    };
    if matches!(row.class.as_str(), "jump" | "jump_slot" | "branch" | "branch_slot") {
        let absolute = name.starts_with("bra");
        return [a, if absolute { here as u32 + distance } else { distance }];
    }
    [a, if rng.random_bool(0.1) { a } else { rng.random() }]
}

#[test]
fn meanings_are_those_of_qemu() {
    if let Err(why) = QemuMicroBlaze.present() {
        return println!("skipped: {why}");
    }
    let isa = isa();
    // A processor with all units.
    let core = Box::leak(Box::new(Core { isa: &super::table::isa, ..CORES[0] }));
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for (number, row) in isa.rows.iter().enumerate() {
        // Programs here lie above the range of 16 bits; the forms with a prefix are tested. Writing MSR is
        // privileged under an operating system.
        if matches!(row.name.as_str(), "brai" | "braid" | "bralid" | "mts") {
            continue;
        }
        let mut address = 0x10000;
        for _ in 0..3 {
            let items = around(number as u16, address, &mut rng);
            let section = Section { name: ".text", address, writable: false, items };
            let image =
                assemble(isa, &[section]).map_err(|e| format!("{}: {e}", row.name)).expect("assembles");
            let here = address + 20;
            let distance = u32::from(row.bytes()) + 8;
            let call = |rng: &mut ChaCha8Rng| {
                let [a, b] = operands(&row.name, here, distance, rng);
                let mut words: Vec<u8> = [a, b, rng.random(), rng.random()].map(u32::to_le_bytes).concat();
                words.resize(16, 0);
                let memory: Vec<u8> = (0..128).map(|_| rng.random()).collect();
                Call {
                    arguments: vec![OPERANDS as u32, RESULTS as u32, 0],
                    writes: vec![(OPERANDS, words), (MEMORY - 64, memory)],
                    reads: vec![(RESULTS, 16), (MEMORY - 64, 128)],
                }
            };
            let calls: Vec<Call> = (0..30).map(|_| call(&mut rng)).collect();
            let question = Question { image: &image, function: address, calls, limit: 1000 };
            let shown = isa.print(isa_insn(&image, here).as_ref().expect("decodes"), |_| None);
            let ours = Interpreter::new(core).answer(&question);
            let ours = ours.map_err(|e| format!("{shown}: {e}")).expect("runs");
            let theirs = QemuMicroBlaze.answer(&question);
            let theirs = theirs.map_err(|e| format!("{shown}: {e}")).expect("qemu runs it");
            for ((a, b), call) in ours.iter().zip(&theirs).zip(&question.calls) {
                assert_eq!(a.read, b.read, "{shown} on {:02x?}", call.writes[0].1);
            }
            address += 0x100;
        }
    }
}

fn isa_insn(image: &aesmith_isa::image::Image, at: u64) -> Option<Insn> {
    isa().decode(image.at(at))
}
