//! Instructions of MicroBlaze and PowerPC do what QEMU says, with their prefixes, slots and bits of conditions.

use crate::concrete::Random;
use crate::word_machine::{Memory, Processor, family};
use crate::words::{encoded, make_executable, put};
use aesmith_check::rows::Rows;
use aesmith_check::words::execute::REGISTERS;
use std::collections::BTreeMap;
use std::process::Command;

/// The address of the program, of its data, and of what it leaves.
const PROGRAM: u32 = 0x10_0000;
const DATA: u32 = 0x100_0000;
const LEFT: u32 = DATA + 0x200;
/// Words that a tested instruction leaves: registers 5 to 8, bits of conditions, and two that may be others.
const WORDS: u32 = 7;

/// A family as the frame of a test needs it.
struct Target {
    name: &'static str,
    qemu: &'static str,
    /// The number of the machine in ELF files.
    machine: u16,
    /// Gives a register a number.
    set: fn(&Frame, u32, u32) -> Vec<u32>,
    /// Jumps by a distance in bytes.
    jump: fn(&Frame, u32) -> u32,
    /// Stores a register at a distance from register 31.
    store: fn(&Frame, u32, u32) -> u32,
    /// Moves register 31 up.
    advance: fn(&Frame, u32) -> u32,
    /// Sets the bits of conditions by the lowest bit of register 10.
    bits: fn(&Frame) -> Vec<u32>,
    /// Gives register 9 the bits of conditions.
    seen: fn(&Frame) -> Vec<u32>,
    /// Ends the program: its number, numbers of calls, and registers of arguments.
    call: u32,
    registers: [u32; 4],
    calls: [u32; 2],
}

/// Codes by the names of their rows.
struct Frame {
    rows: BTreeMap<String, String>,
}

impl Frame {
    fn op(&self, name: &str, fields: &[(char, u32)]) -> u32 {
        let fields = fields.iter().copied().collect();
        encoded(&self.rows[name], &fields, &mut Random(1))
    }
}

const TARGETS: [Target; 2] = [
    Target {
        name: "microblaze",
        qemu: "qemu-microblazeel",
        machine: 189,
        set: |f, d, n| {
            vec![f.op("imm", &[('K', n >> 16)]), f.op("addik", &[('d', d), ('r', 0), ('K', n & 0xffff)])]
        },
        jump: |f, distance| f.op("bri", &[('K', distance & 0xffff)]),
        store: |f, d, at| f.op("swi", &[('d', d), ('r', 31), ('K', at)]),
        advance: |f, by| f.op("addik", &[('d', 31), ('r', 31), ('K', by)]),
        bits: |f| vec![f.op("srl", &[('d', 10), ('r', 10)])],
        seen: |f| vec![f.op("addkc", &[('d', 9), ('r', 0), ('s', 0)])],
        call: 0xb9cc_0008,
        registers: [12, 5, 6, 7],
        calls: [4, 1],
    },
    Target {
        name: "ppc",
        qemu: "qemu-ppc",
        machine: 20,
        set: |f, d, n| {
            vec![
                f.op("lis", &[('d', d), ('K', n >> 16)]),
                f.op("ori", &[('d', d), ('s', d), ('K', n & 0xffff)]),
            ]
        },
        jump: |f, distance| f.op("b", &[('L', distance >> 2)]),
        store: |f, d, at| f.op("stw", &[('d', d), ('r', 31), ('K', at)]),
        advance: |f, by| f.op("addi", &[('d', 31), ('r', 31), ('K', by)]),
        // 0 - 1 or 1 - 1, and a comparison with 1.
        bits: |f| {
            vec![
                f.op("addic", &[('d', 11), ('r', 10), ('K', 0xffff)]),
                f.op("cmplwi", &[('r', 10), ('K', 1)]),
                f.op("mtlr", &[('d', 10)]),
                f.op("mtctr", &[('d', 10)]),
            ]
        },
        // A bit of each condition, and of the carry; the link register and the counter.
        seen: |f| {
            let mut all = vec![f.op("li", &[('d', 9), ('K', 0)])];
            for (number, name) in ["bnlt", "bngt", "bneq"].into_iter().enumerate() {
                all.push(f.op(name, &[('h', 0), ('L', 2)]));
                all.push(f.op("ori", &[('d', 9), ('s', 9), ('K', 2 << number)]));
            }
            all.push(f.op("addze", &[('d', 9), ('r', 9)]));
            all.extend([f.op("mflr", &[('d', 10)]), f.op("mfctr", &[('d', 11)])]);
            all
        },
        call: 0x4400_0002,
        registers: [0, 3, 4, 5],
        calls: [4, 1],
    },
];

