//! Semantics against qemu: every row except jumps, with random operands, registers and flags, executed there
//! and in our interpreter.

use aesmith_isa::Insn;
use aesmith_isa::assemble::{Item, Part, Section, assemble};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::tests::random;
use super::*;
use crate::kernels::writer::Code;
use aesmith_judge::judge::{Call, ExactJudge, Judge, Question};
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::is_soak;

/// The memory that loads and stores reach, and their base address.
const REGION: (u64, usize) = (0x4_fc00, 0x800);
const BASE: u32 = 0x5_0000;
const RECORD: u64 = 0x4_0000;
const RESULT: u64 = 0x4_1000;

/// `r0`: sixteen words, the registers except `sp` and `pc`, and the flags; `r1`: the address of their copies
/// after the instruction; `r2`: the address of the instruction, which is followed by a branch back.
fn frame(insns: &[Insn]) -> Section {
    let mut code = Code::default();
    let all: Vec<i32> = (0..13).chain([14]).collect();
    code.label("run");
    code.several("stmdb_pre", 13, &[4, 5, 6, 7, 8, 9, 10, 11, 14]);
    code.several("stmdb_pre", 13, &[1, 2]);
    code.memory("ldr", 3, 0, 56);
    code.put("msr", &[("rm", 3)]);
    code.several("ldmia", 0, &all);
    code.memory("ldr", 15, 13, 4);
    code.label("back");
    code.several("stmdb_pre", 13, &all);
    code.put("mrs", &[("rd", 2)]);
    code.put("mov_lsr", &[("rd", 2), ("rm", 2), ("sh", 28)]);
    code.memory("ldr", 1, 13, 56);
    code.memory("str", 2, 1, 56);
    code.several("ldmia_pre", 13, &[2, 3, 4, 5, 6, 7, 8]);
    code.several("stmia_pre", 1, &[2, 3, 4, 5, 6, 7, 8]);
    code.several("ldmia_pre", 13, &[2, 3, 4, 5, 6, 7, 8]);
    code.several("stmia_pre", 1, &[2, 3, 4, 5, 6, 7, 8]);
    code.op_i("add", 13, 13, 8);
    code.several("ldmia_pre", 13, &[4, 5, 6, 7, 8, 9, 10, 11, 15]);
    for (k, one) in insns.iter().enumerate() {
        code.label(&format!("at{k}"));
        code.items.push(Item::Insn(*one));
        let back = insn("b", &[]);
        let (label, part) = ("back".to_owned(), Part::Distance);
        code.items.push(Item::Linked { insn: back, field: "to".into(), label, addend: 0, part });
    }
    Section { name: ".text", address: 0x10000, writable: false, items: code.items }
}

