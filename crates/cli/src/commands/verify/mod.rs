//! `aesmith verify`: proves emitted code again from its bytes, and holds certificates against it.
//! Nothing that the search, the file's comments or a certificate say is trusted.

pub mod assemble;
mod bits;
mod code;
mod expected;
mod grids;
mod lanes;
mod print;

use crate::arguments;
use crate::failure::Failure;
use crate::handout::CERTIFICATE;
use crate::output::{Output, say};
use crate::regular;
use aesmith_cipher::Problem;
use aesmith_emit::EmitError;
use aesmith_processors::this_machine;
use assemble::assemble;
use code::{Checked, Chooser, Claimed, Inside, Proved, Provers, Said, problem_of};
use std::path::{Path, PathBuf};

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
    /// Of the function's bytes, and of their proof.
    checked: Checked,
    /// The certificate that was compared.
    certificate: Option<PathBuf>,
}

impl Finding {
    fn holds(&self) -> bool {
        self.checked.proof.is_ok() && self.checked.differs.is_empty()
    }
}

/// Verifies each file; the first failure does not keep the others from being looked at.
pub fn run(options: &arguments::Verify, output: &mut Output) -> Result<(), Failure> {
    // A text says its language itself.
    let of_text = crate::sources::grids(options.processor.as_deref());
    let processor = match of_text {
        Some(_) => None,
        None => crate::sources::processor(options.processor.as_deref())?,
    };
    let mut provers = Provers { lanes: (this_machine().prover)(), processor, isa: options.isa.clone() };
    let (mut checked, mut failed) = (0, 0);
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
            print::all(file, verified, output)?;
        }
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

/// Whether code is in a file, by its name.
fn is_code(file: &Path) -> bool {
    let is_text = grids::language_of(file).is_some();
    is_text || file.extension().is_some_and(|e| ["S", "s", "o", "a"].iter().any(|known| e == *known))
}

/// Whether compilers make such files, by its name.
fn is_object(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "o" || e == "a")
}

/// What stands beside a kernel's text as an object: what a compiler has made of the C around it, if no function there is named for
/// a problem, is called so from there, or chooses among such. Nothing is proved of it. Otherwise it is code as any other.
fn built(file: &Path, provers: &mut Provers) -> Result<Verified, Failure> {
    let Inside { claims, choosers, missing, others, .. } = inside(file, &[], provers)?;
    if claims.is_empty() && choosers.is_empty() && missing.is_empty() {
        return Ok(Verified { not_proved: others.into_iter().collect(), ..Verified::default() });
    }
    code(file, provers)
}

/// The function that a certificate beside code is about, by the certificate's file name.
fn symbol_of(file: &Path) -> Option<&str> {
    file.file_name()?.to_str()?.strip_suffix(CERTIFICATE)
}

/// The code of a package, and what its headers and certificates promise and no file of it has.
fn folder(folder: &Path, provers: &mut Provers) -> Result<Vec<(PathBuf, Verified)>, Failure> {
    let sources = folder.join("src");
    let all: Vec<PathBuf> = [folder, &sources].into_iter().flat_map(files).collect();
    let mut found = Vec::new();
    let has_text = all.iter().any(|file| grids::language_of(file).is_some());
    for file in all.iter().filter(|file| is_code(file)) {
        let verified = if has_text && is_object(file) { built(file, provers) } else { code(file, provers) };
        found.push((file.clone(), verified?));
    }
    if found.is_empty() {
        return Err(Failure::Other(format!(
            "{} cannot be read as a package: it and its folder src have no .S, .s, .o or .a",
            folder.display()
        )));
    }
    let symbols = |v: &Verified| v.findings.iter().map(|f| f.symbol.clone()).collect::<Vec<_>>();
    let mut there: Vec<String> = found.iter().flat_map(|(_, v)| symbols(v)).collect();
    there.extend(found.iter().flat_map(|(_, v)| v.choosers.iter().map(|c| c.symbol.clone())));
    let mut findings = Vec::new();
    let certificates = certificates_by(&folder.join("package"));
    let stated = certificates.iter().filter_map(|(path, _)| Some((symbol_of(path)?.to_owned(), path)));
    let headers = all.iter().filter(|file| file.extension().is_some_and(|e| e == "h"));
    let declared = headers.flat_map(|path| {
        let text = regular::read_text(path).unwrap_or_default();
        expected::declared(&text).map(str::to_owned).map(|name| (name, path)).collect::<Vec<_>>()
    });
    for (symbol, path) in stated.chain(declared) {
        if !there.contains(&symbol) && problem_of(&symbol).is_some() {
            findings.extend(absent(folder, symbol.clone(), &format!("{} promises it", path.display())));
            there.push(symbol);
        }
    }
    if !findings.is_empty() {
        found.push((folder.to_path_buf(), Verified { findings, ..Verified::default() }));
    }
    Ok(found)
}

