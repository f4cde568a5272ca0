//! Check that header, build files and C of a package belong to the proved kernels: they are regenerated from the
//! proofs, and every difference that a tool would notice is a fault.

use super::beside::{self, Defined};
use super::promised::Promised;
use super::proofs::Proofs;
use super::{Verified, build, linkers};
use crate::regular;
use aesmith_emit::grid::{cuda_files, opencl_files};
use aesmith_emit::package::File;
use aesmith_emit::package::again::{ProvedBlocks, ProvedLevel, asked_of_the_cpu, of_blocks, of_texts};
use aesmith_emit::package::alike::{c_differs, comment_before, is_behind, names, opencl_differs};
use aesmith_emit::package::order::{Needs, by_need};
use aesmith_emit::{VARIABLE_TIME_SUFFIX, says_variable_time, schedule_of};
use aesmith_processor::core::Core;
use aesmith_processors::this_machine;
use std::path::{Path, PathBuf};

/// Extensions of files that C compilers include.
pub(super) const HEADERS: &[&str] = &["h", "hh", "hpp", "hxx", "inc", "H"];
/// Folders in which the headers of C libraries, of compilers and of kernels ask for others.
const OF_SYSTEMS: &[&str] =
    &["asm", "asm-generic", "bits", "gnu", "linux", "mach", "machine", "sys", "xlocale"];

/// A file, and the reason why it differs from the proofs.
pub(super) type Fault = (PathBuf, String);

/// Files that differ from those that belong to the functions found, and code beside them that builds may take instead;
/// `defined` are the definitions in all files.
pub fn faults(
    folder: &Path,
    all: &[PathBuf],
    found: &[(PathBuf, Verified)],
    defined: &[Defined],
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut packages = Vec::new();
    let proofs = Proofs::of(found);
    for header in all.iter().filter(|file| has_ending(file, HEADERS)) {
        match package_of(header, &proofs) {
            Ok(Some(package)) => packages.push((header.clone(), package)),
            Ok(None) => {}
            Err(why) => faults.push((header.clone(), why)),
        }
    }
    // The host code of a text can be built without a header.
    for (file, finding, promised) in &proofs.all {
        let header = file.with_file_name(format!("{}.h", finding.symbol));
        if let (Promised::Grid { .. }, false) = (promised, all.contains(&header)) {
            match of_grid(&header, promised) {
                Ok(Some(package)) if !package.files().is_empty() => packages.push((header, package)),
                Ok(_) => {}
                Err(why) => faults.push((file.to_path_buf(), why)),
            }
        }
    }
    let is_package = !packages.is_empty() || !faults.is_empty();
    for (header, package) in &packages {
        faults.extend(package.differences(header, all));
    }
    if is_package {
        let known = |file: &PathBuf| packages.iter().any(|(header, _)| header == file);
        let reported = |file: &PathBuf| faults.iter().any(|(path, _)| path == file);
        let sources = folder.join("src");
        let near = |file: &Path| {
            [Some(folder), Some(&*sources)].contains(&file.parent()) || is_as_of_a_system(folder, file)
        };
        let foreign: Vec<Fault> = all
            .iter()
            .filter(|file| near(file) && has_ending(file, HEADERS) && !known(file) && !reported(file))
            .map(|file| {
                let why = "it declares nothing that was proved, and may stand before a header that the package includes; \
                           keep headers of your own in another folder";
                (file.clone(), why.to_owned())
            })
            .collect();
        faults.extend(foreign);
        faults.extend(build::precompiled(folder, all));
        faults.extend(build::compiled_besides(folder, &packages));
        let names: Vec<&str> =
            packages.iter().filter_map(|(header, _)| header.file_stem()?.to_str()).collect();
        faults.extend(all.iter().filter_map(|file| linkers::told(file, &names)));
        faults.extend(beside::faults(folder, &packages, defined));
        faults.extend(without_mark(found));
    }
    faults.extend(build::files(folder, all, &packages, found));
    faults
}

