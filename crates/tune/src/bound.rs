//! What the machine allows: for a problem within what may be used, and for a variant of it; and what
//! happens to a bound that a measurement beats.
//!
//! The bound of a problem is never above the bound of a variant, because both follow from one rule
//! (`aesmith_native::bounds`), and neither is above what was confirmed, because [`correct`] lowers the
//! machine's figures to what was seen.
//!
//! All bounds are of calls in steady state: what a cold call waits for, no unit's throughput says. Where kernels are
//! tuned for cold calls there is no bound.

use crate::count::steady_work;
use crate::error::TuneError;
use crate::floor::{allowed_of, floor_per_byte};
use crate::options::Event;
use crate::request::TechniqueRequest;
use crate::tables::figure;
use crate::workplace::Workplace;
use aesmith_arrange::{Dim, Variant};
use aesmith_cipher::Problem;
use aesmith_native::bounds::{self, Allowed, MOST_CACHED_ROUNDS};
use aesmith_native::native::bytes_per_call;
use aesmith_processor::measured::{Counts, MachineModel, Target};
use aesmith_wisdom::Filter;

/// What AES instructions may be used here, by the target and by what was asked for.
fn allowed(place: &Workplace) -> Allowed {
    let request = &place.settings.request;
    let most = |dim: Dim| request.only.iter().filter(|(d, _)| *d == dim).flat_map(|(_, v)| v).copied().max();
    let narrowest = [
        matches!(request.technique, TechniqueRequest::Narrow(_)).then_some(1),
        request.widest,
        most(Dim::Width).map(|width| 1 << width.min(2)),
    ];
    let lanes = narrowest.into_iter().flatten().fold(place.target.lanes(), usize::min);
    Allowed { cached_rounds: most(Dim::Cached).map_or(MOST_CACHED_ROUNDS, usize::from), lanes }
}

/// What the machine allows for a problem with the AES instructions that may be used, per byte; a key
/// set-up's is per call.
pub fn problem_bound(place: &Workplace, problem: Problem, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    in_steady_state(place, problem, size)
}

fn in_steady_state(place: &Workplace, problem: Problem, size: usize) -> Option<f64> {
    bounds::bound(&place.model, problem, size, allowed(place)).map(|b| b.cycles_per_byte)
}

/// What the machine allows for counter mode with no more than so many cached rounds, per byte.
pub fn ctr_bound(place: &Workplace, problem: Problem, size: usize, cached_rounds: usize) -> Option<f64> {
    let allowed = Allowed { cached_rounds, ..allowed(place) };
    bounds::bound(&place.model, problem, size, allowed).map(|b| b.cycles_per_byte)
}

/// What the machine allows for a variant: see [`of_variant`].
pub fn variant_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    of_variant(&place.model, &place.target, variant, size)
}

/// What a machine allows for a variant, per byte: with AES instructions its own rounds on its own
/// registers; with other techniques what the units allow for the instructions that a block takes.
pub fn of_variant(model: &MachineModel, target: &Target, variant: &Variant, size: usize) -> Option<f64> {
    if variant.technique.is_instruction() {
        return floor_per_byte(model, variant, size);
    }
    block_work(target, variant).map(|work| model.throughput_bound(&work).cycles / 16.0)
}

/// Lowers what bounds a variant to a cost that was seen, per byte, where that is below it; the bound that was
/// beaten.
pub fn lower(
    model: &mut MachineModel,
    target: &Target,
    variant: &Variant,
    size: usize,
    seen: f64,
) -> Option<f64> {
    let bound = of_variant(model, target, variant, size).filter(|bound| seen < *bound)?;
    // Less by what rounding takes, so that the bound is never above in a last digit.
    let reached = seen * (1.0 - 1e-9);
    if variant.technique.is_instruction() {
        let cycles = reached * bytes_per_call(variant.problem, size).max(1) as f64;
        bounds::lower(model, variant.problem, size, allowed_of(variant), cycles);
    } else if let Some(work) = block_work(target, variant) {
        model.lower_to(&work, reached * 16.0);
    }
    Some(bound)
}

/// The bound that a measurement of a variant is shown beside: the problem's with AES instructions, for
/// a better variant may use less than this one; the variant's where no technique bounds the problem.
pub fn shown_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    steady_bound(place, variant, size)
}

/// The same for a measurement of calls in steady state, whichever calls kernels are tuned for here.
pub fn steady_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    match variant.technique.is_instruction() {
        true => in_steady_state(place, variant.problem, size),
        false => of_variant(&place.model, &place.target, variant, size),
    }
}

/// What a block asks of the machine, of a variant without AES instructions.
fn block_work(target: &Target, variant: &Variant) -> Option<Counts> {
    if !variant.problem.is_message() {
        return None;
    }
    let kernel = target.build(variant).ok()?;
    steady_work(kernel.processor, variant.problem, &kernel.bytes).ok()
}

/// Holds a confirmed cost of a variant in steady state, per byte (per call of a key set-up), against its bound. A bound
/// that was beaten is wrong: the machine's figures are lowered to what was seen and kept in wisdom as
/// a calibration with its reason, which is returned as a sentence to be shown.
///
/// # Errors
/// Trouble with the store.
pub fn correct(
    place: &mut Workplace,
    variant: &Variant,
    size: usize,
    seen: f64,
) -> Result<Option<String>, TuneError> {
    let problem = variant.problem;
    let target = place.target;
    let Some(bound) = lower(&mut place.model, &target, variant, size, seen) else { return Ok(None) };
    let (at, unit) = match problem.is_message() {
        true => (format!(" at {size} bytes"), "cycles/byte"),
        false => (String::new(), "cycles"),
    };
    let note = format!(
        "the bound of {problem}{at} was beaten and is corrected: {} {unit} were confirmed, {:.1} % below the {} \
         that this machine's calibrations allowed (`{variant}`)",
        figure(seen),
        100.0 * (1.0 - seen / bound),
        figure(bound)
    );
    place.keep_model(&note)?;
    Ok(Some(note))
}

/// Holds what earlier runs confirmed with AES instructions against their bounds: what an earlier version
/// measured may be below them. Without AES instructions a bound takes a simulation, and is held where a
/// kernel is looked at ([`crate::explain`], reports).
///
/// # Errors
/// Trouble with the store.
pub(crate) fn hold_known(place: &mut Workplace, observer: &mut dyn FnMut(Event)) -> Result<(), TuneError> {
    if place.calls().is_cold() {
        return Ok(());
    }
    let filter = Filter { processor: Some(place.key.clone()), problem: None, size: None };
    for best in place.store.bests(&filter)? {
        let Ok(variant) = best.variant.parse::<Variant>() else { continue };
        if !variant.technique.is_instruction() {
            continue;
        }
        if let Some(note) = correct(place, &variant, best.size as usize, best.median)? {
            observer(Event::Note(&note));
        }
    }
    Ok(())
}
