//! The checker stays small enough to be read in an evening, and depends on nothing.

use std::path::Path;

/// The most lines of the trusted part, with comments, without tests.
const MOST_LINES: usize = 6000;

#[test]
fn the_trusted_part_is_small_and_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut total = 0;
    for entry in std::fs::read_dir(folder.join("src")).expect("a folder") {
        let path = entry.expect("an entry").path();
        assert!(path.extension().is_some_and(|extension| extension == "rs"), "{}", path.display());
        let text = std::fs::read_to_string(&path).expect("a source");
        let own = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = own.lines().count();
        println!("{lines:5} {}", path.file_name().expect("a name").to_string_lossy());
        total += lines;
    }
    println!("{total:5} in total");
    assert!(total <= MOST_LINES, "{total} lines");
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
    assert!(!manifest.contains("\n[dependencies]"), "the checker depends on a crate");
}
