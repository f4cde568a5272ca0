//! Lower bounds of the machine for a problem with the instructions that may be used, and for a variant; and
//! the correction of a bound that a measurement beats.
//!
//! The bound of a problem is never above the bound of a variant, because both follow from one rule
//! (`aesmith_native::bounds`), and neither is above a confirmed cost, because [`correct`] lowers the
//! machine's figures to the measured ones.
//!
//! All bounds are for calls in steady state: the throughput of units does not determine the delays of a cold
//! call. Kernels that are tuned for cold calls have no bound.

use crate::count::steady_work;
use crate::error::TuneError;
use crate::floor::{allowed_of, floor_per_byte};
use crate::options::Event;
use crate::request::TechniqueRequest;
use crate::tables::figure;
use crate::workplace::Workplace;
use aesmith_arrange::{Role, Variant};
use aesmith_cipher::Problem;
use aesmith_native::bounds::{self, Allowed, MOST_CACHED_ROUNDS};
use aesmith_native::native::bytes_per_call;
use aesmith_processor::measured::{Counts, MachineModel, Target};
use aesmith_wisdom::Filter;

/// The AES instructions that the target and the request allow here.
fn allowed(place: &Workplace) -> Allowed {
    let request = &place.settings.request;
    let most = |role: Role| {
        let only = request.only.iter().filter(|(dimension, _)| dimension.role == Some(role));
        only.flat_map(|(_, values)| values).copied().max()
    };
    let narrowest = [
        matches!(request.technique, TechniqueRequest::Narrow(_)).then_some(1),
        request.widest,
        most(Role::Width).map(|width| 1 << width.min(2)),
    ];
    let lanes = narrowest.into_iter().flatten().fold(place.target.lanes(), usize::min);
    Allowed { cached_rounds: most(Role::CachedRounds).map_or(MOST_CACHED_ROUNDS, usize::from), lanes }
}

/// Lower bound for a problem with the AES instructions that may be used, in cycles per byte; per call for a
/// key set-up.
pub fn problem_bound(place: &Workplace, problem: Problem, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    in_steady_state(place, problem, size)
}

fn in_steady_state(place: &Workplace, problem: Problem, size: usize) -> Option<f64> {
    bounds::bound(&place.model, problem, size, allowed(place)).map(|b| b.cycles_per_byte)
}

/// Lower bound for counter mode with at most `cached_rounds` cached rounds, in cycles per byte.
pub fn ctr_bound(place: &Workplace, problem: Problem, size: usize, cached_rounds: usize) -> Option<f64> {
    let allowed = Allowed { cached_rounds, ..allowed(place) };
    bounds::bound(&place.model, problem, size, allowed).map(|b| b.cycles_per_byte)
}

/// Lower bound for a variant: see [`of_variant`].
pub fn variant_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    of_variant(&place.model, &place.target, variant, size)
}

/// Lower bound for a variant, in cycles per byte: with AES instructions from its own rounds and registers;
/// with other techniques from the throughput of the units for the instructions of a block.
pub fn of_variant(model: &MachineModel, target: &Target, variant: &Variant, size: usize) -> Option<f64> {
    if variant.technique.is_instruction() {
        return floor_per_byte(model, variant, size);
    }
    block_work(target, variant).map(|work| model.throughput_bound(&work).cycles / 16.0)
}

/// Lowers a variant's bound to a measured cost per byte that beats it. Returns the bound that was beaten.
pub fn lower(
    model: &mut MachineModel,
    target: &Target,
    variant: &Variant,
    size: usize,
    seen: f64,
) -> Option<f64> {
    let bound = of_variant(model, target, variant, size).filter(|bound| seen < *bound)?;
    // Lower by a rounding margin, so that the bound is not above the cost in the last digit.
    let reached = seen * (1.0 - 1e-9);
    if variant.technique.is_instruction() {
        let cycles = reached * bytes_per_call(variant.problem, size).max(1) as f64;
        bounds::lower(model, variant.problem, size, allowed_of(variant), cycles);
    } else if let Some(work) = block_work(target, variant) {
        model.lower_to(&work, reached * 16.0);
    }
    Some(bound)
}

/// The bound to show beside a measurement of a variant: the problem's with AES instructions, because a better
/// variant may use fewer of them; the variant's own where the technique does not bound the problem.
pub fn shown_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    if place.calls().is_cold() {
        return None;
    }
    steady_bound(place, variant, size)
}

/// The bound to show beside a measurement of calls in steady state, for whichever calls kernels are tuned
/// here.
pub fn steady_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    match variant.technique.is_instruction() {
        true => in_steady_state(place, variant.problem, size),
        false => of_variant(&place.model, &place.target, variant, size),
    }
}

/// Demands of a block on the machine, for a variant without AES instructions.
fn block_work(target: &Target, variant: &Variant) -> Option<Counts> {
    if !variant.problem.is_message() {
        return None;
    }
    let kernel = target.build(variant).ok()?;
    steady_work(kernel.processor, variant.problem, &kernel.bytes).ok()
}

/// Checks a variant's confirmed steady-state cost, per byte (per call for a key set-up), against its bound. A
/// bound that was beaten is wrong: the machine's figures are lowered to the measured cost and stored in
/// wisdom as a calibration with its reason, which is returned as a sentence to show.
///
/// # Errors
/// The store failed.
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

/// Checks the confirmed costs of earlier runs with AES instructions against their bounds: measurements of an
/// earlier version may be below them. Without AES instructions a bound takes a simulation, and is checked
/// when a kernel is looked at ([`crate::explain`], reports).
///
/// # Errors
/// The store failed.
pub(crate) fn hold_known(place: &mut Workplace, observer: &mut dyn FnMut(Event)) -> Result<(), TuneError> {
    if place.calls().is_cold() {
        return Ok(());
    }
    let filter = Filter { processor: Some(place.key.clone()), problem: None, size: None };
    for best in place.store.bests(&filter)? {
        let Ok(variant) = place.table().parse(&best.variant) else { continue };
        if !variant.technique.is_instruction() {
            continue;
        }
        if let Some(note) = correct(place, &variant, best.size as usize, best.median)? {
            observer(Event::Note(&note));
        }
    }
    Ok(())
}