/// The certificates that belong to a file: those beside it, and those of a package's folder for them.
fn certificates_by(file: &Path) -> Vec<(PathBuf, Result<Said, Failure>)> {
    let here = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Beside the folder of a package's sources.
    let above = if here.file_name().is_some() {
        here.with_file_name("certificates")
    } else {
        "../certificates".into()
    };
    let folders = [here.to_path_buf(), here.join("certificates"), above];
    let all = folders.iter().flat_map(|folder| files(folder));
    all.filter(|path| symbol_of(path).is_some() && path.file_name() != file.file_name())
        .map(|path| (path.clone(), read_certificate(&path)))
        .collect()
}

/// The certificate of a function of a file: of the file's own name before that of the function's.
fn certificate_of<'c>(
    file: &Path,
    symbol: &str,
    all: &'c [(PathBuf, Result<Said, Failure>)],
) -> Option<&'c (PathBuf, Result<Said, Failure>)> {
    let stem = file.file_stem().and_then(|s| s.to_str()).filter(|s| s.starts_with(symbol));
    let of = |name: &str| all.iter().find(|(path, _)| symbol_of(path) == Some(name));
    stem.and_then(of).or_else(|| of(symbol))
}

/// Proves every function of a file whose name claims a problem, and compares the certificates beside.
fn code(file: &Path, provers: &mut Provers) -> Result<Verified, Failure> {
    let beside = certificates_by(file);
    let Inside { claims, choosers, missing, mut others, stripped } = inside(file, &beside, provers)?;
    let certified: Vec<&str> = beside.iter().filter_map(|(path, _)| symbol_of(path)).collect();
    let found = claims.iter().map(|c| &c.symbol).chain(choosers.iter().map(|c| &c.symbol));
    let mut promised = expected::missing(file, &found.map(String::as_str).collect::<Vec<_>>(), &certified);
    if claims.is_empty() {
        // Which processor assembly is for stands in its certificate.
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
    let mut findings = Vec::new();
    for claim in &claims {
        let certificate = certificate_of(file, &claim.symbol, &beside);
        let said = certificate.and_then(|(_, said)| said.as_ref().ok());
        let mut finding = prove(file, claim, said, provers);
        if let Some((path, said)) = certificate {
            finding.checked.differs.extend(said.as_ref().err().map(|why| why.sentence().unwrap_or_default()));
            finding.certificate = Some(path.clone());
        }
        findings.push(finding);
    }
    let stripped = if stripped { STRIPPED } else { "" };
    let promised = promised.into_iter().map(|(symbol, who)| (symbol, format!("{who}{stripped}")));
    findings.extend(promised.filter_map(|(symbol, who)| absent(file, symbol, &who)));
    others.retain(|name| !findings.iter().any(|f| f.checked.beside.as_ref() == Some(name)));
    Ok(Verified { findings, choosers, not_proved: others.into_iter().collect() })
}

/// Why a linked file may have a function that is not found.
const STRIPPED: &str = "; the file is stripped of the names of its own functions: verify it before that, or the archive \
                        or the objects that it was linked of";

/// A function that is promised and not there.
fn absent(file: &Path, symbol: String, who: &str) -> Option<Finding> {
    let problem = problem_of(&symbol)?;
    let why = format!("`{symbol}` is not in this file, and {who}");
    let checked = Checked {
        bytes: None,
        sha256: None,
        processor: None,
        beside: None,
        proof: Err(why),
        differs: Vec::new(),
    };
    Some(Finding { file: file.display().to_string(), symbol, problem, checked, certificate: None })
}

/// Finds the code of a certificate beside it, proves that, and compares.
fn certificate(file: &Path, provers: &mut Provers) -> Result<Vec<Finding>, Failure> {
    let said = [(file.to_path_buf(), Ok(read_certificate(file)?))];
    let here = file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut all: Vec<PathBuf> = files(here).into_iter().filter(|path| is_code(path)).collect();
    if here.file_name().is_some_and(|name| name == "certificates") {
        all.extend(files(&here.with_file_name("src")).into_iter().filter(|path| is_code(path)));
    }
    let mut findings = Vec::new();
    for path in all {
        let claims = match inside(&path, &said, provers) {
            Ok(inside) => inside.claims,
            Err(why) => {
                say(format!("{} is passed over: {}", path.display(), why.sentence().unwrap_or_default()));
                continue;
            }
        };
        let stem = path.file_stem().and_then(|s| s.to_str());
        // A certificate is of the function of its name, or of that with which the name of both files begins.
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
    Finding {
        file: with_member(file, claim.member.as_deref()),
        symbol: claim.symbol.clone(),
        problem: claim.problem,
        checked: claim.code.check(claim, said, provers),
        certificate: None,
    }
}

/// `lib.a(kernel.o)`, as linkers name members.
fn with_member(file: &Path, member: Option<&str>) -> String {
    let file = file.display();
    member.map_or_else(|| file.to_string(), |member| format!("{file}({member})"))
}

/// A function whose name claims a problem: name, problem, and bytes or why they are not final.
pub(super) type Function = (String, Problem, Result<Vec<u8>, String>);

/// The functions of a file for x86-64 whose names claim a problem.
pub(super) fn functions(file: &Path) -> Result<Vec<Function>, Failure> {
    let provers = Provers { lanes: (this_machine().prover)(), processor: None, isa: None };
    let object = object(file, &[], &provers)?;
    let wrong = |e: EmitError| Failure::NotProved(format!("{}: {e}", file.display()));
    let all = lanes::functions(&object).map_err(wrong)?;
    Ok(all.into_iter().map(|(f, problem)| (f.symbol, problem, f.bytes.map_err(|e| e.0))).collect())
}

/// The object that a file is, or that is made of it.
fn object(
    file: &Path,
    certificates: &[(PathBuf, Result<Said, Failure>)],
    provers: &Provers,
) -> Result<Vec<u8>, Failure> {
    let assembly = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("s"));
    if !assembly {
        return regular::read(file, regular::CODE);
    }
    let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    let own = certificate_of(file, stem, certificates);
    // Assembly may have another name than its function.
    let any = certificates.iter().find(|(_, said)| matches!(said, Ok(Said::Bits(_))));
    let said = own.or(any).and_then(|(_, said)| said.as_ref().ok());
    let other = provers.processor.is_some() || matches!(said, Some(Said::Bits(_)));
    let core = other.then(|| bits::processor(None, said, provers)).transpose();
    let core = core.map_err(|why| Failure::Other(format!("{}: {why}", file.display())))?;
    assemble(file, core.map(|(core, _)| core))
}

/// What is in a file: kernels, the C of a package of several levels that chooses among them, and others.
fn inside(
    file: &Path,
    certificates: &[(PathBuf, Result<Said, Failure>)],
    provers: &Provers,
) -> Result<Inside, Failure> {
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

fn read_certificate(file: &Path) -> Result<Said, Failure> {
    let text = regular::read(file, regular::TEXT)?;
    let wrong =
        |e: serde_json::Error| Failure::NotProved(format!("{} is no certificate: {e}", file.display()));
    let value: serde_json::Value = serde_json::from_slice(&text).map_err(wrong)?;
    // What names a processor is of one other than x86-64.
    if value.get("processor").is_none() {
        return serde_json::from_slice(&text).map(|c| Said::Lanes(Box::new(c))).map_err(wrong);
    }
    if value.get("language").is_some() {
        return serde_json::from_slice(&text).map(|c| Said::Grid(Box::new(c))).map_err(wrong);
    }
    let certificate = serde_json::from_slice(&text).map_err(wrong)?;
    // Wisdom's certificates may be of other versions; a certificate that is verified says nothing unread.
    let read = serde_json::to_value(&certificate).map_err(wrong)?;
    if let Some(field) = unread(&value, &read) {
        return Err(Failure::NotProved(format!(
            "{} is no certificate: unknown field `{field}`",
            file.display()
        )));
    }
    Ok(Said::Bits(Box::new(certificate)))
}

/// A field of a value that is not in what was read of it.
fn unread(value: &serde_json::Value, read: &serde_json::Value) -> Option<String> {
    match (value, read) {
        (serde_json::Value::Object(value), serde_json::Value::Object(read)) => {
            value.iter().find_map(|(field, inner)| match read.get(field) {
                None => Some(field.clone()),
                Some(read) => unread(inner, read),
            })
        }
        (serde_json::Value::Array(value), serde_json::Value::Array(read)) => {
            value.iter().zip(read).find_map(|(inner, read)| unread(inner, read))
        }
        _ => None,
    }
}

/// The files of a folder in order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> =
        entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_file()).collect();
    paths.sort();
    paths
}
