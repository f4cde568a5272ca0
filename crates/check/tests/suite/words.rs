//! Instructions of processors of 32-bit words do what another program says, and canonical words have the values of what they
//! are made of.

use crate::avr_terms::{Values, is_open};
use crate::concrete::Random;
use crate::word_machine::{Memory, Processor, family};
use aesmith_check::bytes::run::Run;
use aesmith_check::bytes::terms::{Atom, TABLES};
use aesmith_check::bytes::{Proof, TITLE};
use aesmith_check::linear::Linear;
use aesmith_check::rows::Rows;
use aesmith_check::words::execute::{Domain, Move, REGISTERS};
use aesmith_check::words::{FAMILIES, Word, Words};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The address of the program, of its data, and of what it leaves.
const PROGRAM: u32 = 0x10_0000;
const DATA: u32 = 0x80_0000;
const LEFT: u32 = 0x80_0200;

/// Puts a number into fields one after another, the highest first; 0 is a bit that is zero.
pub fn put(code: &str, fields: &str, number: u32, into: &mut BTreeMap<char, u32>) {
    let mut rest = number;
    for field in fields.chars().rev() {
        let bits = if field == '0' { 1 } else { code.matches(field).count() };
        if field != '0' {
            into.insert(field, rest & ((1 << bits) - 1));
        }
        rest >>= bits;
    }
}

/// An instruction with these fields, and any bits in others.
pub fn encoded(code: &str, fields: &BTreeMap<char, u32>, random: &mut Random) -> u32 {
    let mut below = BTreeMap::<char, u32>::new();
    (0..).zip(code.chars().rev()).fold(0, |all, (at, letter)| {
        let number = below.entry(letter).or_default();
        let bit = match (letter.to_digit(2), fields.get(&letter)) {
            (Some(bit), _) => bit,
            (None, Some(value)) => value >> *number & 1,
            (None, None) => random.below(2) as u32,
        };
        *number += 1;
        all | bit << at
    })
}

/// Instructions that give a register a number, and others of RV32 for the frame of a test.
fn set(register: u32, number: u32) -> [u32; 2] {
    let upper = number.wrapping_add(0x800) & 0xffff_f000;
    [upper | register << 7 | 0x37, number << 20 | register << 15 | register << 7 | 0x13]
}

fn add(register: u32, number: u32) -> u32 {
    number << 20 | register << 15 | register << 7 | 0x13
}

fn jump(distance: u32) -> u32 {
    (distance >> 1 & 0x3ff) << 21 | 0x6f
}

fn store(register: u32, base: u32, offset: u32) -> u32 {
    (offset >> 5) << 25 | register << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23
}

/// An ELF file for a machine by its number and flags, with one segment, from the program to behind what it leaves.
pub fn elf((machine, flags): (u32, u32), entry: u32, begin: u32, program: &[u8], size: u32) -> Vec<u8> {
    let mut all = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let word = |all: &mut Vec<u8>, numbers: &[u32]| {
        all.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    };
    word(&mut all, &[machine << 16 | 2, 1, entry, 52, 0, flags, 32 << 16 | 52, 1, 0]);
    word(&mut all, &[1, 4096, begin, begin, program.len() as u32, size, 7, 4096]);
    all.resize(4096, 0);
    all.extend(program);
    all
}

