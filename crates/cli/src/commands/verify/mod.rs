//! `aesmith verify`: proves emitted code again from its bytes, and holds certificates against it.
//! Nothing that the search, the file's comments or a certificate say is trusted.

mod assemble;
mod expected;
mod print;

use crate::arguments;
use crate::failure::Failure;
use crate::handout::CERTIFICATE;
use crate::output::{Output, say};
use crate::regular;
use aesmith_cipher::Problem;
use aesmith_emit::object_file::{Contents, Found, contents};
use aesmith_emit::{EmitError, chooses_among, problem_of_symbol};
use aesmith_prove::{Certificate, Prover};
use aesmith_x86::instructions::prover;
use assemble::assemble;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A function in a file, and what its name claims.
pub(super) struct Claimed {
    /// The member of an archive that it is in.
    member: Option<String>,
    pub symbol: String,
    pub problem: Problem,
    /// Code and constants, or why they are not final.
    pub bytes: Result<Vec<u8>, String>,
}

/// A function in C that is named for a problem and chooses among kernels by the CPU: nothing is
/// proved of it.
struct Chooser {
    member: Option<String>,
    symbol: String,
}

/// What a file has.
#[derive(Default)]
struct Inside {
    claims: Vec<Claimed>,
    choosers: Vec<Chooser>,
    /// Names of problems that something calls and that are not there.
    missing: BTreeSet<String>,
    /// Other functions that can be called.
    others: BTreeSet<String>,
}

/// What was found of a file.
#[derive(Default)]
struct Verified {
    findings: Vec<Finding>,
    choosers: Vec<Chooser>,
    /// Functions that can be called and of which nothing is proved.
    not_proved: Vec<String>,
}

/// What was found of one function.
struct Finding {
    /// The file, with the member of an archive behind it.
    file: String,
    symbol: String,
    problem: Problem,
    /// Of the function's bytes, where they are final.
    bytes: Option<usize>,
    sha256: Option<String>,
    /// The certificate of a new proof, or why there is none.
    proof: Result<Certificate, String>,
    /// What differs from certificates beside it.
    differs: Vec<String>,
    /// The certificate that was compared.
    certificate: Option<PathBuf>,
}

impl Finding {
    fn holds(&self) -> bool {
        self.proof.is_ok() && self.differs.is_empty()
    }
}

/// Verifies each file; the first failure does not keep the others from being looked at.
pub fn run(options: &arguments::Verify, output: &mut Output) -> Result<(), Failure> {
    let mut prover = prover();
    let (mut checked, mut failed) = (0, 0);
    for file in &options.files {
        let verified = match is_certificate(file) {
            true => Verified { findings: certificate(file, &mut prover)?, ..Verified::default() },
            false => code(file, &mut prover)?,
        };
        checked += verified.findings.len();
        failed += verified.findings.iter().filter(|finding| !finding.holds()).count();
        print::all(file, &verified, output)?;
    }
    output.flush()?;
    if failed > 0 {
        return Err(Failure::NotProved(format!(
            "{failed} of {checked} functions are not proved, or not what their certificates say"
        )));
    }
    Ok(())
}

fn is_certificate(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "json")
}

/// The function that a certificate beside code is about, by the certificate's file name.
fn symbol_of(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(CERTIFICATE)
}

/// Proves every function of a file whose name claims a problem, and compares the certificates beside.
fn code(file: &Path, prover: &mut Prover) -> Result<Verified, Failure> {
    let Inside { claims, choosers, missing, others } = inside(file)?;
    if claims.is_empty() {
        return Err(Failure::NotProved(format!(
            "{} has no function named for a problem (aesmith_aes256_ctr, ...), so there is nothing to verify",
            file.display()
        )));
    }
    let beside = beside(file, |path| symbol_of(path).is_some().then(|| read_certificate(path)));
    let certified: Vec<&str> = beside.iter().filter_map(|(path, _)| symbol_of(path)).collect();
    if let Some(chooser) = choosers.iter().find(|chooser| certified.contains(&chooser.symbol.as_str())) {
        return Err(Failure::NotProved(format!(
            "beside {} there is a certificate of `{}`, which is no kernel: it calls other functions",
            file.display(),
            chooser.symbol
        )));
    }
    let found = claims.iter().map(|c| &c.symbol).chain(choosers.iter().map(|c| &c.symbol));
    let mut promised = expected::missing(file, &found.map(String::as_str).collect::<Vec<_>>(), &certified);
    for symbol in missing {
        promised.entry(symbol).or_insert_with(|| "something in this file calls it".to_owned());
    }
    let proved = claims.into_iter().map(|claim| {
        let mut finding = prove(file, &claim, prover);
        if let Some((path, certificate)) =
            beside.iter().find(|(path, _)| symbol_of(path) == Some(&claim.symbol))
        {
            match certificate {
                Ok(certificate) => finding.differs = differences(certificate, &claim, &finding.proof),
                Err(why) => finding.differs = vec![why.sentence().unwrap_or_default()],
            }
            finding.certificate = Some(path.clone());
        }
        finding
    });
    let mut findings: Vec<Finding> = proved.collect();
    findings.extend(promised.into_iter().filter_map(|(symbol, who)| absent(file, symbol, &who)));
    Ok(Verified { findings, choosers, not_proved: others.into_iter().collect() })
}

