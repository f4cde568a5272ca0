//! Effects of a folder's files on builds: sources compiled in addition to those of a package, files that make reads in
//! place of its Makefile, and files from which make regenerates its sources. Some file systems find a file by its name in
//! other cases, too: the names of such files are compared without case.

use super::Verified;
use super::package::{Fault, HEADERS, Package, has_ending, name_of};
use crate::regular;
use aesmith_emit::package::lines::lines_differ;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Extensions of sources that builds of a whole folder compile.
const COMPILED: &[&str] = &["c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "ino", "pde", "rs"];
/// Extensions of sources that they assemble; `verify` itself reads those in [`READ`].
const ASSEMBLED: &[&str] = &["S", "s", "sx", "spp", "asm"];
const READ: &[&str] = &["S", "s"];
const BEFORE: &str = "make reads it before the package's Makefile: what it builds is not known";
/// Names that makes, of GNU and of BSD, prefer to `Makefile`, and that Zephyr's west reads in place of `module.yml`.
const INSTEAD: &[(&str, &str)] = &[
    ("GNUmakefile", BEFORE),
    ("BSDmakefile", BEFORE),
    ("makefile", BEFORE),
    ("zephyr/module.yaml", "west reads it in place of `module.yml`: what it builds is not known"),
];
/// Extensions of files from which make's rules make sources, objects and the Makefile itself (GNU make, 10.2, and `make
/// -p`).
const REMADE: &[&str] = &[
    "sh", "l", "y", "w", "ch", "web", "r", "f", "F", "p", "m", "mod", "def", "sym", "texinfo", "texi",
    "txinfo", "elc", "el", "out", "ln", "C", "cc", "cpp", "c", "ym", "yl",
];
/// Folders of version control from which make extracts files.
const VERSIONS: &[&str] = &["RCS", "SCCS"];
/// The maximum number of folders and files below a package's sources that are checked.
const MOST: usize = 10_000;

/// Foreign sources in a package for firmware: Arduino and PlatformIO compile all sources in its folder and the folders
/// below. That folder is among those where compilers look for headers, so that one in a folder below stands before the
/// one that a header of the C library asks for (`sys/cdefs.h`).
pub(super) fn compiled_besides(folder: &Path, packages: &[(PathBuf, Package)]) -> Vec<Fault> {
    if !packages.iter().any(|(_, package)| matches!(package, Package::Blocks { .. })) {
        return Vec::new();
    }
    let own = |name: &str| packages.iter().any(|(_, package)| package.has(name));
    let sources = folder.join("src");
    let (mut faults, mut folders, mut seen) = (Vec::new(), vec![sources.clone()], 0);
    while let Some(here) = folders.pop() {
        for entry in std::fs::read_dir(&here).into_iter().flatten().filter_map(Result::ok) {
            seen += 1;
            if seen > MOST {
                faults.push((sources, format!("it has more than {MOST} files, of which builds take all")));
                return faults;
            }
            let path = entry.path();
            let kind = entry.file_type();
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                folders.push(path);
            } else if kind.is_ok_and(|kind| kind.is_symlink()) {
                faults.push((path, "it leads elsewhere, and builds compile what is there".into()));
            } else {
                let within = here == sources;
                let assembled = ends(&path, ASSEMBLED) && !(within && has_ending(&path, READ));
                let compiled = ends(&path, COMPILED) && !(within && own(&name_of(&path)));
                let header = !within && ends(&path, HEADERS) && packages.iter().all(|(own, _)| *own != path);
                if header {
                    let why = "it is a header below the sources, where compilers look for headers, and may stand before one that \
                               the C library includes; keep headers of your own in another folder";
                    faults.push((path, why.to_owned()));
                } else if assembled || compiled {
                    let why =
                        "it is no file of this package, and builds that take all of its sources compile it";
                    faults.push((path, why.to_owned()));
                }
            }
        }
    }
    faults.sort();
    faults
}

/// True if a file has one of some endings, in any case.
fn ends(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|e| endings.iter().any(|ending| e.eq_ignore_ascii_case(ending)))
}

/// Files that builds read in place of a package's build files, or from which make makes files of a package.
fn in_place(
    folder: &Path,
    all: &[PathBuf],
    packages: &[(PathBuf, Package)],
    sources: &[&PathBuf],
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in all {
        let Ok(name) = file.strip_prefix(folder) else { continue };
        let is_it = |(other, _): &&(&str, &str)| name.as_os_str().eq_ignore_ascii_case(other);
        if let Some((_, why)) = INSTEAD.iter().find(is_it).filter(|_| name != Path::new("Makefile")) {
            faults.push((file.clone(), (*why).to_owned()));
        }
    }
    for place in [folder.to_path_buf(), folder.join("src")] {
        faults.extend(remade(&place, packages, sources));
    }
    faults
}

