//! Our own strategy: a pattern search from the best of a coarse lattice, a few annealing walks from the best of that
//! and of a spread sample, the whole neighbourhoods of the best kernels, and moves of single instructions on them;
//! structure and order together. (A population whose members are improved locally is called memetic: Moscato, Caltech
//! C3P report 826, 1989.)
//!
//! - Walks start at the best of a spread sample, not without optimization: plain annealing needs its first hundred
//!   trials to get away from there.
//! - A walk that is lost restarts at one of the elites: the best kernels of different code. Equal code counts once, so
//!   dimensions without effect do not fill the elite with copies.
//! - Random draws cannot miss a neighbour: the neighbourhood of each elite is tried as a whole, once.
//! - Walks may carry a found order over to a neighbouring structure, and moves of instructions go on in parallel on
//!   several elites.
//!
//! The method that has lately improved the elites more gets more trials. A learned model of the effects of values and
//! pairs of values, as a filter of neighbours, was tried on the landscape of the tests and left out: it improved no
//! budget from 500 to 6,000 trials, because near the optimum the remaining gains are those that such a model cannot
//! predict.

use super::{Entry, Strategy};
use crate::knobs::{Knob, Knobs};
use crate::neighbour::Neighbourhood;
use crate::trial::{Leader, Trials};
use aesmith_arrange::{Space, Variant};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

const KNOBS: &[Knob] = &[
    Knob {
        name: "lattice",
        default: 5.0,
        least: 0.0,
        most: 16.0,
        meaning: "points of each of the two dimensions of most weight that are tried first, and a pattern search from the best; 0 for none",
    },
    Knob {
        name: "spread",
        default: 0.08,
        least: 0.0,
        most: 1.0,
        meaning: "part of the budget, behind the lattice, for variants drawn from the whole space",
    },
    Knob { name: "walkers", default: 2.0, least: 1.0, most: 64.0, meaning: "annealing walks side by side" },
    Knob {
        name: "hot",
        default: 0.1,
        least: 1e-6,
        most: 100.0,
        meaning: "first temperature of the walks, as in annealing",
    },
    Knob {
        name: "cold",
        default: 0.001,
        least: 1e-6,
        most: 100.0,
        meaning: "last temperature, reached when instructions begin to move",
    },
    Knob {
        name: "polish",
        default: 0.5,
        least: 0.0,
        most: 1.0,
        meaning: "part of the budget after which whole neighbourhoods are tried",
    },
    Knob {
        name: "order",
        default: 0.6,
        least: 0.0,
        most: 1.0,
        meaning: "part of the budget at its end in which instructions move",
    },
    Knob {
        name: "elites",
        default: 6.0,
        least: 1.0,
        most: 64.0,
        meaning: "how many of the best kernels are improved side by side",
    },
];

pub(super) const ENTRY: Entry = Entry {
    name: "memetic",
    summary: "a pattern search from a lattice, annealing walks from the best, whole neighbourhoods of those, and moves of instructions",
    knobs: KNOBS,
    build: |knobs| Box::new(Memetic { knobs: knobs.clone() }),
};

/// Trials between two updates of the elites, unless a batch must be smaller.
const BATCH: usize = 8;
/// Number of rounds after which the worst walk restarts.
const ROUNDS: u64 = 25;
/// Number of rounds without a new variant after which no method waits for its part of the budget.
const STALLED: u32 = 20;
/// Maximum trials for one neighbourhood; a larger one is sampled.
const AROUND: usize = 48;

struct Memetic {
    knobs: Knobs,
}

/// Methods of improvement, as indices: a step of each walk, moves of instructions, a whole neighbourhood.
const WALK: usize = 0;
const ORDER: usize = 1;
const POLISH: usize = 2;

