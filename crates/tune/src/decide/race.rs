//! Races the best kernels of a search, and decides if the winner becomes the delivered kernel.
//!
//! A kernel of an earlier run may have been confirmed at a lower cost, on another day, at another clock. Any
//! kernel that would be delivered instead of the winner is measured beside it again, so that the printed,
//! stored and delivered kernels agree, and its rivals' costs are from the same session.
//!
//! A kernel whose proof the checker accepts is delivered rather than one that rests on the prover alone; among kernels whose
//! costs differ by less than the noise, one with clearly less code ([`aesmith_wisdom::preferred()`]). If that is another
//! finalist than the winner of a race, both are stored.

use crate::bound::variant_bound;
use crate::decide::contest::Contest;
use crate::deliver::Delivery;
use crate::deliver::judged::Judged;
use crate::error::TuneError;
use crate::evaluate::record;
use crate::options::Event;
use crate::workplace::Workplace;
use aesmith_arrange::Variant;
use aesmith_cipher::Problem;
use aesmith_search::Duel;
use aesmith_search::racing::{Confirmed, Quartiles, Race, Standing, versus};
use aesmith_wisdom::{Best, Merits, RunId, preferred};
use std::time::Instant;

/// Most challenges of a winner by another kernel that would be delivered instead.
const CHALLENGES: usize = 8;

/// Most contenders of a race that the checker has to accept: it takes up to a second for each.
const CHECKED: usize = 16;

/// Most kernels of a race whose proofs are looked for, until the checker accepts one.
const ASKED: usize = 8;

/// Least number of rounds of a challenge; a run without time for them accepts the state of wisdom.
const LEAST: usize = 3;

/// The kernel that is delivered from now on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Won {
    /// Its variant.
    pub variant: Variant,
    /// Its confirmed cost.
    pub cost: Quartiles,
    /// The baseline's median in the same confirmation.
    pub baseline: f64,
    /// `faster`, `slower` or `no evidence`, compared with the baseline.
    pub against_baseline: String,
    /// Deviation of a ratio from 1 that counts as noise.
    pub noise_floor: f64,
    /// Seconds per round of one kernel in the race, if measured.
    pub pace: Option<f64>,
}

/// The race of a winner.
pub(crate) struct Raced<'a> {
    /// Its run in wisdom, and the run's key.
    pub run: (RunId, &'a str),
    /// The problem.
    pub problem: Problem,
    /// Bytes of a message.
    pub size: usize,
    /// The baseline.
    pub baseline: &'a Variant,
    /// Parameters of the race.
    pub race: &'a Race,
}

/// Races contenders, and compares the winner with kernels that earlier runs confirmed.
pub(crate) fn race(
    place: &mut Workplace,
    raced: &Raced,
    contenders: &[Variant],
    observer: &mut dyn FnMut(Event),
) -> Result<Won, TuneError> {
    let price = place.price(raced.problem, raced.size)?;
    let contenders = &allowed(place, contenders);
    let contest = Contest::new(place, raced.run.0, raced.size).priced(price).until(raced.race.ends);
    let mut confirmed = contest.race(raced.race, (raced.baseline, contenders), observer)?;
    // From here on costs exclude set-up.
    for Standing { variant, cost, .. } in [&mut confirmed.winner].into_iter().chain(&mut confirmed.finalists)
    {
        let set_up = price.of(variant);
        *cost = Quartiles { low: cost.low - set_up, median: cost.median - set_up, high: cost.high - set_up };
    }
    settle(place, raced, &confirmed, observer)
}

/// The contenders that may be delivered: if the checker has to accept them, the first ones that it does.
fn allowed(place: &mut Workplace, contenders: &[Variant]) -> Vec<Variant> {
    let request = &place.settings.request;
    if !request.checked {
        return contenders.to_vec();
    }
    let mut is_accepted =
        |variant: &&Variant| Delivery::of_variant(variant, &place.target, request, &mut place.prover).is_ok();
    contenders.iter().filter(|variant| is_accepted(variant)).take(CHECKED).cloned().collect()
}

