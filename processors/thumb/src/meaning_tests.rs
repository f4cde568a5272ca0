//! The meaning of every row held against qemu, on random operands.

use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::{Image, Segment};
use aesmith_isa::numbers::Numbers;
use aesmith_isa::table::Row;
use aesmith_isa::{Insn, Isa, Kind};
use object::{Object, ObjectSection, ObjectSymbol};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

use super::table::{v6m, v7m};
use aesmith_judge::judge::{Call, Emulator, Instrument, Question};
use aesmith_judge::outside::qemu_arm::CORTEX_M4;
use aesmith_judge::outside::{Temporary, need, step};
use aesmith_processor::trial::instructions;

/// The bytes of `.text` and the symbols of a source, or `None` if GNU as is not installed.
fn assembled(source: &str) -> Option<(Vec<u8>, BTreeMap<String, u64>)> {
    let program = match need("arm-none-eabi-as", "binutils-arm-none-eabi") {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let text = Temporary::new(source.as_bytes()).unwrap();
    let out = Temporary::new(&[]).unwrap();
    step(Command::new(program).arg("-o").arg(&out.path).arg(&text.path), Duration::from_secs(60)).unwrap();
    let bytes = std::fs::read(&out.path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let text = file.section_by_name(".text").unwrap().data().unwrap().to_vec();
    let symbols = file.symbols().filter_map(|s| Some((s.name().ok()?.to_owned(), s.address()))).collect();
    Some((text, symbols))
}

fn place(row: &Row, name: &str) -> Option<usize> {
    row.fields.iter().position(|f| f.name == name)
}

/// A random instruction whose operands are neither the stack pointer nor the program counter, and that does not write its base
/// by a list.
fn random(isa: &Isa, number: usize, rng: &mut ChaCha8Rng) -> Insn {
    let row = &isa.rows[number];
    instructions::random(isa, number as u16, rng, |insn| {
        let registers = row.fields.iter().zip(insn.fields);
        let mut registers = registers.filter(|(field, _)| matches!(field.kind, Kind::Register { .. }));
        let base = place(row, "rn").map_or(0, |rn| 1 << insn.fields[rn]);
        let list = place(row, "list").map_or(0, |list| insn.fields[list]);
        registers.all(|(_, r)| r < 13) && list & (0x8000 | base) == 0
    })
}

const CODE: u64 = 0x10000;
const BEFORE: u64 = 0x40000;
const AFTER: u64 = 0x50000;
const SCRATCH: u64 = 0x60000;
const STACK: u64 = 0x64000;
const SAVED: u64 = 0x68000;

/// The instructions executed between the loading and the storing of all registers.
struct Snippet {
    insns: Vec<Insn>,
    /// Registers r0 to r12, lr, flags.
    before: [u32; 15],
    /// Their start address.
    at: u64,
}

fn snippet(isa: &Isa, number: usize, rng: &mut ChaCha8Rng) -> Snippet {
    let row = &isa.rows[number];
    let mut insn = random(isa, number, rng);
    let mut before: [u32; 15] = std::array::from_fn(|_| match rng.random_range(0..8) {
        0 => 0,
        1 => u32::MAX,
        2 => 1 << 31,
        3 => rng.random_range(0..40),
        _ => rng.random(),
    });
    let at = |name| place(row, name);
    let accesses = row.effects.loads || row.effects.stores;
    if accesses {
        let (rn, rm) = (at("rn"), at("rm"));
        if let (Some(rn), Some(rm)) = (rn, rm) {
            if insn.fields[rn] == insn.fields[rm] {
                insn.fields[rm] = (insn.fields[rm] + 1) % 8;
            }
            before[insn.fields[rm] as usize] = rng.random_range(0..64);
        }
        if let Some(rn) = rn {
            before[insn.fields[rn] as usize] = SCRATCH as u32 + 0x800 + 4 * rng.random_range(0..64);
        }
        if let Some(imm) = at("imm").filter(|&k| row.name.contains("literal") && k < 8) {
            insn.fields[imm] &= 0x1c;
        }
        if let Some(imm) = at("imm").filter(|_| !row.name.contains("literal")) {
            insn.fields[imm] &= 0x3fc;
        }
    }
    // A jump skips the following marker or not.
    let size = i32::from(row.bytes());
    let marker = isa.insn("addw", &[("rd", 12), ("rn", 12), ("imm", 1)]);
    let mut insns = vec![insn];
    if let Some(k) = at("label").or(at("far")).or(at("ahead")) {
        insns[0].fields[k] = size + 4;
        insns.push(marker);
    }
    if row.class == "it" {
        for k in 0..4 {
            insns.push(isa.insn("adds_imm8", &[("rd", k), ("imm", 0x81)]));
        }
    }
    before[14] &= 0xf80f_0000;
    Snippet { insns, before, at: 0 }
}

fn check(isa: &'static Isa, snippets: &mut [Snippet], rng: &mut ChaCha8Rng) {
    let mut source = String::from(".syntax unified\n.cpu cortex-m4\n.thumb\nstart: push {r4-r11, lr}\n");
    let set =
        |r: &str, value: u64| format!("movw {r}, #{:#x}\nmovt {r}, #{:#x}\n", value & 0xffff, value >> 16);
    source.push_str(&format!("{}mov r1, sp\nstr r1, [r0]\n", set("r0", SAVED)));
    for (k, snippet) in snippets.iter().enumerate() {
        source.push_str(&format!(".balign 4\n{}mov sp, r1\n", set("r1", STACK)));
        source.push_str(&set("r0", BEFORE + 64 * k as u64));
        source.push_str("ldr r1, [r0, #56]\nmsr APSR_nzcvqg, r1\nldmia.w r0, {r0-r12, lr}\n");
        source.push_str(&format!("i{k}:\n"));
        for insn in &snippet.insns {
            for half in isa.encode(insn).unwrap().chunks(2) {
                source.push_str(&format!(".short {}\n", u16::from_le_bytes([half[0], half[1]])));
            }
        }
        // The flags are stored before any instruction that may change them.
        source.push_str(&format!(
            "push.w {{r0}}\n{}stmia.w r0, {{r1-r12, lr}}\n",
            set("r0", AFTER + 64 * k as u64)
        ));
        source.push_str(
            "mrs r1, APSR\nstr r1, [r0, #56]\npop {r1}\nstr r1, [r0, #52]\nmov r1, sp\nstr r1, [r0, #60]\n",
        );
    }
    source.push_str(&format!("{}ldr r1, [r0]\nmov sp, r1\npop {{r4-r11, pc}}\n", set("r0", SAVED)));
    let Some((code, symbols)) = assembled(&source) else { return };
    let image =
        Image { segments: vec![Segment { address: CODE, bytes: code, writable: false }], ..Image::default() };
    assert!(image.segments[0].end() < BEFORE, "{:#x}", image.segments[0].end());
    let scratch: Vec<u8> = (0..0x5000).map(|_| rng.random()).collect();
    let mut states = Vec::new();
    for (k, snippet) in snippets.iter_mut().enumerate() {
        snippet.at = CODE + symbols[&format!("i{k}")];
        let row = isa.of(&snippet.insns[0]);
        if row.class == "return" {
            // To the next instruction, in Thumb state.
            let rm = snippet.insns[0].fields[0] as usize;
            snippet.before[rm] = snippet.at as u32 + 3;
        }
        states.extend(snippet.before.iter().flat_map(|v| v.to_le_bytes()));
        states.extend([0; 4]);
    }
    let call = Call {
        arguments: vec![],
        writes: vec![(BEFORE, states), (SCRATCH, scratch.clone())],
        reads: vec![(AFTER, 64 * snippets.len()), (SCRATCH, scratch.len())],
    };
    let answer = CORTEX_M4
        .answer(&Question { image: &image, function: CODE, calls: vec![call], limit: 1_000_000 })
        .unwrap();
    let mut memory = Numbers::new(&image, &isa.about, &[(SCRATCH, scratch.len())]);
    memory.bytes_mut(SCRATCH, scratch.len()).unwrap().copy_from_slice(&scratch);
    for (k, snippet) in snippets.iter().enumerate() {
        let mut machine = Machine::new(vec![0; isa.about.registers.len()], snippet.at);
        for r in 0..13 {
            machine.registers[r] = snippet.before[r].into();
        }
        machine.registers[13] = STACK.into();
        machine.registers[14] = snippet.before[13].into();
        let flags = snippet.before[14];
        for (r, bit) in [(16, 31), (17, 30), (18, 29), (19, 28)] {
            machine.registers[r] = (flags >> bit & 1).into();
        }
        machine.registers[21] = (flags >> 16 & 15).into();
        machine.registers[22] = (flags >> 27 & 1).into();
        let line: Vec<String> = snippet.insns.iter().map(|i| isa.print(i, |_| None)).collect();
        let line = line.join("; ");
        let end = snippet.at + snippet.insns.iter().map(|i| u64::from(isa.of(i).bytes())).sum::<u64>();
        while machine.pc != end {
            let insn = isa.decode_at(&image, machine.pc).unwrap();
            execute(isa, &insn, &mut memory, &mut machine, || 0)
                .unwrap_or_else(|e: String| panic!("{line}: {e}"));
        }
        // Simulates the push of the harness.
        let sp = machine.registers[13] as u64;
        memory.bytes_mut(sp - 4, 4).unwrap().copy_from_slice(&(machine.registers[0] as u32).to_le_bytes());
        let found: Vec<u32> = answer[0].read[0][64 * k..64 * k + 64]
            .chunks(4)
            .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
            .collect();
        let r = &machine.registers;
        let mut expected: Vec<u32> = r[1..13].iter().map(|&v| v as u32).collect();
        let flags = r[16] << 31 | r[17] << 30 | r[18] << 29 | r[19] << 28 | r[22] << 27 | r[21] << 16;
        expected.extend([r[14] as u32, r[0] as u32, flags as u32, sp as u32]);
        // The flags of APSR: the rest of the word is the rest of the program status.
        let mut found = found;
        found[14] &= 0xf80f_0000;
        assert_eq!(found, expected, "{line} with {:x?} at {:#x}", snippet.before, snippet.at);
    }
    let found = memory.bytes(SCRATCH, scratch.len()).unwrap();
    let difference = found.iter().zip(&answer[0].read[1]).position(|(a, b)| a != b);
    assert_eq!(difference, None, "memory differs at {:#x}", SCRATCH + difference.unwrap_or(0) as u64);
}

#[test]
fn meanings_are_those_of_qemu() {
    if let Err(why) = CORTEX_M4.present() {
        return println!("skipped: {why}");
    }
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut snippets = Vec::new();
    let isa = v7m();
    for number in 0..isa.rows.len() {
        // Jump tables are in the code: `tables_of_jumps` tests them.
        if isa.rows[number].class != "table" {
            snippets.extend((0..6).map(|_| snippet(isa, number, &mut rng)));
        }
    }
    for part in snippets.chunks_mut(900) {
        check(isa, part, &mut rng);
    }
    println!("{} instructions", snippets.len());
}

#[test]
fn armv6m_means_what_armv7m_does() {
    // Outside IT blocks the 16-bit instructions of both have the same semantics.
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (small, large) = (v6m(), v7m());
    for number in 0..small.rows.len() {
        for _ in 0..20 {
            let insn = random(small, number, &mut rng);
            let bytes = small.encode(&insn).unwrap();
            let same = large.decode(&bytes).unwrap();
            let mut results = Vec::new();
            let mut registers: Vec<u128> = (0..16).map(|_| rng.random::<u32>().into()).collect();
            registers.extend((0..4).map(|_| rng.random_range(0..2u128)));
            registers.extend([0, 0, 0]);
            if small.rows[number].effects.loads || small.rows[number].effects.stores {
                for r in &mut registers[..16] {
                    *r = 0x800 + 4 * (*r & 63);
                }
            }
            let contents: Vec<u8> = (0..0x2000).map(|_| rng.random()).collect();
            for (isa, insn) in [(small, insn), (large, same)] {
                let mut memory = Numbers::new(&Image::default(), &isa.about, &[(0, 0x2000)]);
                memory.bytes_mut(0, 0x2000).unwrap().copy_from_slice(&contents);
                let mut machine = Machine::new(registers.clone(), 0x400);
                execute(isa, &insn, &mut memory, &mut machine, || 0).unwrap();
                results.push((machine.registers, machine.pc, memory.bytes(0, 0x2000).unwrap().to_vec()));
            }
            assert!(results[0] == results[1], "{}", small.print(&insn, |_| None));
        }
    }
}
