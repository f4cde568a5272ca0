//! Faults of candidates that were run, with everything needed to reproduce them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Classes of failures of candidates. A time is never a failure: a measurement below a bound shows that the bound is
/// wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultClass {
    /// The output, or the IV left behind, differs from that of the reference.
    Wrong,
    /// Read outside its buffers.
    OverRead,
    /// Wrote outside its buffers.
    OverWrite,
    /// A signal other than an over-read or over-write: illegal instruction, general protection, ...
    Trap,
    /// Did not return within the CPU time allowed.
    TimeOut,
    /// Returned with a register that the calling convention preserves changed.
    Abi,
}

impl FaultClass {
    /// All classes, in the order in which they are reported.
    pub const ALL: [FaultClass; 6] = [
        FaultClass::Wrong,
        FaultClass::OverRead,
        FaultClass::OverWrite,
        FaultClass::Trap,
        FaultClass::TimeOut,
        FaultClass::Abi,
    ];
}

impl fmt::Display for FaultClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultClass::Wrong => "wrong",
            FaultClass::OverRead => "over-read",
            FaultClass::OverWrite => "over-write",
            FaultClass::Trap => "trap",
            FaultClass::TimeOut => "time-out",
            FaultClass::Abi => "abi",
        })
    }
}

/// A failed candidate, with its reproduction: the same problem, code, size and seed give the same keys, messages and
/// addresses within the buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The class of the failure.
    pub class: FaultClass,
    /// One sentence about what was wrong, and where.
    pub detail: String,
    /// The problem's name.
    pub problem: String,
    /// Message size of the evaluation in which it failed, bytes per stream.
    pub size: usize,
    /// The evaluation's seed.
    pub seed: u64,
    /// The kernel's machine code.
    #[serde(with = "hex")]
    pub code: Vec<u8>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({} bytes of code for {}, message of {} bytes, seed {}): {}",
            self.class,
            self.code.len(),
            self.problem,
            self.size,
            self.seed,
            self.detail
        )
    }
}

impl std::error::Error for Fault {}

/// Machine code as hexadecimal text, so that a stored fault is readable.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        serializer.serialize_str(&text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        if !text.is_ascii() || text.len() % 2 != 0 {
            return Err(D::Error::custom("code: an even number of hexadecimal digits is wanted"));
        }
        (0..text.len() / 2)
            .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(D::Error::custom))
            .collect()
    }
}

/// A failure of the judge itself, not of a candidate.
#[derive(Debug)]
pub enum JudgeError {
    /// The operating system refused something.
    System {
        /// The attempted operation.
        attempt: String,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The worker process gives no answer, or an invalid one, even without a candidate to blame.
    Worker(String),
    /// The core clock could not be calibrated.
    Clock(String),
    /// The request cannot be served.
    Request(String),
    /// There are no kernels for this machine's architecture, so nothing can be measured on it.
    NoKernels {
        /// The architecture's name.
        architecture: &'static str,
    },
}

impl JudgeError {
    pub(crate) fn last_os(attempt: impl Into<String>) -> Self {
        JudgeError::System { attempt: attempt.into(), cause: std::io::Error::last_os_error() }
    }

    /// The error of a machine without kernels.
    pub(crate) fn no_kernels() -> Self {
        JudgeError::NoKernels { architecture: std::env::consts::ARCH }
    }
}

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JudgeError::System { attempt, cause } => write!(f, "could not {attempt}: {cause}"),
            JudgeError::Worker(what) => write!(f, "the measuring process failed: {what}"),
            JudgeError::Clock(what) => write!(f, "the core clock could not be calibrated: {what}"),
            JudgeError::Request(what) => f.write_str(what),
            JudgeError::NoKernels { architecture } => write!(
                f,
                "aesmith has no kernels for this machine ({architecture}) yet, so nothing can be measured on it; \
                 name another processor, whose judge is an emulator or a model"
            ),
        }
    }
}

impl std::error::Error for JudgeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_class_of_faults_is_about_being_too_fast() {
        let names: Vec<String> = FaultClass::ALL.iter().map(FaultClass::to_string).collect();
        assert_eq!(names, ["wrong", "over-read", "over-write", "trap", "time-out", "abi"]);
        assert!(serde_json::from_str::<FaultClass>("\"unstable\"").is_err());
    }
}
