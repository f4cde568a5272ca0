//! GNU as, for holding tables of instructions against it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use aesmith_isa::table::{FIELDS, Field};
use aesmith_isa::{Insn, Isa};
use object::{Object, ObjectSection};

use super::{Temporary, step};

/// The `.text` that an assembler makes of a text.
///
/// # Errors
/// It refuses the text, or leaves no object behind.
pub fn assembled(assembler: &Path, options: &[&str], text: &str) -> Result<Vec<u8>, String> {
    let source = Temporary::new(text.as_bytes())?;
    let object = Temporary::new(&[])?;
    let mut command = Command::new(assembler);
    command.args(options).arg("-o").arg(&object.path).arg(&source.path);
    step(&mut command, Duration::from_secs(60))?;
    let bytes = std::fs::read(&object.path).map_err(|e| e.to_string())?;
    let file = object::File::parse(&*bytes).map_err(|e| e.to_string())?;
    let section = file.section_by_name(".text").ok_or("the object has no .text")?;
    Ok(section.data().map_err(|e| e.to_string())?.to_vec())
}

/// An instruction of a row: `drawn` gives the bits of each field, of those that it can hold.
pub fn drawn(isa: &Isa, row: u16, mut drawn: impl FnMut(&Field, u64) -> u64) -> Insn {
    let mut fields = [0; FIELDS];
    let of = &isa.rows[usize::from(row)];
    for (place, field) in of.fields.iter().enumerate() {
        fields[place] = of.value(place, drawn(field, of.pattern.held(place)));
    }
    Insn { row, fields }
}

/// Bits of a field that can hold these, by a random number: half of the time at a corner, which is none of the bits, all of
/// them, the lowest or the highest alone. Forms that take a field of 0 for something else are met so.
pub fn at_corner(held: u64, random: u64) -> u64 {
    match random >> 61 {
        0 => 0,
        1 => held,
        2 => held & held.wrapping_neg(),
        3 => held & (1 << 63 >> held.leading_zeros()),
        _ => held & random,
    }
}

/// Holds the encodings of instructions, and what they are decoded to, against the code that an assembler made of them.
///
/// # Panics
/// They differ.
pub fn held(isa: &Isa, insns: &[Insn], code: &[u8]) {
    let mut at = 0;
    for insn in insns {
        let bytes = isa.encode(insn).expect("encodes");
        let shown = isa.print(insn, |_| None);
        assert_eq!(code.get(at..at + bytes.len()), Some(&*bytes), "{shown}");
        assert_eq!(isa.decode(&bytes).as_ref(), Some(insn), "{shown}");
        at += bytes.len();
    }
    assert_eq!(code.len(), at);
}
