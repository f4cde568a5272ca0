//! Kernels in the form that printers accept, and the directory that they are written into.

use crate::commands::verify::before_delivery;
use crate::failure::Failure;
use crate::output::say;
use crate::overwrite;
use crate::quantity::{show_moment, show_size};
use crate::sources::{What, store_to_read};
use crate::stale;
use aesmith_cipher::Problem;
use aesmith_emit::c::{Place, Program, portable};
use aesmith_emit::package::sizes::Sizes;
use aesmith_emit::package::{File, Form, FunctionSet, Package};
use aesmith_emit::{CodeFacts, Function, NATIVE, Naming};
use aesmith_processor::dialect::MachineCode;
use aesmith_processor::measured::Target;
use aesmith_processors::this_machine;
use aesmith_prove::Prover;
use aesmith_tune::deliver::judged::Judged;
use aesmith_tune::deliver::source::{KernelSet, Source};
use aesmith_tune::workplace::this_processor;
use aesmith_tune::{Delivery, Request};
use aesmith_wisdom::{Best, Filter, Store};
use std::path::{Path, PathBuf};

/// A kernel with the key set-up that it needs, as it is printed.
pub struct Set {
    kernels: KernelSet,
    /// The prefix of its names, and the level in them.
    pub naming: Naming,
    /// CPU features that kernels may use, in the form of `--cpu`, if the level does not determine them.
    cpu: Option<String>,
}

/// The source of kernels: stored results, this processor and its prover.
pub struct Provider {
    /// The wisdom, if there is any.
    pub store: Option<Store>,
    /// The path of the wisdom.
    pub wisdom: PathBuf,
    /// The key of this processor in the wisdom.
    pub processor: String,
    /// CPU features that kernels may use.
    pub target: Target,
    /// Requirements on kernels that are delivered.
    pub request: Request,
    /// The prover of all kernels that are delivered.
    pub prover: Prover,
    /// The prefix of names, and the level in them.
    pub naming: Naming,
}

impl Provider {
    /// Creates a source with the wisdom at `path`, which need not exist.
    pub fn new(path: &Path, what: &What) -> Result<Provider, Failure> {
        let store = store_to_read(path)?.map(|store| store.about(what.request.calls));
        let processor = this_processor(what.cpu).key;
        let request = what.request.clone();
        Ok(Provider {
            store,
            wisdom: path.to_owned(),
            processor,
            target: what.target,
            request,
            prover: (this_machine().prover)(),
            naming: naming(what),
        })
    }

    /// The named problem, or the one confirmed last on this processor.
    pub fn problem_or_latest(&self, named: Option<Problem>) -> Result<Problem, Failure> {
        if let Some(problem) = named {
            return Ok(problem);
        }
        let filter = Filter { processor: Some(self.processor.clone()), ..Filter::default() };
        let bests = self.store.as_ref().map_or(Ok(Vec::new()), |s| s.bests(&filter))?;
        let latest = bests.iter().max_by_key(|b| b.confirmed_ms).and_then(|b| b.problem.parse().ok());
        latest.ok_or_else(|| {
            Failure::NothingKnown(
                "nothing is confirmed on this processor yet; `aesmith tune aes256-ctr` makes a start".into(),
            )
        })
    }

    /// The source with these parts.
    pub fn source(&mut self) -> Source<'_> {
        let Provider { store, wisdom, processor, target, request, prover, .. } = self;
        Source { store: store.as_ref(), wisdom, processor, target, request, prover }
    }

    /// The best known kernel of at most `most` bytes, or the smallest known one if all are larger.
    pub fn within_or_smallest(
        &mut self,
        problem: Problem,
        size: usize,
        most: u64,
    ) -> Result<Delivery, Failure> {
        let fewest = self.source().fewest_bytes(problem, size)?;
        let most = fewest.map_or(most, |fewest| most.max(fewest));
        let (mut request, mut target) = (self.request.clone(), self.target);
        request.limit(&mut target, most);
        Ok(Source { request: &request, target: &target, ..self.source() }.best(problem, size)?)
    }

    /// A kernel with these parts of its key set-up, and the best known for the missing ones.
    pub fn set(
        &mut self,
        main: Delivery,
        schedule: Option<Delivery>,
        table: Option<Delivery>,
    ) -> Result<Set, Failure> {
        let kernels = self.source().set(main, schedule, table)?;
        Ok(Set::of(kernels, &self.naming, &self.target))
    }
}

/// The naming of kernels for a CPU.
pub fn naming(what: &What) -> Naming {
    what.level.map_or_else(Naming::default, |level| Naming::default().at_level(level))
}

impl Set {
    /// Kernels with their names, for the CPU features of a target.
    pub fn of(kernels: KernelSet, naming: &Naming, target: &Target) -> Set {
        let cpu = match naming.level() {
            None | Some(NATIVE) => Some(target.cpu()),
            Some(_) => None,
        };
        Set { kernels, naming: naming.clone(), cpu }
    }

