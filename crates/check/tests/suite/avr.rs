//! Proofs about AVR are accepted and true, and instructions do what simavr says.

use crate::concrete::Random;
use aesmith_check::avr::claim::Keys;
use aesmith_check::avr::execute::execute;
use aesmith_check::avr::run::check;
use aesmith_check::avr::{Link, Proof, ROWS};
use aesmith_check::rows::{Bytes, Flow, Registers, Rows};
use aesmith_check::spec::{Mode, inverse_key_schedule, key_schedule, message};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Memories in which numbers are executed.
struct Machine {
    data: Vec<u8>,
    program: Vec<u8>,
    /// Addresses of data that may be accessed.
    allowed: std::ops::Range<usize>,
}

fn address([low, high]: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes([low, high]))
}

impl Bytes for Machine {
    type Byte = u8;
    type Stop = String;

    fn number(&mut self, value: u8) -> u8 {
        value
    }
    fn xor(&mut self, a: u8, b: u8) -> u8 {
        a ^ b
    }
    fn and(&mut self, a: u8, b: u8) -> u8 {
        a & b
    }
    fn mapped(&mut self, a: u8, columns: [u8; 8]) -> u8 {
        (0..8).filter(|bit| a >> bit & 1 == 1).fold(0, |sum, bit| sum ^ columns[bit])
    }
    fn sum(&mut self, a: u8, b: u8, c: u8) -> u8 {
        a.wrapping_add(b).wrapping_add(c)
    }
    fn carry(&mut self, a: u8, b: u8, c: u8, bits: u8) -> u8 {
        let low = |value: u8| u32::from(value) % (1 << bits);
        u8::from(low(a) + low(b) + u32::from(c) >= 1 << bits)
    }
    fn is_zero(&mut self, a: u8) -> u8 {
        u8::from(a == 0)
    }
    fn load(&mut self, at: [u8; 2], of_program: bool) -> Result<u8, String> {
        let at = address(at);
        if of_program {
            return self.program.get(at).copied().ok_or_else(|| format!("program {at:#x}"));
        }
        if self.allowed.contains(&at) { Ok(self.data[at]) } else { Err(format!("a load from {at:#x}")) }
    }
    fn store(&mut self, at: [u8; 2], value: u8) -> Result<(), String> {
        let at = address(at);
        if !self.allowed.contains(&at) {
            return Err(format!("a store to {at:#x}"));
        }
        self.data[at] = value;
        Ok(())
    }
    fn unknown(&self) -> String {
        "a row without a meaning".into()
    }
}

pub fn rows() -> Rows {
    Rows::read(ROWS).expect("rows")
}

/// The offset of the next instruction, or none behind the return to address 0.
fn step(
    machine: &mut Machine,
    registers: &mut Registers<u8>,
    rows: &Rows,
    at: usize,
) -> Result<usize, String> {
    let decode = |machine: &Machine, at: usize| {
        machine
            .program
            .get(at..)
            .and_then(|code| rows.decode(code))
            .ok_or_else(|| format!("no instruction at {at:#x}"))
    };
    let i = decode(machine, at)?;
    let flow = execute(machine, registers, &rows.0[i.row], &i, None)?;
    let next = at + i.length;
    let word = |at: usize| usize::from(u16::from_le_bytes([machine.program[at], machine.program[at + 1]]));
    let target = |distance: Option<i32>| match distance {
        Some(words) => next.wrapping_add_signed(2 * words as isize) & 0x7fff,
        // The upper bits are zero.
        None => 2 * word(at + 2),
    };
    Ok(match flow {
        Flow::Next | Flow::Jump(Some(0), _) | Flow::Skip(0) => next,
        Flow::Jump(_, distance) => target(distance),
        Flow::Skip(_) => next + decode(machine, next)?.length,
        Flow::Call(distance) => {
            let target = target(distance);
            let pointer = address(registers.pointer);
            machine.store((pointer as u16).to_le_bytes(), (next / 2) as u8)?;
            machine.store((pointer as u16 - 1).to_le_bytes(), (next / 512) as u8)?;
            registers.pointer = (pointer as u16 - 2).to_le_bytes();
            target
        }
        Flow::Return => {
            let pointer = address(registers.pointer) as u16 + 2;
            registers.pointer = pointer.to_le_bytes();
            let (high, low) = (
                machine.load((pointer - 1).to_le_bytes(), false)?,
                machine.load(pointer.to_le_bytes(), false)?,
            );
            2 * address([low, high])
        }
    })
}

