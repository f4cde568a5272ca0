//! The data for the printers of a package's files, and the files that differ between problems only in names.

use super::description::{Description, FLAT, Form, Source, Template};
use super::sizes::{PartSizes, Sizes};
use super::{File, header, selftest, support};
use crate::recipe::Recipe;
use crate::{CodeFacts, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_processor::dialect::Dialect;

/// The kernel in assembly or C: by itself, or in the package.
const KERNEL: &[Form] = &[Form::Assembly, Form::Package];
/// Files that are useful only beside the key set-up.
const BESIDE: &[Form] = &[Form::Package];

/// The version of the interface of packages over texts; it changes when programs must be recompiled.
const INTERFACE: u32 = 0;

/// The contents of a package's files.
pub(super) struct Facts<'p> {
    /// The name of files and of everything that concerns the whole package: `aesmith_aes256_ctr`, or `aesmith_aes` for
    /// several problems.
    pub name: String,
    /// Its problems.
    pub members: Vec<Member>,
    /// Key structures, each with the functions that make and wipe it.
    pub keys: Vec<Key>,
    /// The sets of functions, in order of preference.
    pub levels: Vec<LevelFacts>,
    /// The recipe of each problem.
    pub recipes: Vec<(Problem, Recipe)>,
    /// The prefix of its names, if it is not aesmith's.
    pub prefix: Option<String>,
    /// True if its time depends on secrets.
    pub variable_time: bool,
    /// The dialect of its processor; `None` for C for any processor.
    pub dialect: Option<&'static Dialect>,
    /// Certificates, by symbol.
    pub certificates: Vec<(&'p str, &'p CodeFacts)>,
}

/// A problem of a package.
pub(super) struct Member {
    pub problem: Problem,
    /// The public function over messages; for a key schedule alone, the name of its key structure.
    pub name: String,
    /// The number of its key structure.
    pub key: usize,
}

/// A key structure, which problems may share.
pub(super) struct Key {
    /// `STEM_key` is the structure, `STEM_init` sets it up and `STEM_wipe` overwrites it.
    pub stem: String,
    /// The key schedule that computes its round keys.
    pub schedule: Problem,
    /// The set-up of its table, if some level's kernel reads it.
    pub table: Option<Problem>,
    /// Its size in bytes.
    pub bytes: usize,
}

/// One set of functions.
pub(super) struct LevelFacts {
    /// The level; `None` if it is the package's only one and not part of names.
    pub name: Option<String>,
    /// The name of its file: the package's name, with the level if there is one.
    pub symbol: String,
    /// Its kernel for each problem of the package.
    pub kernels: Vec<KernelFacts>,
    /// The set-up of each key of the package.
    pub keys: Vec<KeySetUp>,
    /// The CPU features that it needs, in the order of the list of features.
    pub features: Vec<&'static str>,
}

/// The hidden functions that set up a key.
pub(super) struct KeySetUp {
    /// The key schedule.
    pub schedule: String,
    /// The builder of the key's table, if a function over messages reads it.
    pub table: Option<String>,
}

/// A function of a level.
pub(super) struct KernelFacts {
    /// Its symbol: the public one, with the level if there is one.
    pub symbol: String,
    /// The technique of a round, or `c` for a kernel in C.
    pub technique: String,
    /// The variants that it was made from, in words.
    pub variants: Vec<String>,
    /// The hash of its bytes.
    pub sha256: Option<String>,
}

impl KernelFacts {
    /// The parts of the text that `_kernel` returns: technique, variants, hash.
    pub fn parts(&self) -> Vec<String> {
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
    /// Returns the description of the package with these kernels, which are files of C or assembly.
    pub fn description(self, kernels: Vec<File>, extension: &str) -> Description<'p> {
        let name = &self.name;
        let tests = selftest::of_texts(&self);
        let programs: Vec<&str> = tests.iter().filter_map(|file| file.name.strip_suffix(".c")).collect();
        let of_c = if extension == "c" { " $(WARNINGS)" } else { "" };
        let objects: Vec<String> = self.levels.iter().map(|level| format!("{}.o", level.symbol)).collect();
        let makefile = Template {
            text: include_str!("template/texts/Makefile"),
            values: vec![
                ("NAME", name.clone()),
                ("KERNELS", objects.join(" ")),
                ("EXTENSION", extension.into()),
                ("KERNEL_WARNINGS", of_c.into()),
                // The assembly's protection is lost in a program if the C beside it does not enable it, too.
                ("ENFORCED", self.dialect.map_or("", |dialect| dialect.protection).into()),
                ("TESTS", programs.join(" ")),
                ("DESCRIPTION", format!("{} for {}, by aesmith", self.problems(), self.processors())),
                ("VERSION", env!("CARGO_PKG_VERSION").into()),
                (
                    "SOVERSION",
                    format!("{INTERFACE}.{}", self.keys.iter().map(|key| key.bytes).sum::<usize>()),
                ),
            ],
        };
        let header = Source::new(BESIDE, format!("{name}.h"), header::of_texts(&self));
        let support = Source::new(BESIDE, format!("{name}_support.c"), support::support(&self));
        let kernels = kernels.into_iter().map(|file| Source { forms: KERNEL, file });
        Description {
            what: format!(
                "{} for {}{}",
                self.meaning(),
                self.processors(),
                self.dialect.map_or(String::new(), |dialect| format!(" ({})", dialect.convention))
            ),
            places: FLAT,
            sources: [header].into_iter().chain(kernels).chain([support]).collect(),
            tests,
            makefile,
            readme: self.readme(),
            proof: if self.certificates.is_empty() {
                "There is no certificate: the kernel was not proved in this form."
            } else if self.certificates.iter().any(|(_, c)| c.proof.is_some()) {
                "The `.certificate.json` files state what is proved about the bytes; \
                 `aesmith verify` proves it again from the object file. The `.proof` files are proofs of the same bytes, \
                 which `aesmith-check` judges without the prover."
            } else {
                "The `.certificate.json` files state what is proved about the bytes; \
                 `aesmith verify` proves it again from the object file."
            },
            metadata: Vec::new(),
            parts: self.parts(),
            sizes: self.sizes(),
            certificates: self.certificates.iter().map(|(symbol, c)| (*symbol, c.json.as_str())).collect(),
            proofs: self.certificates.iter().filter_map(|(s, c)| Some((*s, c.proof.as_deref()?))).collect(),
            name: self.name,
        }
    }