/// A function that is promised and not there.
fn absent(file: &Path, symbol: String, who: &str) -> Option<Finding> {
    let problem = problem_of_symbol(&symbol)?;
    let why = format!("`{symbol}` is not in this file, and {who}");
    Some(Finding {
        file: file.display().to_string(),
        symbol,
        problem,
        bytes: None,
        sha256: None,
        proof: Err(why),
        differs: Vec::new(),
        certificate: None,
    })
}

/// Finds the code of a certificate beside it, proves that, and compares.
fn certificate(file: &Path, prover: &mut Prover) -> Result<Vec<Finding>, Failure> {
    let certificate = read_certificate(file)?;
    let code = beside(file, |path| {
        let known = path.extension().is_some_and(|e| ["S", "s", "o", "a"].iter().any(|known| e == *known));
        let claims = known.then(|| claims(path))?;
        claims
            .inspect_err(|why| {
                say(format!("{} is passed over: {}", path.display(), why.sentence().unwrap_or_default()))
            })
            .ok()
    });
    let mut findings = Vec::new();
    for (path, claims) in code {
        for claim in claims.iter().filter(|c| symbol_of(file).is_none_or(|symbol| symbol == c.symbol)) {
            let mut finding = prove(&path, claim, prover);
            finding.differs = differences(&certificate, claim, &finding.proof);
            finding.certificate = Some(file.to_path_buf());
            findings.push(finding);
        }
    }
    if findings.is_empty() {
        return Err(Failure::NotProved(format!(
            "beside {} there is no .S, .o or .a with its function, so there is nothing to verify",
            file.display()
        )));
    }
    Ok(findings)
}

fn prove(file: &Path, claim: &Claimed, prover: &mut Prover) -> Finding {
    let proof = claim.bytes.clone().and_then(|bytes| {
        prover.certify(claim.problem, &claim.symbol, &bytes).map_err(|refutation| refutation.to_string())
    });
    Finding {
        file: with_member(file, claim.member.as_deref()),
        symbol: claim.symbol.clone(),
        problem: claim.problem,
        bytes: claim.bytes.as_ref().ok().map(Vec::len),
        sha256: claim.bytes.as_ref().ok().map(|bytes| aesmith_prove::certificate::sha256(bytes)),
        proof,
        differs: Vec::new(),
        certificate: None,
    }
}

/// What a certificate says otherwise than the bytes and their proof, each in a sentence. The
/// kernel's name and the tool's version are no claims.
fn differences(said: &Certificate, claim: &Claimed, proof: &Result<Certificate, String>) -> Vec<String> {
    let mut all = Vec::new();
    let checked = claim.bytes.as_ref().map(|bytes| said.check(bytes));
    match checked {
        Ok(Ok(())) => {}
        Ok(Err(mismatch)) => all.push(mismatch.to_string()),
        Err(_) => all.push("the certificate is over final bytes, and the function has none".to_owned()),
    }
    let (Ok(proved), Ok(Value::Object(said))) = (proof, serde_json::to_value(said)) else { return all };
    let Ok(Value::Object(proved)) = serde_json::to_value(proved) else { return all };
    for (field, found) in &proved {
        let about_bytes = ["sha256", "bytes", "format"].contains(&field.as_str());
        let named = ["kernel", "tool"].contains(&field.as_str());
        // A certificate of an older version does not say everything.
        let Some(stated) = said.get(field) else { continue };
        if !about_bytes && !named && stated != found {
            all.push(format!("`{field}` is {stated} in the certificate, and the proof gives {found}"));
        }
    }
    all
}

/// `lib.a(kernel.o)`, as linkers name members.
fn with_member(file: &Path, member: Option<&str>) -> String {
    let file = file.display();
    member.map_or_else(|| file.to_string(), |member| format!("{file}({member})"))
}

/// The functions of a file whose names claim a problem.
pub(super) fn claims(file: &Path) -> Result<Vec<Claimed>, Failure> {
    Ok(inside(file)?.claims)
}

/// What is in a file: kernels, the C of a package of several levels that chooses among them, and others.
fn inside(file: &Path) -> Result<Inside, Failure> {
    let assembly = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("s"));
    let object = if assembly { assemble(file)? } else { regular::read(file, regular::CODE)? };
    let wrong = |e: EmitError| Failure::NotProved(format!("{}: {e}", file.display()));
    let Contents { functions, missing, others } = contents(&object).map_err(wrong)?;
    let symbols: Vec<String> = functions.iter().map(|f| f.symbol.clone()).collect();
    let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
    let mut inside = Inside { missing, others, ..Inside::default() };
    for Found { member, symbol, bytes, leads_elsewhere } in functions {
        let Some(problem) = problem_of_symbol(&symbol) else { continue };
        if leads_elsewhere && chooses_among(&symbol, &symbols) {
            inside.others.insert(symbol.clone());
            inside.choosers.push(Chooser { member, symbol });
        } else {
            let bytes = bytes.map_err(|EmitError(why)| why);
            inside.claims.push(Claimed { member, symbol, problem, bytes });
        }
    }
    Ok(inside)
}

fn read_certificate(file: &Path) -> Result<Certificate, Failure> {
    let text = regular::read(file, regular::TEXT)?;
    serde_json::from_slice(&text)
        .map_err(|e| Failure::NotProved(format!("{} is no certificate: {e}", file.display())))
}

/// What `what` makes of the other files in a file's directory, in order of their names.
fn beside<T>(file: &Path, what: impl Fn(&Path) -> Option<T>) -> Vec<(PathBuf, T)> {
    let directory = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
    paths.sort();
    let others = paths.into_iter().filter(|p| p.file_name() != file.file_name());
    others.filter_map(|path| what(&path).map(|found| (path, found))).collect()
}
