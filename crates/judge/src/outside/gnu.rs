//! GNU as, for holding tables of instructions against it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

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
