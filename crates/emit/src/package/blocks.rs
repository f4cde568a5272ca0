//! Packages over whole blocks, for firmware: assembly and its header, the same in C, a self-test, and what Arduino,
//! PlatformIO, Zephyr and make ask of a library.

use super::description::{Description, Form, IN_FOLDERS, Package, Source, Template};
use super::ecosystems::Ecosystems;
use super::sizes::{PartSizes, Sizes, sizes};
use super::{File, header, selftest};
use crate::banner::contract;
use crate::c::portable::{firmware as portable, run_time};
use crate::gnu::assembly;
use crate::gnu::builds::has_addresses;
use crate::gnu::reach::Near;
use crate::names::prefix_of_blocks;
use crate::part::{Part, Role, by_code, schedule_of};
use crate::{EmitError, Function, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_processor::core::Core;
use aesmith_processor::gnu::Gnu;
use std::fmt::Write;

/// Every form has it.
const ALWAYS: &[Form] = &[Form::Assembly, Form::C, Form::Package];
/// What is assembled.
const ASSEMBLY: &[Form] = &[Form::Assembly, Form::Package];
/// C that stands for the assembly on every processor.
const C_ALONE: &[Form] = &[Form::C];
/// C beside the assembly, for other processors.
const BESIDE: &[Form] = &[Form::Package];

impl Package {
    /// Of kernels for one processor: messages, and the key schedules that they ask for. With `any_key` there are
    /// functions that take any of the key sizes.
    ///
    /// # Errors
    /// No kernel, one that is machine code or not proved, a message's without its key schedule; metadata that cannot
    /// be written.
    pub fn of_blocks(
        core: &'static Core,
        functions: &[Function],
        any_key: bool,
    ) -> Result<Package, EmitError> {
        let parts = functions.iter().map(Part::of).collect::<Result<Vec<_>, _>>()?;
        let first = parts.first().ok_or_else(|| EmitError("a package needs a kernel".into()))?;
        complete(&parts)?;
        let name = name(core, first.problem(), &parts, any_key);
        Blocks { core, gnu: core.gnu(), name, parts, any_key }.description().map(Description::package)
    }
}

/// The files around these kernels; what is assembled is left out by whoever asks.
pub(super) fn around(core: &'static Core, name: &str, parts: Vec<Part<'_>>) -> Result<Vec<File>, EmitError> {
    let any_key = name[prefix_of_blocks(name).len()..].starts_with("aes_");
    let package = Blocks { core, gnu: core.gnu(), name: name.to_owned(), parts, any_key };
    Ok(package.description()?.package().files(Form::Package))
}

/// Whether every message has the key schedule that it asks for.
fn complete(parts: &[Part<'_>]) -> Result<(), EmitError> {
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
    }
    Ok(())
}

fn name(core: &Core, problem: Problem, parts: &[Part<'_>], any_key: bool) -> String {
    let of = if any_key {
        let task = problem.to_string();
        format!("aes_{}", task.split_once('-').map_or("", |(_, t)| t).replace('-', "_"))
    } else {
        problem.c_name()
    };
    let vt = if parts.iter().any(|p| p.certificate.is_variable_time()) { VARIABLE_TIME_SUFFIX } else { "" };
    let prefix = parts.first().map_or("", |part| prefix_of_blocks(part.symbol));
    format!("{prefix}{of}_{}{vt}", core.name.replace(['-', '+', '.'], "_"))
}

/// Kernels that belong together, and what is known of their processor.
struct Blocks<'p> {
    core: &'static Core,
    gnu: Gnu,
    name: String,
    parts: Vec<Part<'p>>,
    any_key: bool,
}

impl<'p> Blocks<'p> {
    fn description(self) -> Result<Description<'p>, EmitError> {
        let own = |p: &Part<'_>| p.certificate.sizes;
        let part = |p: &Part<'_>| Some(PartSizes { symbol: p.symbol.to_owned(), sizes: own(p)? });
        Ok(Description {
            what: self.sentence(),
            places: IN_FOLDERS,
            sources: self.sources(),
            certificates: self.parts.iter().map(|p| (p.symbol, p.certificate.json.as_str())).collect(),
            tests: self.tests(),
            makefile: self.makefile(),
            readme: self.readme(),
            proof: "What is proved of each function's bytes stands in `certificates/`.",
            metadata: self.ecosystems().files()?,
            parts: self.parts.iter().filter_map(part).collect(),
            sizes: Some(self.sizes()),
            name: self.name,
        })
    }

    /// What its functions take together.
    fn sizes(&self) -> Sizes {
        sizes(self.core, self.parts.iter().filter_map(|p| Some((p.kernel, p.certificate.sizes?))))
    }

    /// The builds of the processor that the assembly refuses.
    fn refused(&self) -> Vec<&'static str> {
        let builds = &self.gnu.builds;
        let moved = if self.parts.iter().any(has_addresses) { builds.wrong_with_addresses } else { &[] };
        builds.wrong.iter().chain(moved).map(|wrong| wrong.what).collect()
    }

    fn sources(&self) -> Vec<Source> {
        let (name, parts) = (&self.name, &self.parts);
        let header = header::of_blocks(name, parts, self.any_key);
        let mut sources = vec![Source::new(ALWAYS, format!("{name}.h"), header)];
        for file in by_code(parts) {
            let contents = assembly::file(&self.gnu, &file);
            sources.push(Source::new(ASSEMBLY, format!("{}.S", file[0].symbol), contents));
            let near = Near::of(&self.gnu, &file[0]);
            sources.extend(near.map(|near| Source::new(ASSEMBLY, near.file(), near.script())));
        }
        for (forms, everywhere) in [(C_ALONE, true), (BESIDE, false)] {
            let contents = portable::file(&self.gnu, name, parts, everywhere);
            sources.push(Source::new(forms, format!("{name}.c"), contents));
        }
        if self.any_key {
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
            let program = include_str!("template/blocks/emulated.c");
            let contents = program.replace("@LICENCE@", env!("CARGO_PKG_LICENSE"));
            tests.push(file("emulated.c".into(), contents));
        }
        if self.gnu.arduino.is_some() {
            tests.push(file("selftest.ino".into(), selftest::sketch(name)));
        }
        tests
    }

    fn sentence(&self) -> String {
        let problem = self.parts[0].problem();
        let what =
            if self.any_key { "AES with keys of 128, 192 and 256 bits".into() } else { format!("{problem}") };
        format!("{what} for {}, in assembly proved to be AES, with the same in C", self.core.name)
    }

    /// The names of what is compiled.
    fn compiled(&self) -> Vec<String> {
        let files = by_code(&self.parts);
        let mut all: Vec<String> = files.iter().map(|file| format!("{}.S", file[0].symbol)).collect();
        all.push(format!("{}.c", self.name));
        if self.any_key {
            all.push(format!("{}_any_key.c", self.name));
        }
        all
    }

    fn makefile(&self) -> Template {
        // What no compiler is there for is left to the program's own.
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
                    text: include_str!("template/blocks/emulated.mk"),
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
            text: include_str!("template/blocks/Makefile"),
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

    /// What compiler and assembler are told: the processor, and that it has no data cache where that matters.
    fn flags(&self) -> String {
        // An assembler by itself is told of no architecture: the preprocessor takes what is left.
        let flags = if self.gnu.compiler { self.gnu.flags.as_str() } else { "" };
        match self.needs_no_cache() {
            true => format!("{flags} -D{}", assembly::NO_DATA_CACHE).trim_start().to_owned(),
            false => flags.to_owned(),
        }
    }

    /// Whether any of its functions must not run beside a data cache.
    fn needs_no_cache(&self) -> bool {
        self.gnu.uncached != "1" && self.parts.iter().any(|p| p.certificate.uncached)
    }

    /// The known parts that the assembly refuses, as a part of a sentence.
    fn uneven(&self) -> String {
        let in_flash = self.parts.iter().any(|p| p.certificate.uncached && p.certificate.in_flash);
        let names: Vec<&str> = self.gnu.uneven.iter().map(|known| known.name).collect();
        match in_flash && !names.is_empty() {
            true => format!(", and on parts whose flash is known to be otherwise ({})", names.join("; ")),
            false => String::new(),
        }
    }

    fn readme(&self) -> String {
        let name = &self.name;
        let mut out = format!(
            "`src/{name}.h` is the interface. The assembly is for GNU as ({}).\n\n",
            self.gnu.packages
        );
        out.push_str(&self.ecosystems().sentences());
        let assembly = match self.gnu.emulator {
            Some(emulator) => format!(
                ", then the assembly in {} where that is installed ({})",
                emulator.command.split(' ').next().unwrap_or_default(),
                emulator.package
            ),
            None => ". No emulator that it knows runs the assembly".into(),
        };
        let _ = write!(
            out,
            "- make: as follows, with {}. `make check` runs the self-test in C on this machine{assembly}.\n\n\
             ```sh\nmake\nmake check\n```\n\n",
            if self.gnu.compiler {
                "GNU's compiler and assembler"
            } else {
                "GNU's assembler and this machine's C preprocessor"
            },
        );
        if !self.gnu.compiler {
            let _ = write!(
                out,
                "No distribution has a C compiler for {}: `lib{name}.a` has the assembly alone, and a program that \
                 calls it is compiled by the compiler of its board's tools (`mb-gcc` of Vitis){}.\n\n",
                self.core.name,
                if self.any_key { format!(", as is `src/{name}_any_key.c`") } else { String::new() },
            );
        }
        let _ = write!(
            out,
            "`src/{name}.c` is an alternative for other processors: compiled for {} it is empty, so that nothing of it is \
             linked beside the assembly.",
            self.core.name
        );
        if self.any_key {
            let _ = write!(
                out,
                " `src/{name}_any_key.c` is linked beside it: `aesmith emit --json`, and limits of memory, count what \
                 the compiler makes of it."
            );
        }
        out.push_str("\n\n");
        let refused = self.refused();
        if !refused.is_empty() {
            let _ = write!(
                out,
                "The assembly is for {}. It refuses, by one sentence, to be built for {}.\n\n",
                self.gnu.builds.form,
                refused.join("; ")
            );
        }
        if self.needs_no_cache() {
            let _ = write!(
                out,
                "Its functions look tables up at addresses that depend on secrets. That takes the same time at any \
                 address only where there is no data cache, and where the tables lie in memory whose access time does \
                 not depend on the address: SRAM inside the chip, or flash without a cache, buffers or a serial \
                 interface before it, and not external memory. The assembly refuses to be built where the \
                 compiler does not say that there is none (a Cortex-M7 has one, and compilers do not tell it \
                 from a Cortex-M4){}: define `{}` for a processor without one whose tables lie in such memory.\n\n",
                self.uneven(),
                assembly::NO_DATA_CACHE
            );
        }
        for file in by_code(&self.parts) {
            let placed = Near::of(&self.gnu, &file[0]).map(|near| near.sentence());
            for part in &file {
                let _ = write!(out, "## {}\n\n", part.symbol);
                for line in contract(part).iter().chain(&placed).chain(&part.certificate.costs) {
                    let _ = writeln!(out, "{line}  ");
                }
                out.push('\n');
            }
        }
        out
    }
}
