//! Assembly of a kernel as GNU as puts it into an object.

use aesmith_judge::outside::{binutils, step};
use aesmith_processor::core::Core;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Finds GNU as of a processor, in PATH or where the script builds it.
pub fn assembler(core: &Core) -> Option<PathBuf> {
    let name = format!("{}as", core.gnu().prefix);
    let found = binutils(&name);
    if found.is_none() {
        println!("skipped: {} needs {name}", core.name);
    }
    found
}

/// Returns the object that GNU as makes.
pub fn object(core: &Core, text: &str) -> Option<Vec<u8>> {
    let folder = tempfile::TempDir::new().unwrap();
    let [source, made] = ["kernel.s", "kernel.o"].map(|name| folder.path().join(name));
    std::fs::write(&source, text).unwrap();
    let gnu = core.gnu();
    let flags = gnu.flags.split(' ').filter(|f| !["", "-marm", "-mlittle-endian"].contains(f));
    let mut command = Command::new(assembler(core)?);
    step(command.args(flags).arg("-o").arg(&made).arg(&source), Duration::from_secs(60)).unwrap();
    Some(std::fs::read(made).unwrap())
}
