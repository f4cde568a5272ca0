//! Commands with `--processor`: the same verbs, for processors that are only described.

pub mod bench;
pub mod emit;
pub mod explain;
pub mod profile;
pub mod report;
pub mod tune;

use crate::arguments::{Choice, Described};
use crate::failure::Failure;
use aesmith_cores::core::Core;
use aesmith_cores::register;
use aesmith_tune_cores::front::Budgets;
use aesmith_tune_cores::search::Event;
use aesmith_tune_cores::tune::TuneError;

/// The processor that is named, if one is.
pub fn named(name: Option<&str>) -> Result<Option<&'static Core>, Failure> {
    name.map(|n| register::find(n).map_err(Failure::Usage)).transpose()
}

/// Whether only constant time will do: where look-ups may be observed, unless they are allowed.
pub fn constant_time(core: &Core, choice: &Choice) -> bool {
    choice.constant_time || core.cached && !choice.allow_variable_time
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