/// An ELF file with one segment, from the program to behind what it leaves.
fn elf(machine: u16, is_big: bool, program: &[u8], size: u32) -> Vec<u8> {
    let mut all = vec![0x7f, b'E', b'L', b'F', 1, if is_big { 2 } else { 1 }, 1];
    all.resize(16, 0);
    let half = |all: &mut Vec<u8>, number: u16| {
        all.extend(if is_big { number.to_be_bytes() } else { number.to_le_bytes() });
    };
    let word = |all: &mut Vec<u8>, number: u32| {
        all.extend(if is_big { number.to_be_bytes() } else { number.to_le_bytes() });
    };
    half(&mut all, 2);
    half(&mut all, machine);
    [1, PROGRAM, 52, 0, 0].into_iter().for_each(|number| word(&mut all, number));
    [52, 32, 1, 0, 0, 0].into_iter().for_each(|number| half(&mut all, number));
    let segment = [1, 0x1_0000, PROGRAM, PROGRAM, program.len() as u32, size, 7, 0x1_0000];
    segment.into_iter().for_each(|number| word(&mut all, number));
    all.resize(0x1_0000, 0);
    all.extend(program);
    all
}

/// A number, often at a border.
fn corner(random: &mut Random) -> u32 {
    let any = random.next() as u32;
    let all = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, any, any >> 24, 1 << (any % 32), 31, 32, 33];
    all[random.below(all.len() as u64) as usize]
}

/// A number of a field of this many bits, often at a border.
fn border(random: &mut Random, bits: usize) -> u32 {
    let most = (1_u32 << bits) - 1;
    let any = random.next() as u32 & most;
    [0, 1, most, most / 2, most / 2 + 1, any, any][random.below(7) as usize]
}

/// A tested instruction with its fields, behind the numbers of registers 5 to 7, which the last instruction may change.
fn tested(
    (name, code, effect): (&str, &str, &str),
    (target, frame): (&Target, &Frame),
    (program, random): (&mut Vec<u32>, &mut Random),
) -> String {
    let mut fields = BTreeMap::new();
    for (letter, choices) in [('d', [0, 5, 7, 8]), ('r', [5, 6, 5, 0]), ('s', [6, 5, 7, 0])] {
        fields.insert(letter, choices[random.below(4) as usize]);
    }
    let is_memory = effect.contains('[');
    // Register 0 is no base of an address on PowerPC.
    if effect.contains("not r 0") && fields[&'r'] == 0 {
        fields.insert('r', 6);
    }
    if effect.contains("not d 0") && fields[&'d'] == 0 {
        fields.insert('d', 5);
    }
    for letter in ['K', 'N', 'B', 'E'] {
        fields.insert(letter, border(random, code.matches(letter).count()));
    }
    let mut numbers = [corner(random), corner(random), corner(random)];
    let bytes = if effect.contains("[4") {
        4
    } else if effect.contains("[2") {
        2
    } else {
        1
    };
    let distance = [4, 8, 12, 8_u32.wrapping_neg()][random.below(4) as usize];
    let is_slot = effect.contains("slot");
    let distance =
        if is_slot { [8, 12, 16, 8_u32.wrapping_neg()][random.below(4) as usize] } else { distance };
    let has_prefix = target.name == "microblaze"
        && code.matches('K').count() == 16
        && !effect.contains("jump")
        && !effect.contains("goto")
        && !is_memory
        && random.below(2) == 0;
    let set: usize = [5, 6, 7].map(|register| (target.set)(frame, register, 0).len()).iter().sum();
    let bits = (target.bits)(frame).len() + (target.set)(frame, 10, 0).len();
    // Behind these are two instructions that a jump back reaches, and a jump over them, and a prefix.
    let at = PROGRAM
        + 4 * (program.len() + set + bits + 3 + 2 * usize::from(effect.contains("goto"))) as u32
        + 4 * u32::from(has_prefix);
    if effect.contains("jump") {
        let all = if effect.contains("#L00") { "L00" } else { "K" };
        put(code, all, distance, &mut fields);
    } else if effect.contains("goto") && code.contains('K') {
        let number = border(random, 16);
        fields.insert('K', number);
        fields.insert('r', 6);
        numbers[1] = at.wrapping_add(distance).wrapping_sub(number as u16 as i16 as u32);
    } else if effect.contains("goto") {
        numbers[2] = at.wrapping_add(distance);
    } else if is_memory {
        let number = (random.below(64) as u32).wrapping_sub(32).wrapping_mul(bytes);
        let base = DATA + 128;
        if effect.contains("#K") {
            put(code, "K", number, &mut fields);
            fields.insert('r', 6);
            numbers[1] = base;
        } else {
            fields.insert('r', 6);
            fields.insert('s', if effect.contains("Rr") { 7 } else { 6 });
            (numbers[1], numbers[2]) = (base, number);
        }
        // A load does not change the register of its address.
        if effect.contains("not d r") && fields[&'d'] == 6 {
            fields.insert('d', 5);
        }
    }
    let own = encoded(code, &fields, random);
    for (register, number) in (5..).zip(numbers) {
        program.extend((target.set)(frame, register, number));
    }
    program.extend((target.set)(frame, 10, random.below(2) as u32));
    program.extend((target.bits)(frame));
    if effect.contains("goto") && !code.contains('K') {
        let (link, count) = (frame.op("mtlr", &[('d', 7)]), frame.op("mtctr", &[('d', 7)]));
        program.extend([link, count]);
    } else if effect.contains("goto") {
        program.extend([(target.jump)(frame, 4), (target.jump)(frame, 4)]);
    }
    // Over the place behind a jump back, which is left at once.
    let mark = |number: u32| match target.name {
        "ppc" => frame.op("li", &[('d', 8), ('K', number)]),
        _ => frame.op("addik", &[('d', 8), ('r', 0), ('K', number)]),
    };
    program.extend([
        (target.jump)(frame, 12),
        mark(5),
        (target.jump)(frame, if has_prefix { 24 } else { 20 }),
    ]);
    if has_prefix {
        program.push(frame.op("imm", &[('K', border(random, 16))]));
    }
    program.extend([own, mark(1), mark(2), mark(3)]);
    let left = (target.seen)(frame);
    program.extend(left);
    program
        .extend([5, 6, 7, 8, 9, 10, 11].map(|register| (target.store)(frame, register, 4 * (register - 5))));
    program.push((target.advance)(frame, 4 * WORDS));
    format!("{name} {own:08x} with {numbers:x?}{}", if has_prefix { " and a prefix" } else { "" })
}