    /// The memory use of each function. A package of several levels contains all of them, but a CPU runs only one.
    fn parts(&self) -> Vec<PartSizes> {
        let part = |(symbol, c): &(&str, &CodeFacts)| {
            Some(PartSizes { symbol: (*symbol).to_owned(), sizes: c.sizes?, tuned: c.tuned })
        };
        self.certificates.iter().filter_map(part).collect()
    }

    /// Their total memory use; unknown for C.
    fn sizes(&self) -> Option<Sizes> {
        self.parts().into_iter().map(|part| part.sizes).reduce(Sizes::beside)
    }

    /// True if C chooses among kernels.
    pub fn chooses(&self) -> bool {
        self.levels.len() > 1 || self.levels.iter().any(|level| level.symbol != self.name)
    }

    /// Its problem, if there is only one.
    pub fn only(&self) -> Option<&Member> {
        let [only] = &self.members[..] else { return None };
        Some(only)
    }

    /// The names of the problems.
    fn problems(&self) -> String {
        self.members.iter().map(|member| member.problem.to_string()).collect::<Vec<_>>().join(", ")
    }

    /// The problems in words.
    pub fn meaning(&self) -> String {
        match self.only() {
            Some(only) => only.problem.meaning(),
            None => self.problems(),
        }
    }

    /// True if there may be a CPU that can run none of the levels.
    pub(crate) fn needs_features(&self) -> bool {
        self.levels.iter().all(|level| !level.features.is_empty())
    }

    /// The kernels in words, for the header and the README: a line for each, then the recipe.
    pub(crate) fn about_kernels(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for level in &self.levels {
            for (member, kernel) in self.members.iter().zip(&level.kernels) {
                let problem = match self.only() {
                    Some(_) => String::new(),
                    None => format!(" of {}", member.problem),
                };
                let of = level.name.as_ref().map_or(String::new(), |name| format!(" of the level {name}"));
                let hash = kernel.sha256.as_ref().map_or(String::new(), |hash| format!(", SHA-256 {hash}"));
                lines.push(format!("Kernel{problem}{of}: {}{hash}", kernel.technique_in_words()));
            }
        }
        lines.push(
            "Its recipe, of which `aesmith emit --variant` makes the same again from this very file:".into(),
        );
        lines.push(format!("version {}", env!("CARGO_PKG_VERSION")));
        lines.extend(self.prefix.iter().map(|prefix| format!("prefix {prefix}")));
        for (problem, recipe) in &self.recipes {
            lines.extend(self.only().is_none().then(|| format!("recipe {problem}")));
            lines.extend(recipe.lines());
        }
        lines
    }

    /// The memory use, leftovers and costs of each function, one a line; for C they are unknown before compilation.
    pub(crate) fn about_functions(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (symbol, c) in &self.certificates {
            let Some(sizes) = c.sizes else { continue };
            let left = if c.wiped { "leaves no secret" } else { "may leave secrets" };
            let red_zone = match c.red_zone {
                Some(0) => "; does not use the red zone".to_owned(),
                Some(bytes) => format!("; uses {bytes} bytes of the red zone below the stack pointer"),
                None => String::new(),
            };
            lines.push(format!(
                "{symbol}: {} bytes of code, {} of constants, {} of stack; {left} in registers or on the stack{red_zone}",
                sizes.flash - c.constants,
                c.constants,
                sizes.stack,
            ));
            lines.extend(c.costs.iter().map(|cost| format!("    {cost}")));
        }
        if let Some(all) = self.sizes().filter(|_| lines.len() > 1) {
            lines.push(format!("Together: {} bytes of code and constants", all.flash));
        }
        lines
    }

    /// The required CPU features in words.
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

    /// The processors that it runs on.
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
        let functions = self.about_functions();
        let functions = match functions.is_empty() {
            true => String::new(),
            false => format!(
                "## Functions\n\nBuffers and keys may lie at any address. Keys are wiped by `_wipe`.\n\n```\n{}\n```\n\n",
                functions.join("\n")
            ),
        };
        format!(
            "{variable_time}```\n{}\n```\n\n{needs}\n\n{functions}\
             ```\nmake            # lib{name}.a\nmake check      # self-test\n\
             cc app.c -I. -L. -l{name}\nmake install PREFIX=/usr/local   # LIBDIR, INCLUDEDIR, DATADIR and DESTDIR, too\n```\n\n",
            self.about_kernels().join("\n"),
        )
    }
}