impl Strategy for Memetic {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let knob = |name| self.knobs.get(name);
        let mut run = Run {
            neighbourhood: Neighbourhood::new(space),
            rng: ChaCha8Rng::seed_from_u64(seed),
            walkers: Vec::new(),
            rounds: 0,
            done: HashSet::new(),
            begun: HashSet::new(),
            elites: knob("elites") as usize,
            heat: (knob("hot"), knob("cold")),
            // If order takes the whole budget, the walks are cold from the start.
            cold_at: (1.0 - knob("order")).max(1e-3),
        };
        trials.try_one(&run.neighbourhood.start());
        super::pattern::begin(&run.neighbourhood, knob("lattice") as usize, &mut run.rng, trials);
        run.begun = trials.leaders().iter().map(|leader| leader.variant.clone()).collect();
        let spread = run.spread(knob("spread"), trials);
        run.settle(knob("walkers") as usize, spread, trials);
        // Recent gain of each method: elites improved in sixteen trials, smoothed.
        let mut paid = [1.0; 3];
        let mut stalled = 0;
        while trials.over().is_none() {
            // If all structures have been tried, the rest of the budget is for order.
            let late = |from: f64| trials.fraction() >= from || stalled > STALLED;
            let open = [true, knob("order") > 0.0 && late(1.0 - knob("order")), late(knob("polish"))];
            let way = run.choose(&paid, open);
            let (count, before) = (trials.count(), run.costs(trials));
            match way {
                ORDER => run.reorder(trials),
                POLISH => run.around(trials),
                _ => run.walk(trials),
            }
            let tried = trials.count() - count;
            stalled = if tried == 0 || stalled > STALLED { stalled + 1 } else { 0 };
            let gain = gain(&before, trials.leaders()) * 16.0 / tried.max(1) as f64;
            paid[way] = if tried == 0 { 0.5 * paid[way] } else { 0.9 * paid[way] + 0.1 * gain };
        }
    }
}

/// Improvement of the elites: sum over the improved places, the first with the largest weight.
fn gain(before: &[f64], after: &[Leader]) -> f64 {
    let improved = after.iter().zip(before).enumerate().filter(|(_, (leader, old))| leader.cost < **old);
    improved.map(|(place, _)| 1.0 / (1 + place) as f64).sum()
}

struct Walker {
    here: Variant,
    cost: Option<f64>,
}

struct Run<'s> {
    neighbourhood: Neighbourhood<'s>,
    rng: ChaCha8Rng,
    walkers: Vec<Walker>,
    rounds: u64,
    /// Elites whose whole neighbourhood has been tried.
    done: HashSet<Variant>,
    /// The best variants of the pattern search, which are near each other: walks avoid them until whole neighbourhoods
    /// are tried.
    begun: HashSet<Variant>,
    elites: usize,
    heat: (f64, f64),
    cold_at: f64,
}

