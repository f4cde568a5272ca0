//! The semantics of every row against qemu, on random operands.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Section, assemble};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::judge::QemuRiscv;
use super::{CORES, table};
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_processor::interpreter::Interpreter;

const IN: u64 = 0x4_0000;
const OUT: u64 = 0x4_8000;
const SCRATCH: u64 = 0x5_0000;

/// Arguments, and operands: registers that compressed instructions can also name.
const INPUT: i32 = 10;
const OUTPUT: i32 = 11;
const MEMORY: i32 = 12;
const OPERANDS: [i32; 3] = [13, 14, 15];
const RA: i32 = 1;
const SP: i32 = 2;
const OLD_SP: i32 = 16;
const OLD_RA: i32 = 17;
const T0: i32 = 5;

/// An instruction between loads of its operands and stores of its results.
fn snippet(insn: Insn, rng: &mut ChaCha8Rng) -> Vec<Item> {
    let isa = table::zkn();
    let row = isa.of(&insn);
    let make = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let with =
        |name: &str, rd: i32, rs1: i32, imm: i32| make(name, &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let store = |rs2: i32, rs1: i32, imm: i32| make("sw", &[("rs2", rs2), ("rs1", rs1), ("imm", imm)]);
    let mut items: Vec<Item> = (0..3).map(|k| with("lw", OPERANDS[k], INPUT, 4 * k as i32)).collect();
    items.push(with("addi", SP, OLD_SP, -512));
    items.push(with("addi", RA, 0, 7));
    let mut insn = insn;
    let memory = row.effects.loads || row.effects.stores;
    let jumps = row.effects.jumps;
    for (place, field) in row.fields.iter().enumerate() {
        let value = &mut insn.fields[place];
        match field.name.as_str() {
            "rs1" | "cs1" if memory => {
                items.push(with("addi", OPERANDS[2], MEMORY, 2040));
                *value = OPERANDS[2];
            }
            "imm" | "uimm" if memory => {
                // Within the memory that is compared.
                *value = (*value & !3).max(-2040);
                if row.syntax.contains("sp)") {
                    items.push(store(OPERANDS[0], SP, *value));
                }
            }
            "off" => *value = if row.bytes() == 2 { 6 } else { 8 },
            // To the instruction after the next one.
            "rs1" if row.class == "jalr" => {
                *value = OPERANDS[2];
                let ahead = if row.bytes() == 2 { 14 } else { 16 };
                items.push(make("auipc", &[("rd", OPERANDS[2])]));
                items.push(with("addi", OPERANDS[2], OPERANDS[2], ahead));
            }
            "imm" if row.class == "jalr" => *value = 0,
            "rd" | "rs1" | "rs2" | "cd" | "cs1" | "cs2" | "xd" | "xa" | "xb" => {
                *value = OPERANDS[rng.random_range(0..3)]
            }
            _ => {}
        }
    }
    items.push(Item::Insn(insn));
    if jumps {
        items.push(with("addi", OPERANDS[0], OPERANDS[0], 1));
    }
    for (k, r) in OPERANDS.into_iter().chain([RA]).enumerate() {
        items.push(store(r, OUTPUT, 4 * k as i32));
    }
    items.push(make("sub", &[("rd", T0), ("rs1", SP), ("rs2", OLD_SP)]));
    items.push(store(T0, OUTPUT, 16));
    items.push(with("addi", INPUT, INPUT, 12));
    items.push(with("addi", OUTPUT, OUTPUT, 20));
    items
}

#[test]
fn meanings_are_those_of_qemu() {
    if let Err(why) = QemuRiscv.present() {
        return println!("skipped: {why}");
    }
    const TIMES: usize = 5;
    let isa = table::zkn();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let move_ = |rd: i32, rs1: i32| Item::Insn(isa.insn("addi", &[("rd", rd), ("rs1", rs1)]));
    let mut items = vec![Item::Label("rows".into()), move_(OLD_RA, RA), move_(OLD_SP, SP)];
    let mut shown = Vec::new();
    for number in 0..isa.rows.len() as u16 {
        for _ in 0..TIMES {
            let insn = super::table_tests::random(isa, number, &mut rng);
            shown.push(isa.rows[usize::from(number)].name.clone());
            items.extend(snippet(insn, &mut rng));
        }
    }
    items.extend([move_(SP, OLD_SP), Item::Insn(isa.insn("jalr", &[("rs1", OLD_RA)]))]);
    let section = Section { name: ".text", address: 0x1_0000, writable: false, items };
    let image = assemble(isa, &[section]).expect("assembles");
    // Numbers at the limits as well as others.
    let borders = [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 31, 32];
    let word = |rng: &mut ChaCha8Rng| match rng.random_range(0..12) {
        k if k < borders.len() => borders[k],
        _ => rng.random(),
    };
    let words = |rng: &mut ChaCha8Rng, n: usize| -> Vec<u8> {
        (0..n).flat_map(|_| word(rng).to_le_bytes()).collect()
    };
    let calls: Vec<Call> = (0..4)
        .map(|_| Call {
            arguments: vec![IN as u32, OUT as u32, SCRATCH as u32],
            writes: vec![(IN, words(&mut rng, 3 * shown.len())), (SCRATCH, words(&mut rng, 1024))],
            reads: vec![(OUT, 20 * shown.len()), (SCRATCH, 4096)],
        })
        .collect();
    let core = CORES.iter().find(|c| c.name == "rv32-zkn").expect("a core");
    let function = image.symbol("rows").expect("its symbol");
    let question = Question { image: &image, function, calls, limit: 1_000_000 };
    let ours = Interpreter::new(core).answer(&question).expect("ours answers");
    let theirs = QemuRiscv.answer(&question).expect("qemu answers");
    for (ours, theirs) in ours.iter().zip(&theirs) {
        for (k, name) in shown.iter().enumerate() {
            let place = 20 * k..20 * k + 20;
            assert_eq!(ours.read[0][place.clone()], theirs.read[0][place], "{name}");
        }
        assert!(ours.read[1] == theirs.read[1], "stores differ");
    }
}
