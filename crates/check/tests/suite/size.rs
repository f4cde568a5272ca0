//! The checker stays small enough to be read in an evening, and depends on nothing.

use std::path::{Path, PathBuf};

/// The most lines of the trusted part that is for all processors and x86-64, with comments, without tests.
const MOST_LINES: usize = 7_930;
/// The most lines of what AVR and processors of words share.
const MOST_LINES_OF_BYTES: usize = 2700;
/// The most lines of processors of words, without rows.
const MOST_LINES_OF_WORDS: usize = 1370;
/// The most lines of a file of rows of processors of words.
const MOST_LINES_OF_ROWS: usize = 120;
/// The most lines of AVR, with rows.
const MOST_LINES_OF_AVR: usize = 700;
/// The most lines of modes with products in a field.
const MOST_LINES_OF_FIELDS: usize = 800;
/// The most lines of grids, with rows: what reads PTX, the threads before the barrier, and one that stands for all.
const MOST_LINES_OF_GRIDS: usize = 3000;

/// The lines of the files in a folder but those of rows of words, which are few each, and its folders.
fn lines(folder: &Path) -> (usize, Vec<PathBuf>) {
    let (mut total, mut folders) = (0, Vec::new());
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            folders.push(path);
            continue;
        }
        assert!(path.extension().is_some_and(|e| e == "rs" || e == "txt"), "{}", path.display());
        let text = std::fs::read_to_string(&path).expect("a source");
        let own = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        println!("{:5} {}", own.lines().count(), path.display());
        if folder.ends_with("words") && path.extension().is_some_and(|e| e == "txt") {
            assert!(own.lines().count() <= MOST_LINES_OF_ROWS, "{}", path.display());
        } else {
            total += own.lines().count();
        }
    }
    println!("{total:5} in {}", folder.display());
    (total, folders)
}

#[test]
fn the_trusted_part_is_small_and_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (total, families) = lines(&folder.join("src"));
    assert!(total <= MOST_LINES, "{total} lines");
    for family in families {
        let (total, others) = lines(&family);
        let most = match family.file_name().and_then(|name| name.to_str()) {
            Some("bytes") => MOST_LINES_OF_BYTES,
            Some("words") => MOST_LINES_OF_WORDS,
            Some("field") => MOST_LINES_OF_FIELDS,
            Some("grid") => MOST_LINES_OF_GRIDS,
            _ => MOST_LINES_OF_AVR,
        };
        assert!(total <= most && others.is_empty(), "{total} lines in {}", family.display());
    }
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    assert!(!manifest.contains("\n[dependencies]"), "the checker depends on a crate");
}
