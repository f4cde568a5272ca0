//! Code for x86-64, which is proved over lanes.

use super::checker::{Given, Judgement};
use super::code::{Chooser, Claimed, Code, CodeResult, Inside, Proved, Provers, Said};
use super::promised::Promised;
use aesmith_emit::objects::{Contents, FoundBytes, contents};
use aesmith_emit::{
    EmitError, NATIVE, VARIABLE_TIME_SUFFIX, chooses_among, level_of_symbol, problem_of_symbol,
    says_variable_time,
};
use aesmith_processor::certificate::Differences;
use aesmith_processors::this_machine;
use aesmith_prove::LanesCertificate;

/// Code for x86-64.
pub struct Lanes {
    /// Code and constants, or the reason why they are not final.
    code: Result<Vec<u8>, String>,
    /// True if the file determines the end of the constants.
    bounded: bool,
    leads_elsewhere: bool,
}

impl Lanes {
    /// The bytes to be proved. If the file does not determine the end of the constants, a matching certificate does;
    /// without one, the bytes after them are included.
    fn bytes(&self, said: Option<&Said>) -> Result<Vec<u8>, String> {
        let mut code = self.code.clone()?;
        if let Some(said) = said.filter(|_| !self.bounded).and_then(Said::by::<LanesCertificate>)
            && let Some(begin) = code.get(..said.bytes)
            && said.check(begin).is_ok()
        {
            code.truncate(said.bytes);
        }
        Ok(code)
    }
}

/// Checks that a function needs only features of the CPU level in its name.
fn within_level(symbol: &str, features: &Result<Vec<&'static str>, String>) -> Result<(), String> {
    let Some(level) = level_of_symbol(symbol).filter(|level| *level != NATIVE) else { return Ok(()) };
    let requirements = this_machine().requirements;
    let had: Vec<&str> = requirements.names(requirements.level(level)?).collect();
    let of_level = |feature: &&&str| {
        let implied = |(name, by): &(&str, &str)| name == *feature && had.contains(by);
        !had.contains(*feature) && !requirements.implied.iter().any(implied)
    };
    match features {
        Err(why) => {
            Err(format!("`{symbol}` is named for the level {level}, and what it needs is not known: {why}"))
        }
        Ok(features) => match features.iter().find(of_level) {
            Some(feature) => Err(format!(
                "`{symbol}` is named for the level {level}, and its instructions need {}: CPUs of that level may lack {feature}",
                features.join(", ")
            )),
            None => Ok(()),
        },
    }
}

/// Refuses a function of variable time whose name does not say so.
fn named(symbol: &str, proved: &LanesCertificate) -> Result<(), String> {
    if proved.is_variable_time() && !says_variable_time(symbol) {
        return Err(format!(
            "it computes {}, and its time depends on secrets (VT), which `{symbol}` does not say: such names end in \
             `{VARIABLE_TIME_SUFFIX}`",
            proved.problem
        ));
    }
    Ok(())
}

impl Code for Lanes {
    fn check(&self, claim: &Claimed, said: Option<&Said>, provers: &mut Provers) -> CodeResult {
        let code = self.bytes(said);
        let features = code.clone().and_then(|bytes| (this_machine().dialect.needed)(&bytes));
        let proof = code.clone().and_then(|bytes| {
            let proof = provers.lanes.certify(claim.problem, &claim.symbol, &bytes);
            let proof = proof.map_err(|refutation| refutation.to_string())?;
            named(&claim.symbol, &proof)?;
            within_level(&claim.symbol, &features)?;
            Ok(proof)
        });
        let mut differs = Vec::new();
        if let Some(own) = Said::of(said, claim, &mut differs) {
            differs.extend(differences(own, &code, &proof));
        }
        CodeResult {
            bytes: code.as_ref().ok().map(Vec::len),
            sha256: code.as_ref().ok().map(|bytes| aesmith_prove::certificate::sha256(bytes)),
            processor: None,
            beside: None,
            proof: proof.map(|c| Proved {
                conditions: Vec::new(),
                level: c.level,
                problem: c.problem,
                constant_time: c.constant_time,
                wiped: c.wiped,
                red_zone: c.red_zone_bytes,
                key: None,
                promised: Promised::Texts { features },
                callers: None,
            }),
            differs,
        }
    }

    fn judge(
        &self,
        claim: &Claimed,
        said: Option<&Said>,
        (found, given): (&CodeResult, Option<&Given>),
    ) -> Judgement {
        let dialect = this_machine().dialect;
        match (self.bytes(said), &found.proof) {
            (Ok(bytes), Ok(proved)) => {
                let properties = (&*bytes, proved.wiped, proved.constant_time == "VT");
                Judgement::of((dialect, claim), properties, said, given)
            }
            _ => Judgement::of_other_processor(dialect.name, None),
        }
    }

    fn leads_elsewhere(&self) -> bool {
        self.leads_elsewhere
    }
}

/// Fields that are compared with the bytes, or are no claims about them.
const NO_CLAIMS: [&str; 6] = ["sha256", "bytes", "format", "kernel", "tool", "reduced_to"];

/// Differences of a certificate from the bytes and their proof, each as a sentence.
fn differences(
    said: &LanesCertificate,
    bytes: &Result<Vec<u8>, String>,
    proof: &Result<LanesCertificate, String>,
) -> Vec<String> {
    let mut all = Differences::default();
    match bytes.as_ref().map(|bytes| said.check(bytes)) {
        Ok(Ok(())) => {}
        Ok(Err(mismatch)) => all.0.push(mismatch.to_string()),
        Err(_) => all.0.push("the certificate is over final bytes, and the function has none".to_owned()),
    }
    if let (Ok(proved), Ok(said)) = (proof, serde_json::to_value(said))
        && let Ok(proved) = serde_json::to_value(proved)
    {
        // A certificate of an older version has fewer fields.
        all.fields("", (&said, &proved), |field, stated, _| !NO_CLAIMS.contains(&field) && !stated.is_null());
    }
    all.0
}

/// The functions of a file: name and problem, with code and constants or the reason why they are not final.
pub fn functions(object: &[u8]) -> Result<Vec<(FoundBytes, aesmith_cipher::Problem)>, EmitError> {
    let all = contents(object)?.functions;
    Ok(all
        .into_iter()
        .filter_map(|f| Some((problem_of_symbol(&f.symbol)?, f)))
        .map(|(p, f)| (f, p))
        .collect())
}

/// The contents of a file: kernels, the C functions of a package of several levels that choose among them, and others.
pub fn inside(object: &[u8]) -> Result<Inside, EmitError> {
    let Contents { functions, missing, others, beside, stripped } = contents(object)?;
    let symbols: Vec<String> = functions.iter().map(|f| f.symbol.clone()).collect();
    let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
    let mut inside = Inside { missing, others, beside, stripped, ..Inside::default() };
    for FoundBytes { member, symbol, bytes, leads_elsewhere, bounded } in functions {
        let Some(problem) = problem_of_symbol(&symbol) else { continue };
        if leads_elsewhere && chooses_among(&symbol, &symbols) {
            inside.others.insert(symbol.clone());
            inside.choosers.push(Chooser { member, symbol });
        } else {
            let code =
                Box::new(Lanes { code: bytes.map_err(|EmitError(why)| why), bounded, leads_elsewhere });
            inside.claims.push(Claimed { member, symbol, problem, code });
        }
    }
    Ok(inside)
}
