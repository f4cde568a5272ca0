//! The paper's route compared with the direct one: a variant's C form through a compiler, measured
//! interleaved with the machine code emitted directly.
//!
//! The compiled function is linked to one flat string of bytes with its entry first, so that the judge runs
//! it like a kernel: in the guarded worker, with its outputs checked. It is not proved (the instruction table
//! does not hold all forms of compiled code), so it is never delivered and never enters wisdom.

use crate::error::TuneError;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_emit::c::{Place, Program};
use aesmith_judge::judge::{Judge, Trial};
use aesmith_native::Screening;
use aesmith_processor::measured::Kernel;
use aesmith_search::racing::Quartiles;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A C compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// GNU C.
    Gcc,
    /// Clang.
    Clang,
}

impl Compiler {
    /// All compilers.
    pub const ALL: [Compiler; 2] = [Compiler::Gcc, Compiler::Clang];

    /// Its name.
    pub fn name(self) -> &'static str {
        self.programs()[0]
    }

    /// The programs to try, best first.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Compiler::Gcc => &["gcc"],
            Compiler::Clang => {
                &["clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"]
            }
        }
    }

    /// The installed program, and the first line of its version message.
    ///
    /// # Errors
    /// It is not installed.
    pub fn find(self) -> Result<(&'static str, String), TuneError> {
        let found = self.programs().iter().find_map(|program| {
            let output = Command::new(program).arg("--version").output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
            output.status.success().then_some((*program, text))
        });
        found.ok_or_else(|| {
            TuneError::Unsupported(format!("{} is not installed, so its route is not measured", self.name()))
        })
    }
}

/// Both routes of one variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The compiler's version.
    pub version: String,
    /// Time from the variant to the compiled code.
    pub compiling: Duration,
    /// Time from the variant to the direct code, proved.
    pub building: Duration,
    /// Median cost of the compiled code.
    pub compiled: f64,
    /// Median cost of the direct code.
    pub direct: f64,
}

/// Rounds of the comparison.
const ROUNDS: usize = 24;

/// The flat image: the entry first, followed by constants only.
const SCRIPT: &str =
    "SECTIONS { . = 0; .all : { *(.text.entry) *(.text*) . = ALIGN(64); *(.rodata*) *(.data*) }
/DISCARD/ : { *(.comment) *(.note*) *(.eh_frame*) *(.bss*) } }\n";

/// Compiles a variant and measures both forms.
///
/// # Errors
/// [`TuneError::Unsupported`] without the compiler or if it cannot compile the form; or the judge failed.
pub fn compare(
    place: &mut Workplace,
    variant: &Variant,
    size: usize,
    compiler: Compiler,
) -> Result<Comparison, TuneError> {
    let (program, version) = compiler.find()?;
    let started = Instant::now();
    let compiled = compile(variant, program)?;
    let compiling = started.elapsed();
    let started = Instant::now();
    let kernel = place
        .target
        .build(variant)
        .map_err(|e| TuneError::Unsupported(format!("`{variant}` is no kernel here: {e}")))?;
    place
        .prover
        .prove(variant.problem, &kernel.bytes)
        .map_err(|r| TuneError::NotProved(format!("`{variant}` is not proved: {r}")))?;
    let building = started.elapsed();
    let compiled = Kernel { bytes: compiled, ..kernel.clone() };
    let how = Screening { cold: place.calls().is_cold(), ..Screening::of(size) };
    let duel = place.judge.calls(how).duel(&[&kernel, &compiled].map(Trial::new), ROUNDS)?;
    let median = |index: usize| match &duel[index] {
        Ok(rounds) => {
            let costs: Vec<f64> = rounds.iter().filter_map(|round| round.cost).collect();
            Ok(Quartiles::of(&costs).map_or(f64::NAN, |quartiles| quartiles.median))
        }
        Err(fault) => Err(TuneError::Unsupported(format!("the form of {program} does not run: {fault}"))),
    };
    Ok(Comparison { version, compiling, building, compiled: median(1)?, direct: median(0)? })
}

/// The flat machine code of a variant's C form by a compiler.
///
/// # Errors
/// [`TuneError::Unsupported`] without the compiler or if it cannot compile the form.
pub fn compiled(variant: &Variant, compiler: Compiler) -> Result<Vec<u8>, TuneError> {
    compile(variant, compiler.find()?.0)
}

/// Number of compilations in this process: several may run at once, each in its own folder.
static COMPILED: AtomicU64 = AtomicU64::new(0);

fn compile(variant: &Variant, program: &str) -> Result<Vec<u8>, TuneError> {
    let text = Program::of(variant)
        .file(Place::Alone)
        .map_err(|e| TuneError::Unsupported(format!("`{variant}` has no C form: {e}")))?;
    let number = COMPILED.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("aesmith-via-{}-{number}-{program}", std::process::id()));
    let result = compile_in(&folder, &text, &Program::of(variant).name(), program);
    // A folder that remains in the system's temporary directory does no harm.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn compile_in(folder: &Path, text: &str, symbol: &str, program: &str) -> Result<Vec<u8>, TuneError> {
    let system = |what: &str, e: std::io::Error| TuneError::Unsupported(format!("{what}: {e}"));
    std::fs::create_dir_all(folder).map_err(|e| system("a folder for the compiler cannot be made", e))?;
    let file = |name: &str| folder.join(name);
    let script = SCRIPT.replace(".text.entry", &format!(".text.{symbol}"));
    for (name, content) in [("kernel.c", text), ("flat.ld", &script)] {
        std::fs::write(file(name), content).map_err(|e| system("the C form cannot be written", e))?;
    }
    let flags =
        ["-std=c99", "-O3", "-fPIE", "-ffunction-sections", "-fno-stack-protector", "-fcf-protection=none"];
    let mut compile = Command::new(program);
    compile
        .args(flags)
        .args(["-fno-asynchronous-unwind-tables", "-c", "-o"])
        .arg(file("kernel.o"))
        .arg(file("kernel.c"));
    let mut link = Command::new("ld");
    link.args(["--oformat", "binary", "-e", "0", "-T"])
        .arg(file("flat.ld"))
        .arg("-o")
        .arg(file("kernel.bin"))
        .arg(file("kernel.o"));
    for mut step in [compile, link] {
        let output = step.output().map_err(|e| system(&format!("{program} and ld are needed"), e))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(TuneError::Unsupported(format!(
                "{program} does not take the C form: {}",
                why.trim()
            )));
        }
    }
    std::fs::read(file("kernel.bin")).map_err(|e| system("the compiled code cannot be read", e))
}