/// Precompiled headers. GCC takes `a.h.gch`, a file or any file of a folder of that name, in place of `a.h`, which may
/// even be missing.
pub(super) fn precompiled(folder: &Path, all: &[PathBuf]) -> Vec<Fault> {
    let is_one = |path: &Path| ends(path, &["gch"]);
    let near = [folder.to_path_buf(), folder.join("src")];
    let entries = near.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten());
    let near = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| is_one(path));
    let one_of = |file: &PathBuf| {
        let folder_of = file.parent().filter(|parent| *parent != folder);
        [Some(&**file), folder_of].into_iter().flatten().find(|path| is_one(path)).map(Path::to_path_buf)
    };
    let below = all.iter().filter_map(one_of);
    let found: BTreeSet<PathBuf> = near.chain(below).collect();
    let why =
        "it is a precompiled header, which GCC takes in place of the header that was compared: take it away";
    found.into_iter().map(|path| (path, why.to_owned())).collect()
}

/// Files in a folder from which make's own rules make others there: sources and objects of a package, and the package's
/// files themselves (`a.h` from `a.h.o`).
fn remade(folder: &Path, packages: &[(PathBuf, Package)], sources: &[&PathBuf]) -> Vec<Fault> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names: BTreeSet<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    let proved = |name: &str| sources.iter().any(|source| name_of(source) == name);
    let own = |name: &str| {
        name == "Makefile" || proved(name) || packages.iter().any(|(_, package)| package.has(name))
    };
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let known: BTreeSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let owned: BTreeSet<String> =
        names.iter().filter(|name| own(name)).map(|name| name.to_ascii_lowercase()).collect();
    let stems: BTreeSet<String> = names.iter().filter(|name| own(name)).map(|name| stem(name)).collect();
    let c_of = |name: &str| format!("{}.c", stem(name));
    let mut faults = Vec::new();
    for name in &names {
        let path = folder.join(name);
        let low = name.to_ascii_lowercase();
        let versions = VERSIONS.iter().any(|folder| folder.eq_ignore_ascii_case(name))
            || low.ends_with(",v")
            || low.strip_prefix("s.").is_some_and(|of| known.contains(of));
        let makefile = low.starts_with("makefile.")
            && (ends(&path, REMADE) || ends(&path, ASSEMBLED) || low == "makefile.o");
        let beside = ends(&path, REMADE) && !own(name) && stems.contains(&stem(name));
        let is_own = |of: &str| own(&name[..of.len()]) || owned.contains(of);
        let linked = low.strip_suffix(".o").is_some_and(is_own);
        // Assembly that stands for the package's C.
        let assembled = ends(&path, ASSEMBLED) && !own(name) && owned.contains(&c_of(name));
        if versions || makefile || beside || linked || assembled {
            faults.push((
                path,
                "make makes files of this folder of it, by rules of its own: take it away".to_owned(),
            ));
        }
    }
    faults
}

/// Build files that differ from those that aesmith writes for the sources.
pub(super) fn files(
    folder: &Path,
    all: &[PathBuf],
    packages: &[(PathBuf, Package)],
    found: &[(PathBuf, Verified)],
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let sources: Vec<&PathBuf> = found
        .iter()
        .filter(|(file, verified)| has_ending(file, &["S"]) && !verified.findings.is_empty())
        .map(|(file, _)| file)
        .collect();
    if !sources.is_empty() || !packages.is_empty() {
        faults.extend(in_place(folder, all, packages, &sources));
    }
    let build = [
        "Makefile",
        "CMakeLists.txt",
        "library.json",
        "library.properties",
        "zephyr/CMakeLists.txt",
        "zephyr/module.yml",
        "zephyr/Kconfig",
    ];
    for name in build {
        let file = folder.join(name);
        if !file.is_file() {
            continue;
        }
        let Ok(text) = regular::read_text(&file) else {
            faults.push((file, "it cannot be read, and may say how the sources are built".into()));
            continue;
        };
        let wanted =
            packages.iter().filter_map(|(_, package)| package.files().iter().find(|f| f.name == name));
        let differs: Vec<Option<String>> =
            wanted.map(|wanted| lines_differ(name, &wanted.contents, &text)).collect();
        match differs.last() {
            _ if differs.iter().any(Option::is_none) => {}
            Some(Some(why)) => faults.push((
                file,
                format!("it is not the file that aesmith writes for these functions, and what it builds is not known: {why}"),
            )),
            _ if name == "Makefile" && !sources.is_empty() => faults.push((
                file,
                format!(
                    "it is no Makefile that aesmith writes, and what it makes of {} is not known: verify what it has built",
                    sources[0].display()
                ),
            )),
            _ => {}
        }
    }
    faults
}