#[test]
fn instructions_of_rv32_do_what_qemu_does() {
    let family = family("rv32");
    let rows = Rows::read_words(family.rows, family.is_big).expect("rows");
    let (mut random, mut program, mut what) = (Random(41), Vec::<u32>::new(), Vec::new());
    let corner = |random: &mut Random| {
        let any = random.next() as u32;
        [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, any, any >> 24, 1 << (any % 32)][random.below(8) as usize]
    };
    let texts = family.rows.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let texts: Vec<Vec<&str>> = texts.map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(texts.len(), rows.0.len());
    program.extend(set(31, LEFT));
    for text in &texts {
        let (name, code, effect) = (text[0], text[1], text[2..].join(" "));
        for _ in 0..60 {
            let here = PROGRAM + 4 * program.len() as u32;
            // The place of the instruction, behind the numbers of registers.
            let at = here + 4 * 9;
            let mut fields = BTreeMap::new();
            for (letter, choices) in [('d', [0, 5, 7, 8]), ('r', [5, 6, 5, 0]), ('s', [6, 5, 7, 0])] {
                fields.insert(letter, choices[random.below(4) as usize]);
            }
            let mut numbers = [corner(&mut random), corner(&mut random)];
            // Forward by one instruction, or two, or three, or back.
            let distance = [4, 8, 12, 8_u32.wrapping_neg()][random.below(4) as usize];
            if effect.contains("jump") {
                put(code, "AEBC0", distance, &mut fields);
            } else if effect.contains("goto") {
                let number = random.below(4096) as u32;
                put(code, "K", number, &mut fields);
                let number = ((number << 20) as i32 >> 20) as u32;
                fields.insert('r', 6);
                numbers[1] = at.wrapping_add(distance).wrapping_sub(number);
            } else if effect.contains('[') {
                let number = (random.below(128) as u32).wrapping_sub(64);
                put(code, if code.contains('K') { "K" } else { "ML" }, number, &mut fields);
                fields.insert('r', 6);
                numbers[1] = DATA + 128;
            }
            let own = encoded(code, &fields, &mut random);
            let third = corner(&mut random);
            program.extend(set(5, numbers[0]));
            program.extend(set(6, numbers[1]));
            program.extend(set(7, third));
            program.extend([jump(12), add(7, 5), jump(16), own, add(7, 1), add(7, 2)]);
            program.extend([5, 6, 7, 8].map(|register| store(register, 31, 4 * (register - 5))));
            program.push(add(31, 16));
            let decoded = rows.decode(&own.to_le_bytes()).map(|i| rows.0[i.row].name.clone());
            assert_eq!(decoded.as_deref(), Some(name), "{own:#x}");
            what.push(format!("{name} {own:08x} with {numbers:x?}, {third:x}"));
        }
    }
    let end = PROGRAM + 4 * program.len() as u32;
    assert!(end < DATA);
    let left = 0x200 + 16 * what.len() as u32;
    // write(1, DATA, left); exit(0)
    for (number, [a, b, c]) in [(64, [1, DATA, left]), (93, [0; 3])] {
        for (register, value) in [(17, number), (10, a), (11, b), (12, c)] {
            program.extend(set(register, value));
        }
        program.push(0x73);
    }
    let program: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut memory = Memory { objects: vec![(DATA, vec![0; left as usize])], is_aligned: false };
    let (mut registers, mut at) = ([0; REGISTERS], PROGRAM);
    let processor = Processor { family, rows: &rows, code: &program, begin: PROGRAM };
    while at != end {
        at = processor.step(&mut memory, &mut registers, at).expect("a step");
    }
    let own = &memory.objects[0].1;
    let file = std::env::temp_dir().join(format!("aesmith-check-rv32-{}", std::process::id()));
    std::fs::write(&file, elf((243, 0), PROGRAM, PROGRAM, &program, LEFT + left - PROGRAM)).expect("a file");
    make_executable(&file);
    let said = Command::new("qemu-riscv32").arg(&file).output();
    std::fs::remove_file(&file).expect("it is there");
    let Ok(said) = said else { return println!("skipped: qemu-riscv32 is not installed") };
    assert!(said.status.success(), "{} {}", said.status, String::from_utf8_lossy(&said.stderr));
    assert_eq!(said.stdout.len(), own.len());
    let blocks = own[0x200..].chunks(16).zip(said.stdout[0x200..].chunks(16));
    for ((own, theirs), what) in blocks.zip(&what) {
        assert_eq!(own, theirs, "{what}");
    }
    assert_eq!(own[..0x200], said.stdout[..0x200]);
    println!("{} instructions of {} rows", what.len(), texts.len());
}

pub fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).expect("it is there");
}

