//! What the printers of a package's files need to know, and the files that are the same for every
//! problem but for names.

use super::description::{Description, FLAT, Form, Source, Template};
use super::sizes::{PartSizes, Sizes};
use super::{File, header, selftest, support};
use crate::recipe::Recipe;
use crate::{Certificate, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_processor::dialect::Dialect;

/// The kernel in assembly or C: by itself, or in the package.
const KERNEL: &[Form] = &[Form::Assembly, Form::Package];
/// What is of use beside the key set-up alone.
const BESIDE: &[Form] = &[Form::Package];

/// The number of the interface of packages over texts: it changes where programs must be compiled again.
const INTERFACE: u32 = 0;

/// What a package's files say.
pub(super) struct Facts<'p> {
    pub problem: Problem,
    /// `aesmith_aes256_ctr`: every name of the interface begins with it.
    pub name: String,
    /// Bytes of the key structure.
    pub key_bytes: usize,
    /// The sets of functions, the one that is preferred first.
    pub levels: Vec<LevelFacts>,
    /// What the package is made of.
    pub recipe: Recipe,
    /// Whether its time depends on secrets.
    pub variable_time: bool,
    /// How the code of its processor stands in files; none where it is C for any.
    pub dialect: Option<&'static Dialect>,
    /// Certificates by the symbol that each is of.
    pub certificates: Vec<(&'p str, &'p Certificate)>,
}

/// One set of functions.
pub(super) struct LevelFacts {
    /// The level; none where it is the package's only one and its names do not say.
    pub name: Option<String>,
    /// What its symbols begin with: the package's name, or that with the level.
    pub symbol: String,
    /// How a round is computed, or `c` for a kernel in C.
    pub technique: String,
    /// The variants of the function that the package is for, in words.
    pub variants: Vec<String>,
    /// The hash of that function's bytes.
    pub sha256: Option<String>,
    /// Whether its function over messages reads the counter table.
    pub table: bool,
    /// The CPU features that it needs, in the order in which they are listed.
    pub features: Vec<&'static str>,
}

impl LevelFacts {
    /// What `_kernel` says, in parts: technique, variants, hash.
    pub fn kernel(&self) -> Vec<String> {
        let mut parts = vec![self.technique.clone()];
        parts.extend(self.variants.iter().cloned());
        parts.extend(self.symbol.ends_with(VARIABLE_TIME_SUFFIX).then(|| "variable time".to_owned()));
        parts.extend(self.sha256.iter().map(|hash| format!("sha256={hash}")));
        parts
    }

    fn technique_in_words(&self) -> String {
        if self.sha256.is_some() { format!("technique {}", self.technique) } else { "C".into() }
    }
}

