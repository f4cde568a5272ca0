//! A folder of code: proves everything in it that a linker would accept, before and after `make`, and compares the
//! files around the kernels with the proofs.

use super::beside::Defined;
use super::certificates::{certificates_by, folders, symbol_of};
use super::code::{Chooser, Inside, Provers, problem_of};
use super::{Verified, absent, expected, files, grids, inside, package, proved};
use crate::failure::Failure;
use crate::regular;
use aesmith_emit::objects::{is_debug_data, is_program};
use aesmith_emit::{chooses_among, prefix_of_package};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Extensions of sources that are read.
const SOURCES: &[&str] = &["S", "s"];
/// Extensions of files that linkers accept, or that tools with unpredictable output turn into such files.
const BUILT: &[&str] = &[
    "o", "a", "obj", "lib", "lo", "la", "so", "sl", "dylib", "tbd", "dll", "bc", "ll", "sx", "asm", "nasm",
    "cubin", "fatbin", "rlib", "ko",
];
/// First bytes of objects, archives and libraries: ELF, archives and thin ones, Mach-O, LLVM bitcode, COFF for x86 and of
/// many sections.
const BEGINNINGS: &[&[u8]] = &[
    b"\x7fELF",
    b"!<arch>\n",
    b"!<thin>\n",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"BC\xc0\xde",
    b"\xde\xc0\x17\x0b",
    &[0x64, 0x86],
    b"\x4c\x01",
    &[0, 0, 0xff, 0xff],
];

/// True if linkers accept a file by its name: `libx.so.1` is a library, too.
fn is_built(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let ends = |ending: &&str| name.ends_with(&format!(".{ending}"));
    BUILT.iter().any(ends) || name.contains(".so.")
}

/// True if a file contains code, by its name.
pub fn is_code(file: &Path) -> bool {
    is_source(file) || is_built(file)
}

fn is_source(file: &Path) -> bool {
    let is_text = grids::language_of(file).is_some();
    is_text || file.extension().is_some_and(|e| SOURCES.iter().any(|known| e == *known))
}

/// True if linkers accept a file by its first bytes, whatever its name. Programs are excluded.
fn begins_like_code(file: &Path) -> bool {
    let mut first = Vec::new();
    let Ok(open) = regular::open(file) else { return false };
    let begins = open.take(8).read_to_end(&mut first).is_ok();
    // Classes of Java begin as Mach-O for several machines does, which says how many they are where those have a version.
    let is_class = first.starts_with(b"\xca\xfe\xba\xbe")
        && first.get(4..8).is_some_and(|version| version >= &[0, 0, 0, 45][..]);
    begins
        && BEGINNINGS.iter().any(|beginning| first.starts_with(beginning))
        && !is_class
        && !regular::read(file, regular::CODE).is_ok_and(|all| is_program(&all))
}

/// True if a file has debug data of a library, and none of its code, whatever its name.
pub(super) fn has_debug_data(file: &Path) -> bool {
    !is_source(file) && regular::read(file, regular::CODE).is_ok_and(|all| is_debug_data(&all))
}

/// Links of a folder by names of code that lead nowhere, of which nothing can be proved. Editors mark files by links
/// whose names begin with `.#`.
fn leading_nowhere(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let marks = |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".#"));
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .map(|entry| entry.path())
        .filter(|path| is_code(path) && !path.exists() && !marks(path))
        .map(|path| {
            (path, "it is a link that leads nowhere, and linkers take what it will lead to".to_owned())
        })
        .collect()
}

/// The maximum number of files and folders below a package that are read.
const MOST: usize = 10_000;

