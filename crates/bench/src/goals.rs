//! The goals: tables of target figures, and their measurement. A table is a list of records of one type; the
//! tables differ in who measures.

pub mod extensions;
pub mod firmware;
mod goal;
pub mod grids;
mod instructions;
mod messages;
mod print;
mod software;

use crate::performance::Benchmark;
use aesmith_search::Budget;
use aesmith_tune::TuneError;
use aesmith_tune::options::Event;
use aesmith_tune::workplace::Workplace;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use goal::{Goal, GoalKernel};
pub use print::{markdown, text};

/// Time for a search in a part of a space.
const PART_TIME: Duration = Duration::from_secs(6);

/// Selection of this machine's goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All goals.
    All,
    /// Goals with AES instructions.
    Instructions,
    /// Goals without them.
    Software,
    /// Whole messages of GCM.
    Messages,
}

/// Measures some of the goals.
type Chapter = fn(&mut Work) -> Result<(), TuneError>;

/// Measures the goals of this machine, and the search's own speed.
///
/// # Errors
/// The store or the judge failed.
pub fn goals(
    place: &mut Workplace,
    found: &mut Benchmark,
    which: Which,
    interrupted: &Arc<AtomicBool>,
    observer: &mut dyn FnMut(Event),
) -> Result<(), TuneError> {
    let mut chapters: Vec<Chapter> = Vec::new();
    let has_aes = place.target.lanes() > 0;
    if has_aes && matches!(which, Which::All | Which::Instructions) {
        chapters.extend(instructions::CHAPTERS);
    }
    if has_aes && matches!(which, Which::All | Which::Messages) {
        chapters.push(messages::messages);
    }
    if matches!(which, Which::All | Which::Software) {
        chapters.extend(software::chapters());
    }
    let mut work = Work { place, found, interrupted, observer };
    for chapter in chapters {
        if interrupted.load(Ordering::Relaxed) {
            work.note("interrupted: not every goal was measured");
            return Ok(());
        }
        chapter(&mut work)?;
    }
    Ok(())
}

/// The resources of the chapters, and the results that they add goals to.
struct Work<'w> {
    place: &'w mut Workplace,
    found: &'w mut Benchmark,
    interrupted: &'w Arc<AtomicBool>,
    observer: &'w mut dyn FnMut(Event<'_>),
}

impl Work<'_> {
    fn budget(&self) -> Budget {
        Budget { time: Some(PART_TIME), interrupted: self.interrupted.clone(), ..Budget::default() }
    }

    fn push(&mut self, goal: Goal) {
        self.found.goals.push(goal);
    }

    fn note(&mut self, note: impl Into<String>) {
        self.found.bench.notes.push(note.into());
    }
}
