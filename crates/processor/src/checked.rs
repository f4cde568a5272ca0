//! The second verdict on a proved kernel: the finder looks for a proof as text, and the checker of proofs, which shares
//! no code with the prover, judges it. docs/CERTIFICATES.md describes these proofs.

mod bytes;
mod grid;
mod memory;

pub use bytes::{BytesClaim, of_kernel};
pub use grid::GridClaim;

use crate::dialect::Dialect;
use aesmith_check::contract::Contract;
use aesmith_check::{Accepted as Summary, Certificate as Proof, check};
use aesmith_cipher::Problem;
use aesmith_prove::certificate::sha256;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::panic::{UnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The checker's acceptance, as certificates state it. All fields but the version follow from the kernel's bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// The checker and its version.
    pub by: String,
    /// The contract that the kernel keeps: the problem, and `, wiped` if no secret is left behind.
    pub contract: String,
    /// Number of statements about places of the code.
    pub heads: usize,
    /// Number of paths between these places.
    pub paths: usize,
    /// Number of instructions that the checker executed.
    pub steps: usize,
    /// Number of bytes of the proof's text.
    pub proof_bytes: usize,
    /// SHA-256 of the proof's text, in hexadecimal.
    pub proof_sha256: String,
}

/// A proof that the checker accepts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Its properties.
    pub checked: Checked,
    /// Its text.
    pub text: String,
    /// The time of the check, without that of finding the proof.
    pub time: Duration,
}

/// The checker's verdict on a kernel that the prover has proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The checker accepts a proof of it.
    Accepted(Box<Accepted>),
    /// No proof was found that the checker could judge, for this reason: the kernel rests on the prover alone.
    ProverAlone(String),
    /// The checker refuses the proof that was found: the kernel rests on the prover alone.
    Refused(Box<Refused>),
}

/// A proof of a proved kernel that was found and that the checker refuses. The finder is not trusted, and may find a wrong
/// proof of a right kernel; else prover or checker is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The checker's reason.
    pub reason: String,
    /// The text of the proof.
    pub text: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} refuses the proof that was found: {}", aesmith_check::NAME, self.reason)
    }
}

/// A certificate together with the checker's verdict, as it is written.
#[derive(Serialize, Debug)]
pub struct Stated<'c, C> {
    #[serde(flatten)]
    certificate: &'c C,
    checked: Option<&'c Checked>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<String>,
}

impl<'c, C> Stated<'c, C> {
    /// A certificate with a verdict.
    pub fn new(certificate: &'c C, verdict: &'c Verdict) -> Stated<'c, C> {
        let (checked, unchecked) = (verdict.checked(), verdict.unchecked());
        Stated { certificate, checked, unchecked }
    }
}

impl Verdict {
    /// The verdict on kernels of a processor whose instructions the checker does not know.
    pub fn of_other_processor(name: &str) -> Verdict {
        Verdict::ProverAlone(format!("the checker of proofs does not know the instructions of {name}"))
    }

    /// The verdict on a kernel of which no proof was looked for.
    pub fn not_asked() -> Verdict {
        Verdict::ProverAlone("the run had no time to look for a proof for the checker".into())
    }

    /// The accepted proof.
    pub fn accepted(&self) -> Option<&Accepted> {
        match self {
            Verdict::Accepted(accepted) => Some(accepted),
            Verdict::ProverAlone(_) | Verdict::Refused(_) => None,
        }
    }

    /// The properties of the accepted proof.
    pub fn checked(&self) -> Option<&Checked> {
        self.accepted().map(|accepted| &accepted.checked)
    }

    /// A sentence if the kernel rests on the prover alone.
    pub fn unchecked(&self) -> Option<String> {
        let why: &dyn fmt::Display = match self {
            Verdict::Accepted(_) => return None,
            Verdict::ProverAlone(why) => why,
            Verdict::Refused(refused) => refused,
        };
        Some(format!("it rests on the prover alone: {why}"))
    }

    /// A line for people: what the checker accepts, or that the kernel rests on the prover alone, and why.
    pub fn line(&self) -> String {
        match (self.checked(), self.unchecked()) {
            (Some(checked), _) => format!(
                "{} accepts a proof of {} ({} paths, {} instructions)",
                checked.by, checked.contract, checked.paths, checked.steps
            ),
            (None, why) => why.unwrap_or_default(),
        }
    }

    /// The text of the accepted proof.
    pub fn proof(&self) -> Option<&str> {
        self.accepted().map(|accepted| &*accepted.text)
    }
}

/// The claim about a kernel, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Claim<'a> {
    /// The processor's machine code.
    pub dialect: &'static Dialect,
    /// The problem.
    pub problem: Problem,
    /// True if no secret is left behind.
    pub wiped: bool,
    /// True if the prover found look-ups at addresses that depend on secrets: only then may a proof have them.
    pub lookups: bool,
    /// Code and constants.
    pub bytes: &'a [u8],
}

