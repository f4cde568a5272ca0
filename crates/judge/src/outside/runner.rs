//! The text protocol of runners: one line a fact, numbers in hexadecimal.
//!
//! ```text
//! segment ADDRESS r|rw BYTES     the program, once
//! function ADDRESS
//! global ADDRESS                 value of register gp, if the program defines it (RISC-V)
//! limit INSTRUCTIONS
//! argument VALUE                 then for every call: arguments in order,
//! write ADDRESS BYTES            memory before it,
//! read ADDRESS LENGTH            memory to return after it,
//! call                           and the call itself
//! ```
//!
//! The answer to a call is `ok CYCLES INSTRUCTIONS STACK xBYTES...` with decimal numbers, `-` for unknown values, or
//! `error SENTENCE`, which ends the output.

use std::fmt::Write;
use std::process::Command;
use std::time::Duration;

use crate::judge::{Answer, Question};

use super::run;

/// The symbol that RISC-V linkers define for the value of register gp.
pub const GLOBAL_POINTER: &str = "__global_pointer$";

/// Writes bytes as two digits each.
pub fn hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
}

/// The question in the text form that a runner reads.
pub fn ask(question: &Question) -> String {
    let mut text = String::new();
    for segment in question.image.segments.iter().filter(|s| !s.bytes.is_empty()) {
        let _ = write!(text, "segment {:x} {} ", segment.address, if segment.writable { "rw" } else { "r" });
        hex(&mut text, &segment.bytes);
        text.push('\n');
    }
    let _ = writeln!(text, "function {:x}\nlimit {:x}", question.function, question.limit);
    if let Some(address) = question.image.symbols.get(GLOBAL_POINTER) {
        let _ = writeln!(text, "global {address:x}");
    }
    for call in &question.calls {
        for argument in &call.arguments {
            let _ = writeln!(text, "argument {argument:x}");
        }
        for (address, bytes) in call.writes.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let _ = write!(text, "write {address:x} ");
            hex(&mut text, bytes);
            text.push('\n');
        }
        for (address, length) in &call.reads {
            let _ = writeln!(text, "read {address:x} {length:x}");
        }
        text.push_str("call\n");
    }
    text
}

/// Decodes bytes as runners write them: `x`, then two digits each.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix('x')?;
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(digits.get(i..i + 2)?, 16).ok()).collect()
}

fn known(word: &str) -> Option<Option<u64>> {
    if word == "-" { Some(None) } else { word.parse().ok().map(Some) }
}

fn answer_of(line: &str) -> Option<Answer> {
    let mut words = line.strip_prefix("ok ")?.split_whitespace();
    Some(Answer {
        cycles: known(words.next()?)?,
        instructions: known(words.next()?)?,
        stack: known(words.next()?)?,
        read: words.map(bytes).collect::<Option<_>>()?,
    })
}

/// Parses a line of a runner: an answer, or an error.
pub fn said(line: &str) -> Result<Answer, String> {
    match line.strip_prefix("error ") {
        Some(sentence) => Err(sentence.to_owned()),
        None => answer_of(line).ok_or_else(|| format!("the runner answered '{line}', which makes no sense")),
    }
}

/// Sends a question to a runner and returns its answers.
pub fn answers(
    command: &mut Command,
    question: &Question,
    patience: Duration,
) -> Result<Vec<Answer>, String> {
    let output = run(command, ask(question).as_bytes(), patience)?;
    let mut answers = Vec::with_capacity(question.calls.len());
    for line in String::from_utf8_lossy(&output.out).lines() {
        answers.push(said(line).map_err(|why| format!("call {}: {why}", answers.len() + 1))?);
    }
    if answers.len() != question.calls.len() {
        return Err(ended(&output.status.to_string(), &answers, question, &output.errors));
    }
    Ok(answers)
}

/// The message for a runner that ended before all calls were answered.
pub fn ended(status: &str, answers: &[Answer], question: &Question, errors: &str) -> String {
    format!(
        "the runner ended ({status}) after {} of {} calls: {}",
        answers.len(),
        question.calls.len(),
        errors.trim()
    )
}
