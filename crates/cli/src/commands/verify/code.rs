//! What verification needs of code, whatever machine it is for: one small trait, with an implementation for each
//! engine of proof.

use aesmith_cipher::Problem;
use aesmith_emit::objects::sections::machine_of;
use aesmith_processor::core::Core;
use aesmith_prove::Prover;
use std::collections::BTreeSet;

use super::promised::Promised;
use super::{bits, lanes};
use aesmith_emit::EmitError;

/// The code of a function.
pub trait Code {
    /// Proves it anew, and holds it against what a certificate says.
    fn check(&self, claim: &Claimed, said: Option<&Said>, provers: &mut Provers) -> Checked;

    /// Whether it leads to code that is not in its file, as C does that chooses among kernels.
    fn leads_elsewhere(&self) -> bool {
        false
    }
}

/// A certificate, of either engine.
pub enum Said {
    /// Of a kernel for x86-64.
    Lanes(Box<aesmith_prove::Certificate>),
    /// Of a kernel for another processor.
    Bits(Box<aesmith_processor::certificate::Certificate>),
    /// Of a text for a grid of threads.
    Grid(Box<aesmith_processor::grid::certificate::GridCertificate>),
}

/// What proofs go by.
pub struct Provers {
    /// Remembers what it has proved.
    pub lanes: Prover,
    /// The processor that was named.
    pub processor: Option<&'static Core>,
    /// Custom instructions that were named.
    pub isa: Option<String>,
}

/// What was found of a function's code.
pub struct Checked {
    /// Bytes of code and constants, where they are final.
    pub bytes: Option<usize>,
    /// Their SHA-256.
    pub sha256: Option<String>,
    /// The processor that it was proved for, and who named it.
    pub processor: Option<(String, &'static str)>,
    /// The function on a block in registers beside it, if that was proved with it.
    pub beside: Option<String>,
    /// What was proved, or why nothing was.
    pub proof: Result<Proved, String>,
    /// What differs from the certificate.
    pub differs: Vec<String>,
}

/// What was proved.
pub struct Proved {
    /// The level of the proof.
    pub level: String,
    /// What it computes.
    pub problem: String,
    /// The class of its time.
    pub constant_time: String,
    /// Whether nothing secret is left behind.
    pub wiped: bool,
    /// How the key lies in memory, where there is a choice.
    pub key: Option<String>,
    /// What callers are promised by it.
    pub promised: Promised,
    /// Conditions under which what is proved holds, and not every function asks for.
    pub conditions: Vec<String>,
    /// Which callers it returns to, where these are not all that there may be.
    pub callers: Option<String>,
}

/// A function in a file, and what its name claims.
pub struct Claimed {
    /// The member of an archive that it is in.
    pub member: Option<String>,
    pub symbol: String,
    pub problem: Problem,
    pub code: Box<dyn Code>,
}

/// A function in C that is named for a problem and chooses among kernels by the CPU: nothing is
/// proved of it.
pub struct Chooser {
    pub member: Option<String>,
    pub symbol: String,
}

/// What a file has.
#[derive(Default)]
pub struct Inside {
    pub claims: Vec<Claimed>,
    pub choosers: Vec<Chooser>,
    /// Names of problems that something calls and that are not there.
    pub missing: BTreeSet<String>,
    /// Other functions that can be called.
    pub others: BTreeSet<String>,
    /// Whether the file is linked and the names of its own functions were taken out of it.
    pub stripped: bool,
}

/// What is in an object, a library or an archive, by the machine that it is for.
pub fn inside(object: &[u8]) -> Result<Inside, EmitError> {
    if machine_of(object).is_some() { bits::inside(object) } else { lanes::inside(object) }
}

/// What the function of a name claims to compute, on any machine.
pub fn problem_of(symbol: &str) -> Option<Problem> {
    aesmith_emit::problem_of_symbol(symbol).or_else(|| aesmith_emit::problem_of_blocks(symbol))
}
