//! Where commands take things from: the wisdom file, this processor, a variant in a file.

use crate::failure::Failure;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_kernel::Target;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The wisdom file: the one named, or the user's.
pub fn wisdom_path(named: Option<&Path>) -> Result<PathBuf, Failure> {
    named.map_or_else(|| aesmith_wisdom::place::default_path().map_err(Failure::Wisdom), |p| Ok(p.into()))
}

/// What kernels may use: all that this CPU has, or less where registers are limited.
pub fn target(widest: Option<Width>) -> Result<Target, Failure> {
    let native = Target::native();
    if native.lanes() == 0 {
        return Err(Failure::Cpu(
            "this CPU has no AES instructions (AES-NI and AVX are needed), and every technique of this \
             version uses them; `aesmith doctor` shows what it has"
                .into(),
        ));
    }
    let Some(widest) = widest else { return Ok(native) };
    if widest.lanes() > native.lanes() {
        return Err(Failure::Cpu(format!(
            "--width {} needs VAES on {}, and this CPU has {native}",
            widest.name(),
            widest.name()
        )));
    }
    Ok(match widest {
        Width::Xmm => native.within(Target::AESNI),
        Width::Ymm => native.within(Target::VAES),
        Width::Zmm => native,
    })
}

/// Says on stderr which techniques this CPU leaves out.
pub fn say_what_is_left_out(target: &Target) {
    let missing = match target.lanes() {
        1 => "VAES is left out: kernels use AES-NI on xmm",
        2 => "VAES on zmm is left out: kernels use xmm and ymm",
        _ => return,
    };
    eprintln!("this CPU, or --width, gives {target}; {missing}");
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
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be read: {e}", file.display()));
    let mut text = String::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map_err(cannot)?;
    } else {
        text = std::fs::read_to_string(file).map_err(cannot)?;
    }
    let line = text.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with('#'));
    let line = line.ok_or_else(|| Failure::Other(format!("{} has no variant in it", file.display())))?;
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
