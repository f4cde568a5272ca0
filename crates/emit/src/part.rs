//! A part of a package: a kernel with its certificate, and what it is for.

use crate::VARIABLE_TIME_SUFFIX;
use aesmith_cipher::firmware::{Firmware, Packing};
use aesmith_cipher::problem::Direction;
use aesmith_cipher::{Problem, Task};
use aesmith_processor::certificate::Certificate;
use aesmith_processor::cost::Made;

/// What a function is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A block, or blocks of a mode.
    Message,
    /// Its key schedule.
    Schedule,
}

/// A kernel that goes into a package.
pub struct Part {
    /// What has been proved and judged of it.
    pub certificate: Certificate,
    /// Its code.
    pub made: Made,
}

impl Part {
    /// What it computes.
    pub fn problem(&self) -> Problem {
        self.made.kernel.contract.problem
    }

    /// What it is for.
    pub fn role(&self) -> Role {
        if self.problem().is_message() { Role::Message } else { Role::Schedule }
    }

    /// The function's name in files: `aesmith_aes128_encrypt`, with `_vt` behind it where its time may
    /// depend on secrets.
    pub fn symbol(&self) -> String {
        let suffix = if self.certificate.is_variable_time() { VARIABLE_TIME_SUFFIX } else { "" };
        symbol(self.problem()) + suffix
    }
}

impl Part {
    /// Whether its time is constant for the reason alone that the processor has no data cache.
    pub fn needs_no_cache(&self) -> bool {
        !self.certificate.is_constant_time() && !self.certificate.is_variable_time()
    }
}

/// The name of the function that makes what a message's function reads; none where it reads the cipher
/// key itself.
pub fn schedule_symbol(contract: &Firmware, parts: &[Part]) -> Option<String> {
    let (problem, packing) = schedule_of(contract)?;
    let made = |p: &&Part| (p.problem(), p.made.kernel.contract.packing) == (problem, packing);
    Some(parts.iter().find(made).map_or_else(|| symbol(problem), Part::symbol))
}

/// The name of a problem's function: `aesmith_aes128_encrypt`, `aesmith_aes128_expand_decrypt`.
pub fn symbol(problem: Problem) -> String {
    format!("aesmith_aes{}_{}", problem.key.bits(), verb(problem.task))
}

/// The last part of a function's name.
pub fn verb(task: Task) -> &'static str {
    match task {
        Task::Ecb(Direction::Encrypt) => "encrypt",
        Task::Ecb(Direction::Decrypt) => "decrypt",
        Task::CbcEncrypt { .. } => "cbc_encrypt",
        Task::CbcDecrypt => "cbc_decrypt",
        Task::Ctr => "ctr",
        Task::CtrTable => "ctr_table",
        Task::KeySchedule(Direction::Encrypt) => "expand",
        Task::KeySchedule(Direction::Decrypt) => "expand_decrypt",
    }
}

/// The key schedule that makes what a message's function reads, and how it leaves it; none where the
/// cipher key itself is read.
pub fn schedule_of(contract: &Firmware) -> Option<(Problem, Packing)> {
    match contract.packing {
        Packing::CipherKey => None,
        // Round keys of encryption are those that encryption reads.
        Packing::ForwardKeys => {
            let schedule = Task::KeySchedule(Direction::Encrypt);
            Some((Problem::new(contract.problem.key, schedule), Packing::RoundKeys))
        }
        packing => Some((contract.problem.key_schedule(), packing)),
    }
}
