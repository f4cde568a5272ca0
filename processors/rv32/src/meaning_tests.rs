//! The semantics of every row against qemu, on random operands.

use aesmith_isa::assemble::Item;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::judge::QEMU;
use super::{CORES, table};
use aesmith_judge::judge::Call;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, random};
use aesmith_processor::trial::kernels::core;

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
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let isa = table::zkn();
    let insn = random(isa, row, rng, |_| true);
    let row = isa.of(&insn);
    let make = |name: &str, fields: &[(&str, i32)]| Item::Insn(isa.insn(name, fields));
    let with =
        |name: &str, rd: i32, rs1: i32, imm: i32| make(name, &[("rd", rd), ("rs1", rs1), ("imm", imm)]);
    let store = |rs2: i32, rs1: i32, imm: i32| make("sw", &[("rs2", rs2), ("rs1", rs1), ("imm", imm)]);
    let mut items = vec![with("addi", OLD_RA, RA, 0), with("addi", OLD_SP, SP, 0)];
    items.extend((0..3).map(|k| with("lw", OPERANDS[k], INPUT, 4 * k as i32)));
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
    let at = items.len();
    items.push(Item::Insn(insn));
    if jumps {
        items.push(with("addi", OPERANDS[0], OPERANDS[0], 1));
    }
    for (k, r) in OPERANDS.into_iter().chain([RA]).enumerate() {
        items.push(store(r, OUTPUT, 4 * k as i32));
    }
    items.push(make("sub", &[("rd", T0), ("rs1", SP), ("rs2", OLD_SP)]));
    items.push(store(T0, OUTPUT, 16));
    items.push(with("addi", SP, OLD_SP, 0));
    items.push(make("jalr", &[("rs1", OLD_RA)]));
    Some(Around { items, at })
}

/// Random words; many are at the limits of numbers and of counts.
fn words(count: usize, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let borders = [0u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 31, 32];
    let mut word = || match rng.random_range(0..12) {
        k if k < borders.len() => borders[k],
        _ => rng.random(),
    };
    (0..count).flat_map(|_| word().to_le_bytes()).collect()
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    Call {
        arguments: vec![IN as u32, OUT as u32, SCRATCH as u32, placed.function as u32],
        writes: vec![(IN, words(3, rng)), (SCRATCH, words(1024, rng))],
        reads: vec![(OUT, 20), (SCRATCH, 4096)],
    }
}

#[test]
fn meanings_are_those_of_qemu() {
    let core = core(CORES, "rv32-zkn");
    let enter = vec![Item::Insn(table::zkn().insn("jalr", &[("rs1", OPERANDS[0])]))];
    let judge = &QEMU;
    Meanings { core, judge, start: 0x10000, enter, open: false, times: 5, calls: 4, around, call }.compare(2);
}
