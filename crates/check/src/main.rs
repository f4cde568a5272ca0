//! `aesmith-check`: checks certificates with proofs, and compares them with objects.
#![forbid(unsafe_code)]

mod elf;

use aesmith_check::{Certificate, Executed, bytes, check_code, grid, packed};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Checks certificates with proofs

Usage: aesmith-check [--json] <FILE|FOLDER>...
       aesmith-check --text <FILE>

A file is a proof, or an object or archive for x86-64. An object's functions are compared with the proofs of their
names beside it, in `certificates` there, or in `../certificates`. A folder stands for all files in it, and below it, that
end with .proof, .o or .a. --text prints the text of a packed proof.

Exit codes: 0 accepted, 1 not readable, 2 the command line is wrong, 3 refused
";

/// Exit codes, in order of importance.
const UNREADABLE: u8 = 1;
const WRONG_USE: u8 = 2;
const REFUSED: u8 = 3;

fn main() -> ExitCode {
    let (mut is_json, mut is_text, mut paths) = (false, false, Vec::new());
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--json") => is_json = true,
            Some("--text") => is_text = true,
            Some("--help" | "-h") => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            Some("--version" | "-V") => {
                println!("{}", aesmith_check::NAME);
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
    let mut run = Run { is_json, worst: 0 };
    for path in &paths {
        if is_text {
            run.text(path);
            continue;
        }
        let mut files = Vec::new();
        if let Err(error) = collect(path, &mut files) {
            run.unreadable(path, &error.to_string());
        }
        if path.is_dir() && !files.iter().any(|file| is_proof(file)) {
            run.unreadable(path, NONE);
        }
        run.all(path, &files);
    }
    ExitCode::from(run.worst)
}

const NONE: &str = "there is no certificate with a proof";

fn is_proof(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "proof")
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
        let is_meant = path.extension().is_some_and(|e| e == "proof" || e == "o" || e == "a");
        // A link to a folder may lead back.
        if path.is_dir() && !path.is_symlink() || is_meant && path.is_file() {
            collect(&path, files)?;
        }
    }
    Ok(())
}

/// A run over all files.
struct Run {
    is_json: bool,
    /// The exit code.
    worst: u8,
}

/// An accepted certificate and the instructions that it executes, or the reason why it is refused.
type Proof = Result<(Certificate, Executed), String>;

/// Proofs by the names of their functions.
type Proofs = BTreeMap<String, (PathBuf, Proof)>;

impl Run {
    fn unreadable(&mut self, path: &Path, why: &str) {
        eprintln!("error: {}: {why}", path.display());
        self.worst = self.worst.max(UNREADABLE);
    }

    /// Prints the text of a proof.
    fn text(&mut self, path: &Path) {
        match std::fs::read_to_string(path) {
            Err(error) => self.unreadable(path, &error.to_string()),
            Ok(text) => match packed::plain(&text) {
                // A terminal obeys other characters, and a reader may end before the text does.
                Some(text) => {
                    let shown = text.replace(|c: char| c.is_control() && !c.is_whitespace(), "\u{fffd}");
                    let _ = std::io::stdout().write_all(shown.as_bytes());
                }
                None => self.unreadable(path, "it cannot be unpacked"),
            },
        }
    }

    /// Checks the proofs among the files that a path stands for, and compares the objects with them.
    fn all(&mut self, path: &Path, files: &[PathBuf]) {
        let (mut proofs, mut objects) = (Proofs::new(), Vec::new());
        for file in files {
            match std::fs::read(file) {
                Err(error) => self.unreadable(file, &error.to_string()),
                Ok(bytes) if elf::is_object(&bytes) => objects.push((file, bytes)),
                Ok(bytes) => match String::from_utf8(bytes) {
                    Err(_) => self.unreadable(file, "it is neither a text nor an object"),
                    Ok(text) => {
                        let verdict = self.proof(file, &text);
                        proofs.insert(stem(file), (file.clone(), verdict));
                    }
                },
            }
        }
        for (file, bytes) in objects {
            let is_alone = !path.is_dir();
            match elf::functions(&bytes) {
                Err(why) => self.unreadable(file, &why),
                Ok(functions) => self.object(file, &functions, &mut proofs, is_alone),
            }
        }
    }

