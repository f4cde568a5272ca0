//! The single writer of all packages: a description contains, as data, everything that differs between them; the common
//! parts are written here.

use super::sizes::{PartSizes, Sizes};
use super::{File, certificate, proof};

/// The parts of a package that are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Assembly and certificates, with the header if a caller needs nothing more.
    Assembly,
    /// C code with the same functions.
    C,
    /// The whole package, as a library.
    Package,
}

/// The folders for the files of a package: names that end in a slash, or empty.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// Files that are compiled.
    pub sources: &'static str,
    /// Certificates.
    pub certificates: &'static str,
    /// Test programs.
    pub tests: &'static str,
}

/// All files in one folder.
pub(super) const FLAT: Places = Places { sources: "", certificates: "", tests: "" };
/// Folders as ecosystems of embedded libraries expect them.
pub(super) const IN_FOLDERS: Places =
    Places { sources: "src/", certificates: "certificates/", tests: "examples/selftest/" };

/// A file that is compiled or included, and the forms that contain it.
pub(super) struct Source {
    pub forms: &'static [Form],
    pub file: File,
}

impl Source {
    pub fn new(forms: &'static [Form], name: String, contents: String) -> Source {
        Source { forms, file: File { name, contents } }
    }
}

/// A text with marks `@NAME@` and their values. A value may contain marks that come later in the list.
pub(super) struct Template {
    pub text: &'static str,
    pub values: Vec<(&'static str, String)>,
}

impl Template {
    pub fn fill(&self) -> String {
        let fill = |text: String, (mark, value): &(&str, String)| text.replace(&format!("@{mark}@"), value);
        self.values.iter().fold(self.text.to_owned(), fill)
    }
}

/// The README's sentence on the licence.
pub(crate) const LICENCE: &str =
    concat!("Licence: ", env!("CARGO_PKG_LICENSE"), ", whichever you choose; both texts are in this folder.");

/// The licence texts, which every package contains.
pub(crate) fn licences() -> impl Iterator<Item = File> {
    let texts = [
        ("LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
        ("LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
    ];
    texts.into_iter().map(|(name, text)| File { name: name.into(), contents: text.into() })
}

/// The parts of a package and the contents of its files.
pub(super) struct Description<'p> {
    /// The prefix of all names of the interface.
    pub name: String,
    /// The package in words, without a full stop: `AES-256-CTR for x86-64`.
    pub what: String,
    pub places: Places,
    /// Source files, the header first.
    pub sources: Vec<Source>,
    /// The symbol and the JSON of each function that is proved.
    pub certificates: Vec<(&'p str, &'p str)>,
    /// The symbol and the proof of each function that the checker of proofs accepts.
    pub proofs: Vec<(&'p str, &'p str)>,
    /// The self-test.
    pub tests: Vec<File>,
    pub makefile: Template,
    /// The README's text between the first sentence and the proved facts.
    pub readme: String,
    /// The place of the proved facts, for the README.
    pub proof: &'static str,
    /// Files that other systems need for a library.
    pub metadata: Vec<File>,
    /// The memory use of each function, if known.
    pub parts: Vec<PartSizes>,
    /// Their total memory use.
    pub sizes: Option<Sizes>,
}

/// A package, ready to be written in any form.
#[derive(Debug)]
pub struct Package {
    name: String,
    files: Vec<Placed>,
    parts: Vec<PartSizes>,
    sizes: Option<Sizes>,
    notes: Vec<String>,
    levels: Vec<String>,
}

/// A file of a package.
#[derive(Debug)]
struct Placed {
    forms: &'static [Form],
    folder: &'static str,
    file: File,
}

impl Description<'_> {
    /// Returns the package.
    pub fn package(mut self) -> Package {
        let readme = File { name: "README.md".into(), contents: self.readme() };
        let makefile = File { name: "Makefile".into(), contents: self.makefile.fill() };
        let places = self.places;
        let placed = |forms, folder, file| Placed { forms, folder, file };
        let mut files: Vec<Placed> =
            self.sources.drain(..).map(|s| placed(s.forms, places.sources, s.file)).collect();
        let certificates = self.certificates.iter().map(|(symbol, json)| certificate("", symbol, json));
        let proofs = self.proofs.iter().map(|(symbol, text)| proof("", symbol, text));
        let proved = certificates.chain(proofs);
        files.extend(proved.map(|c| placed(&[Form::Assembly, Form::Package], places.certificates, c)));
        let of_package = |folder| move |file| placed(&[Form::Package], folder, file);
        files.extend(self.tests.into_iter().map(of_package(places.tests)));
        let around = [readme, makefile].into_iter().chain(licences()).chain(self.metadata);
        files.extend(around.map(of_package("")));
        Package {
            name: self.name,
            files,
            parts: self.parts,
            sizes: self.sizes,
            notes: Vec::new(),
            levels: Vec::new(),
        }
    }

    fn readme(&self) -> String {
        format!(
            "# {}\n\n{}, written by aesmith {}.\n\n{}{}\n\n{}\n",
            self.name,
            self.what,
            env!("CARGO_PKG_VERSION"),
            self.readme,
            self.proof,
            LICENCE,
        )
    }
}

impl Package {
    /// The base name of all files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds notes for the user.
    pub(super) fn noted(self, notes: Vec<String>) -> Package {
        Package { notes, ..self }
    }

    /// Notes for the user on how the package was made.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Sets the names of the levels that C chooses among.
    pub(super) fn at(self, levels: Vec<String>) -> Package {
        Package { levels, ..self }
    }

    /// The levels that C chooses among, in the order in which a CPU tries them.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// Returns the files of a form; in a package their names may contain folders.
    pub fn files(&self, form: Form) -> Vec<File> {
        let of_form = self.files.iter().filter(|placed| placed.forms.contains(&form));
        let named = |placed: &Placed| {
            let folder = if form == Form::Package { placed.folder } else { "" };
            File { name: format!("{folder}{}", placed.file.name), ..placed.file.clone() }
        };
        of_form.map(named).collect()
    }

    /// The memory use of each function, if known; it is not known for C before compilation.
    pub fn parts(&self) -> &[PartSizes] {
        &self.parts
    }

    /// Their memory use in a program that is linked with all of them.
    pub fn sizes(&self) -> Option<Sizes> {
        self.sizes
    }
}