/// An instruction and its registers, with addresses within the region.
fn case(row: usize, rng: &mut ChaCha8Rng) -> Option<(Insn, [u32; 15])> {
    let isa = isa();
    let about = &isa.rows[row];
    let memory = about.effects.loads || about.effects.stores;
    if about.effects.jumps || about.name == "mrs" {
        return None;
    }
    let place = |name: &str| about.fields.iter().position(|f| f.name == name);
    loop {
        let mut insn = random(isa, row, rng);
        let mut words: [u32; 15] = std::array::from_fn(|_| match rng.random_range(0..6) {
            0 => rng.random_range(0..40),
            1 => [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff][rng.random_range(0..5)],
            _ => rng.random(),
        });
        words[14] = rng.random::<u32>() & 0xf000_0000;
        // Counts at corner values: only the lowest byte is significant.
        if let Some(rs) = place("rs").map(|f| insn.fields[f]).filter(|_| rng.random()) {
            let counts = [0, 1, 31, 32, 33, 63, 64, 224, 255, 256, 257];
            let place = if rs == 14 { 13 } else { (rs as usize).min(12) };
            words[place] = counts[rng.random_range(0..counts.len())];
        }
        let registers = ["rd", "rn", "rm", "rs"].iter().filter_map(|n| place(n));
        if registers.into_iter().any(|f| insn.fields[f] == 13 || insn.fields[f] == 15) {
            continue;
        }
        if let Some(list) = place("list") {
            insn.fields[list] &= 0x5fff;
            if insn.fields[list] == 0
                || place("rn").is_some_and(|n| insn.fields[list] >> insn.fields[n] & 1 == 1)
            {
                continue;
            }
        }
        if !memory {
            return Some((insn, words));
        }
        // Register 14 is at index 13 of the record.
        let slot = |r: i32| if r == 14 { 13 } else { r as usize };
        let base = place("rn").map(|f| insn.fields[f])?;
        let reach: u32 = 4 * rng.random_range(0..60);
        let is_after = about.name.ends_with("_post");
        words[slot(base)] = BASE;
        if let Some(f) = place("imm") {
            insn.fields[f] &= !3;
            let by = insn.fields[f] as u32;
            words[slot(base)] = match about.name.contains("_down") {
                _ if is_after => BASE,
                true => BASE + by,
                false => BASE - by,
            };
        }
        if let Some(f) = place("rm").filter(|_| about.class != "exchange") {
            if insn.fields[f] == base {
                continue;
            }
            let by = place("sh").map_or(0, |s| insn.fields[s] as u32);
            let carry = words[14] >> 29 & 1;
            words[slot(insn.fields[f])] = match about.name.split('_').nth(1) {
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
        return Some((insn, words));
    }
}

#[test]
fn meanings_are_those_of_qemu() {
    let judge = aesmith_judge::outside::qemu_arm::ARMV4T;
    if let Err(why) = judge.present() {
        return println!("skipped: {why}");
    }
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut cases = Vec::new();
    for row in 0..isa.rows.len() {
        for _ in 0..if is_soak() { 30 } else { 8 } {
            cases.extend(case(row, &mut rng));
        }
    }
    assert!(cases.len() > 8 * (isa.rows.len() - 8));
    let insns: Vec<Insn> = cases.iter().map(|(i, _)| *i).collect();
    let image = assemble(isa, &[frame(&insns)]).unwrap();
    let region: Vec<u8> = (0..REGION.1).map(|_| rng.random()).collect();
    let call = |(k, (_, words)): (usize, &(Insn, [u32; 15]))| Call {
        arguments: vec![RECORD as u32, RESULT as u32, image.symbols[&format!("at{k}")] as u32],
        writes: vec![
            (RECORD, words.iter().flat_map(|w| w.to_le_bytes()).collect()),
            (REGION.0, region.clone()),
        ],
        reads: vec![(RESULT, 60), REGION],
    };
    let calls = cases.iter().enumerate().map(call).collect();
    let question = Question { image: &image, function: image.symbols["run"], calls, limit: 1000 };
    let theirs = judge.answer(&question).unwrap();
    // qemu keeps flags that the manual leaves undefined: if they matter, runs with other values of these flags
    // differ.
    let ours = |open| {
        let mut interpreter = Interpreter::new(&crate::CORES[0]);
        interpreter.open = open;
        interpreter.answer(&question).unwrap()
    };
    let (ours, others) = (ours(0), ours(u128::MAX));
    let mut open = 0;
    for (((insn, words), (ours, other)), theirs) in cases.iter().zip(ours.iter().zip(&others)).zip(&theirs) {
        let printed = isa.print(insn, |_| None);
        // The flags are the last word, starting at its lowest bit.
        let left = ours.read[0][56] ^ other.read[0][56];
        let mut theirs = theirs.read.clone();
        theirs[0][56] = theirs[0][56] & !left | ours.read[0][56] & left;
        open += u32::from(left != 0);
        assert_eq!(ours.read, theirs, "{printed} with {words:x?}");
    }
    assert!(open > 0, "products leave the carry open");
}
