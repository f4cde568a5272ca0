//! GNU as, to compare tables of instructions with.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use aesmith_isa::table::{FIELDS, Field};
use aesmith_isa::{Insn, Isa};
use object::{Object, ObjectSection};

use super::{Temporary, step};

/// The `.text` section that an assembler makes of a text.
///
/// # Errors
/// The assembler refuses the text, or writes no object.
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

/// An instruction of a row; `drawn` chooses the bits of each field, out of the bits that it can hold.
pub fn drawn(isa: &Isa, row: u16, mut drawn: impl FnMut(&Field, u64) -> u64) -> Insn {
    let mut fields = [0; FIELDS];
    let of = &isa.rows[usize::from(row)];
    for (place, field) in of.fields.iter().enumerate() {
        fields[place] = of.value(place, drawn(field, of.pattern.held(place)));
    }
    Insn { row, fields }
}

/// Bits of a field, chosen by a random number, out of the bits `held`: half of the time a corner case, that is, no bit,
/// all bits, or only the lowest or highest one. So forms that take a field of 0 for something else are tested.
pub fn at_corner(held: u64, random: u64) -> u64 {
    match random >> 61 {
        0 => 0,
        1 => held,
        2 => held & held.wrapping_neg(),
        3 => held & (1 << 63 >> held.leading_zeros()),
        _ => held & random,
    }
}

/// Checks encodings of instructions, and their decoding, against the code that an assembler made of them.
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
