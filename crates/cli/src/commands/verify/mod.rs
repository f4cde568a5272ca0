//! `aesmith verify`: proves emitted code again from its bytes, and compares certificates with the proofs. The search,
//! comments in files and certificates are not trusted.

pub mod assemble;
mod behind;
mod beside;
mod bits;
mod build;
mod certificates;
mod checker;
mod code;
mod conditions;
mod expected;
mod folder;
mod grids;
mod lanes;
mod lines;
mod linkers;
mod make;
mod package;
mod print;
mod promised;
mod proofs;
mod reads;
mod source;
mod words;

use crate::arguments;
use crate::failure::Failure;
use crate::kernels::kernels;
use crate::output::{Output, say};
use crate::regular;
use crate::scratch::Scratch;
use aesmith_cipher::Problem;
use aesmith_emit::EmitError;
use aesmith_emit::package::{File, write};
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processors::this_machine;
use assemble::assemble;
use certificates::{
    Read, certificate_of, certificates_by, certificates_of, folders, read_certificate, symbol_of,
};
use checker::{Given, Judgement};
use code::{Chooser, Claimed, CodeResult, Inside, Proved, Provers, Said, problem_of};
use folder::{folder, has_debug_data, is_code};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The result for a file.
#[derive(Default)]
struct Verified {
    findings: Vec<Finding>,
    choosers: Vec<Chooser>,
    /// Functions that can be called and are not proved.
    not_proved: Vec<String>,
    /// Sentences that say why a file of a package differs from the proofs.
    faults: Vec<String>,
}

impl Verified {
    /// The result for a file that is refused as a whole.
    fn refused(why: String) -> Verified {
        Verified { faults: vec![why], ..Verified::default() }
    }
}

/// The result for one function.
struct Finding {
    /// The file, followed by the member of an archive.
    file: String,
    symbol: String,
    problem: Problem,
    /// The result for the function's bytes.
    checked: CodeResult,
    /// The judgement of the checker of proofs, if the function is proved.
    judged: Option<Judgement>,
    /// The certificate that was compared.
    certificate: Option<PathBuf>,
    /// True if the certificate says that the checker accepts a proof; `None` if there is no certificate, or if it has no
    /// statement about the checker, as those of older versions.
    carries_proof: Option<bool>,
}

impl Finding {
    fn holds(&self) -> bool {
        self.checked.proof.is_ok() && self.differs().next().is_none()
    }

    /// Differences of the certificate, and of the proof beside it, from the function.
    fn differs(&self) -> impl Iterator<Item = &String> {
        self.checked.differs.iter().chain(self.judged.iter().flat_map(|judged| &judged.differs))
    }
}

/// Verifies all files, even after one has failed.
pub fn run(options: &arguments::Verify, output: &mut Output) -> Result<(), Failure> {
    // The language of a text follows from its file's name.
    let processor = kernels(options.processor.as_deref())?.core();
    let mut provers = Provers {
        lanes: (this_machine().prover)(),
        processor,
        isa: options.isa.clone(),
        no_red_zone: options.no_red_zone,
        checked: options.checked,
    };
    let (mut checked, mut failed, mut faults) = (0, 0, 0);
    for file in &options.files {
        let all = match (file.is_dir(), is_certificate(file)) {
            (true, _) => folder(file, &mut provers)?,
            (false, true) => {
                let findings = certificate(file, &mut provers)?;
                vec![(file.clone(), Verified { findings, ..Verified::default() })]
            }
            (false, false) => vec![(file.clone(), code(file, &mut provers)?)],
        };
        for (file, verified) in &all {
            checked += verified.findings.len();
            failed += verified.findings.iter().filter(|finding| !finding.holds()).count();
            faults += verified.faults.len();
            print::all(file, verified, output)?;
        }
    }
    output.flush()?;
    if failed > 0 {
        return Err(Failure::NotProved(format!(
            "{failed} of {checked} functions are not proved, or not what their certificates say"
        )));
    }
    if faults > 0 {
        return Err(Failure::NotProved(format!(
            "{checked} functions are proved, and {faults} times what stands beside them is not what was proved"
        )));
    }
    Ok(())
}

/// Verifies files before they are delivered, in a temporary folder: nothing that `verify` refuses is written. If a
/// tool that makes objects is not installed, a message says so, and the files are written as they were proved.
///
/// # Errors
/// A file is refused, which is a defect of aesmith.
pub fn before_delivery(files: &[File]) -> Result<(), Failure> {
    if !files.iter().any(|file| is_code(Path::new(&file.name))) {
        return Ok(());
    }
    let place = Scratch::new("delivery")?;
    let cannot =
        |e: std::io::Error| Failure::Other(format!("{} cannot be written: {e}", place.path().display()));
    write(files, place.path()).map_err(cannot)?;
    let mut provers = Provers::plain();
    let found = match folder(place.path(), &mut provers) {
        Err(Failure::Missing(why)) => {
            say(format!("what is delivered is proved, and `aesmith verify` was not run on it: {why}"));
            return Ok(());
        }
        found => found?,
    };
    let of_findings = |verified: &Verified| {
        let wrong = verified.findings.iter().filter(|finding| !finding.holds());
        let reasons =
            wrong.flat_map(|f| f.checked.proof.as_ref().err().into_iter().chain(f.differs()).cloned());
        reasons.chain(verified.faults.iter().cloned()).collect::<Vec<_>>()
    };
    let wrong: Vec<String> = found
        .iter()
        .flat_map(|(file, verified)| {
            let file = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            of_findings(verified).into_iter().map(move |why| format!("{file}: {why}"))
        })
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::NotProved(format!(
        "nothing is delivered, for `aesmith verify` would refuse it, which is a fault of aesmith: {}",
        wrong.join("; ")
    )))
}