impl Claim<'_> {
    /// Finds a proof and lets the checker judge it, once for each claim.
    pub fn judge(&self) -> Verdict {
        self.asked(|question| memory::once(question, || self.judge_anew()))
    }

    /// The verdict, if the claim was judged before.
    pub fn known(&self) -> Option<Verdict> {
        self.asked(memory::known)
    }

    /// All that the verdict depends on.
    fn asked<T>(&self, with: impl FnOnce(&[&[u8]]) -> T) -> T {
        let problem = self.problem.to_string();
        let promises = [u8::from(self.wiped), u8::from(self.lookups)];
        with(&[self.dialect.name.as_bytes(), problem.as_bytes(), &promises, self.bytes])
    }

    fn judge_anew(&self) -> Verdict {
        let name = self.dialect.name;
        if !self.dialect.checked {
            return Verdict::of_other_processor(name);
        }
        let Some(contract) = self.contract() else {
            let why = format!("the checker of proofs does not know the contract of {}", self.problem);
            return Verdict::ProverAlone(why);
        };
        match self.constants() {
            Ok(constants) => self.judge_found(found(contract, self.bytes, constants)),
            Err(why) => Verdict::ProverAlone(why),
        }
    }

    /// Lets the checker judge the text of a proof that was found, or gives the reason why none was.
    pub fn judge_found(&self, found: Result<String, String>) -> Verdict {
        verdict_on(found, |text| self.judge_given(text))
    }

    /// Lets the checker judge a given proof, which must be about these bytes and claim at least as much.
    ///
    /// # Errors
    /// The reason why the proof is refused.
    pub fn judge_given(&self, text: &str) -> Result<Accepted, String> {
        let begin = Instant::now();
        let proof = Proof::read(text)?;
        if proof.code != self.bytes {
            return Err("it is about other bytes".into());
        }
        if self.constants()? != proof.constants {
            return Err("its constants begin at another place".into());
        }
        let claimed = self.contract().ok_or_else(|| format!("{} has no contract", self.problem))?;
        let Contract { wipes, lookups, .. } = claimed;
        if (Contract { wipes, lookups, ..proof.contract }) != claimed {
            return Err(format!("it is a proof of {}", proof.claim()));
        }
        if proof.contract.lookups && !lookups {
            return Err("it admits look-ups at secret addresses, of which the prover found none".into());
        }
        if claimed.wipes && !proof.contract.wipes {
            return Err("it does not claim that the kernel is wiped, which the prover found".into());
        }
        accepted(text, proof.claim(), || check(&proof), begin)
    }

    /// The contract, if the checker knows it.
    fn contract(&self) -> Option<Contract> {
        let contract = Contract::named(&self.problem.to_string())?;
        Some(Contract { wipes: self.wiped, lookups: self.lookups, ..contract })
    }

    /// The offset of the constants.
    fn constants(&self) -> Result<usize, String> {
        Ok((self.dialect.split)(self.bytes)?.constants.min(self.bytes.len()))
    }
}

/// The text of a proof. The finder is not trusted: if it stops, there is none.
fn found(contract: Contract, bytes: &[u8], constants: usize) -> Result<String, String> {
    text_by(|| aesmith_witness::find(contract, bytes, constants).map(|proof| aesmith_witness::text(&proof)))
}

/// The text that a finder gives; none if it stops.
fn text_by(find: impl FnOnce() -> Result<String, String> + UnwindSafe) -> Result<String, String> {
    catch_unwind(find).unwrap_or_else(|_| Err("the finder stopped".into()))
}

/// The verdict on a proof that was found, or the reason why none was.
fn verdict_on(
    found: Result<String, String>,
    judge_given: impl FnOnce(&str) -> Result<Accepted, String>,
) -> Verdict {
    match found {
        Err(why) => {
            // The first line names the place and the reason; the rest is about the finder's terms.
            let why = why.lines().next().unwrap_or_default();
            Verdict::ProverAlone(format!("no proof for the checker was found: {why}"))
        }
        Ok(text) => match judge_given(&text) {
            Ok(accepted) => Verdict::Accepted(Box::new(accepted)),
            Err(reason) => Verdict::Refused(Box::new(Refused { reason, text })),
        },
    }
}

/// The acceptance of a proof of a contract by the checker, whose work began at `begin`.
///
/// # Errors
/// The checker's reason for a refusal.
fn accepted(
    text: &str,
    contract: String,
    check: impl FnOnce() -> Result<Summary, String> + UnwindSafe,
    begin: Instant,
) -> Result<Accepted, String> {
    let found = catch_unwind(check).unwrap_or_else(|_| Err("the checker stopped".into()))?;
    let checked = Checked {
        by: aesmith_check::NAME.into(),
        contract,
        heads: found.heads,
        paths: found.paths,
        steps: found.steps,
        proof_bytes: text.len(),
        proof_sha256: sha256(text.as_bytes()),
    };
    Ok(Accepted { checked, text: text.into(), time: begin.elapsed() })
}