/// Executes all rows of a family by the checker and by QEMU, and compares memory.
fn compare(target: &Target) {
    let family = family(target.name);
    let rows = Rows::read_words(family.rows, family.is_big).expect("rows");
    let lets = family.rows.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let texts: Vec<Vec<&str>> = lets.map(|line| line.split_whitespace().collect()).collect();
    let texts: Vec<&Vec<&str>> = texts.iter().filter(|words| words[0] != "let").collect();
    assert_eq!(texts.len(), rows.0.len());
    let frame =
        Frame { rows: texts.iter().map(|words| (words[0].to_string(), words[1].to_string())).collect() };
    let (mut random, mut program, mut what) = (Random(47), Vec::<u32>::new(), Vec::new());
    program.extend((target.set)(&frame, 31, LEFT));
    for words in &texts {
        let effect = words[2..].join(" ");
        // Prefixes are tested with what is behind them.
        if effect.starts_with("prefix") {
            continue;
        }
        for _ in 0..60 {
            let row = (words[0], words[1], effect.as_str());
            what.push(tested(row, (target, &frame), (&mut program, &mut random)));
        }
    }
    let end = PROGRAM + 4 * program.len() as u32;
    assert!(end < DATA);
    let left = 0x200 + 4 * WORDS * what.len() as u32;
    for (call, arguments) in target.calls.into_iter().zip([[1, DATA, left], [0; 3]]) {
        let [number, rest @ ..] = target.registers;
        for (register, value) in rest.into_iter().zip(arguments).chain([(number, call)]) {
            program.extend((target.set)(&frame, register, value));
        }
        program.push(target.call);
    }
    let bytes = |word: &u32| if family.is_big { word.to_be_bytes() } else { word.to_le_bytes() };
    let program: Vec<u8> = program.iter().flat_map(bytes).collect();
    let mut memory = Memory { objects: vec![(DATA, vec![0; left as usize])], is_aligned: true };
    let processor = Processor { family, rows: &rows, code: &program, begin: PROGRAM };
    let (mut registers, mut at) = ([0; REGISTERS], PROGRAM);
    while at != end {
        at =
            processor.step(&mut memory, &mut registers, at).unwrap_or_else(|why| panic!("at {at:#x}: {why}"));
    }
    let own = &memory.objects[0].1;
    let file = std::env::temp_dir().join(format!("aesmith-check-{}-{}", target.name, std::process::id()));
    std::fs::write(&file, elf(target.machine, family.is_big, &program, LEFT + left - PROGRAM))
        .expect("a file");
    make_executable(&file);
    let said = Command::new(target.qemu).arg(&file).output();
    std::fs::remove_file(&file).expect("it is there");
    let Ok(said) = said else { return println!("skipped: {} is not installed", target.qemu) };
    assert!(said.status.success(), "{} {}", said.status, String::from_utf8_lossy(&said.stderr));
    assert_eq!(said.stdout.len(), own.len());
    let chunk = 4 * WORDS as usize;
    let blocks = own[0x200..].chunks(chunk).zip(said.stdout[0x200..].chunks(chunk));
    for ((own, theirs), what) in blocks.zip(&what) {
        assert_eq!(own, theirs, "{what}");
    }
    assert_eq!(own[..0x200], said.stdout[..0x200]);
    println!("{} instructions of {} rows", what.len(), texts.len());
}

#[test]
fn instructions_of_microblaze_do_what_qemu_does() {
    compare(&TARGETS[0]);
}

#[test]
fn instructions_of_powerpc_do_what_qemu_does() {
    compare(&TARGETS[1]);
}
