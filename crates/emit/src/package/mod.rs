//! A package: the kernel as source, its header, what surrounds it in C, a self-test, a Makefile,
//! pkg-config and the certificates. `make && make check` and `cc app.c -I. -L. -l...` is all there is.

mod header;
mod support;
pub mod vectors;

use crate::c::{Place, Program, portable};
use crate::features::{self, Feature};
use crate::{
    Certificate, EmitError, Function, SCHEDULE_SUFFIX, TABLE_SUFFIX, VARIABLE_TIME_SUFFIX, assembly,
};
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::{Direction, Problem, Task, contract};
use std::io;
use std::path::Path;

/// What a package is made of.
#[derive(Clone, Debug)]
pub struct Package {
    /// What it computes.
    pub problem: Problem,
    /// The function over messages; none for a key schedule by itself.
    pub message: Option<Function>,
    /// The key schedule that [`Problem::key_schedule`] names.
    pub schedule: Function,
    /// The builder of the counter table, where a variant of the function over messages reads it.
    pub table: Option<Function>,
}

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub contents: String,
}

/// What the printers of the files need to know.
struct Facts<'p> {
    problem: Problem,
    /// `aesmith_aes256_ctr`: every name of the interface begins with it.
    name: String,
    /// Bytes of the key structure.
    key_bytes: usize,
    /// What `_kernel` says, in parts: technique, variants, hash.
    kernel: Vec<String>,
    /// Whether there is a counter table.
    table: bool,
    features: Vec<&'static Feature>,
    /// Whether its time depends on secrets.
    variable_time: bool,
    /// Whether it is C for any processor.
    portable: bool,
    certificates: Vec<(&'p str, &'p Certificate)>,
}

impl Package {
    /// The files, with the kernel as assembly.
    ///
    /// # Errors
    /// Functions that are no kernels, or that do not belong together.
    pub fn files(&self) -> Result<Vec<File>, EmitError> {
        self.check()?;
        let name = self.name();
        let mut functions = Vec::new();
        let renamed =
            |function: &Function, symbol: String, hidden| Function { symbol, hidden, ..function.clone() };
        if let Some(message) = &self.message {
            functions.push(renamed(message, name.clone(), false));
        }
        functions.push(renamed(&self.schedule, format!("{name}{SCHEDULE_SUFFIX}"), true));
        if let Some(table) = &self.table {
            functions.push(renamed(table, format!("{name}{TABLE_SUFFIX}"), true));
        }
        let mut needed = Vec::new();
        for function in &functions {
            needed.extend(features::needed(&function.bytes)?);
        }
        let certificates =
            functions.iter().filter_map(|f| f.certificate.as_ref().map(|c| (f.symbol.as_str(), c))).collect();
        let facts = Facts {
            problem: self.problem,
            key_bytes: key_structure_bytes(self.problem, self.table.is_some()),
            kernel: kernel_text(functions.first().expect("there is a key schedule")),
            table: self.table.is_some(),
            features: needed,
            certificates,
            variable_time: functions.iter().any(Function::is_variable_time),
            portable: false,
            name: name.clone(),
        };
        let kernel = File { name: format!("{name}.S"), contents: assembly::file(&functions)? };
        Ok(facts.files(kernel, "S"))
    }

    /// Every name of the interface begins with it: the symbol of the function that the package is
    /// for, with what says so where any part is of variable time.
    fn name(&self) -> String {
        let mut name = self.message.as_ref().unwrap_or(&self.schedule).symbol.clone();
        let parts = self.message.iter().chain([&self.schedule]).chain(&self.table);
        if parts.into_iter().any(Function::is_variable_time) && !name.ends_with(VARIABLE_TIME_SUFFIX) {
            name.push_str(VARIABLE_TIME_SUFFIX);
        }
        name
    }

    fn check(&self) -> Result<(), EmitError> {
        let problem = self.problem;
        let expect = |what: &str, function: &Function, wanted: Problem| {
            if function.problem == wanted {
                return Ok(());
            }
            Err(EmitError(format!(
                "the {what} of a package of {problem} must be {wanted}, and {} was given",
                function.problem
            )))
        };
        check_problem(problem)?;
        expect("key schedule", &self.schedule, problem.key_schedule())?;
        if let Some(table) = &self.table {
            expect("counter table", table, Problem::new(problem.key, Task::CtrTable))?;
        }
        match &self.message {
            Some(message) if problem.is_message() => expect("kernel", message, problem)?,
            None if !problem.is_message() => {}
            Some(_) => return Err(EmitError(format!("{problem} takes no messages, and a kernel was given"))),
            None => return Err(EmitError(format!("a package of {problem} needs its kernel"))),
        }
        if self.message.as_ref().is_some_and(reads_table) && self.table.is_none() {
            return Err(EmitError(format!(
                "the kernel of {problem} reads the counter table, and nothing that builds it was given"
            )));
        }
        Ok(())
    }
}

