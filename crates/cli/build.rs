//! Records for reports the commit and the compiler that this program is built from. Both may be unknown: a source
//! archive has no commit, so `AESMITH_COMMIT` may give it.

use std::path::Path;
use std::process::Command;

fn main() {
    let commit = std::env::var("AESMITH_COMMIT").ok().or_else(commit);
    let compiler = std::env::var("RUSTC").ok().and_then(|rustc| first_line(&rustc, &["--version"]));
    for (name, value) in [("AESMITH_BUILT_COMMIT", commit), ("AESMITH_BUILT_BY", compiler)] {
        if let Some(value) = value {
            println!("cargo::rustc-env={name}={value}");
        }
    }
    println!("cargo::rerun-if-env-changed=AESMITH_COMMIT");
    // A commit, a checkout and a change of any crate must rerun this script.
    for path in ["../../.git/HEAD", "../../.git/logs/HEAD", "..", "../../Cargo.lock"] {
        if Path::new(path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// The commit of the sources, with a note if they have changed since; `None` without git.
fn commit() -> Option<String> {
    let commit = first_line("git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed = first_line("git", &["status", "--porcelain", "--", "..", "../../Cargo.lock"]);
    Some(match changed {
        Some(_) => format!("{commit} with changes"),
        None => commit,
    })
}

/// The first line of a program's output, if it succeeds and prints any.
fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next().filter(|_| output.status.success()).map(|line| line.trim().to_owned())
}
