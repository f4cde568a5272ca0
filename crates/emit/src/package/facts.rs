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
    /// `aesmith_aes256_ctr`, or `aesmith_aes` of several problems: files are named after it, and what is of the package as a
    /// whole.
    pub name: String,
    /// What it is for.
    pub members: Vec<Member>,
    /// Key structures, each with the functions that make and wipe it.
    pub keys: Vec<Key>,
    /// The sets of functions, the one that is preferred first.
    pub levels: Vec<LevelFacts>,
    /// What the package is made of, by problem.
    pub recipes: Vec<(Problem, Recipe)>,
    /// The prefix of its names, where that is not aesmith's.
    pub prefix: Option<String>,
    /// Whether its time depends on secrets.
    pub variable_time: bool,
    /// How the code of its processor stands in files; none where it is C for any.
    pub dialect: Option<&'static Dialect>,
    /// Certificates by the symbol that each is of.
    pub certificates: Vec<(&'p str, &'p Certificate)>,
}

/// A problem that a package is for.
pub(super) struct Member {
    pub problem: Problem,
    /// The public function over messages; of a key schedule by itself, what its key structure is named after.
    pub name: String,
    /// The number of its key structure.
    pub key: usize,
}

/// A key structure, which problems may share.
pub(super) struct Key {
    /// `STEM_key` is the structure, `STEM_init` makes it ready and `STEM_wipe` overwrites it.
    pub stem: String,
    /// The key schedule that makes its round keys.
    pub schedule: Problem,
    /// Its size.
    pub bytes: usize,
}

/// One set of functions.
pub(super) struct LevelFacts {
    /// The level; none where it is the package's only one and its names do not say.
    pub name: Option<String>,
    /// The name of its file: the package's name, or that with the level.
    pub symbol: String,
    /// What it has of each problem of the package.
    pub kernels: Vec<KernelFacts>,
    /// What makes each key of the package ready.
    pub keys: Vec<KeySetUp>,
    /// The CPU features that it needs, in the order in which they are listed.
    pub features: Vec<&'static str>,
}

/// The hidden functions that make a key ready.
pub(super) struct KeySetUp {
    /// The key schedule.
    pub schedule: String,
    /// The builder of the counter table, where a function over messages reads it.
    pub table: Option<String>,
}

/// A function of a level.
pub(super) struct KernelFacts {
    /// Its symbol: the public one, or that with the level.
    pub symbol: String,
    /// How a round is computed, or `c` for a kernel in C.
    pub technique: String,
    /// The variants that it was made of, in words.
    pub variants: Vec<String>,
    /// The hash of its bytes.
    pub sha256: Option<String>,
}

impl KernelFacts {
    /// What `_kernel` says, in parts: technique, variants, hash.
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
    /// The package around these kernels, which are files of C or of assembly.
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
                // What the assembly says of itself is lost where the C beside it does not say it, too.
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
            } else {
                "What is proved of the bytes stands in the `.certificate.json` files; \
                 `aesmith verify` proves it again from the object file."
            },
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

    /// Whether any level reads the counter table of a key structure, so that it has room for it.
    pub fn key_has_table(&self, key: usize) -> bool {
        self.levels.iter().any(|level| level.keys[key].table.is_some())
    }

    /// Whether C chooses among kernels.
    pub fn chooses(&self) -> bool {
        self.levels.len() > 1 || self.levels.iter().any(|level| level.symbol != self.name)
    }

    /// What it is for, if that is one problem.
    pub fn only(&self) -> Option<&Member> {
        let [only] = &self.members[..] else { return None };
        Some(only)
    }

    /// The problems by their names.
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

    /// Whether some CPU can run none of the levels.
    pub fn needs_features(&self) -> bool {
        self.levels.iter().all(|level| !level.features.is_empty())
    }

    /// The kernels in words, for the header and the README: a line for each, then the recipe.
    pub fn about_kernels(&self) -> Vec<String> {
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

    /// What each function takes of memory and leaves behind, and what it costs, a line each; of C nothing is known before it
    /// is compiled.
    pub fn about_functions(&self) -> Vec<String> {
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