/// The files of a package whose kernel is C, with its key schedule (and counter table, where a
/// variant reads it). Nothing is proved of what a compiler will make of it: no certificates.
///
/// # Errors
/// Variants whose choices do not go together; a part that is missing.
pub fn of_c(program: &Program) -> Result<Vec<File>, EmitError> {
    let kernel = if program.is_portable() { portable::file } else { Program::file };
    in_c(program, kernel, program.is_portable())
}

/// The same in C for any processor.
///
/// # Errors
/// As [`of_c`], and a technique that needs instructions.
pub fn of_portable_c(program: &Program) -> Result<Vec<File>, EmitError> {
    in_c(program, portable::file, true)
}

fn in_c(
    program: &Program,
    kernel: impl Fn(&Program, Place) -> Result<String, EmitError>,
    portable: bool,
) -> Result<Vec<File>, EmitError> {
    let problem = program.problem;
    check_problem(problem)?;
    let scheduled = program.schedule.as_ref().is_some_and(|s| s.problem == problem.key_schedule());
    // Techniques on words cache rounds by themselves.
    let reads_table = program.choices.iter().any(|(_, v)| v.get(Dim::Cached) == 1 && !v.technique.on_words());
    if !scheduled || (reads_table && !program.table) || program.choices.is_empty() == problem.is_message() {
        return Err(EmitError(format!(
            "a package of {problem} needs its kernel, {} and, where a variant reads it, the counter table",
            problem.key_schedule()
        )));
    }
    let name = if portable { portable::name(program) } else { program.name() };
    let variants: Vec<String> = program
        .choices
        .iter()
        .map(|(limit, variant)| {
            let limit = limit.map_or(String::new(), |limit| format!("up to {limit} bytes: "));
            format!("{limit}{variant}")
        })
        .chain(program.schedule.iter().filter(|_| !problem.is_message()).map(Variant::to_string))
        .collect();
    let facts = Facts {
        problem,
        key_bytes: key_structure_bytes(problem, program.table),
        kernel: std::iter::once("c".to_owned())
            .chain(variants)
            .chain(name.ends_with(VARIABLE_TIME_SUFFIX).then(|| "variable time".into()))
            .collect(),
        table: program.table,
        features: if portable { vec![] } else { program.features() },
        certificates: vec![],
        variable_time: name.ends_with(VARIABLE_TIME_SUFFIX),
        portable,
        name: name.clone(),
    };
    let kernel = File { name: format!("{name}.c"), contents: kernel(program, Place::Package)? };
    Ok(facts.files(kernel, "c"))
}

fn check_problem(problem: Problem) -> Result<(), EmitError> {
    if problem.task == Task::CtrTable {
        return Err(EmitError(format!(
            "{problem} is a part of {}, which is what to make a package of",
            Problem::new(problem.key, Task::Ctr)
        )));
    }
    Ok(())
}

/// Whether a function over messages reads the counter table, so that its package needs the builder.
pub fn reads_table(function: &Function) -> bool {
    let variant = |line: &str| line.contains(" cached=1 ") && !line.contains("technique=table");
    function.variant.lines().any(|line| variant(&format!("{line} ")))
}

/// Bytes of the key structure: round keys and room, and the counter table where it is used.
fn key_structure_bytes(problem: Problem, table: bool) -> usize {
    if problem.task == Task::Ctr && table {
        contract::TABLE_OFFSET + contract::TABLE_BYTES
    } else {
        contract::TABLE_OFFSET
    }
}

/// What `_kernel` returns: technique, variant, and the hash of the bytes.
fn kernel_text(function: &Function) -> Vec<String> {
    let mut parts = vec![function.technique.clone()];
    parts.extend(function.variant.lines().map(str::to_owned));
    if function.is_variable_time() {
        parts.push("variable time".into());
    }
    parts.push(format!("sha256={}", function.hash()));
    parts
}

