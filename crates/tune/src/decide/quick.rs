//! A short search in a part of a problem's space, and the median cost of its best: for goals about a part,
//! such as "xmm registers only" or "without caching".

use crate::decide::contest::Contest;
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::exploration::{Exploration, Explored};
use crate::key_life::Price;
use crate::options::Event;
use crate::seeds::seeds;
use crate::workplace::Workplace;
use aesmith_arrange::{Space, Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_processor::measured::Target;
use aesmith_search::Budget;
use aesmith_search::racing::Race;
use aesmith_wisdom::Filter;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A part of a space.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// The problem.
    pub problem: Problem,
    /// The technique.
    pub technique: Technique,
    /// Bytes of a message.
    pub size: usize,
    /// Names of restricted dimensions, with their allowed values.
    pub only: &'a [(&'a str, &'a [u16])],
}

impl Part<'_> {
    /// The space of the part.
    pub fn space(&self, target: &Target) -> Space {
        let mut space =
            target.processor.table.space_by(self.problem, self.technique, target.lanes_of(self.technique));
        for axis in &mut space.axes {
            if let Some((_, values)) = self.only.iter().find(|(dim, _)| *dim == axis.dimension.name) {
                axis.values.retain(|v| values.contains(v));
            }
        }
        space
    }

    pub(crate) fn holds(&self, variant: &Variant) -> bool {
        variant.technique == self.technique
            && self.only.iter().all(|(dim, values)| values.contains(&variant.get(*dim)))
    }

    /// The best few known variants of the part, and the starting points in it.
    fn starts(&self, place: &Workplace) -> Result<Vec<Variant>, TuneError> {
        let filter = Filter::exactly(&place.key, self.problem, self.size as u64);
        let mut known = place.store.known(&filter)?;
        known.retain(|s| s.cost.is_some());
        known.sort_by(|a, b| a.cost.partial_cmp(&b.cost).unwrap_or(std::cmp::Ordering::Equal));
        let mut starts: Vec<Variant> = known
            .iter()
            .filter_map(|s| place.table().parse(&s.variant).ok())
            .filter(|v| self.holds(v))
            .take(8)
            .collect();
        let mut filled = seeds(self.problem, self.technique, &place.target);
        for variant in &mut filled {
            // A starting point is fitted into the part where a dimension has a single allowed value.
            for (dim, values) in self.only {
                if let [value] = values {
                    variant.set(*dim, *value);
                }
            }
        }
        starts
            .extend(filled.into_iter().map(Variant::clamped).filter(|v| self.holds(v) && v.check().is_ok()));
        let mut seen = Vec::new();
        starts.retain(|v| {
            !seen.contains(v) && {
                seen.push(v.clone());
                true
            }
        });
        Ok(starts)
    }
}

/// Label in wisdom of a search in a part of a space.
pub const PART: &str = "part of the space";

/// Searches a part within a budget.
///
/// # Errors
/// The store or the judge failed.
pub fn explore(
    place: &mut Workplace,
    part: &Part,
    way: &str,
    budget: Budget,
    seed: u64,
    observer: &mut dyn FnMut(Event),
) -> Result<Explored, TuneError> {
    let (starts, space) = (part.starts(place)?, part.space(&place.target));
    // Calls are compared here, regardless of key set-up.
    let price = Price::default();
    let plan = Plan { space, strategy: way.into(), starts, recalled: Vec::new(), budget, seed };
    finished(Exploration { plan, size: part.size, label: PART, price }, place, observer)
}

/// Searches a whole space from its baseline by a strategy; wisdom records the label as its options.
///
/// # Errors
/// The store or the judge failed.
pub fn explore_space(
    place: &mut Workplace,
    space: Space,
    size: usize,
    (way, label): (&str, &str),
    budget: Budget,
    observer: &mut dyn FnMut(Event),
) -> Result<Explored, TuneError> {
    let (starts, recalled) = (Vec::new(), Vec::new());
    let plan = Plan { space, strategy: way.into(), starts, recalled, budget, seed: 1 };
    finished(Exploration { plan, size, label, price: Price::default() }, place, observer)
}

fn finished(
    wanted: Exploration,
    place: &mut Workplace,
    observer: &mut dyn FnMut(Event),
) -> Result<Explored, TuneError> {
    let explored = wanted.run(place, observer)?;
    place.store.set_state(explored.run, "finished")?;
    Ok(explored)
}

/// The best of a part after a short search and a short race: the variant and its median cost.
///
/// # Errors
/// The store or the judge failed.
pub fn best_of(
    place: &mut Workplace,
    part: &Part,
    budget: Budget,
    observer: &mut dyn FnMut(Event),
) -> Result<Option<(Variant, f64)>, TuneError> {
    let interrupted: Arc<AtomicBool> = budget.interrupted.clone();
    let Explored { found, run, .. } = explore(place, part, "memetic", budget, 1, observer)?;
    let mut contenders: Vec<Variant> =
        found.leaders.into_iter().map(|l| l.variant).filter(|v| part.holds(v)).take(16).collect();
    for start in part.starts(place)? {
        if !contenders.contains(&start) {
            contenders.push(start);
        }
    }
    let large = part.size > 1 << 20;
    let race = Race {
        rounds: if large { 4 } else { 8 },
        finalists: 3,
        sessions: if large { 1 } else { 2 },
        confirm_rounds: if large { 8 } else { 40 },
        interrupted,
        ends: None,
    };
    contenders.truncate(if large { 4 } else { 24 });
    let baseline = crate::starts::baseline(part.problem, part.technique, &place.target);
    let mut notes = |event: Event| {
        if let Event::Note(_) = event {
            observer(event);
        }
    };
    let contest = Contest::new(place, run, part.size);
    let confirmed = contest.race(&race, (&baseline, &contenders), &mut notes)?;
    let first = confirmed.finalists.into_iter().find(|s| part.holds(&s.variant));
    Ok(first.map(|s| (s.variant, s.cost.median)))
}
