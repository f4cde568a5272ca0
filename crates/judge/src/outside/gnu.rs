//! GNU as, to compare tables of instructions with.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