/// The number that a word is.
fn value(run: &Run<'_, Words>, values: &Values, word: Word) -> u32 {
    u32::from_le_bytes(word.map(|byte| values.byte(&run.memory.terms, byte)))
}

#[test]
fn words_have_the_values_of_their_operations() {
    let proof =
        Proof::read(&format!("{TITLE}rv32\ncontract aes128-ctr\ntable t 256\nbytes 00\n")).expect("a claim");
    let mut random = Random(43);
    let mut number = Memory { objects: Vec::new(), is_aligned: true };
    let (mut known, mut open) = (0, 0);
    for _ in 0..300 {
        let mut run = Run::new(Words(&FAMILIES[0]), &proof).expect("a run");
        let values = Values::new(&mut random, 1 << 32);
        let mut all: Vec<Word> = Vec::new();
        let registers = run.start().registers;
        all.extend([5, 6, 10, 12, 14].map(|register: usize| registers[register]));
        let terms = &mut run.memory.terms;
        let counter = |k| Atom::Counter(Linear::default(), k);
        let zero = terms.constant(0);
        all.push([terms.atom(counter(15)), zero, zero, zero]);
        all.push([15, 14, 13, 12].map(|k| terms.atom(counter(k))));
        all.push([0, 1, 2, 3].map(|k| terms.atom(Atom::Key(k))));
        for id in [4, 5, TABLES] {
            let form = Linear { constant: random.next() as u32 as i128, terms: [(id, 1)].into() };
            all.push([0, 1, 2, 3].map(|k| terms.half(&form, k)));
        }
        for _ in 0..100 {
            let pick = |random: &mut Random| all[random.below(all.len() as u64) as usize];
            let (a, mut b) = (pick(&mut random), pick(&mut random));
            if random.below(2) == 0 {
                let any = random.next() as u32;
                let masks = [0, 1, 255, 0xffff_ff00, 0x8080_8080, 0x1b1b_1b1b, any, any >> 27];
                b = run.memory.number(masks[random.below(8) as usize]);
            }
            let (x, y) = (value(&run, &values, a), value(&run, &values, b));
            let by = random.below(32) as u32;
            let how =
                [Move::Up, Move::Down, Move::Signed, Move::Circle, Move::Swap][random.below(5) as usize];
            let count = run.memory.number(by);
            let (own, expected) = match random.below(12) {
                0 | 1 => (run.memory.sum(a, b), number.sum(x, y)),
                2 => (run.memory.difference(a, b), number.difference(x, y)),
                3 => (run.memory.xor(a, b), x ^ y),
                4 | 5 => (run.memory.and(a, b), x & y),
                6 => (run.memory.product(a, b), number.product(x, y)),
                7 => {
                    let own = run.memory.moved(a, count, how);
                    (own.expect("a known number"), number.moved(x, by, how).expect("a number"))
                }
                8 => {
                    let is_signed = random.below(2) == 0;
                    (run.memory.is_less(a, b, is_signed), number.is_less(x, y, is_signed))
                }
                9 => {
                    // The carry of a difference, with the bit of a comparison.
                    let (bit, ones) = (run.memory.is_equal(a, b), run.memory.number(u32::MAX));
                    let b = run.memory.xor(b, ones);
                    let z = number.is_equal(x, y);
                    (run.memory.carry(a, b, bit), number.carry(x, !y, z))
                }
                10 => {
                    let mask = [0xff, 0xf0, 0x3fc, 0x00ff_0000, 0xf000_000f, 0xfc][random.below(6) as usize];
                    let word = run.memory.number(mask);
                    (run.memory.inserted(a, b, word), number.inserted(x, y, mask))
                }
                _ => (run.memory.is_equal(a, b), number.is_equal(x, y)),
            };
            if own.iter().any(|&byte| is_open(&run.memory.terms, byte)) {
                open += 1;
                continue;
            }
            known += 1;
            assert_eq!(value(&run, &values, own), expected, "{x:x} {y:x} {own:?}");
            all.push(own);
        }
    }
    println!("{known} words with the right values, {open} unknown");
    assert!(known > 15_000, "{known}");
}