impl Run<'_> {
    /// Tries variants drawn from the whole space, until its share of the budget is used or there are no more. Returns
    /// the best of them.
    fn spread(&mut self, share: f64, trials: &mut Trials<'_>) -> Vec<Walker> {
        let mut found: Vec<Walker> = Vec::new();
        let until = trials.fraction() + share;
        let mut before = 0;
        while trials.over().is_none() && trials.fraction() < until && trials.count() > before {
            before = trials.count();
            let batch: Vec<Variant> = (0..BATCH).map(|_| self.neighbourhood.random(&mut self.rng)).collect();
            let costs: Vec<Option<f64>> =
                trials.evaluate(&batch).iter().map(|outcome| outcome.cost).collect();
            let measured = batch.into_iter().zip(costs).filter(|(_, cost)| cost.is_some());
            found.extend(measured.map(|(here, cost)| Walker { here, cost }));
        }
        found.sort_by(|a, b| a.cost.partial_cmp(&b.cost).unwrap_or(std::cmp::Ordering::Equal));
        found
    }

    /// Puts the walkers on the best of the spread sample, or on the best of all if it is empty. The best of all are
    /// near each other, at the end of the pattern search: walks are for the rest of the space.
    fn settle(&mut self, walkers: usize, spread: Vec<Walker>, trials: &Trials<'_>) {
        let inside = trials.leaders().iter().filter(|l| self.neighbourhood.contains(&l.variant));
        let best = inside.map(|l| Walker { here: l.variant.clone(), cost: Some(l.cost) });
        self.walkers = spread.into_iter().chain(best).take(walkers).collect();
        while self.walkers.len() < walkers {
            self.walkers.push(Walker { here: self.neighbourhood.start(), cost: None });
        }
    }

    fn costs(&self, trials: &Trials<'_>) -> Vec<f64> {
        trials.leaders().iter().take(self.elites).map(|l| l.cost).collect()
    }

    fn choose(&mut self, paid: &[f64; 3], open: [bool; 3]) -> usize {
        // No method has weight zero: one without recent gains may still gain later.
        let weights: Vec<f64> = paid.iter().zip(open).map(|(p, o)| if o { p + 0.1 } else { 0.0 }).collect();
        let mut ticket = self.rng.random::<f64>() * weights.iter().sum::<f64>();
        for (way, weight) in weights.iter().enumerate() {
            ticket -= weight;
            if ticket < 0.0 {
                return way;
            }
        }
        WALK
    }

    /// One step of each walk.
    fn walk(&mut self, trials: &mut Trials<'_>) {
        let batch: Vec<Variant> = (0..self.walkers.len()).map(|place| self.child(place)).collect();
        let answers = trials.evaluate(&batch);
        let (hot, cold) = self.heat;
        let temperature = hot * (cold / hot).powf((trials.fraction() / self.cold_at).min(1.0));
        for ((walker, there), outcome) in self.walkers.iter_mut().zip(batch).zip(answers) {
            let Some(new) = outcome.cost else { continue };
            let change = walker.cost.map_or(-1.0, |old| (new - old) / old);
            if change < 0.0 || self.rng.random_bool((-change / temperature).exp()) {
                *walker = Walker { here: there, cost: Some(new) };
            }
        }
        self.rounds += 1;
        if self.rounds.is_multiple_of(ROUNDS)
            && let Some(elite) = self.elite_of_walks(trials)
        {
            let (variant, cost) = (elite.variant.clone(), elite.cost);
            let lost = self.walkers.iter_mut().max_by(|a, b| {
                let cost = |w: &Walker| w.cost.unwrap_or(f64::INFINITY);
                cost(a).total_cmp(&cost(b))
            });
            if let Some(lost) = lost {
                *lost = Walker { here: variant, cost: Some(cost) };
            }
        }
    }

    /// A neighbour of a walker: usually one step, more to leave a basin, sometimes mixed with another walker.
    fn child(&mut self, place: usize) -> Variant {
        let mut child = self.walkers[place].here.clone();
        if self.rng.random_bool(0.1) {
            let other = self.rng.random_range(0..self.walkers.len());
            child = self.neighbourhood.cross(&child, &self.walkers[other].here, &mut self.rng);
        }
        child = self.neighbourhood.step(&child, &mut self.rng);
        while self.rng.random_bool(0.25) {
            child = self.neighbourhood.step(&child, &mut self.rng);
        }
        // An order found for one structure may or may not suit another.
        if !child.order.is_empty() && self.rng.random() {
            child.order.clear();
        }
        child
    }

    /// Tries moves of single instructions on elites.
    fn reorder(&mut self, trials: &mut Trials<'_>) {
        let mut batch: Vec<Variant> = Vec::with_capacity(BATCH);
        for _ in 0..4 * BATCH {
            let Some(elite) = self.elite(trials) else { return };
            let (variant, instructions) = (elite.variant.clone(), elite.instructions_in_loop);
            if let Some(moved) = self.neighbourhood.reorder(&variant, instructions, &mut self.rng)
                && !trials.is_known(&moved)
                && !batch.contains(&moved)
            {
                batch.push(moved);
            }
            if batch.len() == BATCH {
                break;
            }
        }
        trials.evaluate(&batch);
    }

    /// Tries the neighbourhood of the best elite whose neighbourhood has not been tried yet.
    fn around(&mut self, trials: &mut Trials<'_>) {
        let mut elites = trials.leaders().iter().take(self.elites).map(|l| &l.variant);
        let Some(elite) = elites.find(|v| !self.done.contains(*v)).cloned() else { return };
        let mut all = self.neighbourhood.around(&elite);
        self.done.insert(elite);
        all.retain(|v| !trials.is_known(v));
        while all.len() > AROUND {
            all.swap_remove(self.rng.random_range(0..all.len()));
        }
        trials.evaluate(&all);
    }

    /// One of the best variants that the pattern search did not find; better ones are likelier.
    fn elite_of_walks<'t>(&mut self, trials: &'t Trials<'_>) -> Option<&'t Leader> {
        let others: Vec<&Leader> =
            trials.leaders().iter().filter(|l| !self.begun.contains(&l.variant)).take(self.elites).collect();
        let u: f64 = self.rng.random();
        others.get(((u * u * others.len() as f64) as usize).min(others.len().saturating_sub(1))).copied()
    }

    /// One of the elites; better ones are likelier.
    fn elite<'t>(&mut self, trials: &'t Trials<'_>) -> Option<&'t Leader> {
        let n = trials.leaders().len().min(self.elites);
        let u: f64 = self.rng.random();
        trials.leaders().get(((u * u * n as f64) as usize).min(n.saturating_sub(1)))
    }
}
