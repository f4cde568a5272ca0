//! `make install` and `make uninstall`, through the script that they call.

use crate::support::{Place, Said, aesmith, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn script(place: &Place, words: &[&str], stage: &str, prefix: &str, path: &str) -> Said {
    let script = root().join("scripts/install.sh");
    let mut command = Command::new(script);
    command.args(words).env("DESTDIR", stage).env("PREFIX", prefix).env("PATH", path);
    command.current_dir(place.path("")).output().unwrap().into()
}

fn files(under: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut folders = vec![under.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.clone());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

#[test]
fn what_is_installed_is_uninstalled_and_nothing_else() {
    let place = Place::new("install");
    let stage = place.path("stage");
    let stage = stage.to_str().unwrap();
    // This file belongs to another program and must stay.
    let other = place.path("stage/usr/share/man/man1/other.1");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "").unwrap();
    let before = files(Path::new(stage));
    let system = std::env::var("PATH").unwrap();
    script(&place, &["install", aesmith()], stage, "/usr", &system).ended(0);
    for file in [
        "bin/aesmith",
        "share/man/man1/aesmith.1",
        "share/man/man1/aesmith-tune.1",
        "share/bash-completion/completions/aesmith",
        "share/zsh/site-functions/_aesmith",
        "share/fish/vendor_completions.d/aesmith.fish",
    ] {
        let path = place.path("stage/usr").join(file);
        assert!(std::fs::metadata(&path).is_ok_and(|m| m.len() > 0), "{file}");
    }
    let once = files(Path::new(stage));
    // A second installation leaves the same files, and one call removes them.
    assert_eq!(script(&place, &["install", aesmith()], stage, "/usr", &system).code, 0);
    assert_eq!(files(Path::new(stage)), once);
    script(&place, &["uninstall"], stage, "/usr", &system).ended(0);
    assert_eq!(files(Path::new(stage)), before);
    script(&place, &["uninstall"], stage, "/usr", &system).ended(0).says("nothing is installed");
}

#[test]
fn a_folder_that_is_not_on_path_is_said() {
    let place = Place::new("path");
    let prefix = place.path("with space");
    let prefix = prefix.to_str().unwrap();
    let system = std::env::var("PATH").unwrap();
    script(&place, &["install", aesmith()], "", prefix, &system)
        .ended(0)
        .says("is not on PATH")
        .says("export PATH");
    let said = script(&place, &["install", aesmith()], "", prefix, &format!("{system}:{prefix}/bin"));
    assert!(said.code == 0 && !said.out.contains("is not on PATH"), "{}", said.out);
    assert_eq!(script(&place, &["uninstall"], "", prefix, &system).code, 0);
    assert!(!Path::new(prefix).join("share").exists());
    assert_eq!(script(&place, &["install", aesmith()], "", "relative", &system).code, 2);
}

/// With almost no program in PATH much is missing: all of it is listed, and nothing is installed.
#[test]
fn what_is_missing_is_listed_before_it_is_installed() {
    let place = Place::new("need");
    let few = place.path("bin");
    std::fs::create_dir(&few).unwrap();
    for name in ["bash", "sh", "sed", "awk", "cut", "sort", "head", "dirname", "ls", "grep", "env", "id"] {
        let found = place.shell("command -v \"$0\"", &[name]);
        std::os::unix::fs::symlink(found.out.trim(), few.join(name)).unwrap();
    }
    let script = root().join("scripts/need.sh");
    let listed = |purpose: &str| -> Said {
        let mut command = Command::new(&script);
        command.args([purpose, "--list"]).env("PATH", &few).output().unwrap().into()
    };
    let build = listed("build").ended(0);
    for wanted in ["to be installed", "    gcc", "Rust 1.95 or newer, by rustup", "    curl"] {
        assert!(build.err.contains(wanted), "{wanted}: {}", build.err);
    }
    assert!(!build.err.contains("installing"), "{}", build.err);
    let test = listed("test").ended(0);
    for wanted in ["    binutils\n", "    valgrind", "    gcc-avr", "    libsimavr-dev"] {
        assert!(test.err.contains(wanted), "{wanted}: {}", test.err);
    }
    assert!(!build.err.contains("gcc-avr"), "{}", build.err);
}
