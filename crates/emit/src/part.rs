//! A function of a package for firmware as printers see it, and the key schedule that it needs.

use crate::names::symbol_of_blocks;
use crate::{Code, CodeFacts, EmitError, Function};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Direction;
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::{Core, Kernel};

/// The purpose of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Processes a block, or blocks of a mode.
    Message,
    /// Computes the key schedule.
    Schedule,
}

/// A function with a certificate whose code consists of sections.
#[derive(Clone, Copy)]
pub(crate) struct Part<'f> {
    /// Its name in files.
    pub symbol: &'f str,
    /// The processor.
    pub core: &'static Core,
    /// Its code.
    pub kernel: &'f Kernel,
    /// The facts proved and measured of it.
    pub facts: &'f CodeFacts,
}

impl<'f> Part<'f> {
    /// Returns the view of a function.
    ///
    /// # Errors
    /// The function is machine code, or not proved.
    pub fn of(function: &'f Function) -> Result<Part<'f>, EmitError> {
        let symbol = &function.symbol;
        let Code::Sections { core, kernel } = &function.code else {
            return Err(EmitError(format!(
                "`{symbol}` is bytes, and sections of instructions are asked for"
            )));
        };
        let Some(facts) = &function.facts else {
            return Err(EmitError(format!(
                "`{symbol}` has no certificate, and what is not proved goes into no package: prove it first"
            )));
        };
        Ok(Part { symbol, core, kernel, facts })
    }

    /// The problem that it computes.
    pub fn problem(&self) -> Problem {
        self.kernel.contract.problem
    }

    /// Its purpose.
    pub fn role(&self) -> Role {
        if self.problem().is_message() { Role::Message } else { Role::Schedule }
    }
}

/// Converts words to a part of a C name.
pub(crate) fn name_in_c(words: &str) -> String {
    words.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Returns the attribute for an array of 32-bit words that serves as a buffer, if one of these functions needs a higher
/// alignment than such an array has.
pub(crate) fn aligned(parts: &[Part<'_>]) -> String {
    alignment(parts).map_or(String::new(), |most| format!(" __attribute__((aligned({most})))"))
}

/// Returns the largest buffer alignment in bytes that one of these functions needs, if it is more than 4 (a 32-bit
/// word).
pub(crate) fn alignment(parts: &[Part<'_>]) -> Option<u8> {
    parts.iter().map(|p| p.facts.alignment).max().filter(|most| *most > 4)
}

/// Groups the functions by file: functions with equal code share a file, at the place of the first.
pub(crate) fn by_code<'f>(parts: &[Part<'f>]) -> Vec<Vec<Part<'f>>> {
    let mut files: Vec<Vec<Part<'f>>> = Vec::new();
    for part in parts {
        match files.iter_mut().find(|file| file[0].kernel.sections == part.kernel.sections) {
            Some(file) => file.push(*part),
            None => files.push(vec![*part]),
        }
    }
    files
}

/// Returns the name of the function that prepares the key for a message's function; `None` if it reads the cipher key
/// itself.
pub(crate) fn schedule_symbol(contract: &Firmware, parts: &[Part<'_>]) -> Option<String> {
    let (problem, packing) = schedule_of(contract)?;
    let made = |p: &&Part<'_>| (p.problem(), p.kernel.contract.packing) == (problem, packing);
    Some(parts.iter().find(made).map_or_else(|| symbol_of_blocks(problem), |p| p.symbol.to_owned()))
}

/// Returns the key schedule for a message's function, and the form of its result; `None` if the function reads the
/// cipher key itself.
pub fn schedule_of(contract: &Firmware) -> Option<(Problem, Packing)> {
    match contract.packing {
        Packing::CipherKey => None,
        packing @ Packing::ForwardKeys => {
            let schedule = Task::KeySchedule(Direction::Encrypt);
            Some((Problem::new(contract.problem.key, schedule), packing.written()))
        }
        packing => Some((contract.problem.key_schedule(), packing.written())),
    }
}
