//! Kernels of grids as claims that the checker of proofs judges.

use super::{Accepted, Verdict, accepted, memory, text_by, verdict_on};
use crate::grid::Grids;
use crate::grid::certificate::{GridCertificate, ProvedGrid};
use aesmith_check::contract::Contract;
use aesmith_check::grid::module::{Module, meaning};
use aesmith_check::grid::{MODULE, Proof, check};
use aesmith_cipher::Problem;
use std::time::Instant;

/// The text of a kernel that is proved, with what the prover found.
#[derive(Clone, Copy, Debug)]
pub struct GridClaim<'a> {
    /// The processor.
    pub grids: &'static Grids,
    /// The text: the checker reads it by itself, with its comments.
    pub text: &'a str,
    /// The results of the prover.
    pub certificate: &'a GridCertificate,
}

impl<'a> GridClaim<'a> {
    /// The claim about the text that a kernel is emitted as.
    pub fn of(grids: &'static Grids, proved: &'a ProvedGrid) -> GridClaim<'a> {
        GridClaim { grids, text: proved.text(), certificate: proved.certificate() }
    }

    /// Finds a proof and lets the checker judge it, once for each claim.
    pub fn judge(&self) -> Verdict {
        let GridCertificate { problem, class, proof, .. } = self.certificate;
        let of_a_stream = [u8::from(proof.of_a_stream.is_some())];
        let question = [self.grids.name, problem, class, self.text].map(str::as_bytes);
        memory::once(&[&question[..], &[&of_a_stream[..]]].concat(), || self.judge_anew())
    }

    fn judge_anew(&self) -> Verdict {
        if self.grids.checked.is_none() {
            return Verdict::of_other_processor(self.grids.name);
        }
        match self.contract() {
            Err(why) => Verdict::ProverAlone(why),
            Ok(contract) => {
                let find = || aesmith_witness::grid::find(&contract.to_string(), self.text);
                verdict_on(text_by(find), |text| self.judge_given(text))
            }
        }
    }

    /// Lets the checker judge a given proof, which must be about this text and claim at least as much.
    ///
    /// # Errors
    /// The reason why the proof is refused.
    pub fn judge_given(&self, text: &str) -> Result<Accepted, String> {
        let begin = Instant::now();
        if self.grids.checked.is_none() {
            return Err(format!("it is no proof of code for {}", self.grids.name));
        }
        let (proof, claimed) = (Proof::read(text)?, self.contract()?);
        let (_, module) = text.split_once(MODULE).ok_or("it has no module")?;
        // A compiler may read comments otherwise than as comments: what is delivered must be a module, too.
        Module::read(self.text)?;
        if !meaning(module).eq(meaning(self.text)) {
            return Err("it is about another text".into());
        }
        let found = &self.certificate.proof;
        if proof.contract != claimed || proof.stream.is_some() != found.of_a_stream.is_some() {
            return Err(format!("it is a proof of {}", proof.claim()));
        }
        if proof.lookups && self.certificate.class != "VT" {
            return Err("it admits look-ups at secret addresses, of which the prover found none".into());
        }
        accepted(text, proof.claim(), || check(&proof), begin)
    }

    /// The contract, if the checker knows it.
    fn contract(&self) -> Result<Contract, String> {
        let problem = &self.certificate.problem;
        let known = problem.parse::<Problem>().ok().and_then(|known| Contract::named(&known.to_string()));
        known.ok_or_else(|| format!("the checker of proofs does not know the contract of {problem}"))
    }
}
