//! A function of a package for firmware as printers read it, and the key schedule that it asks for.

use crate::names::symbol_of_blocks;
use crate::{Certificate, Code, EmitError, Function};
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Direction;
use aesmith_cipher::{Problem, Task};
use aesmith_processor::core::{Core, Kernel};

/// What a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A block, or blocks of a mode.
    Message,
    /// Its key schedule.
    Schedule,
}

/// A function whose code is sections, and which has a certificate.
#[derive(Clone, Copy)]
pub(crate) struct Part<'f> {
    /// Its name in files.
    pub symbol: &'f str,
    /// The processor.
    pub core: &'static Core,
    /// Its code.
    pub kernel: &'f Kernel,
    /// What has been proved and judged of it.
    pub certificate: &'f Certificate,
}

impl<'f> Part<'f> {
    /// The view of a function.
    ///
    /// # Errors
    /// Machine code; what is not proved.
    pub fn of(function: &'f Function) -> Result<Part<'f>, EmitError> {
        let symbol = &function.symbol;
        let Code::Sections { core, kernel } = &function.code else {
            return Err(EmitError(format!(
                "`{symbol}` is bytes, and sections of instructions are asked for"
            )));
        };
        let Some(certificate) = &function.certificate else {
            return Err(EmitError(format!(
                "`{symbol}` has no certificate, and what is not proved goes into no package: prove it first"
            )));
        };
        Ok(Part { symbol, core, kernel, certificate })
    }

    /// What it computes.
    pub fn problem(&self) -> Problem {
        self.kernel.contract.problem
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        if self.problem().is_message() { Role::Message } else { Role::Schedule }
    }
}

/// Words as a part of a name in C.
pub(crate) fn name_in_c(words: &str) -> String {
    words.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// What stands behind the name of an array of words of 32 bits that is one of the buffers of these functions: where some of
/// them want more of its address than such an array has.
pub(crate) fn aligned(parts: &[Part<'_>]) -> String {
    alignment(parts).map_or(String::new(), |most| format!(" __attribute__((aligned({most})))"))
}

/// The alignment in bytes that some of these functions want of their buffers, if that is more than a word of 32 bits has.
pub(crate) fn alignment(parts: &[Part<'_>]) -> Option<u8> {
    parts.iter().map(|p| p.certificate.alignment).max().filter(|most| *most > 4)
}

/// The functions of each file: those of one code stand together, where the first of them does.
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

/// The name of the function that makes what a message's function reads; none where it reads the cipher
/// key itself.
pub(crate) fn schedule_symbol(contract: &Firmware, parts: &[Part<'_>]) -> Option<String> {
    let (problem, packing) = schedule_of(contract)?;
    let made = |p: &&Part<'_>| (p.problem(), p.kernel.contract.packing) == (problem, packing);
    Some(parts.iter().find(made).map_or_else(|| symbol_of_blocks(problem), |p| p.symbol.to_owned()))
}

/// The key schedule that makes what a message's function reads, and how it leaves it; none where the
/// cipher key itself is read.
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
