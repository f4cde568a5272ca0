//! The evaluation of Manley, Magrath and Gregg, "Code Generation for Hardware Accelerated AES" (ASAP 2010),
//! repeated on this CPU: the findings of its Section IV, and their validity here.
//!
//! ```text
//! selective ─┬─▶ findings ──▶ text, page, JSON
//! listing   ─┤
//! surfaces  ─┤   each unit of work is a line of the journal (`journal`), samples are in wisdom
//! modes     ─┘
//! ```
//!
//! The paper is cited by its findings. Its own measurements, of processors of 2010, are not copied here.

pub mod findings;
pub mod journal;
pub mod listing;
pub mod modes;
pub mod selective;
pub mod surfaces;
pub mod text;

use aesmith_arrange::{Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_native::{Candidate, Turns};
use aesmith_processor::measured::Target;
use aesmith_search::{Budget, Outcome, Stop};
use aesmith_tune::TuneError;
use aesmith_tune::evaluate::Plan;
use aesmith_tune::evaluate::exploration::Exploration;
use aesmith_tune::key_life::Price;
use aesmith_tune::machine;
use aesmith_tune::options::{DEFAULT_SIZE, Event};
use aesmith_tune::starts::recalled;
use aesmith_tune::workplace::{TOOL_VERSION, Workplace};
use findings::Finding;
use journal::{Header, Journal};
use listing::Listing;
use modes::Modes;
use selective::Selection;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use surfaces::Again;

/// Name of this reproduction.
pub const NAME: &str = "manley2010";

/// Options of a reproduction.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time for the whole reproduction. Work that does not fit is left for the next run.
    pub time: Duration,
    /// The folder with its progress.
    pub folder: PathBuf,
    /// Set from outside (Ctrl-C) to end with the results so far.
    pub interrupted: Arc<AtomicBool>,
}

/// All results.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// Name of the reproduction.
    pub reproduction: &'static str,
    /// The processor in words.
    pub processor: String,
    /// The time of its end, in UTC.
    pub made: String,
    /// The version of the program.
    pub version: &'static str,
    /// The commit it was built from, if known.
    pub commit: Option<String>,
    /// Bytes of a message, of each stream.
    pub size: usize,
    /// Seconds of this run alone.
    pub seconds: f64,
    /// True if every part is complete.
    pub whole: bool,
    /// Sizes of the spaces.
    pub counts: Vec<Count>,
    /// The statements of the paper with the findings here.
    pub findings: Vec<Finding>,
    /// The selective exhaustive searches.
    pub searches: Vec<Selection>,
    /// Annealing by Listing 1.
    pub listing: Option<Listing>,
    /// Figures 1 and 2.
    pub figures: Vec<Again>,
    /// Figure 3.
    pub modes: Modes,
    /// Missing parts with reasons.
    pub left: Vec<String>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

/// The size of a space, as the paper counts it and exactly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// The space.
    pub of: String,
    /// Combinations of the paper's options, with keys in registers counted as a number.
    pub combinations: u128,
    /// Number of keys that can be in a register or not: multiplies the exact size by 2 to this power.
    pub keys: u32,
    /// The paper's figure.
    pub paper: &'static str,
}

/// State shared by the parts.
pub struct Work<'a> {
    /// Store, judge, prover.
    pub place: &'a mut Workplace,
    /// Finished work.
    pub journal: Journal,
    /// The end of the available time.
    pub deadline: Instant,
    /// Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
    /// Receives events.
    pub observer: &'a mut dyn FnMut(Event),
    /// Remarks for the reader.
    pub notes: Vec<String>,
    /// Missing parts with reasons.
    pub left: Vec<String>,
}

