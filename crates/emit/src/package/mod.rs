//! Packages: kernels with the files around them. A description gives the contents of a package, and a single writer
//! makes its files. Descriptions of functions over texts of any length ([`FunctionSet`]) come from [`texts`]; those of
//! functions over whole blocks, for firmware, from [`blocks`].

pub mod again;
pub mod alike;
pub mod blocks;
mod description;
mod ecosystems;
mod facts;
mod header;
pub mod lines;
pub mod order;
mod pieces;
pub mod plain;
mod sealed;
mod selftest;
pub mod sizes;
mod support;
pub mod texts;
mod units;
pub mod vectors;

use crate::EmitError;
use aesmith_cipher::Problem;
pub use blocks::Scope;
pub use description::{Form, Package};
pub(crate) use description::{LICENCE, licences};
use std::io;
use std::path::Path;
pub use texts::{FunctionSet, reads_table};

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, which may contain folders.
    pub name: String,
    /// Its contents.
    pub contents: String,
}

/// Checks the problems of a requested package.
///
/// # Errors
/// A problem is listed twice, or a key schedule beside others, which a package contains anyway for the functions that
/// need it.
pub fn check_listed(problems: &[Problem]) -> Result<(), EmitError> {
    for (i, problem) in problems.iter().enumerate() {
        if problems[..i].contains(problem) {
            return Err(EmitError(format!("{problem} is there twice: name it once")));
        }
        if problems.len() > 1 && !problem.is_message() {
            return Err(EmitError(format!(
                "{problem} is a part of what it is beside: a package makes the keys that its functions read, so leave it \
                 out"
            )));
        }
    }
    Ok(())
}

/// The file of a function's certificate, in a folder whose name ends in a slash or is empty.
pub fn certificate(folder: &str, symbol: &str, json: &str) -> File {
    File { name: format!("{folder}{symbol}.certificate.json"), contents: json.to_owned() }
}

/// The file of a function's proof, beside its certificate.
pub fn proof(folder: &str, symbol: &str, text: &str) -> File {
    File { name: format!("{folder}{symbol}.proof"), contents: text.to_owned() }
}

/// Writes files into a folder; missing folders are created. Each file is written under a temporary name and then moved,
/// so that none is ever half-written; one that cannot be written leaves nothing.
pub fn write(files: &[File], folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for file in files {
        let place = folder.join(&file.name);
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let unfinished = place.with_file_name(format!(".{name}.unfinished"));
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        // A link at this place is never followed, and the rest of an interrupted run is removed.
        let _ = std::fs::remove_file(&unfinished);
        let mut made = std::fs::File::create_new(&unfinished)?;
        let written = io::Write::write_all(&mut made, file.contents.as_bytes())
            .and_then(|()| std::fs::rename(&unfinished, &place));
        if written.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        written?;
    }
    Ok(())
}