impl<'p> Facts<'p> {
    /// The package around these kernels, which are files of C or of assembly.
    pub fn description(self, kernels: Vec<File>, extension: &str) -> Description<'p> {
        let name = &self.name;
        let of_c = if extension == "c" { " $(WARNINGS)" } else { "" };
        let objects: Vec<String> = self.levels.iter().map(|level| format!("{}.o", level.symbol)).collect();
        let makefile = Template {
            text: include_str!("template/texts/Makefile"),
            values: vec![
                ("NAME", name.clone()),
                ("KERNELS", objects.join(" ")),
                ("EXTENSION", extension.into()),
                ("KERNEL_WARNINGS", of_c.into()),
                // What the assembly says of itself is lost where the C beside it does not say it, too.
                ("ENFORCED", self.dialect.map_or("", |dialect| dialect.protection).into()),
                ("DESCRIPTION", format!("{} for {}, by aesmith", self.problem, self.processors())),
                ("VERSION", env!("CARGO_PKG_VERSION").into()),
                ("SOVERSION", format!("{INTERFACE}.{}", self.key_bytes)),
            ],
        };
        let header = Source::new(BESIDE, format!("{name}.h"), header::of_texts(&self));
        let support = Source::new(BESIDE, format!("{name}_support.c"), support::support(&self));
        let kernels = kernels.into_iter().map(|file| Source { forms: KERNEL, file });
        Description {
            what: format!(
                "{} for {}{}",
                self.problem.meaning(),
                self.processors(),
                self.dialect.map_or(String::new(), |dialect| format!(" ({})", dialect.convention))
            ),
            places: FLAT,
            sources: [header].into_iter().chain(kernels).chain([support]).collect(),
            tests: vec![File { name: "selftest.c".into(), contents: selftest::of_texts(&self) }],
            makefile,
            readme: self.readme(),
            proof: if self.certificates.is_empty() {
                "There is no certificate: the kernel was not proved in this form."
            } else {
                "What is proved of the bytes stands in the `.certificate.json` files; \
                 `aesmith verify` proves it again from the object file."
            },
            licences: true,
            metadata: Vec::new(),
            parts: self.parts(),
            sizes: self.sizes(),
            certificates: self.certificates.iter().map(|(symbol, c)| (*symbol, c.json.as_str())).collect(),
            name: self.name,
        }
    }

    /// What each function takes of memory. A package of several levels has all of them, and a CPU runs one.
    fn parts(&self) -> Vec<PartSizes> {
        let part = |(symbol, c): &(&str, &Certificate)| {
            Some(PartSizes { symbol: (*symbol).to_owned(), sizes: c.sizes? })
        };
        self.certificates.iter().filter_map(part).collect()
    }

    /// What they take together; unknown of C.
    fn sizes(&self) -> Option<Sizes> {
        self.parts().into_iter().map(|part| part.sizes).reduce(Sizes::beside)
    }

    /// Whether any level reads the counter table, so that the key structure has room for it.
    pub fn has_table(&self) -> bool {
        self.levels.iter().any(|level| level.table)
    }

    /// Whether C chooses among kernels.
    pub fn chooses(&self) -> bool {
        self.levels.len() > 1 || self.levels.iter().any(|level| level.symbol != self.name)
    }

    /// Whether some CPU can run none of the levels.
    pub fn needs_features(&self) -> bool {
        self.levels.iter().all(|level| !level.features.is_empty())
    }

    /// The kernels in words, for the header and the README: a line for each, then the recipe.
    pub fn about_kernels(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for level in &self.levels {
            let of = level.name.as_ref().map_or(String::new(), |name| format!(" of the level {name}"));
            let hash = level.sha256.as_ref().map_or(String::new(), |hash| format!(", SHA-256 {hash}"));
            lines.push(format!("Kernel{of}: {}{hash}", level.technique_in_words()));
        }
        lines.push(
            "Its recipe, of which `aesmith emit --variant` makes the same again from this very file:".into(),
        );
        lines.extend(self.recipe.lines());
        lines
    }

    /// What CPU the package needs, in words.
    pub fn needs(&self) -> String {
        let of = |level: &LevelFacts| match level.features.join(", ") {
            none if none.is_empty() => format!("no feature beyond {}", self.processors()),
            names => names,
        };
        match &self.levels[..] {
            [only] => of(only),
            levels => {
                let name = |level: &LevelFacts| level.name.clone().unwrap_or_default();
                let levels: Vec<String> =
                    levels.iter().map(|level| format!("{}: {}", name(level), of(level))).collect();
                levels.join("; ")
            }
        }
    }

    /// What it runs on.
    pub fn processors(&self) -> &'static str {
        self.dialect.map_or("any processor", |dialect| dialect.name)
    }

    fn readme(&self) -> String {
        let name = &self.name;
        let needs = match (self.dialect.is_none(), self.needs_features(), self.chooses()) {
            (true, ..) => "It needs nothing but a C compiler.".to_owned(),
            (_, false, false) => format!("It runs on every CPU; `{name}_supported()` is always 1."),
            (_, true, false) => {
                format!(
                    "It needs a CPU with {}; `{name}_supported()` says whether this one will do.",
                    self.needs()
                )
            }
            (_, some_need, true) => format!(
                "A CPU runs the first of these kernels that it can, which is found out once: {}. {}",
                self.needs(),
                if some_need {
                    format!("`{name}_supported()` says whether this one can run any.")
                } else {
                    format!("Every CPU can run the last; `{name}_supported()` is always 1.")
                }
            ),
        };
        let variable_time = if self.variable_time {
            "**Variable time**: tables are read at addresses that depend on key and text, so whoever can watch \
             the data cache may learn them. Every symbol and file says so by `_vt`.\n\n"
        } else {
            ""
        };
        format!(
            "{variable_time}```\n{}\n```\n\n{needs}\n\n\
             ```\nmake            # lib{name}.a\nmake check      # self-test\n\
             cc app.c -I. -L. -l{name}\nmake install PREFIX=/usr/local   # LIBDIR, INCLUDEDIR, DATADIR and DESTDIR, too\n```\n\n",
            self.about_kernels().join("\n"),
        )
    }
}