impl Work<'_> {
    /// True if the work must end.
    pub fn over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    /// The budget of a search: the remaining time.
    pub fn budget(&self) -> Budget {
        let time = self.deadline.saturating_duration_since(Instant::now());
        Budget { time: Some(time), interrupted: self.interrupted.clone(), ..Budget::default() }
    }

    /// Records a missing part.
    pub fn leave(&mut self, what: &str) {
        let why = if self.interrupted.load(Ordering::Relaxed) { "interrupted" } else { "no time was left" };
        self.left.push(format!("{what}: {why}"));
    }

    /// The outcomes that wisdom has for a space, for a search to continue from: the lowest screened cost of
    /// each variant.
    ///
    /// # Errors
    /// The store failed.
    pub fn recalled(&self, space: &Space) -> Result<Vec<(Variant, Outcome)>, TuneError> {
        let mut known = recalled(
            &self.place.store,
            self.place.table(),
            (&self.place.key, space.plain.problem, DEFAULT_SIZE),
        )?;
        known.retain(|(variant, _)| variant.order.is_empty() && space.allows(variant));
        Ok(known)
    }

    /// Searches a space exhaustively, as far as time allows, and stores what was measured. Returns the number of
    /// variants that were tried, and true if the search finished.
    ///
    /// # Errors
    /// The search or the store failed.
    pub(crate) fn exhaust(
        &mut self,
        space: &Space,
        strategy: &str,
        label: &str,
    ) -> Result<(u64, bool), TuneError> {
        let plan = Plan {
            space: space.clone(),
            strategy: strategy.into(),
            starts: Vec::new(),
            recalled: self.recalled(space)?,
            budget: self.budget(),
            seed: 1,
        };
        let wanted = Exploration { plan, size: DEFAULT_SIZE, label, price: Price::default() };
        let explored = wanted.run(self.place, self.observer)?;
        let whole = explored.found.stop == Stop::Finished;
        self.place.store.set_state(explored.run, if whole { "finished" } else { "interrupted" })?;
        Ok((explored.found.trials, whole))
    }

    /// The proved code of a variant.
    ///
    /// # Errors
    /// It is not a kernel here, or it is not proved.
    pub fn proved(&mut self, variant: &Variant) -> Result<Vec<u8>, TuneError> {
        let kernel = self.place.target.build(variant);
        let kernel =
            kernel.map_err(|why| TuneError::Unsupported(format!("`{variant}` is no kernel here: {why}")))?;
        let proof = self.place.prover.prove(variant.problem, &kernel.bytes);
        proof.map_err(|why| TuneError::NotProved(format!("`{variant}` is not proved: {why}")))?;
        Ok(kernel.bytes)
    }

    /// Measures codes interleaved: the median cost of each that runs, in cycles per byte, and the noise.
    ///
    /// # Errors
    /// The judge failed.
    pub fn medians(
        &mut self,
        problem: Problem,
        codes: &[&[u8]],
        rounds: usize,
    ) -> Result<(Vec<Option<f64>>, f64), TuneError> {
        let candidates: Vec<Candidate> = codes.iter().map(|code| Candidate::new(problem, code)).collect();
        let duel = self.place.judge.duel(&candidates, Turns::steady(DEFAULT_SIZE, rounds))?;
        let costs = duel.outcomes.iter().map(|o| Some(o.as_ref().ok()?.cycles_per_byte(0.5)));
        Ok((costs.collect(), duel.noise))
    }
}

const SIZE: u64 = DEFAULT_SIZE as u64;

/// Performs the paper's evaluation, or continues it.
///
/// # Errors
/// There are no AES instructions, the folder belongs to another machine, or the store or the judge failed.
pub fn reproduce(
    place: &mut Workplace,
    options: &Options,
    commit: Option<&str>,
    observer: &mut dyn FnMut(Event),
) -> Result<Reproduction, TuneError> {
    possible(&place.target)?;
    let started = Instant::now();
    // Another build may search other parts, or measure differently.
    let version = format!("{TOOL_VERSION}, commit {}", commit.unwrap_or("unknown"));
    let header = Header { reproduction: NAME.into(), processor: place.key.clone(), version };
    let journal = Journal::open(&options.folder, &header)?;
    let mut work = Work {
        place,
        journal,
        deadline: started + options.time,
        interrupted: options.interrupted.clone(),
        observer,
        notes: Vec::new(),
        left: Vec::new(),
    };
    if !work.place.is_quiet(work.observer)? {
        work.notes.push("The machine was not quiet when this began: costs may be too high.".into());
    }
    let listing = listing::run(&mut work)?;
    let searches = selective::run(&mut work)?;
    let modes = modes::run(&mut work)?;
    let figures = surfaces::run(&mut work)?;
    let findings = findings::findings(&searches, &modes, listing.as_ref(), &figures);
    let Work { place, notes, left, .. } = work;
    Ok(Reproduction {
        reproduction: NAME,
        processor: machine::processor(place),
        made: machine::now(),
        version: TOOL_VERSION,
        commit: commit.map(str::to_owned),
        size: DEFAULT_SIZE,
        seconds: started.elapsed().as_secs_f64(),
        whole: left.is_empty(),
        counts: counts(),
        findings,
        searches,
        listing,
        figures,
        modes,
        left,
        notes,
    })
}

/// Checks that a CPU has the features that the paper is about.
///
/// # Errors
/// It has no AES instructions: the message names alternatives.
pub fn possible(target: &Target) -> Result<(), TuneError> {
    if target.lanes() > 0 {
        return Ok(());
    }
    Err(TuneError::Unsupported(
        "the paper is about AES instructions, and this CPU has none (or may not use them), so nothing of it can be \
         measured here. `aesmith replay` compares its strategies on recordings of other machines, and `aesmith tune \
         aes256-ctr` tunes the techniques that this CPU has"
            .into(),
    ))
}

/// The paper's counts, from our table of dimensions.
pub fn counts() -> Vec<Count> {
    let ctr = Problem::new(KeySize::Aes256, Task::Ctr);
    let one = aesmith_tune::figures::table().paper(ctr, 1).map_or(0, |space| space.count());
    let cbc = selective::papers_cbc().iter().map(Space::count).sum();
    vec![
        Count {
            of: "CTR".into(),
            combinations: one,
            keys: 15,
            paper: "221,184, times 2^15 with single keys",
        },
        Count {
            of: "CBC, one to four streams".into(),
            combinations: cbc,
            keys: 15,
            paper: "more than 2.6 million, times 2^15 with single keys",
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_are_the_papers() {
        let counts = counts();
        assert_eq!((counts[0].combinations, counts[0].keys), (221_184, 15));
        assert!(counts[1].combinations > 2_600_000, "{}", counts[1].combinations);
    }
}