/// The folders below a package, at any depth and hidden ones, too, and reasons why code in it may not be read: folders
/// that cannot be listed, links to folders elsewhere, and more than [`MOST`] files.
fn below(package: &Path) -> (Vec<PathBuf>, Vec<(PathBuf, String)>) {
    let inside = package.canonicalize().unwrap_or_else(|_| package.to_path_buf());
    let (mut found, mut faults, mut open, mut seen) =
        (Vec::new(), Vec::new(), vec![package.to_path_buf()], 0);
    while let Some(here) = open.pop() {
        let entries = match std::fs::read_dir(&here).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(why) => {
                faults.push((here, format!("this folder cannot be read, and may hold code: {why}")));
                continue;
            }
        };
        seen += entries.len();
        if seen > MOST {
            let why = format!(
                "it has more than {MOST} files and folders, too many to read: keep a package by itself"
            );
            faults.push((package.to_path_buf(), why));
            break;
        }
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                open.push(path.clone());
                found.push(path);
            } else if kind.is_ok_and(|kind| kind.is_symlink()) && path.is_dir() {
                // A link within the package leads to a folder that is read anyway.
                if !path.canonicalize().is_ok_and(|leads| leads.starts_with(&inside)) {
                    faults.push((path, "it leads to a folder elsewhere, which is not read".to_owned()));
                }
            }
        }
    }
    found.sort();
    (found, faults)
}

