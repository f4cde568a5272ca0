//! The start of a search: a coarse lattice over the dimensions with the greatest weight, and every value of those among
//! them that are numbers, with the other dimensions unoptimized; then a pattern search from the best of these (Hooke
//! and Jeeves, "Direct Search" Solution of Numerical and Statistical Problems, 1961): steps of each number in both
//! directions and every other value of each choice, with the steps halved when none is better.
//!
//! On the recorded spaces of the paper, in which one variant in 7,000 (xmm) or 28,000 (zmm) is within 1 % of the best,
//! it gets there after some dozens of trials. The weights of the dimensions are the paper's own.

use crate::neighbour::Neighbourhood;
use crate::trial::Trials;
use aesmith_arrange::{Place, Values, Variant};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// Dimensions of the lattice: more would make too many points.
const DIMENSIONS: usize = 2;
/// Maximum number of values of a number for which every one is tried.
const LINE: usize = 32;
/// Trials between two updates of the best.
const BATCH: usize = 8;

/// A dimension's values in order, and the length of a step.
struct Ladder {
    place: Place,
    rungs: Vec<u16>,
    step: usize,
}

/// Tries the lattice, with `points` points in each dimension, and then searches from the best of all trials so far.
pub(super) fn begin(
    neighbourhood: &Neighbourhood<'_>,
    points: usize,
    rng: &mut ChaCha8Rng,
    trials: &mut Trials<'_>,
) {
    if points < 2 {
        return;
    }
    let ladders = neighbourhood.ladders();
    let mut lattice = vec![neighbourhood.start()];
    for (place, rungs) in ladders.iter().take(DIMENSIONS) {
        let last = rungs.len() - 1;
        let mut chosen: Vec<u16> =
            (0..points).map(|k| rungs[(2 * k * last + points - 1) / (2 * (points - 1))]).collect();
        chosen.dedup();
        lattice = lattice
            .iter()
            .flat_map(|variant| chosen.iter().map(|value| variant.clone().with(*place, *value).clamped()))
            .collect();
    }
    // The effect of a set grows evenly. That of a number may jump where code no longer fits into registers, or where it
    // fills a unit.
    for (place, rungs) in ladders.iter().take(DIMENSIONS).filter(|(place, rungs)| {
        rungs.len() <= LINE && !matches!(neighbourhood.values(*place), Some(Values::Mask(_)))
    }) {
        lattice.extend(rungs.iter().map(|value| neighbourhood.start().with(*place, *value).clamped()));
    }
    lattice.retain(|variant| neighbourhood.contains(variant));
    let mut seen = HashSet::new();
    lattice.retain(|variant| seen.insert(variant.clone()));
    lattice.shuffle(rng);
    for batch in lattice.chunks(BATCH) {
        if trials.over().is_some() {
            return;
        }
        trials.evaluate(batch);
    }
    let ladders = ladders.into_iter().map(|(place, rungs)| {
        let step = ((rungs.len() - 1) / (2 * (points - 1))).max(1);
        Ladder { place, rungs, step }
    });
    pattern(neighbourhood, ladders.collect(), rng, trials);
}

fn pattern(
    neighbourhood: &Neighbourhood<'_>,
    mut ladders: Vec<Ladder>,
    rng: &mut ChaCha8Rng,
    trials: &mut Trials<'_>,
) {
    let named = neighbourhood.named();
    while let Some((base, before)) = best(neighbourhood, trials) {
        let mut moves: Vec<(Place, u16)> = Vec::new();
        for (place, values) in &named {
            let others = values.iter().filter(|value| **value != base.get(*place));
            moves.extend(others.map(|value| (*place, *value)));
        }
        for Ladder { place, rungs, step } in &ladders {
            let Some(at) = rungs.iter().position(|rung| *rung == base.get(*place)) else { continue };
            let down = at.checked_sub(*step);
            let next = down.into_iter().chain(Some(at + step)).filter_map(|at| rungs.get(at));
            moves.extend(next.map(|rung| (*place, *rung)));
        }
        moves.shuffle(rng);
        for some in moves.chunks(BATCH) {
            if trials.over().is_some() {
                return;
            }
            // From the best so far: an improvement is continued from at once.
            let Some((base, _)) = best(neighbourhood, trials) else { return };
            let mut batch: Vec<Variant> =
                some.iter().map(|(place, value)| base.clone().with(*place, *value).clamped()).collect();
            batch.retain(|variant| neighbourhood.contains(variant) && !trials.is_known(variant));
            trials.evaluate(&batch);
        }
        if best(neighbourhood, trials).is_some_and(|(_, after)| after < before) {
            continue;
        }
        if ladders.iter().all(|ladder| ladder.step == 1) {
            return;
        }
        ladders.iter_mut().for_each(|ladder| ladder.step = (ladder.step / 2).max(1));
    }
}

/// The best variant so far that lies in the space, and its cost.
fn best(neighbourhood: &Neighbourhood<'_>, trials: &Trials<'_>) -> Option<(Variant, f64)> {
    let inside = trials.leaders().iter().find(|leader| neighbourhood.contains(&leader.variant))?;
    Some((inside.variant.clone(), inside.cost))
}