/// True for a file in a folder of a package by which a header of the system may ask for its own.
fn is_as_of_a_system(folder: &Path, file: &Path) -> bool {
    let within = file.strip_prefix(folder).ok().and_then(Path::parent);
    let first = within.and_then(|within| within.components().next());
    let is = |first: std::path::Component<'_>| {
        OF_SYSTEMS.iter().any(|known| first.as_os_str().eq_ignore_ascii_case(known))
    };
    first.is_some_and(is)
}

pub(super) fn has_ending(file: &Path, endings: &[&str]) -> bool {
    file.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending))
}

pub(super) fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The package of a header.
pub(super) enum Package {
    /// A package of functions over texts.
    Texts { levels: Vec<ProvedLevel>, files: Vec<File> },
    /// A package for firmware.
    Blocks { core: &'static Core, functions: Vec<ProvedBlocks>, files: Vec<File> },
    /// A package for GPUs.
    Grid { files: Vec<File> },
}

/// The package of a header; `None` if none of its functions was proved.
fn package_of(header: &Path, proofs: &Proofs<'_>) -> Result<Option<Package>, String> {
    let text = regular::read_text(header).map_err(|why| why.sentence().unwrap_or_default())?;
    let name = header.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let all = names(&text)?;
    let named: Vec<_> = proofs.all.iter().filter(|(_, f, _)| all.contains(&f.symbol)).collect();
    if !has_ending(header, &["h"]) && !named.is_empty() {
        return Err("it declares what was proved, and no header of a package has such an ending".into());
    }
    if let Some((_, _, promised)) =
        proofs.all.iter().find(|(_, f, p)| f.symbol == name && matches!(p, Promised::Grid { .. }))
    {
        return of_grid(header, promised);
    }
    let members = proofs.members(&name, &text);
    if !members.is_empty() {
        let levels = as_tried(proofs.levels(&name, &members)?, &text);
        let files = of_texts(this_machine().dialect, &name, &members, &levels);
        return Ok(Some(Package::Texts { levels, files }));
    }
    // Functions in the order of the header's declarations.
    let mut blocks: Vec<(usize, &'static Core, ProvedBlocks)> = Vec::new();
    for (file, finding, promised) in &named {
        let Promised::Blocks { core, contract, alignment, none, variable_time, uncached } = promised else {
            return Err(format!(
                "it declares `{}`, and is not named for it: headers have their package's name",
                finding.symbol
            ));
        };
        let function = ProvedBlocks {
            symbol: finding.symbol.clone(),
            file: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            contract: *contract,
            alignment: *alignment,
            none: *none,
            variable_time: *variable_time,
            uncached: *uncached,
        };
        let prototype = format!("void {}(", finding.symbol);
        blocks.push((text.find(&prototype).unwrap_or(text.len()), core, function));
    }
    blocks.sort_by_key(|(place, ..)| *place);
    let Some((_, core, _)) = blocks.first() else { return Ok(None) };
    let core = *core;
    if let Some((_, other, function)) = blocks.iter().find(|(_, other, _)| other.name != core.name) {
        return Err(format!(
            "it declares functions for {} and `{}` for {}",
            core.name, function.symbol, other.name
        ));
    }
    let functions: Vec<ProvedBlocks> = blocks.into_iter().map(|(_, _, function)| function).collect();
    if let Some(why) = without_schedule(&functions) {
        return Err(why);
    }
    // Packages of version 0.1.0 have no key structures; functions with such names wipe them.
    let keys = all.iter().any(|name| name.ends_with("_wipe"));
    let files = of_blocks(core, &name, &functions, keys).map_err(|e| e.to_string())?;
    Ok(Some(Package::Blocks { core, functions, files }))
}

/// Sorts levels in the order in which a CPU tries them: by the features that the proofs need, then by measured cost,
/// whose order is that of the header's recipe.
fn as_tried(levels: Vec<ProvedLevel>, header: &str) -> Vec<ProvedLevel> {
    let place = |level: &ProvedLevel| {
        let line = format!("level {}", level.level.as_deref().unwrap_or_default());
        let is_line = |l: &str| l.trim_start_matches([' ', '*']).trim_end() == line;
        header.lines().position(is_line).unwrap_or(usize::MAX)
    };
    let needs: Vec<Needs> = levels.iter().map(|level| level.features.iter().copied().collect()).collect();
    let order = by_need(&needs, |i, j| place(&levels[i]) < place(&levels[j]));
    order.into_iter().map(|i| levels[i].clone()).collect()
}

/// The package of a kernel for GPUs, according to the host code beside it.
fn of_grid(header: &Path, promised: &Promised) -> Result<Option<Package>, String> {
    let Promised::Grid { grids, proved } = promised else { return Ok(None) };
    let beside = |ending: &str| header.with_extension(ending).exists();
    let mut files = Vec::new();
    if beside("cu") {
        files.extend(cuda_files(grids, proved).map_err(|e| e.to_string())?);
    }
    for language in grids.others.iter().filter(|language| beside(language.ending)) {
        let text = (language.print)(&proved.kernel().program)?;
        files.extend(opencl_files(grids, proved, (language, &text)));
    }
    Ok(Some(Package::Grid { files }))
}

/// A message for a function that reads round keys in a form that no key schedule of the package makes.
fn without_schedule(functions: &[ProvedBlocks]) -> Option<String> {
    let made = |wanted: (aesmith_cipher::Problem, aesmith_cipher::firmware::Packing)| {
        functions.iter().any(|f| (f.contract.problem, f.contract.packing) == wanted)
    };
    let messages = functions.iter().filter(|f| f.contract.problem.is_message());
    let lacking = |f: &&ProvedBlocks| schedule_of(&f.contract).is_some_and(|wanted| !made(wanted));
    messages.into_iter().find(lacking).map(|f| {
        format!(
            "it declares `{}`, which reads {}, and no key schedule that makes them",
            f.symbol,
            f.contract.packing.name()
        )
    })
}

impl Package {
    pub(super) fn files(&self) -> &[File] {
        match self {
            Package::Texts { files, .. } | Package::Blocks { files, .. } | Package::Grid { files } => files,
        }
    }

    /// True if a file of this name belongs to the package.
    pub(super) fn has(&self, name: &str) -> bool {
        self.files().iter().any(|file| name_of(Path::new(&file.name)) == name)
    }

    /// Files beside the header that differ from those of its functions.
    fn differences(&self, header: &Path, all: &[PathBuf]) -> Vec<Fault> {
        let mut faults = Vec::new();
        for wanted in self.files() {
            let name = name_of(Path::new(&wanted.name));
            let path = Path::new(&name);
            let is_c = has_ending(path, &["h", "c", "cu", "cl"]);
            if is_test(&wanted.name) || !is_c {
                continue;
            }
            for file in all.iter().filter(|file| name_of(file) == name) {
                let found = regular::read_text(file).map_err(|why| why.sentence().unwrap_or_default());
                let why = match found {
                    Ok(found) => self.differs(header, file, wanted, &found),
                    Err(why) => Some(why),
                };
                faults.extend(why.map(|why| (file.clone(), why)));
            }
        }
        faults
    }

    /// The first difference between a C file and the wanted one.
    fn differs(&self, header: &Path, file: &Path, wanted: &File, found: &str) -> Option<String> {
        let stem = header.file_stem().unwrap_or_default().to_string_lossy();
        let is_guarded = wanted.contents.lines().any(|line| line.starts_with("#if !("));
        let differs = match self {
            // C for other processors, which is empty on this one.
            Package::Blocks { core, .. } if is_guarded && name_of(file) == format!("{stem}.c") => {
                is_behind(&format!("#include \"{stem}.h\""), &core.gnu().builds.elsewhere(), found).err()
            }
            _ if has_ending(file, &["cl"]) => opencl_differs(&wanted.contents, found),
            _ => c_differs(&wanted.contents, found),
        };
        let is_header = name_of(file) == name_of(header);
        differs.or_else(|| is_header.then(|| self.said(&wanted.contents, found)).flatten())
    }

    /// The first wrong statement in a header's comments.
    fn said(&self, wanted: &str, found: &str) -> Option<String> {
        match self {
            Package::Grid { .. } => None,
            Package::Texts { levels, .. } => {
                let function = names(wanted).ok()?.into_iter().find(|name| name.ends_with("_supported"))?;
                let wanted = comment_before(wanted, &function)?;
                let needed = match wanted.split_once("). ") {
                    Some((needed, _)) => needed,
                    None => &wanted,
                };
                debug_assert!(needed.starts_with(&asked_of_the_cpu(levels)));
                let said = comment_before(found, &function).unwrap_or_default();
                (!said.contains(needed)).then(|| {
                    format!("above `{function}` it says `{said}`, and the instructions that were proved want `{needed}`")
                })
            }
            Package::Blocks { core, functions, .. } => {
                functions.iter().find_map(|function| said_of_blocks(core, function, wanted, found))
            }
        }
    }
}

/// True for a self-test by its name in a package. A prefix of the package's names may be `selftest_`.
pub(super) fn is_test(name: &str) -> bool {
    let alone = !name.contains('/') && !name.ends_with("_support.c") && name.ends_with(".c");
    name.starts_with("examples/selftest/")
        || name == "selftest.c"
        || (alone && name.starts_with("selftest_"))
        || ["_test.c", "_test.cu"].iter().any(|ending| name.ends_with(ending))
}

/// The first wrong statement in the comment above a function over blocks: its problem, key, or alignment of buffers.
fn said_of_blocks(core: &Core, function: &ProvedBlocks, wanted: &str, found: &str) -> Option<String> {
    let symbol = &function.symbol;
    let wanted = comment_before(wanted, symbol)?;
    let said = comment_before(found, symbol).unwrap_or_default();
    let what = wanted.split_once(&format!(" on {}", core.name)).map_or("", |(what, _)| what);
    let key = wanted.find("`key`").map(|at| &wanted[at..]).and_then(|rest| rest.split_once('.'));
    // A function that accepts zero blocks may be documented for at least one.
    let less = |sentence: &str| said.contains(&sentence.replace(", 0 or more", ", at least 1"));
    for sentence in [what, key.map_or("", |(key, _)| key)] {
        if !said.contains(sentence) && !less(sentence) {
            return Some(format!("above `{symbol}` it does not say `{sentence}`, which is what was proved"));
        }
    }
    let numbers = said.match_indices("multiples of ").filter_map(|(at, mark)| {
        let rest = &said[at + mark.len()..];
        rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse::<u32>().ok()
    });
    let least = u32::from(function.alignment);
    let asks = least > 1 && (core.isa)().about.address >= 32;
    let enough = numbers.filter(|n| *n > 0).any(|n| n.is_multiple_of(least));
    (asks && !enough).then(|| {
        format!("above `{symbol}` it does not say that buffers lie at multiples of {least}, which the proof rests on")
    })
}

/// Files with functions of variable time whose name does not say so.
fn without_mark(found: &[(PathBuf, Verified)]) -> Vec<Fault> {
    let varies = |verified: &Verified| {
        verified.findings.iter().any(|f| f.checked.proof.as_ref().is_ok_and(|p| p.constant_time == "VT"))
    };
    let says = |file: &Path| {
        let name = name_of(file);
        let stem = name.split('.').next().unwrap_or_default();
        stem.ends_with(VARIABLE_TIME_SUFFIX) || says_variable_time(stem)
    };
    let silent = found.iter().filter(|(file, verified)| varies(verified) && !says(file));
    let why = format!(
        "the time of a function in it depends on secrets, and the file's name does not end in `{VARIABLE_TIME_SUFFIX}`"
    );
    silent.map(|(file, _)| (file.clone(), why.clone())).collect()
}
