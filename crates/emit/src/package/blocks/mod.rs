//! Packages over whole blocks, for firmware: assembly and its header, C with the same functions, a self-test, and the
//! files that Arduino, PlatformIO, Zephyr and make need for a library.

pub(super) mod keys;
mod words;

use crate::c::portable::{firmware as portable, run_time};
use crate::gnu::assembly;
use crate::gnu::reach::Near;
use crate::names::prefix_of_blocks;
use crate::package::description::{Description, Form, IN_FOLDERS, Package, Source, Template};
use crate::package::ecosystems::Ecosystems;
use crate::package::sizes::{PartSizes, Sizes, sizes};
use crate::package::{File, header, selftest};
use crate::part::{Part, Role, by_code, schedule_of};
use crate::{EmitError, Function, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_processor::core::Core;
use aesmith_processor::gnu::Gnu;

/// All forms.
const ALWAYS: &[Form] = &[Form::Assembly, Form::C, Form::Package];
/// The forms with assembly.
const ASSEMBLY: &[Form] = &[Form::Assembly, Form::Package];
/// C that replaces the assembly on every processor.
const C_ALONE: &[Form] = &[Form::C];
/// C beside the assembly, for other processors.
const BESIDE: &[Form] = &[Form::Package];

/// The scope of a package over whole blocks, which determines its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One problem, in one direction or both: `aesmith_aes128_ecb_avr`.
    Problem,
    /// One task with all key sizes, and functions that choose the size at run time: `aesmith_aes_ecb_avr`.
    AnyKey,
    /// Several problems: `aesmith_aes_avr`.
    Several,
}

impl Package {
    /// Makes a package of kernels for one processor: messages, and the key schedules that they need.
    ///
    /// # Errors
    /// No kernel, a kernel that is machine code or not proved, a message without its key schedule; metadata that cannot
    /// be written.
    pub fn of_blocks(
        core: &'static Core,
        functions: &[Function],
        scope: Scope,
    ) -> Result<Package, EmitError> {
        let parts = functions.iter().map(Part::of).collect::<Result<Vec<_>, _>>()?;
        let first = parts.first().ok_or_else(|| EmitError("a package needs a kernel".into()))?;
        complete(&parts)?;
        let name = name(core, first.problem(), &parts, scope);
        Blocks { core, gnu: core.gnu(), name, parts, scope, keys: true }
            .description()
            .map(Description::package)
    }
}

/// Returns the files around these kernels; the caller leaves out the assembly. Without `keys` the header declares no
/// key structures, as in packages of version 0.1.0.
pub(in crate::package) fn around(
    core: &'static Core,
    name: &str,
    parts: Vec<Part<'_>>,
    keys: bool,
) -> Result<Vec<File>, EmitError> {
    let own = &name[prefix_of_blocks(name).len()..];
    let own = own.strip_suffix(VARIABLE_TIME_SUFFIX).unwrap_or(own);
    let scope = match own.strip_suffix(&format!("_{}", core.name_in_c())).unwrap_or(own) {
        "aes" => Scope::Several,
        own if own.starts_with("aes_") => Scope::AnyKey,
        _ => Scope::Problem,
    };
    let package = Blocks { core, gnu: core.gnu(), name: name.to_owned(), parts, scope, keys };
    Ok(package.description()?.package().files(Form::Package))
}