    /// Compares the functions of an object with their proofs. If no folder is checked, those beside the object are read.
    fn object(&mut self, file: &Path, functions: &[elf::Function<'_>], proofs: &mut Proofs, is_alone: bool) {
        let (mut others, mut compared) = (Vec::new(), 0);
        for function in functions {
            if is_alone && let Some(path) = beside(file, &function.name) {
                match std::fs::read_to_string(&path) {
                    Err(error) => self.unreadable(&path, &error.to_string()),
                    Ok(text) => {
                        let verdict = self.proof(&path, &text);
                        proofs.insert(function.name.clone(), (path, verdict));
                    }
                }
            }
            let Some((path, proof)) = proofs.get(&function.name) else {
                others.push(function.name.as_str());
                continue;
            };
            compared += 1;
            let verdict = match proof {
                Ok((proof, executed)) => function.is_code_of(proof, executed).map(|()| proof.claim()),
                Err(_) => Err("its proof is refused".into()),
            };
            self.compared((file, &function.name), path, &verdict);
        }
        if is_alone && compared == 0 {
            self.unreadable(file, NONE);
        } else if !others.is_empty() {
            let name = file.display().to_string();
            if self.is_json {
                let others: Vec<String> = others.iter().map(|name| quoted(name)).collect();
                println!("{{\"file\":{},\"unchecked\":[{}]}}", quoted(&name), others.join(","));
            } else {
                println!("{name}: without a proof, so that nothing is checked: {}", others.join(", "));
            }
        }
    }

    /// Prints the comparison of a function with a proof: the contract that it keeps, or the difference.
    fn compared(&mut self, (file, function): (&Path, &str), proof: &Path, verdict: &Result<String, String>) {
        let proof = proof.display().to_string();
        let (words, said) = match verdict {
            Ok(contract) => {
                (format!("{function} keeps {contract} by {proof}"), ("contract", quoted(contract)))
            }
            Err(why) => (format!("{function} is not the code of {proof}: {why}"), ("reason", quoted(why))),
        };
        let fields = [("function", quoted(function)), ("proof", quoted(&proof)), said];
        self.say(file, verdict.is_ok(), &words, &fields);
    }

    /// Checks a proof and prints the verdict.
    fn proof(&mut self, path: &Path, text: &str) -> Proof {
        let other = || Err("objects are compared with proofs of x86-64 only".to_string());
        let (read, claim, verdict, executed) = if grid::is_meant(text) {
            let proof = grid::Proof::read(text);
            let module = text.split_once(grid::MODULE).map_or(0, |(_, module)| module.len());
            let claim = proof.as_ref().ok().map(|p| (p.claim(), module));
            (other(), claim, proof.and_then(|proof| grid::check(&proof)), Executed::new())
        } else if bytes::is_meant(text) {
            let proof = bytes::Proof::read(text);
            let claim = proof.as_ref().ok().map(|p| (p.claim(), p.code.len()));
            (other(), claim, proof.and_then(|proof| bytes::check(&proof)), Executed::new())
        } else {
            let read = Certificate::read(text);
            let claim = read.as_ref().ok().map(|c| (c.claim(), c.code.len()));
            match read.as_ref().map_err(Clone::clone).and_then(check_code) {
                Ok((accepted, executed)) => (read, claim, Ok(accepted), executed),
                Err(reason) => (read, claim, Err(reason), Executed::new()),
            }
        };
        let mut fields = Vec::new();
        if let Some((contract, bytes)) = &claim {
            fields.extend([("contract", quoted(contract)), ("bytes", bytes.to_string())]);
        }
        let words = match &verdict {
            Ok(a) => {
                let numbers = [("heads", a.heads), ("paths", a.paths), ("steps", a.steps)];
                fields.extend(numbers.map(|(key, number)| (key, number.to_string())));
                let (contract, bytes) = claim.unwrap_or_default();
                format!("{contract}, {bytes} bytes, {} paths", a.paths)
            }
            Err(reason) => {
                fields.push(("reason", quoted(reason)));
                reason.clone()
            }
        };
        self.say(path, verdict.is_ok(), &words, &fields);
        verdict.and(read).map(|certificate| (certificate, executed))
    }

    /// Prints a verdict on a file, in words or as an object with these fields.
    fn say(&mut self, file: &Path, is_accepted: bool, words: &str, fields: &[(&str, String)]) {
        let file = file.display().to_string();
        if self.is_json {
            let fields: String = fields.iter().map(|(key, value)| format!(",\"{key}\":{value}")).collect();
            println!("{{\"file\":{},\"accepted\":{is_accepted}{fields}}}", quoted(&file));
        } else {
            println!("{file}: {}: {words}", if is_accepted { "accepted" } else { "refused" });
        }
        self.worst = self.worst.max(if is_accepted { 0 } else { REFUSED });
    }
}

/// The name of a proof's function.
fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The proof of a function beside an object, or in the folder of the certificates of its package.
fn beside(file: &Path, function: &str) -> Option<PathBuf> {
    let here = file.parent().unwrap_or(Path::new(""));
    let folders = [here.to_owned(), here.join("certificates"), here.join("../certificates")];
    // A name leads to no other folder.
    let is_name = function.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut all = folders.iter().map(|folder| folder.join(format!("{function}.proof")));
    all.find(|path| is_name && path.is_file())
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
