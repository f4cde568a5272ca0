//! Writing of files: a file is only replaced if it is recognisably one that aesmith wrote, or with `--force`.

use crate::failure::Failure;
use crate::interrupt;
use crate::regular;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Marks in files of packages that have no banner; files of older versions have none either.
const MARKS: &[&str] = &[
    "by aesmith",
    "author=aesmith",
    "by `aesmith bench ",
    "by `aesmith-bench ",
    "by `aesmith count ",
    "<meta name=\"generator\" content=\"aesmith ",
    ": aesmith report</title>",
    "`make check` runs the self-test",
    "#define NAME(suffix)",
    "#define PACKAGE(suffix)",
    "in assembly proved to be AES",
    "{\"reproduction\":\"",
];
/// The beginning of the first line of a proof, of all versions.
const PROOF: &str = "aesmith certificate with proof, version ";
/// The first line of every file that allows comments.
const LICENCE: &str = concat!("SPDX-License-Identifier: ", env!("CARGO_PKG_LICENSE"));

/// Writes a file completely or not at all, in a directory that is created if it is missing.
pub fn put(file: &Path, contents: &str, force: bool) -> Result<(), Failure> {
    stream(file, Some(contents), force, |to| to.write_all(contents.as_bytes()).map_err(|e| cannot(file, &e)))
}

/// Writes a file like [`put`], with contents that `write` produces. A device or a pipe, which has no contents to lose,
/// is written directly.
pub fn stream<T>(
    file: &Path,
    contents: Option<&str>,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    // From the first file on, a signal lets the others be finished, so that a package is complete.
    interrupt::flag();
    let failed = |e: io::Error| cannot(file, &e);
    if holds_nothing(file) {
        let mut to = BufWriter::new(File::options().write(true).open(file).map_err(failed)?);
        let done = write(&mut to)?;
        to.flush().map_err(failed)?;
        return Ok(done);
    }
    let (folder, name) = parts(file)?;
    check(folder, [(name, contents)], force)?;
    fs::create_dir_all(folder).map_err(failed)?;
    let unfinished = folder.join(format!(".{name}.unfinished"));
    // Removes a leftover of a killed run, and never writes through a link in its place.
    let _ = fs::remove_file(&unfinished);
    let mut to = BufWriter::new(File::create_new(&unfinished).map_err(failed)?);
    let done = write(&mut to).and_then(|done| to.flush().map(|()| done).map_err(failed));
    match done {
        Ok(done) => fs::rename(&unfinished, file).map(|()| done).map_err(failed),
        Err(why) => {
            let _ = fs::remove_file(&unfinished);
            Err(why)
        }
    }
}

/// Refuses a file that [`put`] would refuse, before minutes of work.
pub fn allowed(file: &Path, force: bool) -> Result<(), Failure> {
    if holds_nothing(file) {
        return Ok(());
    }
    let (folder, name) = parts(file)?;
    check(folder, [(name, None)], force)
}

fn cannot(file: &Path, why: &io::Error) -> Failure {
    Failure::Other(format!("{} cannot be written: {why}", file.display()))
}

/// True if a path leads to a terminal, another character device, or a pipe.
fn holds_nothing(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|m| m.file_type().is_char_device() || m.file_type().is_fifo())
}

/// A file's directory and its name there.
fn parts(file: &Path) -> Result<(&Path, &str), Failure> {
    let name = file.file_name().and_then(|name| name.to_str());
    match (file.parent(), name) {
        (Some(folder), Some(name)) => Ok((folder, name)),
        _ => Err(Failure::Other(format!("{} is no name of a file in UTF-8", file.display()))),
    }
}

/// Refuses to overwrite foreign files; all files are checked before any is written. If the new contents are not known
/// yet, only the marks in the existing file decide.
pub fn check<'f>(
    directory: &Path,
    files: impl IntoIterator<Item = (&'f str, Option<&'f str>)>,
    force: bool,
) -> Result<(), Failure> {
    for (name, contents) in files {
        let path = directory.join(name);
        let refused = |why: &str| {
            Err(Failure::Other(format!(
                "{} is there already and {why}, so that nothing is written; move it away, name another place, or \
                 say --force",
                path.display()
            )))
        };
        let Ok(there) = fs::symlink_metadata(&path) else { continue };
        if there.is_dir() {
            return Err(Failure::Other(format!("{} is a directory; name another place", path.display())));
        }
        if force {
            continue;
        }
        if !there.is_file() {
            return refused("is no regular file");
        }
        // A file that is too long for a text is recognised by its beginning.
        let text = regular::beginning(&path).unwrap_or_default();
        if contents != Some(&text) && !is_ours(name, &text) {
            return refused("was not written by aesmith");
        }
    }
    Ok(())
}

/// True if a file says that aesmith wrote it.
pub fn is_ours(name: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    if name.ends_with(".json") {
        let object = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        let has = |key: &str| object.get(key).is_some();
        return has("problem") && (has("sha256") || has("proof") || has("profiles"))
            || MARKS.iter().any(|mark| text.contains(mark));
    }
    let first = text.lines().next().unwrap_or_default();
    MARKS.iter().any(|mark| text.contains(mark))
        || name.ends_with(".proof") && first.starts_with(PROOF)
        || first.contains(LICENCE) && lower.contains("aesmith")
        || is_export(first)
}

/// True if a line is the first one of exported wisdom.
fn is_export(line: &str) -> bool {
    let object = serde_json::from_str::<serde_json::Value>(line).unwrap_or_default();
    object["kind"] == "aesmith-wisdom"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_says_so() {
        assert!(is_ours("x.S", "/* Written by aesmith 0.1.0. */"));
        assert!(is_ours("x.certificate.json", r#"{"problem":"aes128-ecb","sha256":"00"}"#));
        assert!(is_ours("report.html", "<!DOCTYPE html><title>x: aesmith report</title>"));
        assert!(!is_ours("report.html", "<!DOCTYPE html><p>I like aesmith.</p>"));
        assert!(is_ours("profile.json", r#"{"problem":"aes128-ecb","profiles":[]}"#));
        assert!(is_ours("x.jsonl", r#"{"kind":"aesmith-wisdom","version":1}"#));
        assert!(!is_ours("x.jsonl", r#"{"kind":"other","about":"aesmith-wisdom"}"#));
        assert!(!is_ours("README.md", "# My project\nIt uses aesmith.\n"));
        assert!(!is_ours("Makefile", "all:\n\tcc\n"));
        assert!(!is_ours("x.certificate.json", r#"{"name":"x"}"#));
        assert!(is_ours("x.proof", "aesmith certificate with proof, version 1\ncontract aes128-ecb\n"));
        assert!(!is_ours("x.proof", "By induction.\n"));
        assert!(!is_ours("x.c", ""));
    }

    #[test]
    fn measured_documents_are_ours_and_written_ones_are_not() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        for (name, ours) in [
            ("PERFORMANCE.md", true),
            ("PROCESSORS.md", true),
            ("INSTRUCTIONS.md", true),
            ("README.md", false),
            ("FAQ.md", false),
            ("QUICKSTART.md", false),
        ] {
            assert_eq!(is_ours(name, &fs::read_to_string(docs.join(name)).unwrap()), ours, "{name}");
        }
    }
}