/// Stores a race's winner, and confirms it beside every kernel that would be delivered instead. Returns the
/// kernel that [`Workplace::best_known`] delivers from now on.
///
/// # Errors
/// The store or the judge failed, or the winner breaks its variant's promises.
fn settle(
    place: &mut Workplace,
    raced: &Raced,
    confirmed: &Confirmed,
    observer: &mut dyn FnMut(Event),
) -> Result<Won, TuneError> {
    let noise_floor = confirmed.noise_floor;
    // A few rounds do not determine the noise.
    let noise = Some(noise_floor).filter(|noise| noise.is_finite());
    let price = place.price(raced.problem, raced.size)?;
    let target = place.target;
    let merits = |variant: &Variant, cost: f64, accepted: bool| Merits {
        cost: cost + price.of(variant),
        code: target.build(variant).ok().map(|kernel| kernel.bytes.len() as u64),
        noise,
        accepted,
    };
    let winner = &confirmed.winner;
    // If the race shows nothing faster than the baseline, single finalists may still seem faster.
    let beaten = confirmed.finalists.iter().filter(|f| {
        let costs = [*f, winner].map(|s| s.cost.median + price.of(&s.variant));
        f.variant != winner.variant && costs[0] >= costs[1]
    });
    let field: Vec<&Standing> = [winner].into_iter().chain(beaten).collect();
    let merits_of = |s: &Standing| merits(&s.variant, s.cost.median, true);
    let chosen = chosen(place, field, merits_of, raced.race.ends)?.unwrap_or(winner);
    let mut won = Won {
        variant: chosen.variant.clone(),
        cost: chosen.cost,
        baseline: confirmed.baseline.median,
        against_baseline: chosen.against_baseline.verdict.name().to_owned(),
        noise_floor,
        pace: confirmed.pace,
    };
    let mut known = vec![(&winner.variant, winner.cost), (&chosen.variant, chosen.cost)];
    known.dedup_by_key(|(variant, _)| *variant);
    remember(place, raced, &known, (won.baseline, noise))?;
    for _ in 0..CHALLENGES {
        let Some(rival) = rival(place, raced, &won)? else { return Ok(won) };
        let rounds = raced.race.confirm_rounds.min(raced.race.affords(1.0, 3, confirmed.pace));
        if rounds < LEAST {
            break;
        }
        let all = [raced.baseline.clone(), won.variant.clone(), rival.0];
        let mut contest = Contest::new(place, raced.run.0, raced.size);
        let samples = contest.confirm(&all, rounds);
        let costs: Vec<Option<Quartiles>> = samples.iter().map(|s| Quartiles::of(s)).collect();
        for (variant, cost) in all.iter().zip(&costs) {
            if let Some(cost) = cost {
                contest.confirmed(variant, cost.median);
            }
        }
        contest.finish(observer)?;
        let [Some(baseline), Some(own), Some(other)] = costs[..] else { break };
        let both = [(&all[1], own), (&all[2], other)];
        let accepted = remember(place, raced, &both, (baseline.median, noise))?;
        let all_merits: Vec<Merits> = (both.iter().zip(accepted))
            .map(|((variant, cost), accepted)| merits(variant, cost.median, accepted))
            .collect();
        let at = 1 + preferred(&all_merits, |merits| *merits).unwrap_or(0);
        let cost = both[at - 1].1;
        won = Won {
            variant: all[at].clone(),
            cost,
            baseline: baseline.median,
            against_baseline: versus(&samples[at], &samples[0], noise_floor).verdict.name().to_owned(),
            noise_floor,
            pace: confirmed.pace,
        };
    }
    // Two equally fast kernels may change places in each challenge: wisdom decides.
    if let Some((variant, best)) = rival(place, raced, &won)? {
        let Best { low, median, high, baseline, .. } = best;
        let baseline = baseline.unwrap_or(won.baseline);
        won = Won { variant, cost: Quartiles { low, median, high }, baseline, ..won };
    }
    Ok(won)
}

/// The first kernel in the order of preference whose proof the checker accepts; the preferred one if it accepts none of the
/// first, or if no time is left to look for proofs.
fn chosen<'s>(
    place: &mut Workplace,
    mut field: Vec<&'s Standing>,
    merits: impl Fn(&Standing) -> Merits,
    ends: Option<Instant>,
) -> Result<Option<&'s Standing>, TuneError> {
    let mut first = None;
    for _ in 0..ASKED {
        let Some(at) = preferred(&field, |standing| merits(standing)) else { break };
        let standing = field.remove(at);
        if place.judged(&standing.variant, ends)?.verdict.accepted().is_some() {
            return Ok(Some(standing));
        }
        first = first.or(Some(standing));
    }
    Ok(first)
}

/// The kernel that would be delivered instead of the won.
fn rival(place: &mut Workplace, raced: &Raced, won: &Won) -> Result<Option<(Variant, Best)>, TuneError> {
    let best = place.best_at(raced.problem, raced.size)?;
    let found = best.and_then(|best| Some((place.table().parse(&best.variant).ok()?, best)));
    Ok(found.filter(|(variant, _)| *variant != won.variant))
}

/// Stores kernels that were confirmed together. Returns for each if the checker accepts its proof.
fn remember(
    place: &mut Workplace,
    raced: &Raced,
    confirmed: &[(&Variant, Quartiles)],
    (baseline, noise): (f64, Option<f64>),
) -> Result<Vec<bool>, TuneError> {
    let mut accepted = Vec::new();
    for (variant, cost) in confirmed {
        let Judged { kernel, verdict } = place.judged(variant, raced.race.ends)?;
        accepted.push(verdict.accepted().is_some());
        let bound = variant_bound(place, variant, raced.size);
        let best = record::best((raced.run.1, &place.key), variant, (&kernel.certificate, &verdict), *cost);
        place.store.put_best(&Best {
            size: raced.size as u64,
            baseline: Some(baseline),
            bound,
            restriction: place.settings.request.restriction(),
            code: Some(kernel.bytes.len() as u64),
            noise,
            ..best
        })?;
    }
    Ok(accepted)
}
