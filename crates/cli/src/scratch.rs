//! Directories of our own in the system's place for such, which go when they have been used.

use crate::failure::Failure;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A directory that nobody else can have put a link in; it is removed when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new directory, whose name begins with `aesmith-` and this.
    pub fn new(purpose: &str) -> Result<Scratch, Failure> {
        let mut number = 0;
        loop {
            let name = format!("aesmith-{purpose}-{}-{number}", std::process::id());
            let place = std::env::temp_dir().join(name);
            match std::fs::create_dir(&place) {
                Ok(()) => return Ok(Scratch(place)),
                // Of a process that was killed and had our number.
                Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
                Err(e) => return Err(Failure::Other(format!("{} cannot be made: {e}", place.display()))),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the system's place for such is no loss.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
