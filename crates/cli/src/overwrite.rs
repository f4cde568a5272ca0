//! Whether a file that is to be written may take the place of the one that is there: only where that
//! is recognisably one that aesmith wrote.

use crate::failure::Failure;
use crate::regular;
use std::path::Path;

/// What stands in files of packages that have no banner; those of older versions have none either.
const MARKS: &[&str] = &[
    "by aesmith",
    "author=aesmith",
    "`make check` runs the self-test",
    "#define NAME(suffix)",
    "in assembly proved to be AES",
];
/// The first line of whatever has a place for it.
const LICENCE: &str = concat!("SPDX-License-Identifier: ", env!("CARGO_PKG_LICENSE"));

/// Refuses to overwrite what somebody else wrote; all files are looked at before any is written.
/// Contents that are not known yet are told from their marks alone.
pub fn check<'f>(
    directory: &Path,
    files: impl IntoIterator<Item = (&'f str, Option<&'f str>)>,
    force: bool,
) -> Result<(), Failure> {
    for (name, contents) in files {
        let path = directory.join(name);
        let refused = |why: &str| {
            Err(Failure::Other(format!(
                "{} is there already and {why}, so that nothing is written; move it away, name another directory, or \
                 say --force",
                path.display()
            )))
        };
        let Ok(there) = std::fs::symlink_metadata(&path) else { continue };
        if there.is_dir() {
            return refused("is a directory");
        }
        if force {
            continue;
        }
        if !there.is_file() {
            return refused("is no regular file");
        }
        let text = regular::read_text(&path).unwrap_or_default();
        if contents != Some(&text) && !is_ours(name, &text) {
            return refused("was not written by aesmith");
        }
    }
    Ok(())
}

/// Whether a file says of itself that aesmith wrote it.
fn is_ours(name: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    if name.ends_with(".json") {
        let object = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
        let has = |key: &str| object.get(key).is_some();
        return has("problem") && (has("sha256") || has("proof"))
            || MARKS.iter().any(|mark| text.contains(mark));
    }
    let licensed = text.lines().next().is_some_and(|first| first.contains(LICENCE));
    MARKS.iter().any(|mark| text.contains(mark))
        || ((licensed || name.ends_with(".html")) && lower.contains("aesmith"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_says_so() {
        assert!(is_ours("x.S", "/* Written by aesmith 0.1.0. */"));
        assert!(is_ours("x.certificate.json", r#"{"problem":"aes128-ecb","sha256":"00"}"#));
        assert!(is_ours("report.html", "<!DOCTYPE html><title>aesmith</title>"));
        assert!(!is_ours("README.md", "# My project\nIt uses aesmith.\n"));
        assert!(!is_ours("Makefile", "all:\n\tcc\n"));
        assert!(!is_ours("x.certificate.json", r#"{"name":"x"}"#));
        assert!(!is_ours("x.c", ""));
    }
}
