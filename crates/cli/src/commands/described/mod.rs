//! Commands with `--processor`: the same verbs, for processors other than this machine.

pub mod bench;
pub mod emit;
pub mod explain;
pub mod profile;
pub mod report;
pub mod tune;

use crate::arguments::{Choice, Described};
use crate::failure::Failure;
use aesmith_processor::core::Core;
use aesmith_processor::timing::Timing;
use aesmith_tune::exact::descent::Event;
use aesmith_tune::exact::front::Budgets;
use aesmith_tune::exact::tune::TuneError;

/// The processor that is named, if one is.
pub fn named(name: Option<&str>) -> Result<Option<&'static Core>, Failure> {
    name.map(|n| aesmith_processors::find(n).map_err(Failure::Usage)).transpose()
}

/// How a kernel's time may depend on secrets: on this processor not at all, unless that is allowed; where
/// constant time is asked for by name, not by what the processor lacks either.
pub fn timing(choice: &Choice) -> Timing {
    match (choice.constant_time, choice.allow_variable_time) {
        (true, _) => Timing::Proved,
        (false, true) => Timing::Variable,
        (false, false) => Timing::Constant,
    }
}

/// The limits that are given.
pub fn budgets(options: &Described) -> Budgets {
    Budgets { flash: options.max_flash, ram: options.max_ram, stack: options.max_stack }
}

/// An event, as the reporter shows it.
pub fn shown(event: Event<'_>) -> aesmith_tune::Event<'_> {
    match event {
        Event::Stage(stage) => aesmith_tune::Event::Stage(stage),
        Event::Step(done, of) => aesmith_tune::Event::Step(done, of),
        Event::Note(note) => aesmith_tune::Event::Note(note),
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Usage(s) => Failure::Usage(s),
            TuneError::NoVariant(s) => Failure::Other(s),
            TuneError::NotProved(s) => Failure::NotProved(s),
            TuneError::Wisdom(e) => Failure::Wisdom(e),
        }
    }
}
