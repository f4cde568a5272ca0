//! What `aesmith verify` says.

use super::{Chooser, Finding, Verified, with_member};
use crate::failure::Failure;
use crate::output::{Output, shown};
use aesmith_emit::problem_of_symbol;
use serde_json::json;
use std::path::Path;

/// All that was found of a file, and what was not proved of it.
pub fn all(file: &Path, verified: &Verified, output: &mut Output) -> Result<(), Failure> {
    let Verified { findings, choosers, not_proved } = verified;
    findings.iter().try_for_each(|one| finding(one, not_proved, output))?;
    choosers.iter().try_for_each(|one| chooser(file, one, not_proved, output))?;
    if output.json || not_proved.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = not_proved.iter().map(|name| shown(name).into_owned()).collect();
    let file = file.display().to_string();
    output.line(format!(
        "{}: nothing is proved of the C around the kernels: {}",
        shown(&file),
        names.join(", ")
    ))
}

/// One function.
fn finding(finding: &Finding, not_proved: &[String], output: &mut Output) -> Result<(), Failure> {
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
            "not_proved": not_proved,
        }));
    }
    output.line(format!("{}: {}", shown(&finding.file), shown(&finding.symbol)))?;
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
            output.line(format!("    {}", shown(reason)))?;
        }
    }
    if let Some(certificate) = &finding.certificate {
        let verdict = if finding.differs.is_empty() { "says the same" } else { "DIFFERS" };
        let path = certificate.display().to_string();
        output.line(format!("    the certificate {} {verdict}", shown(&path)))?;
    }
    finding.differs.iter().try_for_each(|d| output.line(format!("        {}", shown(d))))
}

fn chooser(
    file: &Path,
    chooser: &Chooser,
    not_proved: &[String],
    output: &mut Output,
) -> Result<(), Failure> {
    let file = with_member(file, chooser.member.as_deref());
    if output.json {
        return output.object(&json!({
            "file": file,
            "function": chooser.symbol,
            "problem": problem_of_symbol(&chooser.symbol).map(|p| p.to_string()),
            "holds": true,
            "proved": false,
            "reason": "it is no kernel, but C that chooses among kernels by the CPU",
            "not_proved": not_proved,
        }));
    }
    output.line(format!("{}: {}", shown(&file), shown(&chooser.symbol)))?;
    output.line("    not a kernel, and not proved: C that chooses among kernels by the CPU")
}