/// The proofs in `tests/avr`.
pub fn proofs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/avr");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, String)> = paths
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), read(&path)))
        .collect();
    all.sort();
    all
}

/// Places of the objects of a call.
const CODE: usize = 0x600;
const OBJECTS: [usize; 4] = [0x1000, 0x2000, 0x3000, 0x4000];
const STACK: usize = 0x7000;

/// Calls the code of a proof on random data, and compares with the specification.
pub fn call(proof: &Proof, random: &mut Random, rows: &Rows) -> Result<(), String> {
    let contract = proof.contract;
    let mut machine =
        Machine { data: random.bytes(0x10000), program: random.bytes(0x8000), allowed: 0x100..0x10000 };
    let mut code = proof.code.clone();
    let mut pages = Vec::new();
    for (number, table) in proof.tables.iter().enumerate() {
        let page = 0x5000 + 0x400 * number;
        let memory = if table.is_flash { &mut machine.program } else { &mut machine.data };
        memory[page..page + table.bytes.len()].copy_from_slice(&table.bytes);
        pages.push(page);
    }
    for (&at, link) in &proof.links {
        match *link {
            Link::Table(table, half) => {
                let byte = (pages[table] >> (8 * half)) as u8;
                code[at] |= byte & 15;
                code[at + 1] |= byte >> 4;
            }
            Link::Place(place) => {
                code[at + 2..at + 4].copy_from_slice(&(((CODE + place) / 2) as u16).to_le_bytes());
            }
        }
    }
    machine.program[CODE..CODE + code.len()].copy_from_slice(&code);
    let [key_at, iv_at, in_at, mut out_at] = OBJECTS.map(|at| at + random.below(0x300) as usize);
    if random.below(2) == 0 {
        out_at = in_at;
    }
    let blocks = match contract.mode {
        Mode::Ecb => 1,
        _ => random.below(5) as usize,
    };
    let key = random.bytes(4 * (usize::from(contract.rounds) - 6));
    let keys = if contract.is_inverse { inverse_key_schedule(&key) } else { key_schedule(&key) };
    let memory: Vec<u8> = match proof.keys {
        Keys::Round => keys.iter().flat_map(|key| key.to_le_bytes()).collect(),
        Keys::Forward => key_schedule(&key).iter().flat_map(|key| key.to_le_bytes()).collect(),
        Keys::Cipher => key.clone(),
    };
    let mut iv = random.bytes(16);
    if contract.mode == Mode::Ctr && random.below(2) == 0 {
        // With a carry.
        iv[15 - random.below(16) as usize..].fill(255);
    }
    let text = random.bytes(16 * blocks);
    for (at, bytes) in [(key_at, &memory), (iv_at, &iv), (in_at, &text)] {
        machine.data[at..at + bytes.len()].copy_from_slice(bytes);
    }
    let mut registers = Registers {
        general: std::array::from_fn(|_| random.next() as u8),
        flags: std::array::from_fn(|_| random.below(2) as u8),
        pointer: ((STACK - 2) as u16).to_le_bytes(),
    };
    registers.general[1] = 0;
    let arguments = match contract.mode {
        Mode::Ecb => vec![key_at, in_at, out_at],
        _ => vec![key_at, iv_at, in_at, out_at, blocks],
    };
    for (place, argument) in arguments.iter().enumerate() {
        registers.general[24 - 2 * place..26 - 2 * place].copy_from_slice(&(*argument as u16).to_le_bytes());
    }
    // The return address is 0.
    machine.data[STACK - 1..=STACK].fill(0);
    let (before, old) = (registers.clone(), machine.data.clone());
    let mut at = CODE;
    for _ in 0..100_000 {
        if at == 0 {
            break;
        }
        at = step(&mut machine, &mut registers, rows, at)?;
    }
    let number = iv.iter().rev().fold(0, |value, &byte| value << 8 | u128::from(byte));
    let (out, chain) = message(contract.mode, contract.is_inverse, &keys, number, &text);
    let mut expected = old.clone();
    expected[out_at..out_at + out.len()].copy_from_slice(&out);
    if contract.mode != Mode::Ecb {
        expected[iv_at..iv_at + 16].copy_from_slice(&chain.to_le_bytes());
    }
    let is_stack = |at: usize| (STACK - 1026..STACK - 1).contains(&at);
    if let Some(at) = (0..0x10000).find(|&at| machine.data[at] != expected[at] && !is_stack(at)) {
        return Err(format!("wrong at {at:#x}"));
    }
    let kept = (1..18).chain([28, 29]);
    if at != 0 || kept.into_iter().any(|r| registers.general[r] != before.general[r]) {
        return Err("what belongs to the caller is changed, or it does not return".into());
    }
    if registers.flags[7] != before.flags[7] || registers.pointer != (STACK as u16).to_le_bytes() {
        return Err("interrupts or the stack pointer are changed".into());
    }
    Ok(())
}

