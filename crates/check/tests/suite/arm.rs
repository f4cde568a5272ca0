//! Instructions of ARM and Thumb do what QEMU does.

use crate::concrete::Random;
use crate::word_machine::{Memory, Processor, family};
use crate::words::{elf, encoded, make_executable, put};
use aesmith_check::bytes::run::Machine;
use aesmith_check::words::Words;
use aesmith_check::words::execute::REGISTERS;
use std::collections::BTreeMap;
use std::process::Command;

/// The address of the program, of its data, and of what it leaves.
const PROGRAM: u32 = 0x10_0000;
const DATA: u32 = 0x80_0000;
const LEFT: u32 = DATA + 512;
/// Words that a test leaves: r0 to r11, stack pointer, link register and flags.
const WORDS: usize = 15;
/// Places to jump to behind each test, as words.
const PLACES: usize = 20;

/// The instructions around a test.
struct Frame {
    bytes: Vec<u8>,
    /// Offsets of the instruction, of what leaves the registers, and of the data behind them.
    own: usize,
    save: usize,
    data: usize,
}

fn halves(all: &[u16]) -> Vec<u8> {
    all.iter().flat_map(|half| half.to_le_bytes()).collect()
}

fn words(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Registers and flags are loaded with r12, which also says where they are left; r10 tells which instructions follow.
fn frame(is_thumb: bool, own: &[u8]) -> Frame {
    let length = own.len();
    if !is_thumb {
        // adr r12; ldr r0; msr; ldr sp; ldr lr; add r12; ldm; b; add r10, 5; b
        let mut bytes =
            words(&[0xe28f_c048, 0xe59c_0000, 0xe128_f000, 0xe59c_d004, 0xe59c_e008, 0xe28c_c00c]);
        bytes.extend(words(&[0xe89c_0fff, 0xea00_0001, 0xe28a_a005, 0xea00_0002]));
        bytes.extend(own);
        // add r10, 1; add r10, 2; ldr r12; stm; str sp; str lr; mrs; str; b
        bytes.extend(words(&[0xe28a_a001, 0xe28a_a002, 0xe59f_c050, 0xe8ac_0fff, 0xe58c_d000, 0xe58c_e004]));
        let more = 4 * (WORDS + 1 + PLACES) as u32;
        bytes.extend(words(&[0xe10f_0000, 0xe58c_0008, 0xea00_0000 | (more / 4 - 1)]));
        return Frame { own: 0x28, save: 0x34, data: bytes.len(), bytes };
    }
    let data = (0x26 + length + 8 + 6 * 4 + 2).next_multiple_of(4);
    let mut bytes =
        halves(&[0xf20f, 0x0c00 | (data - 4) as u16, 0xf8dc, 0, 0xf380, 0x8800, 0xf8dc, 4, 0x4685]);
    bytes.extend(halves(&[0xf8dc, 0xe008, 0xf10c, 0x0c0c, 0xe89c, 0x0fff, 0xe002, 0xf10a, 0x0a05]));
    bytes.extend(halves(&[0xe003 + length as u16 / 2]));
    let at = bytes.len();
    assert_eq!(at, 0x26);
    bytes.extend(own);
    bytes.extend(halves(&[0xf10a, 0x0a01, 0xf10a, 0x0a02]));
    let save = bytes.len();
    let literal = data + 4 * WORDS - ((save + 4) & !3);
    bytes.extend(halves(&[0xf8df, 0xc000 | literal as u16, 0xe8ac, 0x0fff, 0xf8cc, 0xd000, 0xf8cc, 0xe004]));
    bytes.extend(halves(&[0xf3ef, 0x8000, 0xf8cc, 0x0008]));
    let over = data + 4 * (WORDS + 1 + PLACES) - bytes.len() - 4;
    bytes.extend(halves(&[0xe000 | (over / 2) as u16]));
    bytes.resize(data, 0);
    Frame { own: at, save, data, bytes }
}

/// Any number, often at a bound.
fn corner(random: &mut Random) -> u32 {
    let any = random.next() as u32;
    let all = [0, 1, 31, 32, 33, 255, 256, 0x7fff_ffff, 0x8000_0000, u32::MAX, any, any >> 24, any % 34, any];
    all[random.below(all.len() as u64) as usize]
}

/// Compares a number of instructions of each row of a family with QEMU.
fn compare(name: &str, tests: usize) {
    let family = family(name);
    let is_thumb = family.has_halves;
    let rows = Words(family).rows().expect("rows");
    let (mut random, mut tried) = (Random(47), BTreeMap::<String, usize>::new());
    let data = random.bytes(512);
    let mut memory = Memory { objects: vec![(PROGRAM, Vec::new()), (DATA, data.clone())], is_aligned: true };
    let (mut left, mut what) = (Vec::<u8>::new(), Vec::new());
    for row in &rows.0 {
        let (code, effect) = (row.code().to_string(), row.text());
        let count = tried.entry(row.name.clone()).or_default();
        for _ in 0..40_000 {
            if *count == tests {
                break;
            }
            let begin = memory.objects[0].1.len();
            let length = code.len() / 8;
            let at = PROGRAM + begin as u32 + if is_thumb { 0x26 } else { 0x28 };
            let lengths = [0, 4, 8].map(|more| more + length as u32);
            let back = if is_thumb { 6_u32 } else { 8 }.wrapping_neg();
            let distance = [lengths[0], lengths[1], lengths[2], back][random.below(4) as usize];
            let place = at.wrapping_add(distance);
            let (mut fields, mut registers) = (BTreeMap::new(), [0_u32; REGISTERS]);
            for register in &mut registers[..15] {
                *register = corner(&mut random);
            }
            let width = |letter: char| code.matches(letter).count();
            for letter in ['d', 'n', 'm', 's', 'a', 'e'] {
                let choices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 13, 10];
                let choice = choices[random.below(if width(letter) == 3 { 8 } else { 14 }) as usize];
                if effect.contains(&format!("R{letter}")) && (3..=4).contains(&width(letter)) {
                    fields.insert(letter, choice);
                }
            }
            if random.below(2) == 0 && width('c') == 4 && !is_thumb {
                fields.insert('c', 14);
            }
            for letter in ['i', 'r', 'w', 'j', 'h', 'l'] {
                if random.below(3) > 0 {
                    continue;
                }
                let most = (1_u32 << width(letter)) - 1;
                fields.entry(letter).or_insert([0, 1.min(most), most][random.below(3) as usize]);
            }
            if let Some(rest) = effect.split("jump # ").nth(1) {
                let parts: Vec<&str> = rest.split(' ').collect();
                put(&code, parts[0], distance.wrapping_sub(4 * if is_thumb { 1 } else { 2 }), &mut fields);
            }
            if width('L') > 0 {
                fields.insert(
                    'L',
                    random.next() as u32 & random.next() as u32 & ((1 << width('L')) - 1) & 0x6fff,
                );
            }
            let is_return = effect.contains("goto");
            if effect.contains('[') {
                let here = PROGRAM + begin as u32 + frame(is_thumb, &vec![0; length]).data as u32;
                let base =
                    if is_return { here + 4 * (WORDS as u32 + 1 + PLACES as u32 / 2) } else { DATA + 256 };
                let index = random.below(40) as u32;
                if let Some(&m) = fields.get(&'m') {
                    registers[m as usize] = [4 * index, index, index << 20][random.below(3) as usize];
                }
                let base = base + 4 * random.below(4) as u32 + u32::from(random.below(9) == 0 && !is_return);
                registers[13] = base & !3;
                if let Some(&n) = fields.get(&'n') {
                    registers[n as usize] = base;
                }
                if width('i') > 7 && random.below(4) > 0 {
                    fields.insert('i', 4 * random.below(20) as u32);
                }
            }
            if is_return && !effect.contains('[') {
                registers[fields[&'m'] as usize] = place + family.mark as u32;
            }
            let own = encoded(&code, &fields, &mut random);
            let bytes = match length {
                2 => halves(&[own as u16]),
                _ if is_thumb => halves(&[(own >> 16) as u16, own as u16]),
                _ => words(&[own]),
            };
            let is_row = |i: aesmith_check::rows::Instruction| rows.0[i.row].name == row.name;
            if !rows.decode(&bytes).is_some_and(is_row) {
                continue;
            }
            let flags = random.next() as u32 & 0xf000_0000;
            for bit in 0..4 {
                registers[16 + bit] = flags >> (31 - bit) & 1;
            }
            let mut frame = frame(is_thumb, &bytes);
            let given = [flags, registers[13], registers[14]];
            let given: Vec<u32> = given.into_iter().chain(registers[..12].iter().copied()).collect();
            frame.bytes.extend(words(&given));
            frame.bytes.extend(words(&[LEFT + left.len() as u32]));
            frame.bytes.extend(words(&[place + family.mark as u32; PLACES]));
            let (before, data) = (registers, memory.objects[1].1.clone());
            memory.objects[0].1.extend(&frame.bytes);
            // What is stored is data: a store to the program would be there before it.
            let is_store = effect.split(" ; ").any(|statement| statement.starts_with('['));
            let program = if is_store { std::mem::take(&mut memory.objects[0].1) } else { Vec::new() };
            let (from, save) = (PROGRAM + begin as u32, PROGRAM + (begin + frame.save) as u32);
            let mut at = from + frame.own as u32;
            let mut steps = 0;
            while at != save && steps < 10 {
                let processor = Processor { family, rows: &rows, code: &frame.bytes, begin: from };
                match processor.step(&mut memory, &mut registers, at) {
                    Ok(next) => at = next,
                    Err(_) => break,
                }
                steps += 1;
            }
            if is_store {
                memory.objects[0].1 = program;
            }
            if at != save || memory.objects[0].1[begin..] != frame.bytes || registers[12] != before[12] {
                memory.objects[0].1.truncate(begin);
                memory.objects[1].1 = data;
                continue;
            }
            let flags = (0..4).fold(0, |all, bit| all | registers[16 + bit] << (31 - bit));
            let all: Vec<u32> =
                registers[..12].iter().copied().chain([registers[13], registers[14], flags]).collect();
            left.extend(words(&all));
            what.push(format!("{} {own:08x} with {:x?}", row.name, &before[..20]));
            *count += 1;
        }
    }
    let mut program = memory.objects[0].1.clone();
    let size = 512 + left.len() as u32;
    program.extend(if is_thumb {
        halves(&[0x2704, 0x2001, 0x4902, 0x4a03, 0xdf00, 0x2701, 0x2000, 0xdf00])
    } else {
        words(&[
            0xe3a0_7004,
            0xe3a0_0001,
            0xe59f_1010,
            0xe59f_2010,
            0xef00_0000,
            0xe3a0_7001,
            0xe3a0_0000,
            0xef00_0000,
        ])
    });
    program.extend(words(&[DATA, size]));
    assert!(program.len() < (DATA - PROGRAM) as usize);
    program.resize((DATA - PROGRAM) as usize, 0);
    program.extend(data);
    let file = std::env::temp_dir().join(format!("aesmith-check-{name}-{}", std::process::id()));
    let image =
        elf((40, 0x500_0000), PROGRAM + u32::from(is_thumb), PROGRAM, &program, DATA + size - PROGRAM);
    std::fs::write(&file, image).expect("a file");
    make_executable(&file);
    let said = Command::new("qemu-arm").arg(&file).output();
    std::fs::remove_file(&file).expect("it is there");
    let Ok(said) = said else { return println!("skipped: qemu-arm is not installed") };
    assert!(said.status.success(), "{} {}", said.status, String::from_utf8_lossy(&said.stderr));
    assert_eq!(said.stdout.len(), size as usize);
    let mut theirs = said.stdout[512..].to_vec();
    for test in theirs.chunks_mut(4 * WORDS) {
        // Flags alone.
        test[4 * WORDS - 4..4 * WORDS - 1].fill(0);
        test[4 * WORDS - 1] &= 0xf0;
    }
    for ((own, theirs), what) in left.chunks(4 * WORDS).zip(theirs.chunks(4 * WORDS)).zip(&what) {
        let all = |bytes: &[u8]| {
            bytes
                .chunks(4)
                .map(|w| format!("{:08x}", u32::from_le_bytes(w.try_into().expect("4"))))
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(all(own), all(theirs), "{what}");
    }
    assert_eq!(memory.objects[1].1, said.stdout[..512]);
    println!("{} instructions of {} rows", what.len(), tried.len());
    assert!(tried.values().all(|&count| count == tests), "{tried:?}");
}

#[test]
fn instructions_of_arm_do_what_qemu_does() {
    compare("arm", 240);
}

#[test]
fn instructions_of_armv4_do_what_qemu_does() {
    compare("armv4", 240);
}

#[test]
fn instructions_of_thumb_do_what_qemu_does() {
    compare("thumb2", 140);
}