    /// The requested kernel.
    pub fn main(&self) -> &Judged {
        &self.kernels.main
    }

    /// A package with the kernel as assembly.
    pub fn package(&self) -> Result<Package, Failure> {
        Ok(self.functions()?.package()?)
    }

    /// The functions that printers make a package, or one level of it, from.
    fn functions(&self) -> Result<FunctionSet, Failure> {
        let KernelSet { main, schedule, table } = &self.kernels;
        let problem = main.kernel.problem;
        let cost = main.kernel.cost.filter(|_| problem.is_message());
        let main = printed(main)?;
        let (message, schedule) = match schedule {
            Some(schedule) => (Some(main), printed(schedule)?),
            None => (None, main),
        };
        Ok(FunctionSet {
            problem,
            naming: self.naming.clone(),
            cpu: self.cpu.clone(),
            message,
            schedule,
            table: table.as_ref().map(printed).transpose()?,
            cost,
        })
    }

    /// A single C file with the kernel.
    pub fn c(&self) -> Result<Vec<File>, Failure> {
        let program = self.program();
        let contents = program.file(Place::Alone)?;
        Ok(vec![File { name: format!("{}.c", program.name()), contents }])
    }

    /// A package with the kernel as C.
    pub fn package_in_c(&self) -> Result<Package, Failure> {
        Ok(Package::of_c(&self.program())?)
    }

    /// C for any processor: a single file, or a package.
    pub fn portable(&self, as_package: bool) -> Result<Vec<File>, Failure> {
        let mut program = self.program();
        // The variant for the longest messages serves all lengths, and this C form caches rounds without a table.
        program.choices = program.choices.pop().map(|(_, variant)| (None, variant)).into_iter().collect();
        program.table = false;
        if as_package {
            return Ok(Package::of_portable_c(&program)?.files(Form::Package));
        }
        let name = format!("{}.c", portable::name(&program));
        Ok(vec![File { name, contents: portable::file(&program, Place::Alone)? }])
    }

    /// True if the C is portable without `--portable`, because the technique computes on words.
    pub fn is_on_words(&self) -> bool {
        self.main().kernel.variants.iter().all(|(_, v)| v.technique.on_words())
    }

    /// The program of the C form: the same variants.
    fn program(&self) -> Program {
        let KernelSet { main, schedule, table } = &self.kernels;
        let main = &main.kernel;
        let problem = main.problem;
        let variant = |h: &Delivery| h.written.last().cloned();
        let (choices, schedule) = match schedule {
            Some(schedule) => {
                let limits = main.variants.iter().map(|(limit, _)| limit.map(|limit| limit as u64));
                (limits.zip(main.written.iter().cloned()).collect(), variant(&schedule.kernel))
            }
            None => (Vec::new(), variant(main)),
        };
        Program { problem, choices, schedule, table: table.is_some(), naming: self.naming.clone() }
    }
}

/// The suffix of a certificate's file name, after the function's symbol.
pub const CERTIFICATE: &str = ".certificate.json";

/// Sentences on a function's cost, one for each line: the costs confirmed on this machine, by message length, or a note
/// that none is known.
fn costs(kernel: &Delivery) -> Vec<String> {
    let problem = kernel.problem;
    if !problem.is_tuned() || (kernel.hint.is_empty() && kernel.confirmed.is_empty()) {
        return Vec::new();
    }
    let unit = if problem.is_message() { "cycles/byte" } else { "cycles" };
    let figure = |best: &Best| {
        let size = if problem.is_message() { format!(" at {}", show_size(best.size)) } else { String::new() };
        format!("{:.3} {unit}{size} ({})", best.median, show_moment(best.confirmed_ms))
    };
    if kernel.confirmed.is_empty() {
        return vec![format!(
            "NOT TUNED: nothing is measured of it on this machine; `{}` finds the best",
            kernel.hint
        )];
    }
    let all: Vec<String> = kernel.confirmed.iter().map(figure).collect();
    vec![format!("{}, measured on {}", all.join(", "), (this_machine().here)().brand)]
}

/// A kernel in the form that printers accept.
fn printed(Judged { kernel, verdict }: &Judged) -> Result<Function, Failure> {
    let limits = kernel.variants.iter().map(|(limit, _)| limit.map(|limit| limit as u64));
    let code = MachineCode {
        dialect: kernel.processor.dialect,
        bytes: kernel.bytes.clone(),
        places: kernel.places.clone(),
        variants: limits.zip(kernel.written.iter().cloned()).collect(),
    };
    let split = (kernel.processor.dialect.split)(&kernel.bytes).map_err(Failure::Other)?;
    let constants = kernel.bytes.len() - split.constants;
    let facts = CodeFacts {
        sizes: Some(Sizes {
            flash: kernel.bytes.len() as u64,
            ram: 0,
            stack: kernel.certificate.frame_bytes as u64,
        }),
        constants: constants as u64,
        red_zone: kernel.certificate.red_zone_bytes.map(|bytes| bytes as u64),
        costs: costs(kernel),
        ..CodeFacts::new(&kernel.certificate, verdict)?
    };
    Ok(Function::new(code).with_facts(facts))
}

