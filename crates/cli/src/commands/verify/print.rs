//! Output of `aesmith verify`.

use super::code::{Chooser, problem_of};
use super::{Finding, Proved, Verified, with_member};
use crate::failure::Failure;
use crate::output::{Output, shown};
use aesmith_processor::checked::{Accepted, Verdict};
use aesmith_processors::this_machine;
use serde_json::json;
use std::path::Path;

/// Prints the results for a file, and its functions that are not proved.
pub fn all(file: &Path, verified: &Verified, output: &mut Output) -> Result<(), Failure> {
    let Verified { findings, choosers, not_proved, faults } = verified;
    findings.iter().try_for_each(|one| finding(one, not_proved, output))?;
    choosers.iter().try_for_each(|one| chooser(file, one, not_proved, output))?;
    faults.iter().try_for_each(|why| fault(file, why, output))?;
    if output.json || not_proved.is_empty() {
        return Ok(());
    }
    let file = file.display();
    output.fitted(
        &format!("{file}: nothing is proved of the C around the kernels: {}", not_proved.join(", ")),
        "",
    )
}

/// Prints the result for one function.
fn finding(finding: &Finding, not_proved: &[String], output: &mut Output) -> Result<(), Failure> {
    let checked = &finding.checked;
    let proof = checked.proof.as_ref();
    let verdict = finding.judged.as_ref().map(|judged| &judged.verdict);
    let accepted = verdict.and_then(Verdict::accepted);
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
            "bytes": checked.bytes,
            "sha256": checked.sha256,
            "processor": checked.processor.as_ref().map_or(this_machine().dialect.name, |(name, _)| name),
            "in_registers": checked.beside,
            "key": proof.ok().and_then(|c| c.key.as_ref()),
            "blocks_a_call": proof.ok().and_then(|c| c.promised.blocks_a_call()),
            "alignment": proof.ok().map(|c| c.promised.alignment()),
            "cpu_features": proof.ok().and_then(|c| c.promised.features()),
            "conditions": proof.ok().map(|c| &c.conditions),
            "callers": proof.ok().and_then(|c| c.callers.as_ref()),
            "reason": proof.err(),
            "certificate": finding.certificate.as_ref().map(|p| p.display().to_string()),
            "carries_proof": finding.carries_proof,
            "checked": accepted.map(|a| &a.checked),
            "check_seconds": accepted.map(|a| a.time.as_secs_f64()),
            "unchecked": verdict.and_then(Verdict::unchecked),
            "proof": finding.judged.as_ref().and_then(|j| j.proof.as_ref()).map(|p| p.display().to_string()),
            "differs": finding.differs().collect::<Vec<_>>(),
            "not_proved": not_proved,
        }));
    }
    output.line(format!("{}: {}", shown(&finding.file), shown(&finding.symbol)))?;
    match proof {
        Ok(c) => output.line(format!(
            "    {} to be {}, {}, {} bytes, SHA-256 {}",
            shown_level(c),
            c.problem,
            c.constant_time,
            checked.bytes.unwrap_or_default(),
            checked.sha256.as_deref().unwrap_or_default()
        ))?,
        Err(reason) => {
            output.line(match (checked.bytes, &checked.sha256) {
                (Some(bytes), Some(hash)) => format!("    NOT PROVED, {bytes} bytes, SHA-256 {hash}"),
                _ => "    NOT PROVED".to_owned(),
            })?;
            output.fitted(reason, "    ")?;
        }
    }
    if let Ok(c) = proof {
        output.fitted(&c.promised.sentence(), "    ")?;
    }
    if let Some(beside) = &checked.beside {
        output.fitted(&format!("with its function on a block in registers, {beside}"), "    ")?;
    }
    if let Some((processor, by)) = &checked.processor {
        let key = proof
            .ok()
            .and_then(|c| c.key.as_ref())
            .map_or(String::new(), |key| format!("; `key` holds: {key}"));
        output.fitted(&format!("on {processor}, which {by} says{key}"), "    ")?;
    }
    let conditions = proof.ok().map_or(&[][..], |c| c.conditions.as_slice());
    conditions.iter().try_for_each(|c| output.fitted(c, "    "))?;
    if let Some(callers) = proof.ok().and_then(|c| c.callers.as_ref()) {
        output.fitted(callers, "    ")?;
    }
    match (verdict, accepted) {
        (_, Some(Accepted { checked, time, .. })) => {
            let proof = finding.judged.as_ref().and_then(|judged| judged.proof.as_ref());
            let from = proof.map_or_else(|| "found now".to_owned(), |path| path.display().to_string());
            let accepts = format!(
                "{} accepts a proof of {} ({from}; {} paths, {:.1} ms)",
                checked.by,
                checked.contract,
                checked.paths,
                time.as_secs_f64() * 1e3
            );
            output.fitted(&accepts, "    ")?;
        }
        (Some(verdict), None) => {
            let sentence = verdict.unchecked().unwrap_or_default();
            output.fitted(&sentence, "    ")?;
        }
        (None, None) => {}
    }
    let is_same = finding.differs().next().is_none();
    if let Some(certificate) = &finding.certificate {
        let verdict = if is_same { "says the same" } else { "DIFFERS" };
        let path = certificate.display().to_string();
        let older = if finding.carries_proof.is_none() && is_same { OLDER } else { "" };
        output.fitted(&format!("the certificate {path} {verdict}{older}"), "    ")?;
    } else if !is_same {
        output.line("    DIFFERS")?;
    }
    finding.differs().try_for_each(|d| output.fitted(d, "        "))
}

/// The addition to a certificate that has no statement about the checker.
const OLDER: &str = "; it is of an older version, and carries no proof";

/// Prints a file that differs from the proofs.
fn fault(file: &Path, why: &str, output: &mut Output) -> Result<(), Failure> {
    let file = file.display().to_string();
    if output.json {
        return output.object(&json!({ "file": file, "holds": false, "proved": false, "reason": why }));
    }
    output.line(format!("{}: NOT WHAT WAS PROVED", shown(&file)))?;
    output.fitted(why, "    ")
}

/// `proved E3`, or `proved` if there is only one level.
fn shown_level(proved: &Proved) -> String {
    match proved.level.as_str() {
        "proved" => "proved".into(),
        level => format!("proved {level}"),
    }
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
            "problem": problem_of(&chooser.symbol).map(|p| p.to_string()),
            "holds": true,
            "proved": false,
            "reason": "it is no kernel, but C that chooses among kernels by the CPU",
            "not_proved": not_proved,
        }));
    }
    output.line(format!("{}: {}", shown(&file), shown(&chooser.symbol)))?;
    output.fitted("not a kernel, and not proved: C that chooses among kernels by the CPU", "    ")
}
