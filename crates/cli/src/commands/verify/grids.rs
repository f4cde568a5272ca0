//! Kernels for grids as text, which are proved again.

use super::checker::{Given, Judgement};
use super::code::{Claimed, Code, CodeResult, Inside, Proved, Provers, Said, problem_of};
use super::promised::Promised;
use aesmith_cipher::Problem;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::mode::Role;
use aesmith_emit::{EmitError, VARIABLE_TIME_SUFFIX, says_variable_time};
use aesmith_isa::grid::GridProgram;
use aesmith_processor::certificate::Differences;
use aesmith_processor::checked::GridClaim;
use aesmith_processor::grid::certificate::{GridCertificate, ProvedGrid};
use aesmith_processor::grid::{GridKernel, Grids};
use aesmith_prove::certificate::sha256;
use std::path::Path;

struct Text {
    grids: &'static Grids,
    /// The text of the file.
    text: String,
    program: GridProgram,
}

/// The processor whose language a file is in, by the file's name.
pub fn language_of(file: &Path) -> Option<&'static Grids> {
    let extension = file.extension()?;
    aesmith_processors::grids().find(|grids| extension == grids.language)
}

/// A message for a file that re-emits a kernel in another language, by the file's name.
pub fn restated_in(file: &Path) -> Option<String> {
    let extension = file.extension()?;
    let of = |grids: &'static Grids| grids.others.iter().map(move |other| (grids, other));
    let (grids, other) =
        aesmith_processors::grids().flat_map(of).find(|(_, other)| extension == other.ending)?;
    Some(format!(
        "{} is {}, and nothing is proved of it: it re-emits the kernel of the .{} beside it; verify that",
        file.display(),
        other.about,
        grids.language
    ))
}

/// The kernel of a text.
pub fn inside(grids: &'static Grids, text: &str) -> Result<Inside, EmitError> {
    let program = (grids.read)(text).map_err(EmitError)?;
    let symbol = program.symbol.clone();
    let claims = problem_of(&symbol).map(|problem| Claimed {
        member: None,
        symbol: symbol.clone(),
        problem,
        code: Box::new(Text { grids, text: text.to_owned(), program }),
    });
    let mut found = Inside::default();
    match claims {
        Some(claim) => found.claims.push(claim),
        None => found.others.extend([symbol]),
    }
    Ok(found)
}

impl Text {
    /// Proves the kernel.
    fn proved(&self, problem: Problem) -> Result<ProvedGrid, String> {
        // Forms of the key have different sizes; in arrays the size is the distance to the next stream's key.
        let given = self.program.parameter(Role::Key).map_or(0, |key| key.bytes as usize);
        let of = |packing| Firmware { problem, packing, blocks: 0 };
        let forms = [
            Packing::RoundKeys,
            Packing::Masks(1),
            Packing::Masks(3),
            Packing::WordsAndMasks(1),
            Packing::WordsAndMasks(3),
        ];
        let forms = forms.map(of);
        let contract = forms.into_iter().find(|contract| contract.key_size() == given).unwrap_or(forms[0]);
        let proved = |contract: Firmware| {
            let variant = self.grids.table.plain(problem);
            let kernel = GridKernel { variant, contract, program: self.program.clone(), turns: Vec::new() };
            ProvedGrid::again(self.grids, kernel)
        };
        let found = proved(contract);
        let found = match self.program.has_streams() && found.is_err() {
            true => proved(of(Packing::CipherKey)).or(found),
            false => found,
        };
        found.and_then(|proved| named(&self.program.symbol, proved))
    }
}

/// Refuses a kernel of variable time without `_vt` in its name.
fn named(symbol: &str, proved: ProvedGrid) -> Result<ProvedGrid, String> {
    let certificate = proved.certificate();
    if certificate.class == "VT" && !says_variable_time(symbol) {
        return Err(format!(
            "it computes {}, and `{symbol}` does not end in `{VARIABLE_TIME_SUFFIX}`: {}",
            certificate.problem, certificate.constant_time
        ));
    }
    Ok(proved)
}

impl Code for Text {
    fn check(&self, claim: &Claimed, said: Option<&Said>, _: &mut Provers) -> CodeResult {
        let text = (self.grids.print)(&self.program);
        let hash = sha256(text.as_bytes());
        let mut differs = Vec::new();
        let proved = self.proved(claim.problem);
        if let Some(own) = Said::of(said, claim, &mut differs) {
            let found = proved.as_ref().ok().map(ProvedGrid::certificate);
            differs.extend(differences(own, claim, &hash, found));
        }
        CodeResult {
            bytes: Some(text.len()),
            sha256: Some(hash),
            processor: Some((self.grids.name.to_owned(), "the file")),
            beside: None,
            proof: proved.map(|proved| {
                let certificate = proved.certificate();
                let packing = certificate.proof.packing.clone();
                Proved {
                    conditions: certificate.proof.conditions().to_vec(),
                    callers: None,
                    level: "proved".into(),
                    problem: certificate.proof.problem.clone(),
                    constant_time: certificate.class.clone(),
                    // Registers and shared memory end with the launch; more than that has not been shown.
                    wiped: false,
                    red_zone: Some(0),
                    key: Some(match certificate.proof.of_a_stream {
                        None => packing,
                        Some(_) => format!("an array, of each stream: {packing}"),
                    }),
                    promised: Promised::Grid { grids: self.grids, proved: Box::new(proved) },
                }
            }),
            differs,
        }
    }

    fn judge(
        &self,
        _: &Claimed,
        said: Option<&Said>,
        (found, given): (&CodeResult, Option<&Given>),
    ) -> Judgement {
        let Ok(Proved { promised: Promised::Grid { proved, .. }, .. }) = &found.proof else {
            return Judgement::of_other_processor(self.grids.name, given);
        };
        // The checker reads the file by itself: the prover's reader is not trusted.
        let claim = GridClaim { grids: self.grids, text: &self.text, certificate: proved.certificate() };
        Judgement::by(&|text| claim.judge_given(text), &|| claim.judge(), said, given)
    }
}

/// Fields of a proof that are no claims: its duration, and what the class of the time sums up.
const NO_CLAIMS: [&str; 3] = ["microseconds", "instructions", "hangs"];

/// Differences between a certificate and the proof.
fn differences(
    own: &GridCertificate,
    claim: &Claimed,
    hash: &str,
    found: Option<&GridCertificate>,
) -> Vec<String> {
    let mut all = Differences::default();
    all.field("symbol", &*own.symbol, &*claim.symbol);
    all.field("sha256", &*own.sha256, hash);
    if let Some(found) = found {
        let [stated, made] = [own, found].map(|of| serde_json::to_value(&of.proof).unwrap_or_default());
        all.field("processor", &*own.processor, &*found.processor);
        all.field("language", &*own.language, &*found.language);
        all.field("level", &*own.level, &*found.level);
        all.field("class", &*own.class, &*found.class);
        all.fields("proof.", (&stated, &made), |field, _, _| !NO_CLAIMS.contains(&field));
    }
    all.0
}