fn is_certificate(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "json")
}

/// Proves every function of a file whose name claims a problem, and compares the certificates beside the file.
fn code(file: &Path, provers: &mut Provers) -> Result<Verified, Failure> {
    let beside = certificates_by(file);
    let inside = inside(file, &beside, provers)?;
    if inside.claims.is_empty() {
        // The certificate determines the processor of assembly.
        if let Some(why) = beside.iter().find_map(|(_, said)| said.as_ref().err()?.sentence()) {
            return Err(Failure::NotProved(format!(
                "{}: nothing can be verified, for {why}",
                file.display()
            )));
        }
        return Err(Failure::NotProved(format!(
            "{} has no function named for a problem (aesmith_aes256_ctr, ...), so there is nothing to verify",
            file.display()
        )));
    }
    proved(file, inside, &beside, &BTreeSet::new(), provers)
}

/// Proves the functions of a file. `elsewhere` contains the functions of files that are built together with it.
fn proved(
    file: &Path,
    inside: Inside,
    beside: &[Read],
    elsewhere: &BTreeSet<String>,
    provers: &mut Provers,
) -> Result<Verified, Failure> {
    let Inside { claims, choosers, missing, mut others, stripped, beside: _ } = inside;
    let certified: Vec<&str> = beside.iter().filter_map(|(path, _)| symbol_of(path)).collect();
    let found = claims.iter().map(|c| &c.symbol).chain(choosers.iter().map(|c| &c.symbol));
    let mut promised = expected::missing(file, &found.map(String::as_str).collect::<Vec<_>>(), &certified);
    if let Some(chooser) = choosers.iter().find(|chooser| certified.contains(&chooser.symbol.as_str())) {
        return Err(Failure::NotProved(format!(
            "beside {} there is a certificate of `{}`, which is no kernel: it calls other functions",
            file.display(),
            chooser.symbol
        )));
    }
    for symbol in missing {
        promised.entry(symbol).or_insert_with(|| "something in this file calls it".to_owned());
    }
    promised.retain(|symbol, _| !elsewhere.contains(symbol));
    let mut findings = Vec::new();
    for claim in &claims {
        let certificates = certificates_of(file, &claim.symbol, beside);
        let said = certificates.first().and_then(|(_, said)| said.as_ref().ok());
        let mut finding = prove(file, claim, said, provers);
        for (path, said) in certificates {
            // Another certificate of the function, in another folder.
            if finding.certificate.is_some() {
                let again = prove(file, claim, said.as_ref().ok(), provers);
                let differs = again.differs().map(|why| format!("{}: {why}", path.display()));
                finding.checked.differs.extend(differs);
            }
            finding.checked.differs.extend(said.as_ref().err().map(|why| why.sentence().unwrap_or_default()));
            finding.certificate.get_or_insert(path.clone());
        }
        findings.push(finding);
    }
    let stripped = if stripped { STRIPPED } else { "" };
    let promised = promised.into_iter().map(|(symbol, who)| (symbol, format!("{who}{stripped}")));
    findings.extend(promised.filter_map(|(symbol, who)| absent(file, symbol, &who)));
    others.retain(|name| !findings.iter().any(|f| f.checked.beside.as_ref() == Some(name)));
    Ok(Verified { findings, choosers, not_proved: others.into_iter().collect(), faults: Vec::new() })
}

/// The reason why a function of a linked file may not be found.
const STRIPPED: &str = "; the file is stripped of the names of its own functions: verify it before that, or the archive \
                        or the objects that it was linked of";

/// The result for a promised function that is missing.
fn absent(file: &Path, symbol: String, who: &str) -> Option<Finding> {
    let problem = problem_of(&symbol)?;
    let why = format!("`{symbol}` is not in this file, and {who}");
    let checked = CodeResult {
        bytes: None,
        sha256: None,
        processor: None,
        beside: None,
        proof: Err(why),
        differs: Vec::new(),
    };
    Some(Finding {
        file: file.display().to_string(),
        symbol,
        problem,
        checked,
        judged: None,
        certificate: None,
        carries_proof: None,
    })
}

