//! A package for firmware: assembly and its header, the same in C, a self-test, and what Arduino,
//! PlatformIO, Zephyr and make ask of a library.

use super::ecosystems::Ecosystems;
use super::{File, certificate, header, known_answers};
use crate::banner::contract;
use crate::c::portable::{firmware as portable, run_time};
use crate::gnu::reach::Near;
use crate::gnu::{Gnu, assembly, gnu};
use crate::part::{Part, Role, schedule_of};
use crate::{EmitError, Function, VARIABLE_TIME_SUFFIX};
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_processor::core::Core;
use std::fmt::Write;

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Assembly, header and certificates.
    Assembly,
    /// The same functions in C, and the header.
    C,
    /// All of it, as a library.
    Package,
}

/// Kernels that belong together.
pub struct Package {
    core: &'static Core,
    gnu: Gnu,
    name: String,
    functions: Vec<Function>,
    run_time: bool,
}

impl Package {
    /// Of kernels for one processor: messages, and the key schedules that they ask for. `run_time`
    /// adds functions that take any of the key sizes.
    pub fn new(core: &'static Core, functions: Vec<Function>, run_time: bool) -> Result<Package, EmitError> {
        let parts = functions.iter().map(Part::of).collect::<Result<Vec<_>, _>>()?;
        let first = parts.first().ok_or_else(|| EmitError("a package needs a kernel".into()))?;
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
        let problem = first.problem();
        let of = if run_time {
            let task = problem.to_string();
            format!("aes_{}", task.split_once('-').map_or("", |(_, t)| t).replace('-', "_"))
        } else {
            problem.c_name()
        };
        let vt =
            if parts.iter().any(|p| p.certificate.is_variable_time()) { VARIABLE_TIME_SUFFIX } else { "" };
        let name = format!("aesmith_{of}_{}{vt}", core.name.replace(['-', '+', '.'], "_"));
        Ok(Package { core, gnu: gnu(core)?, name, functions, run_time })
    }

