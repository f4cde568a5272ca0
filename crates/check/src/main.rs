//! `aesmith-check`: checks certificates with proofs.
#![forbid(unsafe_code)]

use aesmith_check::{Certificate, check};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Checks certificates with proofs

Usage: aesmith-check [--json] <FILE|FOLDER>...

A folder stands for all files in it, and below it, that end with .proof.

Exit codes: 0 accepted, 1 not readable, 2 the command line is wrong, 3 refused
";

/// Exit codes, in order of importance.
const UNREADABLE: u8 = 1;
const WRONG_USE: u8 = 2;
const REFUSED: u8 = 3;

fn main() -> ExitCode {
    let (mut is_json, mut paths) = (false, Vec::new());
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => is_json = true,
            Some("--help" | "-h") => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            Some(option) if option.starts_with('-') => {
                eprintln!("error: {option} is no option\n\n{USAGE}");
                return ExitCode::from(WRONG_USE);
            }
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    if paths.is_empty() {
        eprintln!("error: no file is named\n\n{USAGE}");
        return ExitCode::from(WRONG_USE);
    }
    let mut worst = 0;
    for path in &paths {
        let mut files = Vec::new();
        if let Err(error) = collect(path, &mut files) {
            eprintln!("error: {}: {error}", path.display());
            worst = UNREADABLE.max(worst);
        }
        if path.is_dir() && files.is_empty() {
            eprintln!("error: {}: there is no certificate with a proof", path.display());
            worst = UNREADABLE.max(worst);
        }
        for file in files {
            worst = one(&file, is_json).max(worst);
        }
    }
    ExitCode::from(worst)
}

/// Collects the files that a path stands for.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries: Vec<_> = std::fs::read_dir(path)?.collect::<Result<_, _>>()?;
    let mut inner: Vec<PathBuf> = entries.iter().map(|entry| entry.path()).collect();
    inner.sort();
    for path in inner {
        // A link to a folder may lead back.
        if path.is_dir() && !path.is_symlink() || path.extension().is_some_and(|e| e == "proof") {
            collect(&path, files)?;
        }
    }
    Ok(())
}

/// Checks a file and prints the verdict.
fn one(path: &Path, is_json: bool) -> u8 {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {}: {error}", path.display());
            return UNREADABLE;
        }
    };
    let read = Certificate::read(&text);
    let verdict = read.as_ref().map_err(Clone::clone).and_then(check);
    let name = path.display().to_string();
    match (&verdict, is_json) {
        (Ok(accepted), false) => {
            let certificate = read.as_ref().ok();
            let (contract, bytes) =
                certificate.map_or((String::new(), 0), |c| (c.contract.to_string(), c.code.len()));
            println!("{name}: accepted: {contract}, {bytes} bytes, {} paths", accepted.paths);
        }
        (Err(reason), false) => println!("{name}: refused: {reason}"),
        (verdict, true) => {
            let mut line = format!("{{\"file\":{},\"accepted\":{}", quoted(&name), verdict.is_ok());
            if let Ok(certificate) = &read {
                let contract = quoted(&certificate.contract.to_string());
                line += &format!(",\"contract\":{contract},\"bytes\":{}", certificate.code.len());
            }
            match verdict {
                Ok(a) => {
                    line += &format!(",\"heads\":{},\"paths\":{},\"steps\":{}", a.heads, a.paths, a.steps);
                }
                Err(reason) => line += &format!(",\"reason\":{}", quoted(reason)),
            }
            println!("{line}}}");
        }
    }
    if verdict.is_ok() { 0 } else { REFUSED }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut all = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => all.extend(['\\', c]),
            c if c < ' ' => all += &format!("\\u{:04x}", c as u32),
            c => all.push(c),
        }
    }
    all + "\""
}
