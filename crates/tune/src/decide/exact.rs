//! Chooses winners among costed variants: the best are proved and take the exam, and if a judge counts
//! cycles, it decides among the finalists.

use aesmith_arrange::Variant;
use aesmith_judge::judge::Instrument;
use aesmith_processor::bits_certificate::BitsCertificate;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::timing::Timing;
use serde::Serialize;

use crate::error::TuneError;
use crate::evaluate::confirm::{Examiner, Uncertified, certified};
use crate::evaluate::costing::{Costing, Point};
use crate::evaluate::stored::{confirmation, in_full};
use crate::front::{Budgets, Objective};
use crate::options::Event;

/// A kernel that is proved and confirmed.
#[derive(Clone, Debug, Serialize)]
pub struct Winner {
    /// Its certificate, with all its costs.
    pub certificate: BitsCertificate,
    /// Lower bound on the cycles of any kernel with its dataflow.
    pub bound: Option<f64>,
    /// The reason for the bound.
    pub bound_reason: String,
    /// True if it was confirmed before this run.
    pub known: bool,
}

/// Most candidates to prove before giving up.
const ATTEMPTS: usize = 48;
/// Number of candidates to judge if a judge counts cycles: models prune, judges award.
const FINALISTS: usize = 8;
/// Class width of flash sizes in bytes. With a data cache, at most [`ALIKE`] finalists are of one class: the
/// model has no cache, and its best kernels may all have tables that do not fit.
const SIZE: u64 = 1024;
/// See [`SIZE`].
const ALIKE: usize = 2;

/// Proves and confirms the best candidates; `None` if stored costs belong to other code.
pub(crate) fn winners(
    costing: &mut Costing,
    notes: &mut Vec<String>,
    observer: &mut dyn FnMut(Event),
) -> Result<Option<Vec<Winner>>, TuneError> {
    let (core, wanted, request) = (costing.core(), costing.wanted(), costing.request());
    let mut found: Vec<Winner> = Vec::new();
    let mut failed = Vec::new();
    let mut done: Vec<Variant> = Vec::new();
    let mut variable = 0;
    let mut judge = Examiner::new(core);
    let counted = request.objective == Objective::Cycles && judge.counts_cycles();
    let finalists = if counted { FINALISTS } else { 1 };
    loop {
        let candidates = costing.candidates();
        if candidates.is_empty() {
            return if failed.is_empty() {
                Err(TuneError::NoResult(no_variant(costing, variable)))
            } else {
                Err(TuneError::NotProved(failed.join("\n")))
            };
        }
        let is_open = |i: usize| {
            let point = &costing.visited.points()[i];
            let size = |flash: u64| flash / SIZE;
            let is_alike = |winner: &&Winner| size(winner.certificate.cost.flash) == size(point.cost.flash);
            let alike = found.iter().filter(is_alike).count();
            let crowded = counted && core.cached && alike >= ALIKE;
            !crowded && !done.contains(&point.variant)
        };
        let next = candidates.iter().copied().find(|&i| is_open(i));
        let Some(place) = next else { break };
        let point = costing.visited.points()[place].clone();
        match one(costing, &mut judge, &point, request.timing)? {
            Outcome::Changed => return Ok(None),
            Outcome::Inadmissible if !request.timing.needs_no_path(core) => {
                // Two calls took the same path, but the proof finds a secret-dependent address.
                costing.visited.at_mut(place).same_path = false;
            }
            Outcome::Inadmissible => {
                variable += 1;
                costing.visited.remove(place);
            }
            Outcome::Winner(winner) => {
                costing.visited.at_mut(place).same_path = winner.certificate.is_constant_time();
                done.push(point.variant.clone());
                found.push(*winner);
                if request.objective != Objective::Pareto && found.len() >= finalists {
                    break;
                }
                // Candidates change as kernels are judged, and a confirmed kernel may no longer be one.
                let left = candidates
                    .iter()
                    .filter(|&&i| !done.contains(&costing.visited.points()[i].variant))
                    .count();
                let left = match request.objective {
                    Objective::Pareto => left,
                    _ => left.min(finalists - found.len()),
                };
                observer(Event::Step(done.len() as u64, (done.len() + left) as u64));
                if left > 0 && costing.is_over() {
                    let note = format!(
                        "the time is over: {} kernels are proved and confirmed, {left} that the model has in front are not; the \
                         same command goes on from there",
                        done.len()
                    );
                    observer(Event::Note(&note));
                    notes.push(note);
                    break;
                }
            }
            Outcome::Refused(why) => {
                let sentence = format!("{}: {why}", point.variant);
                observer(Event::Note(&sentence));
                notes.push(sentence.clone());
                failed.push(sentence);
                costing.visited.remove(place);
                if failed.len() >= ATTEMPTS {
                    return Err(TuneError::NotProved(failed.join("\n")));
                }
            }
        }
    }
    if request.objective != Objective::Pareto {
        let cycles = |w: &Winner| {
            let cost = &w.certificate.cost;
            w.certificate.cycles() + cost.at(wanted.size).cycles - cost.cycles
        };
        if counted {
            found.sort_by(|a, b| cycles(a).total_cmp(&cycles(b)));
        }
        found.truncate(1);
        return Ok(Some(found));
    }
    // A point whose time was proved to be variable may have left the front.
    let on: Vec<Variant> =
        costing.candidates().into_iter().map(|i| costing.visited.points()[i].variant.clone()).collect();
    found.retain(|w| on.iter().any(|v| v.to_string() == w.certificate.variant));
    found.sort_by(|a, b| a.certificate.cost.cycles.total_cmp(&b.certificate.cost.cycles));
    Ok(Some(found))
}