/// Proves the code that a certificate belongs to, from the files beside it, and compares them.
fn certificate(file: &Path, provers: &mut Provers) -> Result<Vec<Finding>, Failure> {
    let said = [(file.to_path_buf(), Ok(read_certificate(file)?))];
    let here = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_read = |path: &PathBuf| is_code(path) && !has_debug_data(path);
    let mut all: Vec<PathBuf> = files(here).into_iter().filter(is_read).collect();
    if std::path::absolute(here).is_ok_and(|here| here.file_name().is_some_and(|name| name == "certificates"))
    {
        // The code is in sources, and in objects built from them.
        for folder in [here.join("../src"), here.join("..")] {
            all.extend(files(&folder).into_iter().filter(is_read));
        }
    }
    let mut findings = Vec::new();
    for path in all {
        // An unreadable file may be the certificate's subject, and be linked: it is an error.
        let claims = inside(&path, &said, provers)?.claims;
        let stem = path.file_stem().and_then(|s| s.to_str());
        // A certificate belongs to the function with its name, or to one whose name begins the common name of both
        // files.
        let own = |c: &&Claimed| match symbol_of(file) {
            Some(of) if claims.iter().any(|c| c.symbol == of) => c.symbol == of,
            Some(of) => Some(of) == stem && of.starts_with(&c.symbol),
            None => true,
        };
        for claim in claims.iter().filter(own) {
            let mut finding = prove(&path, claim, said[0].1.as_ref().ok(), provers);
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

fn prove(file: &Path, claim: &Claimed, said: Option<&Said>, provers: &mut Provers) -> Finding {
    let mut checked = claim.code.check(claim, said, provers);
    checked.proof = checked.proof.and_then(|proved| proved.within(provers.no_red_zone));
    let given = Given::find(&folders(file), file, &claim.symbol);
    let judge = || match (said, &given) {
        // A finder failed on these bytes when the certificate was made, and nothing is claimed.
        (Some(said), None) if said.carries_proof() == Some(false) => Judgement::as_certified(),
        _ => claim.code.judge(claim, said, (&checked, given.as_ref())),
    };
    let judged = checked.proof.is_ok().then(judge);
    if let Some(why) =
        judged.as_ref().and_then(|judged| judged.verdict.unchecked()).filter(|_| provers.checked)
    {
        checked.proof = checked.proof.and_then(|proved| {
            Err(format!("it computes {}, but {why}, and --checked forbids that", proved.problem))
        });
    }
    let carries_proof = said.and_then(Said::carries_proof);
    Finding {
        file: with_member(file, claim.member.as_deref()),
        symbol: claim.symbol.clone(),
        problem: claim.problem,
        checked,
        judged,
        certificate: None,
        carries_proof,
    }
}

/// `lib.a(kernel.o)`, as linkers name members.
fn with_member(file: &Path, member: Option<&str>) -> String {
    let file = file.display();
    member.map_or_else(|| file.to_string(), |member| format!("{file}({member})"))
}

/// A function whose name claims a problem: name, problem, and bytes or the reason why they are not final.
pub(super) type Function = (String, Problem, Result<Vec<u8>, String>);

/// The functions of a file for x86-64 whose names claim a problem.
pub(super) fn functions(file: &Path) -> Result<Vec<Function>, Failure> {
    let provers = Provers::plain();
    let object = object(file, &[], &provers)?;
    let wrong = |e: EmitError| Failure::NotProved(format!("{}: {e}", file.display()));
    let all = lanes::functions(&object).map_err(wrong)?;
    Ok(all.into_iter().map(|(f, problem)| (f.symbol, problem, f.bytes.map_err(|e| e.0))).collect())
}

/// The object in a file, or assembled from it.
fn object(file: &Path, certificates: &[Read], provers: &Provers) -> Result<Vec<u8>, Failure> {
    let assembly = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("s"));
    if !assembly {
        return regular::read(file, regular::CODE);
    }
    let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let own = certificate_of(file, stem, certificates);
    let is_of_bits = |said: &Said| said.by::<BitsCertificate>().is_some();
    // The name of an assembly file may differ from its function's.
    let any = certificates.iter().find(|(_, said)| said.as_ref().is_ok_and(is_of_bits));
    let said = own.or(any).and_then(|(_, said)| said.as_ref().ok());
    let other = provers.processor.is_some() || said.is_some_and(is_of_bits);
    let core = other.then(|| bits::processor(None, said, provers)).transpose();
    let core = core.map_err(|why| Failure::Other(format!("{}: {why}", file.display())))?;
    assemble(file, core.map(|(core, _)| core))
}

/// The contents of a file: kernels, the C functions of a package of several levels that choose among them, and others.
fn inside(file: &Path, certificates: &[Read], provers: &Provers) -> Result<Inside, Failure> {
    let wrong = |e: EmitError| Failure::NotProved(format!("{}: {e}", file.display()));
    if let Some(grids) = grids::language_of(file) {
        return grids::inside(grids, &regular::read_text(file)?).map_err(wrong);
    }
    if let Some(why) = grids::restated_in(file) {
        return Err(Failure::Usage(why));
    }
    let object = object(file, certificates, provers)?;
    code::inside(&object).map_err(wrong)
}

/// The files of a folder, sorted by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
    paths.sort();
    paths
}
