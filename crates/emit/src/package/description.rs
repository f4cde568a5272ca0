//! The one writer of packages: a description says everything that differs between them, as data, and what they have
//! in common is written here.

use super::sizes::{PartSizes, Sizes};
use super::{File, certificate};

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Assembly and certificates, with the header where that is all a caller needs.
    Assembly,
    /// The same functions in C.
    C,
    /// All of it, as a library.
    Package,
}

/// In which folders of a package its files stand: names that end in a slash, or none.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// What is compiled.
    pub sources: &'static str,
    /// Certificates.
    pub certificates: &'static str,
    /// Programs that test it.
    pub tests: &'static str,
}

/// All files in one folder.
pub(super) const FLAT: Places = Places { sources: "", certificates: "", tests: "" };
/// As ecosystems of embedded libraries want it.
pub(super) const IN_FOLDERS: Places =
    Places { sources: "src/", certificates: "certificates/", tests: "examples/selftest/" };

/// A file that is compiled or included, and the forms that have it.
pub(super) struct Source {
    pub forms: &'static [Form],
    pub file: File,
}

impl Source {
    pub fn new(forms: &'static [Form], name: String, contents: String) -> Source {
        Source { forms, file: File { name, contents } }
    }
}

/// A text with marks `@NAME@` in it, and what stands for each; later marks may stand in earlier values.
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

/// What a README says of the licence.
pub(crate) const LICENCE: &str =
    concat!("Licence: ", env!("CARGO_PKG_LICENSE"), ", whichever you choose; both texts are in this folder.");

/// The texts of the licences, which every package has.
pub(crate) fn licences() -> impl Iterator<Item = File> {
    let texts = [
        ("LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
        ("LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
    ];
    texts.into_iter().map(|(name, text)| File { name: name.into(), contents: text.into() })
}

/// What a package is made of, and what its files say.
pub(super) struct Description<'p> {
    /// Every name of the interface begins with it.
    pub name: String,
    /// What it is, without an end: `AES-256-CTR for x86-64`.
    pub what: String,
    pub places: Places,
    /// The header first.
    pub sources: Vec<Source>,
    /// The symbol and the JSON of each function that is proved.
    pub certificates: Vec<(&'p str, &'p str)>,
    /// The self-test.
    pub tests: Vec<File>,
    pub makefile: Template,
    /// What the README says between the first sentence and what is proved.
    pub readme: String,
    /// Where the README finds what is proved.
    pub proof: &'static str,
    /// What other systems ask of a library.
    pub metadata: Vec<File>,
    /// What each function takes of memory, where that is known.
    pub parts: Vec<PartSizes>,
    /// What they take together.
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
    /// The package that is described.
    pub fn package(mut self) -> Package {
        let readme = File { name: "README.md".into(), contents: self.readme() };
        let makefile = File { name: "Makefile".into(), contents: self.makefile.fill() };
        let places = self.places;
        let placed = |forms, folder, file| Placed { forms, folder, file };
        let mut files: Vec<Placed> =
            self.sources.drain(..).map(|s| placed(s.forms, places.sources, s.file)).collect();
        let certificates = self.certificates.iter().map(|(symbol, json)| certificate("", symbol, json));
        files.extend(certificates.map(|c| placed(&[Form::Assembly, Form::Package], places.certificates, c)));
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
    /// What all files are named after.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same with sentences for whoever asked for it.
    pub(super) fn noted(self, notes: Vec<String>) -> Package {
        Package { notes, ..self }
    }

    /// What whoever asked for it should know of how it was made.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The same with the names of the levels that C chooses among.
    pub(super) fn at(self, levels: Vec<String>) -> Package {
        Package { levels, ..self }
    }

    /// The levels that C chooses among, in the order in which a CPU tries them.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// The files of a form; in a package their names may have folders in them.
    pub fn files(&self, form: Form) -> Vec<File> {
        let of_form = self.files.iter().filter(|placed| placed.forms.contains(&form));
        let named = |placed: &Placed| {
            let folder = if form == Form::Package { placed.folder } else { "" };
            File { name: format!("{folder}{}", placed.file.name), ..placed.file.clone() }
        };
        of_form.map(named).collect()
    }

    /// What each of its functions takes of memory, where that is known: not of C, which a compiler has to see first.
    pub fn parts(&self) -> &[PartSizes] {
        &self.parts
    }

    /// What they take in a program that is linked with all of them.
    pub fn sizes(&self) -> Option<Sizes> {
        self.sizes
    }
}