enum Outcome {
    Winner(Box<Winner>),
    /// Its timing depends on secrets in a way that is not allowed.
    Inadmissible,
    Refused(String),
    Changed,
}

/// Proves and confirms one point, unless that is stored already.
fn one(
    costing: &mut Costing,
    judge: &mut Examiner,
    point: &Point,
    timing: Timing,
) -> Result<Outcome, TuneError> {
    let core = costing.core();
    let made = match (core.build)(&point.variant).and_then(|kernel| BuiltKernel::new(core, kernel)) {
        Ok(made) if made.sha256 == point.sha256 => made,
        _ => return Ok(Outcome::Changed),
    };
    // Bounds are per call, cycles per block.
    let bound =
        (core.bound)(&point.variant).map(|(cycles, why)| (cycles / f64::from(point.blocks.max(1)), why));
    let winner = |certificate: BitsCertificate, known: bool| {
        Outcome::Winner(Box::new(Winner {
            certificate,
            bound: bound.map(|b| b.0),
            bound_reason: bound.map_or(String::new(), |b| b.1.to_owned()),
            known,
        }))
    };
    if let Some(certificate) = costing.known(&point.variant).and_then(in_full)
        && (certificate.independent || !judge.is_independent())
    {
        let admitted = timing.admits(core, &certificate.proof);
        return Ok(if admitted { winner(certificate.classed(core), true) } else { Outcome::Inadmissible });
    }
    Ok(match certified(core, judge, &made, point.cost, timing) {
        Ok(certificate) => {
            let best = confirmation(costing.stored_run(), point, &certificate, bound.map(|b| b.0));
            costing.confirm(best)?;
            winner(certificate, false)
        }
        Err(Uncertified::Inadmissible) => Outcome::Inadmissible,
        Err(Uncertified::Refused(why)) => {
            costing.refute(point, &why)?;
            Outcome::Refused(why)
        }
    })
}

/// The message that names the variant nearest to the limits.
fn no_variant(costing: &Costing, variable: usize) -> String {
    let (wanted, request) = (costing.wanted(), costing.request());
    let allowed = costing.visited.points().iter().filter(|p| {
        (p.same_path || request.timing.needs_no_path(costing.core()))
            && wanted.keep.is_none_or(|keep| keep(p))
    });
    let nearest = allowed.min_by(|a, b| {
        let key = |p: &Point| (request.budgets.excess(&p.cost), p.cost.cycles);
        key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal)
    });
    match nearest {
        Some(point) if request.budgets != Budgets::default() => format!(
            "{}no variant of {} keeps to {}; the nearest takes {} bytes of flash, {} of RAM and {} of stack at \
             {:.0} {}: {}",
            request.budgets.lack([point.cost.flash, point.cost.ram, point.cost.stack]),
            wanted.problem,
            request.budgets.describe(),
            point.cost.flash,
            point.cost.ram,
            point.cost.stack,
            point.cost.cycles,
            costing.core().timing.unit,
            point.variant
        ),
        _ if variable > 0 => format!(
            "the time of the {variable} variants of {} that are as asked for depends on secrets; \
             --allow-variable-time allows that",
            wanted.problem
        ),
        _ if request.timing == Timing::Proved && !costing.visited.points().is_empty() => format!(
            "every variant of {} looks tables up at secret addresses, and only constant time is asked for; \
             --allow-variable-time allows them",
            wanted.problem
        ),
        _ => {
            let reasons: Vec<String> = costing.unfit.keys().take(3).cloned().collect();
            // Only the end of the time leaves variants without a cost or a reason.
            if reasons.is_empty() && costing.visited.points().is_empty() {
                return format!(
                    "the time was over before a variant of {} was costed: a longer --time, or none, has one",
                    wanted.problem
                );
            }
            let reasons = if reasons.is_empty() { "none was costed".into() } else { reasons.join("; ") };
            let kind = if request.timing == Timing::Proved { "constant-time variant" } else { "variant" };
            format!("there is no {kind} of {}: {reasons}", wanted.problem)
        }
    }
}