/// Checks that every message has its key schedule, and reads its key in the form of all others that share it.
fn complete(parts: &[Part<'_>]) -> Result<(), EmitError> {
    if let Some(twice) = (1..parts.len()).find(|&i| parts[..i].iter().any(|p| p.symbol == parts[i].symbol)) {
        return Err(EmitError(format!("`{}` is there twice", parts[twice].symbol)));
    }
    for part in parts.iter().filter(|p| p.role() == Role::Message) {
        let contract = part.kernel.contract;
        let given = |wanted: (Problem, Packing)| {
            let fits = |c: &Firmware| (c.problem, c.packing) == wanted;
            parts.iter().any(|p| fits(&p.kernel.contract))
        };
        if schedule_of(&contract).is_some_and(|wanted| !given(wanted)) {
            return Err(EmitError(format!(
                "{} reads {}, and no key schedule that makes them was given",
                contract.problem,
                contract.packing.name()
            )));
        }
        for other in parts.iter().filter(|p| p.role() == Role::Message) {
            let theirs = other.kernel.contract;
            let shared = theirs.problem.key_schedule() == contract.problem.key_schedule();
            if shared && schedule_of(&theirs) != schedule_of(&contract) {
                return Err(EmitError(format!(
                    "{} reads {} and {} reads {}, and functions of a package that share a key read it in one form",
                    contract.problem,
                    contract.packing.name(),
                    theirs.problem,
                    theirs.packing.name()
                )));
            }
        }
    }
    Ok(())
}

fn name(core: &Core, problem: Problem, parts: &[Part<'_>], scope: Scope) -> String {
    let of = match scope {
        Scope::Problem => problem.c_name(),
        Scope::AnyKey => {
            let task = problem.to_string();
            format!("aes_{}", task.split_once('-').map_or("", |(_, t)| t).replace('-', "_"))
        }
        Scope::Several => "aes".into(),
    };
    let vt = if parts.iter().any(|p| p.facts.is_variable_time()) { VARIABLE_TIME_SUFFIX } else { "" };
    let prefix = parts.first().map_or("", |part| prefix_of_blocks(part.symbol));
    format!("{prefix}{of}_{}{vt}", core.name_in_c())
}

/// Kernels of one package, and the description of their processor.
struct Blocks<'p> {
    core: &'static Core,
    gnu: Gnu,
    name: String,
    parts: Vec<Part<'p>>,
    scope: Scope,
    /// True if the header has key structures.
    keys: bool,
}

impl<'p> Blocks<'p> {
    /// True if the package has functions that choose the key size at run time.
    fn any_key(&self) -> bool {
        self.scope == Scope::AnyKey
    }

    /// The problems of the functions on blocks and messages, or of the key schedules if there are no others.
    fn problems(&self) -> Vec<Problem> {
        let messages = self.parts.iter().filter(|p| p.role() == Role::Message).map(Part::problem);
        let messages: Vec<Problem> = messages.collect();
        if messages.is_empty() { self.parts.iter().map(Part::problem).collect() } else { messages }
    }

    fn description(self) -> Result<Description<'p>, EmitError> {
        let part = |p: &Part<'_>| {
            let (sizes, tuned) = (p.facts.sizes?, p.facts.tuned);
            Some(PartSizes { symbol: p.symbol.to_owned(), sizes, tuned })
        };
        let proofs: Vec<_> =
            self.parts.iter().filter_map(|p| Some((p.symbol, p.facts.proof.as_deref()?))).collect();
        let proof = match proofs.is_empty() {
            true => "`certificates/` states what is proved about each function's bytes.",
            false => {
                "`certificates/` states what is proved about each function's bytes. The `.proof` files there are proofs of the \
                 same bytes that `aesmith-check` accepts, a small program that shares no code with the prover."
            }
        };
        Ok(Description {
            what: self.sentence(),
            places: IN_FOLDERS,
            sources: self.sources(),
            certificates: self.parts.iter().map(|p| (p.symbol, p.facts.json.as_str())).collect(),
            proofs,
            tests: self.tests(),
            makefile: self.makefile(),
            readme: self.readme(),
            proof,
            metadata: self.ecosystems().files()?,
            parts: self.parts.iter().filter_map(part).collect(),
            sizes: Some(self.sizes()),
            name: self.name,
        })
    }

    /// Their total memory use.
    fn sizes(&self) -> Sizes {
        sizes(self.core, self.parts.iter().filter_map(|p| Some((p.kernel, p.facts.sizes?))))
    }

    fn sources(&self) -> Vec<Source> {
        let (name, parts) = (&self.name, &self.parts);
        let keys = if self.keys { keys::all(parts) } else { Vec::new() };
        let header = header::of_blocks(&self.banner(), (name, parts), self.any_key(), &keys);
        let mut sources = vec![Source::new(ALWAYS, format!("{name}.h"), header)];
        for file in by_code(parts) {
            let contents = assembly::file(&self.gnu, &file, parts);
            sources.push(Source::new(ASSEMBLY, format!("{}.S", file[0].symbol), contents));
            let near = Near::of(&self.gnu, &file[0]);
            sources.extend(near.map(|near| Source::new(ASSEMBLY, near.file(), near.script())));
        }
        for (forms, everywhere) in [(C_ALONE, true), (BESIDE, false)] {
            let contents = portable::file(&self.gnu, name, parts, everywhere);
            sources.push(Source::new(forms, format!("{name}.c"), contents));
        }
        if self.any_key() {
            let contents = run_time::file(name, parts);
            sources.push(Source::new(ALWAYS, format!("{name}_any_key.c"), contents));
        }
        sources
    }

    fn tests(&self) -> Vec<File> {
        let name = &self.name;
        let file = |name: String, contents: String| File { name, contents };
        let mut tests = vec![file(format!("{name}_selftest.c"), selftest::of_blocks(name, &self.parts))];
        if self.gnu.emulator.is_some() {
            let program = include_str!("../template/blocks/emulated.c");
            let contents = program.replace("@LICENCE@", env!("CARGO_PKG_LICENSE"));
            tests.push(file("emulated.c".into(), contents));
        }
        if self.gnu.arduino.is_some() {
            tests.push(file("selftest.ino".into(), selftest::sketch(name)));
        }
        tests
    }

    fn sentence(&self) -> String {
        let names =
            |problems: &[Problem]| problems.iter().map(Problem::to_string).collect::<Vec<_>>().join(", ");
        let what = match self.scope {
            Scope::Problem => self.parts[0].problem().to_string(),
            Scope::AnyKey => "AES with keys of 128, 192 and 256 bits".into(),
            Scope::Several => names(&self.problems()),
        };
        format!("{what} for {}, in assembly proved to be AES, with the same in C", self.core.name)
    }

    /// The names of the files to compile.
    fn compiled(&self) -> Vec<String> {
        let files = by_code(&self.parts);
        let mut all: Vec<String> = files.iter().map(|file| format!("{}.S", file[0].symbol)).collect();
        all.push(format!("{}.c", self.name));
        if self.any_key() {
            all.push(format!("{}_any_key.c", self.name));
        }
        all
    }

    fn makefile(&self) -> Template {
        // Without a compiler for the processor, C files are left to the program's own build.
        let mine = |s: &String| self.gnu.compiler || s.ends_with(".S");
        let objects: Vec<String> = self
            .compiled()
            .iter()
            .filter(|s| mine(s))
            .map(|s| s.replace(".S", ".o").replace(".c", ".o"))
            .collect();
        let (assemble, archive) = if self.gnu.compiler {
            ("$(CROSS)gcc $(TARGET) -c -o $@ $<".to_owned(), "$(CROSS)ar")
        } else {
            let defines = self.gnu.defines().join(" ");
            let preprocess = format!("$(HOST_CC) -E -P -undef {defines} $(TARGET) -x assembler-with-cpp $<");
            (format!("{preprocess} | $(CROSS)as -o $@ -"), "ar")
        };
        let (checked, emulated) = match self.gnu.emulator {
            None => ("", String::new()),
            Some(emulator) => {
                let run = match emulator.linker.is_empty() {
                    true => "$(EMULATOR) selftest.elf 2>&1 | grep 'selftest passed'",
                    false => "$(EMULATOR) ./selftest.elf",
                };
                let rules = Template {
                    text: include_str!("../template/blocks/emulated.mk"),
                    values: vec![
                        ("PACKAGE", emulator.package.into()),
                        ("EMULATOR", emulator.command.into()),
                        ("RUN", run.into()),
                        ("LINKER", emulator.linker.into()),
                    ],
                };
                (", and in an emulator, in assembly", rules.fill())
            }
        };
        Template {
            text: include_str!("../template/blocks/Makefile"),
            values: vec![
                ("EMULATED", emulated),
                ("CHECKED", checked.into()),
                ("ASSEMBLE", assemble),
                ("ARCHIVE", archive.into()),
                ("LICENCE", env!("CARGO_PKG_LICENSE").into()),
                ("NAME", self.name.clone()),
                ("PROCESSOR", self.core.name.into()),
                ("PREFIX", self.gnu.prefix.into()),
                ("FLAGS", self.flags()),
                ("OBJECTS", objects.join(" ")),
            ],
        }
    }

    fn ecosystems(&self) -> Ecosystems<'_> {
        Ecosystems {
            name: &self.name,
            sentence: self.sentence(),
            sources: self.compiled(),
            arduino: self.gnu.arduino,
            platforms: self.gnu.platforms,
            zephyr: self.gnu.zephyr,
            uncached: self.needs_no_cache(),
            reach: self.gnu.reach,
            ram: self.sizes().ram,
        }
    }

    /// The flags for compiler and assembler: the processor, and the absence of a data cache if that matters.
    fn flags(&self) -> String {
        // A plain assembler gets no architecture flags; the rest are for the preprocessor.
        let flags = if self.gnu.compiler { self.gnu.flags.as_str() } else { "" };
        match self.needs_no_cache() {
            true => format!("{flags} -D{}", assembly::NO_DATA_CACHE).trim_start().to_owned(),
            false => flags.to_owned(),
        }
    }

    /// True if any of its functions must not run with a data cache.
    fn needs_no_cache(&self) -> bool {
        self.gnu.uncached != "1" && self.parts.iter().any(|p| p.facts.uncached)
    }
}