    /// What all files are named after.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn parts(&self) -> Result<Vec<Part<'_>>, EmitError> {
        self.functions.iter().map(Part::of).collect()
    }

    /// The files; names may have folders in them.
    ///
    /// # Errors
    /// A description that cannot be written.
    pub fn files(&self, form: Form) -> Result<Vec<File>, EmitError> {
        let parts = self.parts()?;
        let folder = if form == Form::Package { "src/" } else { "" };
        let file = |name: String, contents: String| File { name, contents };
        let name = &self.name;
        let mut files =
            vec![file(format!("{folder}{name}.h"), header::of_firmware(name, &parts, self.run_time))];
        if form != Form::C {
            for part in &parts {
                let contents = assembly::file(&self.gnu, part);
                files.push(file(format!("{folder}{}.S", part.symbol), contents));
                if let Some(near) = Near::of(&self.gnu, part) {
                    files.push(file(format!("{folder}{}", near.file()), near.script()));
                }
            }
        }
        if form != Form::Assembly {
            let everywhere = form == Form::C;
            let contents = portable::file(&self.gnu, name, &parts, everywhere);
            files.push(file(format!("{folder}{name}.c"), contents));
        }
        if self.run_time {
            let contents = run_time::file(name, &parts);
            files.push(file(format!("{folder}{name}_any_key.c"), contents));
        }
        if form != Form::C {
            for part in &parts {
                let place = if form == Form::Package { "certificates/" } else { "" };
                files.push(certificate(place, part.symbol, &part.certificate.json));
            }
        }
        if form == Form::Package {
            files.extend([
                file(format!("examples/selftest/{name}_selftest.c"), known_answers::selftest(name, &parts)),
                file("README.md".into(), self.readme(&parts)),
                file("Makefile".into(), self.makefile()),
            ]);
            if self.gnu.emulator.is_some() {
                let program = include_str!("template/firmware/emulated.c");
                let contents = program.replace("@LICENCE@", env!("CARGO_PKG_LICENSE"));
                files.push(file("examples/selftest/emulated.c".into(), contents));
            }
            if self.gnu.arduino.is_some() {
                files.push(file("examples/selftest/selftest.ino".into(), known_answers::sketch(name)));
            }
            files.extend(self.ecosystems().files()?);
        }
        Ok(files)
    }

    fn sentence(&self) -> String {
        let problem = self.functions[0].problem;
        let what = if self.run_time {
            "AES with keys of 128, 192 and 256 bits".into()
        } else {
            format!("{problem}")
        };
        format!("{what} for {}, in assembly proved to be AES, with the same in C", self.core.name)
    }

    fn sources(&self) -> Vec<String> {
        let mut all: Vec<String> = self.functions.iter().map(|f| format!("{}.S", f.symbol)).collect();
        all.push(format!("{}.c", self.name));
        if self.run_time {
            all.push(format!("{}_any_key.c", self.name));
        }
        all
    }

    fn makefile(&self) -> String {
        // What no compiler is there for is left to the program's own.
        let mine = |s: &String| self.gnu.compiler || s.ends_with(".S");
        let objects: Vec<String> = self
            .sources()
            .iter()
            .filter(|s| mine(s))
            .map(|s| s.replace(".S", ".o").replace(".c", ".o"))
            .collect();
        let (assemble, archive) = if self.gnu.compiler {
            ("$(CROSS)gcc $(TARGET) -c -o $@ $<".to_owned(), "$(CROSS)ar")
        } else {
            let define = self.gnu.defined().map_or(String::new(), |name| format!("-D{name} "));
            let preprocess = format!("$(HOST_CC) -E -P -undef {define}$(TARGET) -x assembler-with-cpp $<");
            (format!("{preprocess} | $(CROSS)as -o $@ -"), "ar")
        };
        let (checked, emulated) = match self.gnu.emulator {
            None => ("", String::new()),
            Some(emulator) => {
                let run = match emulator.linker.is_empty() {
                    true => "$(EMULATOR) selftest.elf 2>&1 | grep 'selftest passed'",
                    false => "$(EMULATOR) ./selftest.elf",
                };
                let rules = include_str!("template/firmware/emulated.mk")
                    .replace("@PACKAGE@", emulator.package)
                    .replace("@EMULATOR@", emulator.command)
                    .replace("@RUN@", run)
                    .replace("@LINKER@", emulator.linker);
                (", and in an emulator, in assembly", rules)
            }
        };
        include_str!("template/firmware/Makefile")
            .replace("@EMULATED@", &emulated)
            .replace("@CHECKED@", checked)
            .replace("@ASSEMBLE@", &assemble)
            .replace("@ARCHIVE@", archive)
            .replace("@LICENCE@", env!("CARGO_PKG_LICENSE"))
            .replace("@NAME@", &self.name)
            .replace("@PROCESSOR@", self.core.name)
            .replace("@PREFIX@", self.gnu.prefix)
            .replace("@FLAGS@", &self.flags())
            .replace("@OBJECTS@", &objects.join(" "))
    }

    fn ecosystems(&self) -> Ecosystems<'_> {
        Ecosystems {
            name: &self.name,
            sentence: self.sentence(),
            sources: self.sources(),
            arduino: self.gnu.arduino,
            platforms: self.gnu.platforms,
            zephyr: self.gnu.zephyr,
            uncached: self.needs_no_cache(),
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
        self.gnu.uncached != "1"
            && self.functions.iter().any(|f| f.certificate.as_ref().is_some_and(|c| c.uncached))
    }

    fn readme(&self, parts: &[Part<'_>]) -> String {
        let name = &self.name;
        let mut out = format!(
            "# {name}\n\n{}, written by aesmith {}.\n\n`src/{name}.h` is the interface. The assembly is for GNU as ({}).\n\n",
            self.sentence(),
            env!("CARGO_PKG_VERSION"),
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
                if self.run_time { format!(", as is `src/{name}_any_key.c`") } else { String::new() },
            );
        }
        if self.needs_no_cache() {
            let _ = write!(
                out,
                "Its functions look tables up at addresses that depend on secrets, which takes the same time at \
                 any address only where there is no data cache. The assembly refuses to be built where the \
                 compiler does not say that there is none (a Cortex-M7 has one, and compilers do not tell it \
                 from a Cortex-M4): define `{}` for a processor without one.\n\n",
                assembly::NO_DATA_CACHE
            );
        }
        for part in parts {
            let _ = write!(out, "## {}\n\n", part.symbol);
            let placed = Near::of(&self.gnu, part).map(|near| near.sentence());
            for line in contract(part).iter().chain(&placed).chain(&part.certificate.costs) {
                let _ = writeln!(out, "{line}  ");
            }
            out.push('\n');
        }
        let _ = write!(
            out,
            "What is proved of each function's bytes stands in `certificates/`.\n\nLicence: {}\n",
            env!("CARGO_PKG_LICENSE")
        );
        out
    }
}