#[test]
fn proofs_about_avr_are_accepted_and_true() {
    let (all, rows) = (proofs(), rows());
    assert!(all.len() >= 2, "{}", all.len());
    for (name, text) in all {
        let proof = Proof::read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let begin = std::time::Instant::now();
        let accepted = check(&proof).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!("{name}: {} bytes, {accepted:?}, {:?}", text.len(), begin.elapsed());
        let mut random = Random(7);
        for _ in 0..30 {
            call(&proof, &mut random, &rows).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// One of this many changes of each kernel is tried; all in a soak.
const SAMPLED: usize = 101;

#[test]
fn no_change_of_a_bit_of_avr_code_is_accepted_unless_it_is_harmless() {
    let (rows, mut all, mut accepted) = (rows(), 0, Vec::new());
    for (name, text) in proofs() {
        let proof = Proof::read(&text).expect("a proof");
        let share = if std::env::var_os("AESMITH_SOAK").is_some() { 1 } else { SAMPLED };
        let tables: usize = proof.tables.iter().map(|table| 8 * table.bytes.len()).sum();
        for bit in (0..8 * proof.code.len() + tables).step_by(share) {
            let mut changed = proof.clone();
            let mut memories = std::iter::once(&mut changed.code)
                .chain(changed.tables.iter_mut().map(|table| &mut table.bytes));
            let mut at = bit;
            let place = memories.find_map(|bytes| {
                if at < 8 * bytes.len() {
                    return Some(&mut bytes[at / 8]);
                }
                at -= 8 * bytes.len();
                None
            });
            *place.expect("a byte") ^= 1 << (at % 8);
            all += 1;
            if check(&changed).is_ok() {
                accepted.push(format!("{name}, bit {bit}"));
                let mut random = Random(11);
                for _ in 0..8 {
                    call(&changed, &mut random, &rows)
                        .unwrap_or_else(|error| panic!("{name}, bit {bit} is accepted: {error}"));
                }
            }
        }
    }
    println!("{} of {all} changed kernels are accepted, and compute the same: {accepted:?}", accepted.len());
    assert!(all > 200 && accepted.len() < all / 20, "{} of {all}", accepted.len());
}

/// simavr's answers to lines of `simavr/one.c`, or the reason why there are none.
fn simavr(lines: &str) -> Result<String, String> {
    if !["/usr/include/simavr/sim_avr.h", "/usr/local/include/simavr/sim_avr.h"]
        .iter()
        .any(|path| Path::new(path).is_file())
    {
        return Err("simavr's library is not installed".into());
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simavr/one.c");
    let program = std::env::temp_dir().join(format!("aesmith-check-simavr-{}", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.arg("-O2").arg("-o").arg(&program).arg(source).args(["-lsimavr", "-lelf"]);
    if !compiler.status().is_ok_and(|status| status.success()) {
        return Err("simavr's library is not installed".into());
    }
    let mut child = Command::new(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut input = child.stdin.take().expect("an input");
    let lines = lines.to_string();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let out = child.wait_with_output().expect("an output");
    writer.join().expect("a thread").expect("all is written");
    std::fs::remove_file(&program).expect("it is there");
    assert!(out.status.success(), "{}", out.status);
    Ok(String::from_utf8(out.stdout).expect("a text"))
}

/// Contents of memory in `simavr/one.c`.
fn filler(address: usize) -> u8 {
    (address * 181 + (address >> 8) * 59 + 7) as u8
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn instructions_of_avr_do_what_simavr_does() {
    const AT: usize = 0x400;
    let (rows, mut random) = (rows(), Random(5));
    let (mut input, mut expected, mut what) = (String::new(), String::new(), Vec::new());
    let mut tried = BTreeMap::<String, usize>::new();
    for number in 0..200_000 {
        let mut code = random.bytes(6);
        // Codes without fields are rare.
        if let Some(first) = [0x0000_u16, 0x95c8, 0x9508].get(number % 4000) {
            code[..2].copy_from_slice(&first.to_le_bytes());
        }
        // Jumps have addresses in the memory.
        let Some(i) = rows.decode(&code) else { continue };
        let name = rows.0[i.row].name.clone();
        let count = tried.entry(name.clone()).or_default();
        if *count >= 600 {
            continue;
        }
        // simavr skips two words where adiw or sbiw follows, of which some codes are like those of call but for two bits.
        if code[3] & 0xfe == 0x96 {
            code[3] = 0;
        }
        if i.length == 4 {
            (code[0], code[1], code[3]) = (code[0] & 0x0e, 0x94, code[3] & 0x3f);
        }
        let corner = |random: &mut Random| {
            let any = random.next() as u8;
            [0, 1, 0x7f, 0x80, 0xff, 0x0f, 0xf0, any][random.below(8) as usize]
        };
        let mut general: [u8; 32] = std::array::from_fn(|_| corner(&mut random));
        if random.below(3) > 0 {
            // Pointers into the RAM.
            for pair in [26, 28, 30] {
                general[pair + 1] = 2 + random.below(6) as u8;
            }
        }
        let flags = random.next() as u8;
        let pointer = 0x300 + random.below(0x300) as usize;
        let mut machine = Machine {
            data: (0..0x900).map(filler).collect(),
            program: (0..0x8000).map(filler).collect(),
            allowed: 0x100..0x900,
        };
        machine.program[AT..AT + 6].copy_from_slice(&code);
        let mut registers = Registers {
            general,
            flags: std::array::from_fn(|bit| flags >> bit & 1),
            pointer: (pointer as u16).to_le_bytes(),
        };
        let Ok(at) = step(&mut machine, &mut registers, &rows, AT) else { continue };
        *count += 1;
        input += &format!("{}{}{flags:02x}{pointer:04x}\n", hex(&code), hex(&general));
        let flags = (0..8).fold(0, |all, bit| all | registers.flags[bit] << bit);
        expected +=
            &format!("{} {flags:02x} {:04x} {at:x}", hex(&registers.general), address(registers.pointer));
        for at in (0x100..0x900).filter(|&at| machine.data[at] != filler(at)) {
            expected += &format!(" {at:x}={:02x}", machine.data[at]);
        }
        expected.push('\n');
        what.push(format!("{name} {code:02x?} {general:02x?}"));
    }
    let said = match simavr(&input) {
        Ok(said) => said,
        Err(why) => return println!("skipped: {why}"),
    };
    assert_eq!(said.lines().count(), what.len());
    for ((own, theirs), what) in expected.lines().zip(said.lines()).zip(&what) {
        assert_eq!(own, theirs, "{what}");
    }
    println!("{} instructions of {} rows", what.len(), tried.len());
    assert!(tried.len() == rows.0.len() && tried.values().all(|&count| count > 10), "{tried:?}");
}
