//! Why a run did not come to its end, each with a sentence for the person.

use aesmith_native::JudgeError;
use aesmith_wisdom::WisdomError;
use std::fmt;

/// What can go wrong with a run.
#[derive(Debug)]
pub enum TuneError {
    /// Something asked for does not exist or does not go together.
    Usage(String),
    /// This processor cannot run what was asked for.
    Unsupported(String),
    /// A kernel that was to be handed out is not proved.
    NotProved(String),
    /// The store.
    Wisdom(WisdomError),
    /// The judge's own trouble.
    Judge(JudgeError),
    /// There is no result, for this reason.
    NoResult(String),
}

impl fmt::Display for TuneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TuneError::Usage(text)
            | TuneError::Unsupported(text)
            | TuneError::NotProved(text)
            | TuneError::NoResult(text) => f.write_str(text),
            TuneError::Wisdom(error) => error.fmt(f),
            TuneError::Judge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TuneError {}

impl From<WisdomError> for TuneError {
    fn from(error: WisdomError) -> Self {
        TuneError::Wisdom(error)
    }
}

impl From<JudgeError> for TuneError {
    fn from(error: JudgeError) -> Self {
        TuneError::Judge(error)
    }
}
