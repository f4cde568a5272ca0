//! The checker of proofs in verification: it judges the proof beside a certificate, or one that is found now.

use super::code::{Claimed, Said};
use crate::regular;
use aesmith_processor::checked::{Accepted, Checked, Claim, Verdict};
use aesmith_processor::dialect::Dialect;
use std::path::{Path, PathBuf};

/// The text of a proof beside a certificate, or the reason why it cannot be read.
pub struct Given {
    pub path: PathBuf,
    text: Result<String, String>,
}

/// The statement of a certificate about the checker.
pub enum Statement {
    /// None: certificates of older versions carry no proof.
    Nothing,
    /// The kernel rests on the prover alone.
    ProverAlone,
    /// The checker accepts a proof.
    Accepted(Checked),
}

/// The checker's judgement of a proved function.
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The file of the proof that was judged; `None` if it was found now.
    pub proof: Option<PathBuf>,
    /// Reasons why the proof beside the certificate, or the certificate's statement about it, does not hold.
    pub differs: Vec<String>,
}

impl Given {
    /// The proof of a function beside a file of code, or in the certificates folder of its package: one with the file's
    /// name is preferred to one with the function's.
    pub fn find(folders: &[PathBuf], file: &Path, symbol: &str) -> Option<Given> {
        let stem = file.file_stem().and_then(|s| s.to_str()).filter(|stem| stem.starts_with(symbol));
        let names = stem.into_iter().chain([symbol]);
        let mut places = names.flat_map(|name| folders.iter().map(move |f| f.join(format!("{name}.proof"))));
        places.find(|path| path.is_file()).map(|path| {
            // Tools of version control may write the ends of lines otherwise.
            let text = regular::read_text(&path).map(|text| text.replace("\r\n", "\n"));
            Given { path, text: text.map_err(|why| why.sentence().unwrap_or_default()) }
        })
    }
}

impl Judgement {
    /// The judgement of code that the checker does not decode.
    pub fn of_other_processor(name: &str, given: Option<&Given>) -> Judgement {
        let verdict = Verdict::of_other_processor(name);
        let differs =
            given.map(|Given { path, .. }| format!("{} is no proof of code for {name}", path.display()));
        Judgement { verdict, proof: None, differs: differs.into_iter().collect() }
    }

    /// The judgement of a kernel that rests on the prover alone by its certificate.
    pub fn as_certified() -> Judgement {
        let verdict = Verdict::ProverAlone("its certificate says so".into());
        Judgement { verdict, proof: None, differs: Vec::new() }
    }

    /// Judges a proof beside the certificate; else one that is found now.
    pub fn of(
        (dialect, claim): (&'static Dialect, &Claimed),
        (bytes, wiped, lookups): (&[u8], bool, bool),
        said: Option<&Said>,
        given: Option<&Given>,
    ) -> Judgement {
        let claim = Claim { dialect, problem: claim.problem, wiped, lookups, bytes };
        Judgement::by(&|text| claim.judge_given(text), &|| claim.judge(), said, given)
    }

    /// Judges a proof beside the certificate; else one that is found now.
    pub fn by(
        judge_given: &dyn Fn(&str) -> Result<Accepted, String>,
        judge: &dyn Fn() -> Verdict,
        said: Option<&Said>,
        given: Option<&Given>,
    ) -> Judgement {
        let (mut differs, mut proof) = (Vec::new(), None);
        let judged = given.map(|Given { path, text }| {
            proof = Some(path.clone());
            text.clone().and_then(|text| judge_given(&text))
        });
        let verdict = match judged {
            Some(Ok(accepted)) => Verdict::Accepted(Box::new(accepted)),
            Some(Err(why)) => {
                let path = proof.as_deref().unwrap_or(Path::new("")).display();
                differs.push(format!("{} refuses the proof {path}: {why}", aesmith_check::NAME));
                Verdict::ProverAlone("the proof beside its certificate is refused".into())
            }
            None => judge(),
        };
        if let (Some(said), true) = (said, differs.is_empty()) {
            differs.extend(said.checker.difference(&verdict, proof.is_some()));
        }
        Judgement { verdict, proof, differs }
    }
}

impl Statement {
    /// The difference of the statement from a verdict. If the proof is not given, another one may have been found.
    fn difference(&self, verdict: &Verdict, is_given: bool) -> Option<String> {
        let Statement::Accepted(stated) = self else { return None };
        let Some(found) = verdict.checked() else {
            let why = verdict.unchecked().unwrap_or_default();
            return Some(format!("the certificate says that {} accepts a proof, and {why}", stated.by));
        };
        // Another version may need other steps.
        let steps = if stated.by == found.by { stated.steps } else { found.steps };
        let same = match is_given {
            true => Checked { by: found.by.clone(), steps, ..stated.clone() } == *found,
            false => stated.contract == found.contract,
        };
        let text = |checked: &Checked| serde_json::to_string(checked).unwrap_or_default();
        (!same).then(|| {
            format!("`checked` is {} in the certificate, and the checker gives {}", text(stated), text(found))
        })
    }
}
