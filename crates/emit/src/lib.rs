//! Printers over a finished kernel: assembly text, C, object files, packages.
//!
//! Each printer is a pure function of its arguments and needs no tool: no assembler, no compiler.

pub mod assembly;
pub mod c;
pub mod features;
mod frame;
pub mod listing;
pub mod object_file;
pub mod package;

use aesmith_cipher::{Problem, Task};
use std::fmt;

/// A kernel to be printed, with what is said of it in banners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its global symbol.
    pub symbol: String,
    /// Whether only code in the same shared object may name it.
    pub hidden: bool,
    /// What it computes.
    pub problem: Problem,
    /// Machine code, entry first, and its constants: exactly what is emitted.
    pub bytes: Vec<u8>,
    /// Named places in the code.
    pub places: Vec<(String, usize)>,
    /// The variant's text form; one a line where a dispatcher chooses among several.
    pub variant: String,
    /// How a round is computed: `aesni`, `vaes`.
    pub technique: String,
    /// What was proved of the bytes, if anything.
    pub certificate: Option<Certificate>,
}

/// What was proved or tested of a function's bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// `E0` to `E3`.
    pub level: String,
    /// `CT2`, `CT1` or `VT`.
    pub constant_time: String,
    /// The certificate itself.
    pub json: String,
}

impl Function {
    /// The function of a kernel, under its public symbol.
    pub fn new(kernel: &aesmith_kernel::Kernel) -> Function {
        Function {
            symbol: symbol(kernel.variant.problem),
            hidden: false,
            problem: kernel.variant.problem,
            bytes: kernel.bytes.clone(),
            places: kernel.places.iter().map(|(name, at)| (name.to_string(), *at)).collect(),
            variant: kernel.variant.to_string(),
            technique: kernel.variant.technique_name().to_owned(),
            certificate: None,
        }
    }

    /// The function of several kernels behind a choice by length.
    ///
    /// # Panics
    /// If `kernels` are not those that `dispatch` joined, or there are none.
    pub fn dispatched(dispatch: &aesmith_kernel::Dispatch, kernels: &[&aesmith_kernel::Kernel]) -> Function {
        assert_eq!(dispatch.parts.len(), kernels.len(), "a dispatch names its kernels");
        let mut function = Function::new(kernels[kernels.len() - 1]);
        function.bytes = dispatch.bytes.clone();
        function.places.clear();
        let mut lines = Vec::new();
        let mut techniques = Vec::new();
        for ((start, limit), kernel) in dispatch.parts.iter().zip(kernels) {
            let limit = limit.map_or("any length".to_owned(), |limit| format!("up to {limit} bytes"));
            lines.push(format!("{limit}: {}", kernel.variant));
            function.places.push((limit, *start));
            function.places.extend(kernel.places.iter().map(|(name, at)| (name.to_string(), start + at)));
            let technique = kernel.variant.technique_name();
            if !techniques.contains(&technique) {
                techniques.push(technique);
            }
        }
        function.variant = lines.join("\n");
        function.technique = techniques.join("+");
        function
    }

    /// The SHA-256 of the bytes, in hexadecimal.
    pub fn hash(&self) -> String {
        use sha2::{Digest, Sha256};
        Sha256::digest(&self.bytes).iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// The symbol of a problem's function: `aesmith_aes256_ctr`.
pub fn symbol(problem: Problem) -> String {
    format!("aesmith_{}", problem.c_name())
}

/// Suffix of the hidden symbol of a package's key schedule.
pub const SCHEDULE_SUFFIX: &str = "_schedule";
/// Suffix of the hidden symbol of a package's builder of the counter table.
pub const TABLE_SUFFIX: &str = "_table";

/// What the function under a symbol of an emitted object claims to compute: the reverse of
/// [`symbol`], and of the hidden symbols of a package.
pub fn problem_of_symbol(symbol: &str) -> Option<Problem> {
    let name = symbol.strip_prefix("aesmith_")?;
    let exact = |name: &str| name.parse::<Problem>().ok().filter(|p| p.c_name() == name);
    exact(name).or_else(|| {
        if let Some(owner) = name.strip_suffix(SCHEDULE_SUFFIX) {
            return exact(owner).map(|p| p.key_schedule());
        }
        let owner = name.strip_suffix(TABLE_SUFFIX).and_then(exact)?;
        (owner.task == Task::Ctr).then(|| Problem::new(owner.key, Task::CtrTable))
    })
}

/// Why something cannot be emitted or read back: a sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError(pub String);

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EmitError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_name_their_problem() {
        for problem in Problem::all() {
            let name = symbol(problem);
            assert_eq!(problem_of_symbol(&name), Some(problem));
            if problem.is_message() {
                let schedule = problem_of_symbol(&format!("{name}{SCHEDULE_SUFFIX}"));
                assert_eq!(schedule, Some(problem.key_schedule()));
            }
        }
        assert_eq!(problem_of_symbol("aesmith_aes256_ctl"), None);
        assert_eq!(problem_of_symbol("main"), None);
    }
}
