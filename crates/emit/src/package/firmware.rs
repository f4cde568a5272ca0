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
                file("examples/selftest/selftest.ino".into(), known_answers::sketch(name)),
                file("README.md".into(), self.readme(&parts)),
                file("Makefile".into(), self.makefile()),
            ]);
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
        let objects: Vec<String> =
            self.sources().iter().map(|s| s.replace(".S", ".o").replace(".c", ".o")).collect();
        include_str!("template/firmware/Makefile")
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
            platforms: self.gnu.platforms,
            uncached: self.needs_no_cache(),
        }
    }

    /// What compiler and assembler are told: the processor, and that it has no data cache where that matters.
    fn flags(&self) -> String {
        match self.needs_no_cache() {
            true => format!("{} -D{}", self.gnu.flags, assembly::NO_DATA_CACHE),
            false => self.gnu.flags.clone(),
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
        out.push_str("- Arduino: put this folder into `libraries`.\n- PlatformIO: put it into `lib`.\n");
        let _ = write!(
            out,
            "- Zephyr: name it in `ZEPHYR_EXTRA_MODULES` and set `CONFIG_{}=y`.\n\
             - make: `make` builds `lib{name}.a`, `make check` runs the self-test on this machine, in C.\n\n",
            self.ecosystems().option()
        );
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
