//! Semantics against qemu: every row except jumps, with random operands, registers and flags, executed there
//! and in our interpreter.

use aesmith_isa::Insn;
use aesmith_isa::assemble::Item;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::CORES;
use crate::kernels::writer::Code;
use aesmith_judge::judge::Call;
use aesmith_judge::outside::qemu_arm::ARMV4T;
use aesmith_processor::trial::instructions::{Around, Meanings, Placed, bytes, random};

/// The memory that loads and stores reach, and their base address.
const REGION: (u64, usize) = (0x4_fc00, 0x800);
const BASE: u32 = 0x5_0000;
const RECORD: u64 = 0x4_0000;
const RESULT: u64 = 0x4_1000;

/// A function around an instruction. `r0`: sixteen words, the registers except `sp` and `pc`, and the flags; `r1`: the address
/// of their copies after the instruction.
fn around(row: u16, _: u64, rng: &mut ChaCha8Rng) -> Option<Around> {
    let about = &isa().rows[usize::from(row)];
    if about.effects.jumps || about.name == "mrs" {
        return None;
    }
    let memory = about.effects.loads || about.effects.stores;
    let mut insn = random(isa(), row, rng, |insn| {
        let get = |name| isa().operand(insn, name);
        let registers = ["rd", "rn", "rm", "rs"].map(get);
        let listed =
            get("list").is_some_and(|l| l & 0xa000 != 0 || get("rn").is_some_and(|n| l >> n & 1 == 1));
        let is_index = memory && about.class != "exchange" && get("rm").is_some();
        let special = [13, 15].iter().any(|number| registers.contains(&Some(*number)));
        !(special || listed || is_index && get("rm") == get("rn"))
    });
    if let Some(imm) = about.fields.iter().position(|f| f.name == "imm").filter(|_| memory) {
        insn.fields[imm] &= !3;
    }
    let mut code = Code::default();
    let all: Vec<i32> = (0..13).chain([14]).collect();
    code.several("stmdb_pre", 13, &[4, 5, 6, 7, 8, 9, 10, 11, 14]);
    code.several("stmdb_pre", 13, &[1, 2]);
    code.memory("ldr", 3, 0, 56);
    code.put("msr", &[("rm", 3)]);
    code.several("ldmia", 0, &all);
    let at = code.items.len();
    code.items.push(Item::Insn(insn));
    code.several("stmdb_pre", 13, &all);
    code.put("mrs", &[("rd", 2)]);
    code.put("mov_lsr", &[("rd", 2), ("rm", 2), ("sh", 28)]);
    code.memory("ldr", 1, 13, 56);
    code.memory("str", 2, 1, 56);
    for _ in 0..2 {
        code.several("ldmia_pre", 13, &[2, 3, 4, 5, 6, 7, 8]);
        code.several("stmia_pre", 1, &[2, 3, 4, 5, 6, 7, 8]);
    }
    code.op_i("add", 13, 13, 8);
    code.several("ldmia_pre", 13, &[4, 5, 6, 7, 8, 9, 10, 11, 15]);
    Some(Around { items: code.items, at })
}

/// The registers for an instruction, with addresses within the region.
fn words(insn: &Insn, rng: &mut ChaCha8Rng) -> [u32; 15] {
    let about = isa().of(insn);
    let get = |name: &str| isa().operand(insn, name);
    // Register 14 is at index 13 of the record.
    let slot = |r: i32| if r == 14 { 13 } else { r as usize };
    let mut words: [u32; 15] = std::array::from_fn(|_| match rng.random_range(0..6) {
        0 => rng.random_range(0..40),
        1 => [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff][rng.random_range(0..5)],
        _ => rng.random(),
    });
    words[14] = rng.random::<u32>() & 0xf000_0000;
    // Counts at corner values: only the lowest byte is significant.
    if let Some(rs) = get("rs").filter(|_| rng.random()) {
        let counts = [0, 1, 31, 32, 33, 63, 64, 224, 255, 256, 257];
        words[slot(rs)] = counts[rng.random_range(0..counts.len())];
    }
    let Some(base) = get("rn").filter(|_| about.effects.loads || about.effects.stores) else { return words };
    let reach: u32 = 4 * rng.random_range(0..60);
    let is_after = about.name.ends_with("_post");
    words[slot(base)] = BASE;
    if let Some(by) = get("imm") {
        words[slot(base)] = match about.name.contains("_down") {
            _ if is_after => BASE,
            true => BASE + by as u32,
            false => BASE - by as u32,
        };
    }
    if let Some(rm) = get("rm").filter(|_| about.class != "exchange") {
        let by = get("sh").unwrap_or(0) as u32;
        let carry = words[14] >> 29 & 1;
        words[slot(rm)] = match about.name.split('_').nth(1) {
            Some("lsl") if by < 32 => (reach >> by) & !3,
            Some("lsr" | "asr") if by < 20 => reach << by,
            // Words are aligned to 4 bytes.
            Some("lsr" | "asr") => rng.random::<u32>() >> 1 & (!0u32).checked_shl(by + 2).unwrap_or(0),
            Some("ror") => reach.rotate_left(by),
            // Only copies of the sign remain of it.
            Some("lsr32") => rng.random(),
            Some("asr32") => rng.random::<u32>() >> u32::from(!about.name.contains('b')),
            Some("rrx") => reach << 1 | rng.random_range(0..2),
            _ => reach,
        };
        // The carry becomes the highest bit of the offset.
        if about.name.contains("_rrx") && !is_after {
            words[slot(base)] = BASE ^ carry << 31;
        }
    }
    words
}

fn call(placed: &Placed, rng: &mut ChaCha8Rng) -> Call {
    let words = words(&placed.insn, rng).map(u32::to_le_bytes).concat();
    Call {
        arguments: vec![RECORD as u32, RESULT as u32, placed.function as u32],
        writes: vec![(RECORD, words), (REGION.0, bytes(REGION.1, rng))],
        reads: vec![(RESULT, 60), REGION],
    }
}

/// The manual leaves the carry of products undefined; qemu keeps it.
#[test]
fn meanings_are_those_of_qemu() {
    let enter = vec![Item::Insn(insn("bx", &[("rm", 2)]))];
    let (core, judge) = (&CORES[0], &ARMV4T);
    Meanings { core, judge, start: 0x10000, enter, open: true, times: 4, calls: 3, around, call }.compare(12);
}
