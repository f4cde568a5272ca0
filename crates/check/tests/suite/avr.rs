//! Proofs about AVR are accepted and true, and instructions do what simavr says.

use crate::concrete::Random;
use crate::machine::{self, Machine, address, rows, step};
use crate::word_machine;
use aesmith_check::bytes::{AVR, Proof, check};
use aesmith_check::rows::{Registers, Rows};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The proofs in `tests/avr` and `tests/words`.
pub fn proofs() -> Vec<(String, String)> {
    let folder = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let entries = ["avr", "words"].map(|name| std::fs::read_dir(folder(name)).expect("a folder"));
    let entries = entries.into_iter().flatten();
    let read = |path: &Path| std::fs::read_to_string(path).expect("a text");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<(String, String)> = paths
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), read(&path)))
        .collect();
    all.sort();
    all
}

/// Calls the code of a proof on random data, and compares with the specification.
pub fn call(proof: &Proof, random: &mut Random, rows: &Rows) -> Result<(), String> {
    match proof.processor {
        AVR => machine::call(proof, random, rows),
        _ => word_machine::call(proof, random),
    }
}

#[test]
fn proofs_about_rows_are_accepted_and_true() {
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

/// The number of changes that are tried of each kernel; all in a soak.
const SAMPLED: usize = 40;

#[test]
fn no_change_of_a_bit_of_code_by_rows_is_accepted_unless_it_is_harmless() {
    let (rows, mut all, mut accepted) = (rows(), 0, Vec::new());
    for (name, text) in proofs() {
        let proof = Proof::read(&text).expect("a proof");
        let tables: usize = proof.tables.iter().map(|table| 8 * table.bytes.len()).sum();
        let bits = 8 * proof.code.len() + tables;
        // Slices take longer.
        let count = if proof.keys.are_slices() { SAMPLED / 8 } else { SAMPLED };
        let share = if std::env::var_os("AESMITH_SOAK").is_some() { 1 } else { (bits / count) | 1 };
        for bit in (0..bits).step_by(share) {
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
    assert!(all > 400 && accepted.len() < all / 20, "{} of {all}", accepted.len());
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
