//! Reasons why a command failed, and the exit codes that tell scripts.

use aesmith_emit::EmitError;
use aesmith_tune::TuneError;
use aesmith_wisdom::WisdomError;
use aesmith_wisdom::export::ExportError;
use std::io;

/// Exit codes and their meanings, as `--help`, the man page and README.md list them.
pub const EXIT_CODES: &[(u8, &str)] = &[
    (0, "done"),
    (1, "failed; a sentence on stderr says why"),
    (2, "the command line is wrong"),
    (3, "not proved, or not what its certificate says"),
    (4, "this CPU lacks the instructions that are needed"),
    (5, "wisdom is missing, damaged, from a newer version, or cannot be written"),
    (130, "interrupted by Ctrl-C; everything measured is kept"),
    (143, "terminated; everything measured is kept"),
];

/// The reason why a command ends without doing its work.
#[derive(Debug)]
pub enum Failure {
    /// A failure without an exit code of its own.
    Other(String),
    /// A tool is not installed.
    Missing(String),
    /// The command line asks for something that does not exist.
    Usage(String),
    /// A proof failed, or a certificate does not hold.
    NotProved(String),
    /// The CPU lacks instructions.
    Cpu(String),
    /// The store of results failed.
    Wisdom(WisdomError),
    /// No stored result that the command could use.
    NothingKnown(String),
    /// A signal, 2 or 15; the results so far have been printed.
    Interrupted(u8),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl Failure {
    /// The exit code, one of [`EXIT_CODES`].
    pub fn code(&self) -> u8 {
        match self {
            Failure::Other(_) | Failure::Missing(_) | Failure::Output(_) => 1,
            Failure::Usage(_) => 2,
            Failure::NotProved(_) => 3,
            Failure::Cpu(_) => 4,
            Failure::Wisdom(_) | Failure::NothingKnown(_) => 5,
            Failure::Interrupted(signal) => 128 + signal,
        }
    }

    /// The sentence for stderr; `None` if everything has been printed already.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Failure::Other(s)
            | Failure::Missing(s)
            | Failure::Usage(s)
            | Failure::NotProved(s)
            | Failure::Cpu(s)
            | Failure::NothingKnown(s) => Some(s.clone()),
            Failure::Wisdom(e) => Some(e.to_string()),
            Failure::Output(e) => Some(format!("the output could not be written: {e}")),
            Failure::Interrupted(_) => None,
        }
    }
}

impl From<WisdomError> for Failure {
    fn from(error: WisdomError) -> Self {
        Failure::Wisdom(error)
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(e) => Failure::Wisdom(e),
            ExportError::Output(e) => Failure::Output(e),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

impl From<EmitError> for Failure {
    fn from(EmitError(why): EmitError) -> Self {
        Failure::Other(why)
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Usage(s) => Failure::Usage(s),
            TuneError::Unsupported(s) => Failure::Cpu(s),
            TuneError::NotProved(s) => Failure::NotProved(s),
            TuneError::Wisdom(e) => Failure::Wisdom(e),
            TuneError::Judge(e) => Failure::Other(e.to_string()),
            TuneError::NoResult(s) => Failure::Other(s),
        }
    }
}