impl Facts<'_> {
    fn files(&self, kernel: File, extension: &str) -> Vec<File> {
        let name = &self.name;
        let warnings = if extension == "c" { "$(WARNINGS) " } else { "" };
        let makefile = include_str!("template/Makefile")
            .replace("@NAME@", name)
            .replace("@EXTENSION@", extension)
            .replace("@KERNEL_WARNINGS@ ", warnings)
            .replace("@DESCRIPTION@", &format!("{} for {}, by aesmith", self.problem, self.processors()))
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        let file = |name: String, contents: String| File { name, contents };
        let mut files = vec![
            kernel,
            file(format!("{name}.h"), header::header(self)),
            file(format!("{name}_support.c"), support::support(self)),
            file("selftest.c".into(), self.selftest()),
            file("Makefile".into(), makefile),
            file("README.md".into(), self.readme()),
        ];
        for (symbol, certificate) in &self.certificates {
            files.push(file(format!("{symbol}.certificate.json"), certificate.json.clone()));
        }
        files
    }

    /// What it runs on.
    fn processors(&self) -> &'static str {
        if self.portable { "any processor" } else { "x86-64" }
    }

    fn selftest(&self) -> String {
        const MODES: [&str; 7] = [
            "MODE_CTR",
            "MODE_ECB_ENCRYPT",
            "MODE_ECB_DECRYPT",
            "MODE_CBC_ENCRYPT",
            "MODE_CBC_DECRYPT",
            "MODE_KEY",
            "MODE_KEY_DECRYPT",
        ];
        let problem = self.problem;
        let mode = match problem.task {
            Task::Ctr => MODES[0],
            Task::Ecb(Direction::Encrypt) => MODES[1],
            Task::Ecb(Direction::Decrypt) => MODES[2],
            Task::CbcEncrypt { .. } => MODES[3],
            Task::CbcDecrypt => MODES[4],
            Task::KeySchedule(Direction::Encrypt) | Task::CtrTable => MODES[5],
            Task::KeySchedule(Direction::Decrypt) => MODES[6],
        };
        let vector = vectors::vector(problem.key, problem.task);
        let mut text = format!("/* SPDX-License-Identifier: {} */\n", env!("CARGO_PKG_LICENSE"));
        text.push_str(&format!(
            "#include \"{}.h\"\n\n#define NAME(suffix) {}##suffix\n",
            self.name, self.name
        ));
        for (number, name) in MODES.iter().enumerate() {
            text.push_str(&format!("#define {name} {number}\n"));
        }
        text.push_str(&format!("#define MODE {mode}\n#define KEY_BYTES {}\n", problem.key.bytes()));
        if problem.is_message() {
            text.push_str(&format!("#define STREAMS {}\n", problem.streams()));
            text.push_str(&format!("#define HAS_IV {}\n", u8::from(problem.has_iv())));
            for (name, value) in
                [("KEY", vector.key), ("IV", vector.iv), ("IN", vector.input), ("OUT", vector.output)]
            {
                text.push_str(&format!("#define VECTOR_{name} \"{value}\"\n"));
            }
        } else {
            text.push_str(&format!("#define FIPS197_C \"{}\"\n", vector.fips197));
        }
        text.push_str(include_str!("template/selftest.c"));
        text
    }

    fn readme(&self) -> String {
        let name = &self.name;
        let features = self.feature_names().join(", ");
        let needs = match (self.portable, features.is_empty()) {
            (true, _) => "It needs nothing but a C compiler.".to_owned(),
            (_, true) => format!("It runs on every CPU; `{name}_supported()` is always 1."),
            _ => {
                format!("It needs a CPU with {features}; `{name}_supported()` says whether this one will do.")
            }
        };
        let variable_time = if self.variable_time {
            "**Variable time**: tables are read at addresses that depend on key and text, so whoever can watch \
             the data cache may learn them. Every symbol and file says so by `_vt`.\n\n"
        } else {
            ""
        };
        let mut text = format!(
            "# {name}\n\n{} for {}{}, written by aesmith {}.\n\n{variable_time}\
             Kernel:\n\n```\n{}\n```\n\n{needs}\n\n\
             ```\nmake            # lib{name}.a\nmake check      # self-test\n\
             cc app.c -I. -L. -l{name}\nmake install PREFIX=/usr/local\n```\n\n",
            assembly::meaning(self.problem),
            self.processors(),
            if self.portable { "" } else { " (System V)" },
            env!("CARGO_PKG_VERSION"),
            self.kernel.join("\n"),
        );
        text.push_str(if self.certificates.is_empty() {
            "There is no certificate: the kernel was not proved in this form.\n"
        } else {
            "What is proved of the bytes stands in the `.certificate.json` files; \
             `aesmith verify` proves it again from the object file.\n"
        });
        text.push_str(&format!("\nLicence: {}\n", env!("CARGO_PKG_LICENSE")));
        text
    }

    fn feature_names(&self) -> Vec<&'static str> {
        features::FEATURES
            .iter()
            .filter(|f| self.features.iter().any(|n| n.name == f.name))
            .map(|f| f.name)
            .collect()
    }
}

/// Writes the files into `folder`, which is made if it is not there. Each is written beside its
/// place and moved there, so that none is ever half-written.
pub fn write(files: &[File], folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for file in files {
        let unfinished = folder.join(format!(".{}.unfinished", file.name));
        std::fs::write(&unfinished, &file.contents)?;
        std::fs::rename(&unfinished, folder.join(&file.name))?;
    }
    Ok(())
}
