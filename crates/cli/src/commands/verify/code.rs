//! The interface of verification to code for any machine: one small trait, with an implementation for each proof
//! engine.

use aesmith_cipher::Problem;
use aesmith_emit::objects::Beside;
use aesmith_emit::objects::sections::machine_of;
use aesmith_processor::certificate::{Certificate, Subject};
use aesmith_processor::core::Core;
use aesmith_processors::this_machine;
use aesmith_prove::Prover;
use std::any::Any;
use std::collections::BTreeSet;

use super::checker::{Given, Judgement, Statement};
use super::promised::Promised;
use super::{bits, lanes};
use aesmith_emit::EmitError;

/// The code of a function.
pub trait Code {
    /// Proves the code again, and compares a certificate with it.
    fn check(&self, claim: &Claimed, said: Option<&Said>, provers: &mut Provers) -> CodeResult;

    /// Asks the checker of proofs about the proved code: about the proof beside it, else about one that is found.
    fn judge(&self, claim: &Claimed, said: Option<&Said>, found: (&CodeResult, Option<&Given>)) -> Judgement;

    /// True if it leads to code outside its file, as C does that chooses among kernels.
    fn leads_elsewhere(&self) -> bool {
        false
    }
}

/// A certificate of any engine.
pub struct Said {
    /// The results of the proof.
    certificate: Box<dyn Certificate>,
    /// The statement about the checker of proofs.
    pub checker: Statement,
}

impl Said {
    /// A certificate with its statement about the checker.
    pub fn new(certificate: impl Certificate, checker: Statement) -> Said {
        Said { certificate: Box::new(certificate), checker }
    }

    /// True if it says that the checker of proofs accepts a proof; `None` if it has no statement about the checker.
    pub fn carries_proof(&self) -> Option<bool> {
        match self.checker {
            Statement::Nothing => None,
            Statement::Accepted(_) => Some(true),
            Statement::ProverAlone => Some(false),
        }
    }

    /// The certificate, if it is of an engine.
    pub fn by<C: Certificate>(&self) -> Option<&C> {
        (&*self.certificate as &dyn Any).downcast_ref()
    }

    /// The certificate of the engine that proves a function again. One of another engine or problem is a difference.
    pub fn of<'s, C: Certificate>(
        said: Option<&'s Said>,
        claim: &Claimed,
        differs: &mut Vec<String>,
    ) -> Option<&'s C> {
        let said = said?;
        let Subject { processor, problem, .. } = said.certificate.subject();
        let Some(own) = said.by() else {
            let processor = processor.unwrap_or(this_machine().dialect.name);
            differs.push(format!("the certificate is of a kernel for {processor}"));
            return None;
        };
        if problem != claim.problem.to_string() {
            let Claimed { symbol, problem: claimed, .. } = claim;
            differs.push(format!("the certificate is of {problem}, and `{symbol}` claims {claimed}"));
            return None;
        }
        Some(own)
    }
}

/// Settings and state of proofs.
pub struct Provers {
    /// The prover for x86-64, with a cache of its proofs.
    pub lanes: Prover,
    /// The named processor.
    pub processor: Option<&'static Core>,
    /// The named custom instructions.
    pub isa: Option<String>,
    /// True if functions that use memory below the stack pointer are refused.
    pub no_red_zone: bool,
    /// True if functions are refused whose proofs the checker does not accept.
    pub checked: bool,
}

impl Provers {
    /// Provers without a named processor, which hold functions to no more than AES.
    pub fn plain() -> Provers {
        Provers {
            lanes: (this_machine().prover)(),
            processor: None,
            isa: None,
            no_red_zone: false,
            checked: false,
        }
    }
}

impl Proved {
    /// The proof, unless the function uses memory below the stack pointer and `no_red_zone` forbids it.
    pub fn within(self, no_red_zone: bool) -> Result<Proved, String> {
        match self.red_zone {
            Some(0) => Ok(self),
            _ if !no_red_zone => Ok(self),
            Some(bytes) => Err(format!(
                "it computes {}, and uses {bytes} bytes below the stack pointer, which --no-red-zone forbids",
                self.problem
            )),
            None => Err(format!(
                "it computes {}, and its proof does not tell whether it uses memory below the stack pointer, which \
                 --no-red-zone forbids",
                self.problem
            )),
        }
    }
}

/// The result for a function's code.
pub struct CodeResult {
    /// The number of bytes of code and constants, if they are final.
    pub bytes: Option<usize>,
    /// SHA-256 of these bytes.
    pub sha256: Option<String>,
    /// The processor of the proof, and the source of its choice.
    pub processor: Option<(String, &'static str)>,
    /// The companion function on a block in registers, if it was proved as well.
    pub beside: Option<String>,
    /// The proof, or the reason why there is none.
    pub proof: Result<Proved, String>,
    /// Differences from the certificate.
    pub differs: Vec<String>,
}

/// A proof.
pub struct Proved {
    /// The level of the proof.
    pub level: String,
    /// The problem that it computes.
    pub problem: String,
    /// The class of its time.
    pub constant_time: String,
    /// True if no secret is left behind.
    pub wiped: bool,
    /// Bytes that it uses below the stack pointer, if the proof tells.
    pub red_zone: Option<usize>,
    /// The layout of the key in memory, if there is a choice.
    pub key: Option<String>,
    /// The contract with callers.
    pub promised: Promised,
    /// Conditions of the proof that not every function has.
    pub conditions: Vec<String>,
    /// The callers that it can return to, if they are restricted.
    pub callers: Option<String>,
}

/// A function in a file, and the problem that its name claims.
pub struct Claimed {
    /// The archive member that contains it.
    pub member: Option<String>,
    pub symbol: String,
    pub problem: Problem,
    pub code: Box<dyn Code>,
}

/// A C function that is named for a problem and chooses among kernels by the CPU; it is not proved.
pub struct Chooser {
    pub member: Option<String>,
    pub symbol: String,
}

/// The contents of a file.
#[derive(Default)]
pub struct Inside {
    pub claims: Vec<Claimed>,
    pub choosers: Vec<Chooser>,
    /// Names of problems that are called but missing.
    pub missing: BTreeSet<String>,
    /// Other names that can be called, and sections that run though nothing calls them.
    pub others: BTreeSet<String>,
    /// All names and sections beside the functions.
    pub beside: Beside,
    /// True if the file is linked and stripped of the names of its own functions.
    pub stripped: bool,
}

/// The contents of an object, a library or an archive, according to its machine.
pub fn inside(object: &[u8]) -> Result<Inside, EmitError> {
    if machine_of(object).is_some() { bits::inside(object) } else { lanes::inside(object) }
}

/// The problem that a function's name claims, on any machine.
pub fn problem_of(symbol: &str) -> Option<Problem> {
    aesmith_emit::problem_of_symbol(symbol).or_else(|| aesmith_emit::problem_of_blocks(symbol))
}
