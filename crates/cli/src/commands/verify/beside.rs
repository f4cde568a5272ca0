//! Definitions of a package's code beside the kernels. A build that takes another definition of the package's C, of a
//! kernel's companion or of a library's function does not run what was compared and proved.

use super::STRIPPED;
use super::code::Inside;
use super::expected::declared;
use super::package::{Fault, Package, has_ending, is_test, name_of};
use aesmith_emit::objects::{Beside, is_for_linkers};
use aesmith_emit::{chooses_among, is_shared_table, owner};
use aesmith_processor::core::IN_REGISTERS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The definitions in a file of code.
pub(super) struct Defined {
    file: PathBuf,
    /// The proved functions, each with the member of the archive.
    claims: BTreeSet<(Option<String>, String)>,
    /// Functions for problems that it calls and does not define.
    called: BTreeSet<String>,
    beside: Beside,
    stripped: bool,
}

impl Defined {
    pub(super) fn new(file: &Path, inside: &Inside) -> Defined {
        let claims = inside.claims.iter().map(|claim| (claim.member.clone(), claim.symbol.clone()));
        let (called, beside) = (inside.missing.clone(), inside.beside.clone());
        Defined { file: file.to_owned(), claims: claims.collect(), called, beside, stripped: inside.stripped }
    }

    fn is_text(&self) -> bool {
        has_ending(&self.file, &["S", "s"])
    }

    /// True if the member has a kernel.
    fn has_kernel(&self, member: &Option<String>) -> bool {
        self.claims.iter().any(|(of, _)| of == member)
    }

    /// True for a library or an archive.
    fn is_library(&self) -> bool {
        self.beside.is_linked || self.beside.names.iter().any(|(member, _)| member.is_some())
    }

    /// Kernels that the package's C in a library calls, and that the library neither has nor takes from elsewhere: what
    /// this C calls instead is not known.
    fn of_calls(&self, owners: &BTreeMap<String, BTreeSet<String>>, kernels: &BTreeSet<&str>) -> Vec<Fault> {
        let has = |kernel: &str| {
            self.called.contains(kernel) || self.claims.iter().any(|(_, symbol)| symbol == kernel)
        };
        let own = self.beside.names.iter().filter(|(_, name)| self.is_library() && owners.contains_key(name));
        let stripped = if self.stripped { STRIPPED } else { "" };
        own.filter_map(|(member, name)| {
            let kernel = kernels.iter().find(|kernel| calls(name, kernel) && !has(kernel))?;
            let why = format!(
                "it defines `{name}` of the package's C, and not `{kernel}`, which that calls: what it calls instead is not \
                 proved{stripped}"
            );
            Some(self.fault(member.as_ref(), &why))
        })
        .collect()
    }

    /// True if a name is one that emitted assembly defines: a function that was proved, its function on a block in
    /// registers, its labels for linkers, or a table that kernels share.
    fn is_emitted(&self, member: &Option<String>, name: &str) -> bool {
        let claimed = |name: &str| self.claims.contains(&(member.clone(), name.to_owned()));
        let mut here = self.claims.iter().filter(|(of, _)| of == member);
        claimed(name)
            || name.strip_suffix(IN_REGISTERS).is_some_and(claimed)
            || is_shared_table(name)
            || here.any(|(_, function)| is_for_linkers(function, name))
    }

    /// True if a member, or the file itself, has the name of an object that builds make of one of some texts, given
    /// without endings. Some builds put a word before it, or the folder.
    fn is_made_of(&self, member: &Option<String>, texts: &BTreeSet<String>) -> bool {
        let built = member.clone().unwrap_or_else(|| name_of(&self.file));
        let built = built.rsplit('/').next().unwrap_or_default();
        let stem = built.split('.').next().unwrap_or_default();
        texts.contains(stem) || stem.rsplit_once('-').is_some_and(|(_, stem)| texts.contains(stem))
    }

    fn fault(&self, member: Option<&String>, why: &str) -> Fault {
        let of = member.map_or(String::new(), |member| format!("its member {member}: "));
        (self.file.clone(), format!("{of}{why}"))
    }

    /// Names and sections of kernels' members that emitted assembly does not have.
    fn of_kernels(&self, folder: &Path) -> Vec<Fault> {
        let mut faults = Vec::new();
        let sections = self.beside.sections.iter().map(|(member, section)| {
            (member, format!("a section `{section}`, which may run though nothing calls it"))
        });
        let started = self.beside.started.iter();
        let started =
            started.map(|(member, what)| (member, format!("{what}, which runs as a program starts")));
        for (member, what) in sections.chain(started) {
            if (self.has_kernel(member) || self.is_text()) && !self.beside.is_linked {
                let why = format!("it has {what}, and no kernel has one");
                faults.push(self.fault(member.as_ref(), &why));
            }
        }
        // Builds that take all sources take other assembly there, too.
        let is_taken = self.file.parent() == Some(&*folder.join("src"));
        for (member, name) in &self.beside.names {
            let is_kernels = self.has_kernel(member) && !self.beside.is_linked;
            if (is_kernels || self.is_text() && is_taken) && !self.is_emitted(member, name) {
                let why = format!(
                    "it defines `{name}`, which no kernel does, and which linkers may take in the place of another of \
                     that name"
                );
                faults.push(self.fault(member.as_ref(), &why));
            }
        }
        faults
    }

