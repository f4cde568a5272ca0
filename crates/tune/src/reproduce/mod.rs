//! The evaluation of Manley, Magrath and Gregg, "Code Generation for Hardware Accelerated AES" (ASAP 2010), done again
//! on this CPU: what its Section IV says, finding by finding, and whether it holds here.
//!
//! ```text
//! selective ─┬─▶ findings ──▶ text, page, JSON
//! listing   ─┤
//! surfaces  ─┤   each unit of work is a line of the journal (`journal`), samples are in wisdom
//! modes     ─┘
//! ```
//!
//! The paper is quoted by what its findings say. Its own measurements, of processors of 2010, are not copied here.

pub mod findings;
pub mod journal;
pub mod listing;
pub mod modes;
pub mod selective;
pub mod surfaces;
pub mod text;

use crate::error::TuneError;
use crate::machine;
use crate::measuring::recalled;
use crate::options::{DEFAULT_SIZE, Event};
use crate::workplace::{TOOL_VERSION, Workplace};
use aesmith_arrange::{Space, Variant};
use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_native::{Candidate, Turns};
use aesmith_processor::measured::Target;
use aesmith_search::{Budget, Outcome};
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

/// The name under which the paper is reproduced.
pub const NAME: &str = "manley2010";

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time for all of it. What does not fit is left for the next time.
    pub time: Duration,
    /// Where its progress is kept.
    pub folder: PathBuf,
    /// Set from outside (Ctrl-C) to come to an end with what there is.
    pub interrupted: Arc<AtomicBool>,
}

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Reproduction {
    /// The paper's name here.
    pub reproduction: &'static str,
    /// The processor in words.
    pub processor: String,
    /// When it ended, in UTC.
    pub made: String,
    /// The version of the program.
    pub version: &'static str,
    /// The commit it was built from, where that is known.
    pub commit: Option<String>,
    /// Bytes of a message, of each stream.
    pub size: usize,
    /// Seconds of this run alone.
    pub seconds: f64,
    /// Whether every part is there.
    pub whole: bool,
    /// Sizes of the spaces.
    pub counts: Vec<Count>,
    /// The statements of the paper, and what is found of each here.
    pub findings: Vec<Finding>,
    /// The selective exhaustive searches.
    pub searches: Vec<Selection>,
    /// Annealing by Listing 1.
    pub listing: Option<Listing>,
    /// Figures 1 and 2.
    pub figures: Vec<Again>,
    /// Figure 3.
    pub modes: Modes,
    /// What is not there, and why.
    pub left: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// The size of a space, as the paper counts it and exactly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Count {
    /// Of what.
    pub of: String,
    /// Combinations of the paper's options, keys in registers counted as a number.
    pub combinations: u128,
    /// With each round key in a register or not: times 2 to the power of so many keys.
    pub keys: u32,
    /// What the paper says of it.
    pub paper: &'static str,
}

/// What the parts share.
pub struct Work<'a> {
    /// Store, judge, prover.
    pub place: &'a mut Workplace,
    /// What is done.
    pub journal: Journal,
    /// When there is no more time.
    pub deadline: Instant,
    /// Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
    /// Told what is done.
    pub observer: &'a mut dyn FnMut(Event),
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What is not there, and why.
    pub left: Vec<String>,
}

impl Work<'_> {
    /// Whether to come to an end.
    pub fn over(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }

    /// The time that is left, for a search.
    pub fn budget(&self) -> Budget {
        let time = self.deadline.saturating_duration_since(Instant::now());
        Budget { time: Some(time), interrupted: self.interrupted.clone(), ..Budget::default() }
    }

    /// Notes what is not there.
    pub fn leave(&mut self, what: &str) {
        let why = if self.interrupted.load(Ordering::Relaxed) { "interrupted" } else { "no time was left" };
        self.left.push(format!("{what}: {why}"));
    }

    /// What wisdom knows of a space, for a search to go on from: each variant's lowest screened cost.
    ///
    /// # Errors
    /// Trouble with the store.
    pub fn recalled(&self, space: &Space) -> Result<Vec<(Variant, Outcome)>, TuneError> {
        let mut known = recalled(self.place, space.plain.problem, DEFAULT_SIZE)?;
        known.retain(|(variant, _)| variant.order.is_empty() && space.allows(variant));
        Ok(known)
    }

    /// The proved bytes of a variant.
    ///
    /// # Errors
    /// It is no kernel here, or it is not proved.
    pub fn proved(&mut self, variant: &Variant) -> Result<Vec<u8>, TuneError> {
        let kernel = self.place.target.build(variant);
        let kernel =
            kernel.map_err(|why| TuneError::Unsupported(format!("`{variant}` is no kernel here: {why}")))?;
        let proof = self.place.prover.prove(variant.problem, &kernel.bytes);
        proof.map_err(|why| TuneError::NotProved(format!("`{variant}` is not proved: {why}")))?;
        Ok(kernel.bytes)
    }

    /// Codes measured in turns: the median cost of each that runs, in cycles per byte, and the noise.
    ///
    /// # Errors
    /// Trouble with the judge.
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

/// Does the paper's evaluation, or goes on with it.
///
/// # Errors
/// No AES instructions; the folder is of another machine; trouble with the store or the judge.
pub fn reproduce(
    place: &mut Workplace,
    options: &Options,
    commit: Option<&str>,
    observer: &mut dyn FnMut(Event),
) -> Result<Reproduction, TuneError> {
    possible(&place.target)?;
    let started = Instant::now();
    // Another build may search other parts, or measure otherwise.
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
    let findings = findings::of(&searches, &modes, listing.as_ref(), &figures);
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

/// Whether a CPU has what the paper is about.
///
/// # Errors
/// It has no AES instructions: says what it can do instead.
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
    let one = Space::paper(ctr, 1).map_or(0, |space| space.count());
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
