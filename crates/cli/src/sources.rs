//! Where commands take things from: the wisdom file, this processor, a variant in a file.

use crate::arguments::Choice;
use crate::failure::Failure;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use aesmith_processor::x86::features::Features;
use aesmith_processor::x86::levels::Level;
use aesmith_tune::Scope;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The wisdom file: the one named, or the user's.
pub fn wisdom_path(named: Option<&Path>) -> Result<PathBuf, Failure> {
    named.map_or_else(|| aesmith_wisdom::place::default_path().map_err(Failure::Wisdom), |p| Ok(p.into()))
}

/// What code may be chosen and what it may use.
#[derive(Clone, Copy, Debug)]
pub struct What {
    /// CPU features that kernels may use.
    pub target: Target,
    /// Those of a lesser CPU, if one was named.
    pub cpu: Option<Features>,
    /// Techniques that may be chosen.
    pub scope: Scope,
}

/// Reads the options on what may be chosen, and holds them against this CPU. An error says what is
/// lacking and what would work.
pub fn what(choice: &Choice, widest: Option<Width>) -> Result<What, Failure> {
    let native = Target::native();
    let scope = Scope { asked: choice.technique, variable_time: choice.allow_variable_time };
    let cpu = match choice.cpu.as_str() {
        "native" => None,
        name => Some(Features::level(name).map_err(|e| Failure::Usage(format!("--cpu {name}: {e}")))?),
    };
    let mut target = native;
    if let Some(features) = cpu {
        let missing = features.missing_in(native.features);
        if !missing.is_empty() {
            let levels = Level::ALL.iter().filter(|l| native.has(l.features));
            let names: Vec<&str> = levels.map(|l| l.name).collect();
            return Err(Failure::Cpu(format!(
                "--cpu {}: this CPU lacks {missing}, so that kernels for it cannot be run here; it can be {}",
                choice.cpu,
                names.join(", ")
            )));
        }
        target = native.within(Target { features });
    }
    if let Some(widest) = widest {
        target = target.up_to(widest.lanes());
        let has = scope.techniques(&target)?.iter().map(|&t| target.lanes_of(t)).max().unwrap_or(0);
        if has < widest.lanes() {
            return Err(Failure::Cpu(format!(
                "--width {} is wider than the techniques to be chosen from can use with the CPU features \
                 to be used, which is {} bits",
                widest.name(),
                128 * has
            )));
        }
    }
    scope.techniques(&target)?;
    Ok(What { target, cpu, scope })
}

/// Widths of vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Width {
    /// AES-NI
    Xmm,
    /// VAES and AVX2
    Ymm,
    /// VAES and AVX-512
    Zmm,
}

impl Width {
    /// Blocks in a register.
    pub fn lanes(self) -> usize {
        1 << self as usize
    }

    fn name(self) -> &'static str {
        ["xmm", "ymm", "zmm"][self as usize]
    }
}

/// The variant in a file (`-` is standard input): its text form on the first line that is neither
/// empty nor a comment (`#`). It must be of `problem`.
pub fn variant(file: &Path, problem: Problem) -> Result<Variant, Failure> {
    let line = variant_text(file)?;
    let variant: Variant = line.parse().map_err(|e| Failure::Other(format!("{}: {e}", file.display())))?;
    if variant.problem != problem {
        return Err(Failure::Other(format!(
            "{} has a variant of {}, and {problem} was asked for",
            file.display(),
            variant.problem
        )));
    }
    Ok(variant)
}

/// The text form in a variant file, of any problem: see [`variant`].
pub fn variant_text(file: &Path) -> Result<String, Failure> {
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be read: {e}", file.display()));
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map_err(cannot)?;
    } else {
        text = std::fs::read_to_string(file).map_err(cannot)?;
    }
    let line = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#'));
    let line = line.ok_or_else(|| Failure::Other(format!("{} has no variant in it", file.display())))?;
    Ok(line.to_owned())
}