    /// Definitions of the package's names where they do not belong. `owners` gives the texts that define a name, and
    /// `texts` the names of all without endings.
    fn of_names(
        &self,
        (owners, texts): (&BTreeMap<String, BTreeSet<String>>, &BTreeSet<String>),
        kernels: &BTreeSet<&str>,
    ) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut once: BTreeMap<&str, &Option<String>> = BTreeMap::new();
        for (member, name) in &self.beside.names {
            let Some(texts) = owners.get(name) else { continue };
            if let Some(other) = once.insert(name, member) {
                let of = |member: &Option<String>| member.clone().unwrap_or_default();
                let why = format!(
                    "it defines `{name}` of the package's C twice, in {} and {}: one of them is not what was compared",
                    of(other),
                    of(member)
                );
                faults.push(self.fault(None, &why));
                continue;
            }
            let belongs = match self.beside.is_linked {
                true => !self.claims.is_empty(),
                false => !self.is_text() && self.is_made_of(member, texts),
            };
            if !belongs {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text}.c")).collect();
                let why = format!(
                    "it defines `{name}`, and that is a function of {}, which linkers may leave out in its favour",
                    texts.join(", ")
                );
                faults.push(self.fault(member.as_ref(), &why));
            }
        }
        for (member, name) in &self.beside.names {
            let kernel = name.strip_suffix(IN_REGISTERS).filter(|kernel| kernels.contains(*kernel));
            if kernel.is_some() && !self.is_emitted(member, name) {
                let why = format!(
                    "it defines `{name}`, and has not the kernel that this belongs to: linkers may take it in the place of \
                     the one that was proved"
                );
                faults.push(self.fault(member.as_ref(), &why));
            }
        }
        // The package's C by its name, which may define nothing.
        for member in self.beside.unknown.iter().filter(|member| !self.is_made_of(member, texts)) {
            let why = "it is compiled when it is linked, and does not tell which names it defines: those of the package \
                       may be among them";
            faults.push(self.fault(member.as_ref(), why));
        }
        faults
    }
}

/// True if a function of a package's C calls a kernel: it prepares a key by the key schedule or the table of this name, or
/// of a level of it, or chooses among kernels of levels.
fn calls(function: &str, kernel: &str) -> bool {
    let owner = owner(kernel);
    match function.strip_suffix("_init") {
        Some(key) => owner != kernel && (key == owner || chooses_among(key, &[owner])),
        None => owner == kernel && chooses_among(function, &[kernel]),
    }
}

/// The functions of the package's C, each with the stems of the texts that define it.
fn owners(packages: &[(PathBuf, Package)], kernels: &BTreeSet<&str>) -> BTreeMap<String, BTreeSet<String>> {
    let mut owners: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (_, package) in packages {
        for file in package.files().iter().filter(|f| f.name.ends_with(".c") && !is_test(&f.name)) {
            let stem = name_of(Path::new(&file.name)).trim_end_matches(".c").to_owned();
            // In the C that aesmith writes a definition begins at the margin.
            let begins = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphabetic());
            let plain = |line: &&str| !["static ", "typedef "].iter().any(|word| line.starts_with(word));
            for line in file.contents.lines().filter(begins).filter(plain) {
                let name = declared(line).next().unwrap_or_default();
                if !name.is_empty() && !kernels.contains(name) {
                    owners.entry(name.to_owned()).or_default().insert(stem.clone());
                }
            }
        }
    }
    owners
}

/// Definitions and sections in a folder of packages that do not belong to them.
pub(super) fn faults(folder: &Path, packages: &[(PathBuf, Package)], defined: &[Defined]) -> Vec<Fault> {
    let kernels = defined.iter().flat_map(|one| one.claims.iter().map(|(_, symbol)| symbol.as_str()));
    let kernels: BTreeSet<&str> = kernels.collect();
    let owners = owners(packages, &kernels);
    let files = packages.iter().flat_map(|(_, package)| package.files());
    let names = files.map(|file| name_of(Path::new(&file.name)));
    let texts: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".c").map(str::to_owned)).collect();
    let mut faults: Vec<Fault> = Vec::new();
    for one in defined {
        faults.extend(one.of_kernels(folder));
        faults.extend(one.of_names((&owners, &texts), &kernels));
        faults.extend(one.of_calls(&owners, &kernels));
    }
    faults
}