/// Verifies the code of a package, and finds functions that its headers and certificates promise but no file contains.
pub fn folder(folder: &Path, provers: &mut Provers) -> Result<Vec<(PathBuf, Verified)>, Failure> {
    let mut folders = vec![folder.to_path_buf(), folder.join("src")];
    let mut read = Vec::new();
    let mut found = Vec::new();
    // A folder with certificates is a package, with everything in it.
    if !certificates_by(&folder.join("package")).is_empty() {
        let (below, faults) = below(folder);
        folders.extend(below.into_iter().filter(|path| *path != folder.join("src")));
        found.extend(faults.into_iter().map(|(path, why)| (path, Verified::refused(why))));
    }
    let all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    let links = folders.iter().flat_map(|folder| leading_nowhere(folder));
    found.extend(links.map(|(path, why)| (path, Verified::refused(why))));
    let is_read = |file: &&PathBuf| (is_code(file) || begins_like_code(file)) && !has_debug_data(file);
    for file in all.iter().filter(is_read) {
        match inside(file, &certificates_by(file), provers) {
            Ok(inside) => read.push((file.clone(), inside)),
            Err(Failure::NotProved(why)) => found.push((file.clone(), Verified::refused(why))),
            Err(why) => return Err(why),
        }
    }
    if read.is_empty() && found.is_empty() {
        return Err(Failure::Other(format!(
            "{} cannot be read as a package: it and its folder src have no .S, .s, .o or .a",
            folder.display()
        )));
    }
    let symbols: BTreeSet<String> = read.iter().flat_map(|(_, inside)| names(inside)).collect();
    let has_claims = read.iter().any(|(_, inside)| !inside.claims.is_empty());
    if !has_claims && found.is_empty() {
        return Err(Failure::NotProved(format!(
            "{} has no function named for a problem (aesmith_aes256_ctr, ...), so there is nothing to verify",
            folder.display()
        )));
    }
    let mut defined = Vec::new();
    for (file, mut inside) in read {
        choosers(&mut inside, &symbols);
        defined.push(Defined::new(&file, &inside));
        let beside = certificates_by(&file);
        match proved(&file, inside, &beside, &symbols, provers) {
            Ok(verified) => found.push((file, verified)),
            Err(Failure::NotProved(why)) => found.push((file, Verified::refused(why))),
            Err(why) => return Err(why),
        }
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    if let Some(verified) = promised(folder, &all, &found) {
        found.push((folder.to_path_buf(), verified));
    }
    // The files around kernels are regenerated from all proofs; they would differ if one were missing.
    let lacking = |(_, verified): &(PathBuf, Verified)| {
        !verified.faults.is_empty() || verified.findings.iter().any(|finding| finding.checked.proof.is_err())
    };
    if !found.iter().any(lacking) {
        for (file, why) in package::faults(folder, &all, &found, &defined) {
            found.push((file, Verified::refused(why)));
        }
    }
    Ok(found)
}

/// Names of problems in a file.
fn names(inside: &Inside) -> Vec<String> {
    let choosers = inside.choosers.iter().map(|c| c.symbol.clone());
    inside.claims.iter().map(|c| c.symbol.clone()).chain(choosers).collect()
}

/// Reclassifies C functions that choose among kernels of other files of the folder as choosers.
fn choosers(inside: &mut Inside, symbols: &BTreeSet<String>) {
    let all: Vec<&str> = symbols.iter().map(String::as_str).collect();
    let claims = std::mem::take(&mut inside.claims);
    for claim in claims {
        if claim.code.leads_elsewhere() && chooses_among(&claim.symbol, &all) {
            inside.others.insert(claim.symbol.clone());
            inside.choosers.push(Chooser { member: claim.member, symbol: claim.symbol });
        } else {
            inside.claims.push(claim);
        }
    }
}

/// Promises of headers and certificates that no file keeps; C that chooses among kernels and is not built yet is not
/// proved.
fn promised(folder: &Path, all: &[PathBuf], found: &[(PathBuf, Verified)]) -> Option<Verified> {
    let findings = found.iter().flat_map(|(_, v)| v.findings.iter().map(|f| f.symbol.clone()));
    let choosers = found.iter().flat_map(|(_, v)| v.choosers.iter().map(|c| c.symbol.clone()));
    let mut there: Vec<String> = findings.chain(choosers).collect();
    let certificates = certificates_by(&folder.join("package"));
    let stated =
        certificates.iter().filter_map(|(path, _)| Some((symbol_of(path)?.to_owned(), path.clone())));
    let mut wanted: Vec<(String, PathBuf)> = stated.collect();
    let proofs = folders(&folder.join("package")).into_iter().flat_map(|folder| files(&folder));
    let proofs = proofs.filter(|path| path.extension().is_some_and(|e| e == "proof"));
    wanted.extend(proofs.filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), path))));
    let certified: Vec<String> = wanted.iter().map(|(symbol, _)| symbol.clone()).collect();
    for path in all.iter().filter(|file| file.extension().is_some_and(|e| e == "h")) {
        let text = regular::read_text(path).unwrap_or_default();
        wanted.extend(expected::declared(&text).map(|name| (name.to_owned(), path.clone())));
    }
    let mut verified = Verified::default();
    for (symbol, path) in wanted {
        if there.contains(&symbol) || problem_of(&symbol).is_none() {
            continue;
        }
        let others: Vec<&str> = there.iter().map(String::as_str).collect();
        let chooses = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let package = name.strip_suffix("_support.c");
            package.is_some_and(|of| {
                of == symbol || prefix_of_package(of).is_some_and(|p| symbol.starts_with(p))
            })
        };
        let in_c = all.iter().any(chooses);
        if in_c && chooses_among(&symbol, &others) && !certified.contains(&symbol) {
            verified.choosers.push(Chooser { member: None, symbol: symbol.clone() });
            verified.not_proved.push(symbol.clone());
        } else {
            verified.findings.extend(absent(
                folder,
                symbol.clone(),
                &format!("{} promises it", path.display()),
            ));
        }
        there.push(symbol);
    }
    (!verified.findings.is_empty() || !verified.choosers.is_empty()).then_some(verified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linkers_take_is_known_by_its_name() {
        for name in
            ["a.o", "liba.a", "liba.so", "liba.so.1.2", "a.OBJ", "a.lib", "a.dylib", "a.S", "a.s", "a.ptx"]
        {
            assert!(is_code(Path::new(name)), "{name}");
        }
        for name in ["a.c", "a.h", "README.md", "a.json", "a.pc", "Makefile", "selftest"] {
            assert!(!is_code(Path::new(name)), "{name}");
        }
    }
}
