//! Errors that end a run, each with a message for the user.

use aesmith_native::JudgeError;
use aesmith_processor::measured::Target;
use aesmith_wisdom::WisdomError;
use std::fmt;

/// Errors of a run.
#[derive(Debug)]
pub enum TuneError {
    /// A requested item does not exist, or requested items do not fit together.
    Usage(String),
    /// This processor cannot run the request.
    Unsupported(String),
    /// A kernel to be delivered is not proved.
    NotProved(String),
    /// The store failed.
    Wisdom(WisdomError),
    /// The judge failed.
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

impl TuneError {
    /// The error that a target has no feature of any technique.
    pub(crate) fn without_technique(target: &Target) -> TuneError {
        let least = target.processor.requirements.least();
        TuneError::Unsupported(format!(
            "no technique can be used with these CPU features: at least {least} is needed"
        ))
    }
}

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
