//! Every file of tests is run: where the tests of a crate are one program, its `suite.rs` names each file, or the manifest
//! has a program for it.

use crate::support::root;
use std::fs;
use std::path::Path;

/// The files of tests in a crate's folder that no program has, by a manifest and the text of its `suite.rs`.
fn forgotten(manifest: &str, suite: &str, files: &[String]) -> Vec<String> {
    if !manifest.contains("autotests = false") {
        return Vec::new();
    }
    let is_run = |file: &&String| {
        let module = format!("mod {file};");
        suite.lines().any(|line| line == module) || manifest.contains(&format!("name = \"{file}\""))
    };
    files.iter().filter(|file| !is_run(file)).cloned().collect()
}

/// The names of the files of a folder of tests, and of its folders that are programs.
fn programs(tests: &Path) -> Vec<String> {
    let entries = fs::read_dir(tests).into_iter().flatten().map(|entry| entry.unwrap().path());
    let is_program = |path: &std::path::PathBuf| {
        path.extension().is_some_and(|end| end == "rs") || path.join("main.rs").is_file()
    };
    entries.filter(is_program).map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_file_of_tests_is_run() {
    let of = |text: &[&str]| text.iter().map(|file| (*file).to_owned()).collect::<Vec<_>>();
    let manifest = "autotests = false\n[[test]]\nname = \"suite\"\n[[test]]\nname = \"abc\"\n";
    let files = of(&["suite", "abc", "wrong", "kernels"]);
    assert_eq!(forgotten(manifest, "mod wrong;\n", &files), of(&["kernels"]));
    assert_eq!(forgotten("", "", &files), of(&[]));
    let mut suites = 0;
    for parent in ["crates", "processors"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let folder = entry.unwrap().path();
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
            let suite = fs::read_to_string(folder.join("tests/suite.rs"));
            suites += usize::from(suite.is_ok());
            let lost = forgotten(&manifest, &suite.unwrap_or_default(), &programs(&folder.join("tests")));
            assert!(lost.is_empty(), "{}: {lost:?} are in no program", folder.display());
        }
    }
    assert!(suites > 10, "{suites} suites");
}