/// A package of several problems or levels; for each problem the preferred level is first.
pub fn package_of(problems: &[Vec<Set>]) -> Result<Package, Failure> {
    let functions = |sets: &Vec<Set>| sets.iter().map(Set::functions).collect::<Result<Vec<_>, _>>();
    let problems = problems.iter().map(functions).collect::<Result<Vec<_>, _>>()?;
    Ok(Package::of_problems(&problems)?)
}

/// Writes files into a directory, which is created if it is missing, and returns their paths. Files that aesmith did
/// not write are only overwritten with `force`.
pub fn write(files: &[File], directory: &Path, force: bool) -> Result<Vec<String>, Failure> {
    overwrite::check(directory, files.iter().map(|f| (&*f.name, Some(&*f.contents))), force)?;
    aesmith_emit::package::write(files, directory)
        .map_err(|e| Failure::Other(format!("{} cannot be written: {e}", directory.display())))?;
    Ok(files.iter().map(|f| directory.join(&f.name).display().to_string()).collect())
}

/// Writes files with kernels after `verify` has accepted them.
pub fn write_verified(files: &[File], directory: &Path, force: bool) -> Result<Vec<String>, Failure> {
    // Files that cannot be written are reported before the work.
    let stale = stale::in_folder(directory, files, force)?;
    overwrite::check(directory, files.iter().map(|f| (&*f.name, Some(&*f.contents))), force)?;
    before_delivery(files)?;
    let paths = write(files, directory, force)?;
    // They would be built with the new kernels, and `verify` would find their functions missing.
    for path in stale {
        std::fs::remove_file(&path)
            .map_err(|e| Failure::Other(format!("{} cannot be removed: {e}", path.display())))?;
        say(format!("{} is removed: what is written now has no such file", path.display()));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_tune::deliver::join::joined;

    /// The maximum message length of a kernel, and its variant without the problem.
    type Part = (Option<usize>, &'static str);

    /// Choices by length for the variants of a key size, and true if any of their paths reads the table.
    const PLANS: [(&[Part], bool); 5] = [
        (&[(None, "width=zmm interleave=4 cached=1")], true),
        // The table is on the stack.
        (&[(None, "width=zmm interleave=4 cached=2")], false),
        // No message of the first variant's lengths reaches its loop.
        (&[(Some(480), "width=zmm interleave=8 cached=1"), (None, "width=zmm interleave=8 cached=2")], false),
        (&[(Some(480), "width=zmm interleave=8 cached=2"), (None, "width=zmm interleave=4")], false),
        (&[(Some(480), "width=zmm interleave=4 cached=1"), (None, "width=zmm interleave=4")], true),
    ];

    fn provider() -> Provider {
        Provider {
            store: None,
            wisdom: PathBuf::from("wisdom.sqlite"),
            processor: String::new(),
            target: Target::all(this_machine()),
            request: Request::default(),
            prover: (this_machine().prover)(),
            naming: Naming::default(),
        }
    }

    #[test]
    fn no_package_of_counter_mode_carries_a_table_that_no_path_reads() {
        let mut provider = provider();
        for key in [128, 192, 256] {
            for (plan, reads_table) in PLANS {
                let variant =
                    |text: &str| aesmith_x86::dimensions::variant(&format!("aes{key}-ctr {text}")).unwrap();
                let plan = plan.iter().map(|(limit, text)| (*limit, variant(text))).collect();
                let Provider { target, request, prover, .. } = &mut provider;
                let main = joined(&plan, target, request, prover).unwrap();
                assert_eq!(main.coverage.reads_table(), reads_table, "{plan:?}");
                let set = provider.set(main, None, None).unwrap_or_else(|_| panic!("{plan:?}"));
                assert_eq!(set.kernels.table.is_some(), reads_table, "{plan:?}");
                for package in [set.package(), set.package_in_c()] {
                    let package = package.unwrap_or_else(|_| panic!("{plan:?}"));
                    let files = package.files(Form::Package);
                    let has = |name: &str, text: &str| {
                        files.iter().any(|f| f.name.ends_with(name) && f.contents.contains(text))
                    };
                    assert_eq!(has(".h", "bytes[4352]"), reads_table, "{plan:?}: bytes of a key");
                    assert_eq!(has(".h", "bytes[256]"), !reads_table, "{plan:?}: bytes of a key");
                }
            }
        }
    }
}
