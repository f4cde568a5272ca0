//! AVR's table against GNU binutils, row by row.

use std::process::Command;
use std::time::Duration;

use aesmith_isa::{Insn, Isa};
use object::{Object, ObjectSection};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::table::isa;
use aesmith_judge::outside::gnu::{at_corner, drawn};
use aesmith_judge::outside::{Temporary, need, step};

/// An instruction of a row with random fields that its encoding can hold.
pub fn random(isa: &Isa, row: usize, rng: &mut ChaCha8Rng) -> Insn {
    drawn(isa, row as u16, |_, held| at_corner(held, rng.random()))
}

/// True if a load or store moves the pointer that it loads or stores.
pub fn undefined(name: &str, insn: &Insn) -> bool {
    let pointer = match name.split('_').nth(1) {
        Some("x") => 26,
        Some("y") => 28,
        _ => 30,
    };
    (name.ends_with("_inc") || name.ends_with("_dec")) && insn.fields[0] & !1 == pointer
}

/// The bytes of .text that GNU binutils make from a source linked at 0; `None` if the tools are missing.
pub fn assembled(source: &str) -> Option<Vec<u8>> {
    let tools = need("avr-as", "binutils-avr").and_then(|a| Ok((a, need("avr-ld", "binutils-avr")?)));
    let (assembler, linker) = match tools {
        Ok(tools) => tools,
        Err(why) => {
            println!("skipped: {why}");
            return None;
        }
    };
    let input = Temporary::new(source.as_bytes()).expect("a temporary file");
    let (object, linked) = (input.path.with_extension("o"), input.path.with_extension("elf"));
    let minute = Duration::from_secs(60);
    let run = |command: &mut Command| step(command, minute).map(|_| ());
    run(Command::new(assembler).args(["-mmcu=avr5", "--fatal-warnings", "-o"]).arg(&object).arg(&input.path))
        .and_then(|()| {
            let places = ["-m", "avr5", "-Ttext", "0", "-Tdata", "0x800100", "-e", "0", "-o"];
            run(Command::new(linker).args(places).arg(&linked).arg(&object))
        })
        .unwrap_or_else(|e| panic!("{e}"));
    let bytes = std::fs::read(&linked).expect("the linker's output");
    for path in [&object, &linked] {
        std::fs::remove_file(path).expect("the file is there");
    }
    let file = object::File::parse(&*bytes).expect("an ELF file");
    Some(file.section_by_name(".text").expect(".text").data().expect("its bytes").to_vec())
}

#[test]
fn encodings_are_those_of_gnu_as() {
    let isa = isa();
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut source = String::new();
    let mut ours = Vec::new();
    for row in 0..isa.rows.len() {
        for _ in 0..8 {
            let insn = random(isa, row, &mut rng);
            let name = isa.rows[row].name.as_str();
            if undefined(name, &insn) {
                continue;
            }
            // `out 0x3f, r0` has a row of its own.
            let Ok(bytes) = isa.encode(&insn) else { continue };
            let back = isa.decode(&bytes).expect("it is known");
            // `in r0, 0x3d` has a row of its own.
            if back.row == insn.row {
                assert_eq!(back, insn, "{name}");
            }
            source.push_str(&format!("    {}\n", isa.print(&insn, |_| None)));
            ours.push((isa.print(&insn, |_| None), bytes));
        }
    }
    let Some(theirs) = assembled(&source) else { return };
    let mut at = 0;
    for (text, bytes) in ours {
        assert_eq!(bytes, theirs[at..at + bytes.len()], "{text}");
        at += bytes.len();
    }
    assert_eq!(at, theirs.len());
}
