//! Temporary directories, which are removed after use.

use crate::failure::Failure;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A directory in which no other user can have placed a link; it is removed on drop.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates a directory whose name begins with `aesmith-` and `purpose`.
    pub fn new(purpose: &str) -> Result<Scratch, Failure> {
        let mut number = 0;
        loop {
            let name = format!("aesmith-{purpose}-{}-{number}", std::process::id());
            let place = std::env::temp_dir().join(name);
            match std::fs::create_dir(&place) {
                Ok(()) => return Ok(Scratch(place)),
                // A killed process with the same process id left it.
                Err(e) if e.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
                Err(e) => {
                    let place = place.display();
                    return Err(Failure::Other(format!(
                        "{place} cannot be made: {e}; TMPDIR names the folder for temporary files"
                    )));
                }
            }
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover in the system's directory for temporary files is harmless.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
