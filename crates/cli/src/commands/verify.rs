//! `aesmith verify`: proves emitted code again from its bytes, and holds certificates against it.
//! Nothing that the search, the file's comments or a certificate say is trusted.

use crate::arguments;
use crate::failure::Failure;
use crate::handout::CERTIFICATE;
use crate::output::Output;
use aesmith_cipher::Problem;
use aesmith_emit::object_file::{Found, contents};
use aesmith_emit::{EmitError, chooses_among, problem_of_symbol};
use aesmith_prove::{Certificate, Prover};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
    let mut prover = Prover::new();
    let (mut checked, mut failed) = (0, 0);
    for file in &options.files {
        let (findings, choosers) = match is_certificate(file) {
            true => (certificate(file, &mut prover)?, Vec::new()),
            false => code(file, &mut prover)?,
        };
        for finding in &findings {
            checked += 1;
            failed += usize::from(!finding.holds());
            print(finding, output)?;
        }
        choosers.iter().try_for_each(|chooser| print_chooser(file, chooser, output))?;
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
fn code(file: &Path, prover: &mut Prover) -> Result<(Vec<Finding>, Vec<Chooser>), Failure> {
    let (claims, choosers) = claims_and_choosers(file)?;
    if claims.is_empty() {
        return Err(Failure::NotProved(format!(
            "{} has no function named for a problem (aesmith_aes256_ctr, ...), so there is nothing to verify",
            file.display()
        )));
    }
    let beside = beside(file, |path| symbol_of(path).is_some().then(|| read_certificate(path)));
    let certified =
        |chooser: &&Chooser| beside.iter().any(|(path, _)| symbol_of(path) == Some(&chooser.symbol));
    if let Some(chooser) = choosers.iter().find(certified) {
        return Err(Failure::NotProved(format!(
            "beside {} there is a certificate of `{}`, which is no kernel: it calls other functions",
            file.display(),
            chooser.symbol
        )));
    }
    let findings = claims.into_iter().map(|claim| {
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
    Ok((findings.collect(), choosers))
}

/// Finds the code of a certificate beside it, proves that, and compares.
fn certificate(file: &Path, prover: &mut Prover) -> Result<Vec<Finding>, Failure> {
    let certificate = read_certificate(file)?;
    let code = beside(file, |path| {
        let known = path.extension().is_some_and(|e| ["S", "s", "o", "a"].iter().any(|known| e == *known));
        known.then(|| claims(path).ok()).flatten()
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

fn print(finding: &Finding, output: &mut Output) -> Result<(), Failure> {
    let proof = finding.proof.as_ref();
    if output.json {
        return output.object(&json!({
            "file": finding.file,
            "function": finding.symbol,
            "problem": finding.problem.to_string(),
            "holds": finding.holds(),
            "proved": proof.is_ok(),
            "level": proof.ok().map(|c| &c.level),
            "constant_time": proof.ok().map(|c| &c.constant_time),
            "wiped": proof.ok().map(|c| c.wiped),
            "bytes": finding.bytes,
            "sha256": finding.sha256,
            "reason": proof.err(),
            "certificate": finding.certificate.as_ref().map(|p| p.display().to_string()),
            "differs": finding.differs,
        }));
    }
    output.line(format!("{}: {}", finding.file, finding.symbol))?;
    match proof {
        Ok(c) => output.line(format!(
            "    proved {} to be {}, {}, {} bytes, SHA-256 {}",
            c.level, c.problem, c.constant_time, c.bytes, c.sha256
        ))?,
        Err(reason) => {
            output.line(match (finding.bytes, &finding.sha256) {
                (Some(bytes), Some(hash)) => format!("    NOT PROVED, {bytes} bytes, SHA-256 {hash}"),
                _ => "    NOT PROVED".to_owned(),
            })?;
            output.line(format!("    {reason}"))?;
        }
    }
    if let Some(certificate) = &finding.certificate {
        let verdict = if finding.differs.is_empty() { "says the same" } else { "DIFFERS" };
        output.line(format!("    the certificate {} {verdict}", certificate.display()))?;
    }
    finding.differs.iter().try_for_each(|d| output.line(format!("        {d}")))
}

fn print_chooser(file: &Path, chooser: &Chooser, output: &mut Output) -> Result<(), Failure> {
    let file = with_member(file, chooser.member.as_deref());
    if output.json {
        return output.object(&json!({
            "file": file,
            "function": chooser.symbol,
            "problem": problem_of_symbol(&chooser.symbol).map(|p| p.to_string()),
            "holds": true,
            "proved": false,
            "reason": "it is no kernel, but C that chooses among kernels by the CPU",
        }));
    }
    output.line(format!("{file}: {}", chooser.symbol))?;
    output.line("    not a kernel, and not proved: C that chooses among kernels by the CPU")
}

/// `lib.a(kernel.o)`, as linkers name members.
fn with_member(file: &Path, member: Option<&str>) -> String {
    let file = file.display();
    member.map_or_else(|| file.to_string(), |member| format!("{file}({member})"))
}

/// The functions of a file whose names claim a problem.
pub(super) fn claims(file: &Path) -> Result<Vec<Claimed>, Failure> {
    Ok(claims_and_choosers(file)?.0)
}

/// The same, and those that only choose among them: the C of a package of several levels.
fn claims_and_choosers(file: &Path) -> Result<(Vec<Claimed>, Vec<Chooser>), Failure> {
    let assembly = file.extension().is_some_and(|e| e.eq_ignore_ascii_case("s"));
    let object = if assembly { assemble(file)? } else { read(file)? };
    let wrong = |e: EmitError| Failure::NotProved(format!("{}: {e}", file.display()));
    let found = contents(&object).map_err(wrong)?;
    let symbols: Vec<String> = found.iter().map(|f| f.symbol.clone()).collect();
    let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
    let (mut claims, mut choosers) = (Vec::new(), Vec::new());
    for Found { member, symbol, bytes } in found {
        let Some(problem) = problem_of_symbol(&symbol) else { continue };
        match bytes {
            Err(_) if chooses_among(&symbol, &symbols) => choosers.push(Chooser { member, symbol }),
            bytes => {
                let bytes = bytes.map_err(|EmitError(why)| why);
                claims.push(Claimed { member, symbol, problem, bytes });
            }
        }
    }
    Ok((claims, choosers))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|e| Failure::Other(format!("{} cannot be read: {e}", file.display())))
}

fn read_certificate(file: &Path) -> Result<Certificate, Failure> {
    let text = read(file)?;
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

/// The object that GNU as makes of a file, in memory again.
fn assemble(file: &Path) -> Result<Vec<u8>, Failure> {
    // An absent file is not the assembler's to complain about.
    read(file)?;
    // A directory of our own: nobody can have put a link in it.
    let place = std::env::temp_dir().join(format!("aesmith-verify-{}", std::process::id()));
    let cannot = |e: std::io::Error| Failure::Other(format!("{} cannot be made: {e}", place.display()));
    std::fs::create_dir(&place).map_err(cannot)?;
    let object = place.join("assembled.o");
    // An absolute path, for a name may begin with a dash.
    let path = std::path::absolute(file).map_err(cannot)?;
    let done = Command::new("as").arg("--64").arg("-o").arg(&object).arg(path).stdin(Stdio::null()).output();
    let bytes = std::fs::read(&object);
    let _ = std::fs::remove_dir_all(&place);
    let done = done.map_err(|e| {
        Failure::Other(format!(
            "{} must be assembled, and `as` cannot be run ({e}); apt-get install binutils brings it",
            file.display()
        ))
    })?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(Failure::NotProved(format!("{} does not assemble: {}", file.display(), said.trim())));
    }
    bytes.map_err(|e| Failure::Other(format!("{} cannot be read: {e}", object.display())))
}
