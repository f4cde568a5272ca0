//! Our own strategy: learned effects choose among many neighbours of several elites, then
//! instructions move on the best structures, with structure and order searched together.
//!
//! A trial costs a hundred times what a guess of the learned model costs, so each trial is chosen
//! among many guesses. Three sources of proposals share the budget by how often each has lately
//! paid: structure (steps and crosses of elites), order (moves of single instructions on elites),
//! and the whole neighbourhood of an elite, which no draw can miss. Elites have different code:
//! equal kernels count once.

use super::{Entry, Strategy};
use crate::effects::Effects;
use crate::knobs::{Knob, Knobs};
use crate::neighbour::Neighbourhood;
use crate::trial::{Leader, Trials};
use aesmith_arrange::{Space, Variant};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

const KNOBS: &[Knob] = &[
    Knob {
        name: "explore",
        default: 0.08,
        least: 0.0,
        most: 1.0,
        meaning: "part of the budget for variants spread over the whole space, before any guidance",
    },
    Knob {
        name: "elites",
        default: 12.0,
        least: 1.0,
        most: 64.0,
        meaning: "how many of the best kernels are improved side by side",
    },
    Knob { name: "pool", default: 12.0, least: 1.0, most: 1000.0, meaning: "guesses for each trial" },
    Knob {
        name: "batch",
        default: 16.0,
        least: 1.0,
        most: 256.0,
        meaning: "trials between two looks at what has been learned",
    },
    Knob {
        name: "order",
        default: 0.35,
        least: 0.0,
        most: 1.0,
        meaning: "part of the budget at its end in which instructions move",
    },
];

pub(super) const ENTRY: Entry = Entry {
    name: "guided",
    summary: "learned effects guide steps from several elites; then structure and order together",
    knobs: KNOBS,
    build: |knobs| Box::new(Guided { knobs: knobs.clone() }),
};

struct Guided {
    knobs: Knobs,
}

/// Where proposals come from.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Structure,
    Order,
    Around,
}

const SOURCES: [Source; 3] = [Source::Structure, Source::Order, Source::Around];

impl Strategy for Guided {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let mut run = Run {
            space,
            neighbourhood: Neighbourhood::new(space),
            effects: Effects::new(space),
            past: Vec::new(),
            done: HashSet::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            batch: self.knobs.get("batch") as usize,
            elites: self.knobs.get("elites") as usize,
            pool: self.knobs.get("pool") as usize,
        };
        let (explore, order) = (self.knobs.get("explore"), self.knobs.get("order"));
        run.explore(explore, trials);
        // How well each source has lately paid, for the share of the next batches it gets.
        let mut paid = [1.0, 1.0, 1.0];
        while trials.over().is_none() {
            let may_order = trials.fraction() >= 1.0 - order;
            let source = run.choose(&paid, may_order);
            let proposals = match source {
                Source::Structure => run.structures(trials),
                Source::Order => run.orders(trials),
                Source::Around => run.around(trials),
            };
            let before: Vec<f64> = trials.leaders().iter().take(run.elites).map(|l| l.cost).collect();
            if proposals.is_empty() {
                paid[source as usize] *= 0.5;
                // Nothing to improve, or nothing new around it: look elsewhere, and count it as a
                // proposal so that a used-up space ends the search.
                let elsewhere = run.neighbourhood.random(&mut run.rng);
                run.try_all(vec![elsewhere], trials);
                continue;
            }
            let tried = proposals.len() as f64;
            run.try_all(proposals, trials);
            let gain = gain(&before, trials.leaders());
            let place = source as usize;
            paid[place] = 0.8 * paid[place] + 0.2 * (gain / tried * 16.0);
        }
    }
}

/// How much better the elites have become, in elites entered, the first counting most.
fn gain(before: &[f64], after: &[Leader]) -> f64 {
    let mut gain = 0.0;
    for (place, leader) in after.iter().take(before.len().max(1)).enumerate() {
        match before.get(place) {
            Some(old) if leader.cost < *old => gain += 1.0 / (1 + place) as f64,
            None => gain += 1.0,
            _ => {}
        }
    }
    gain
}

struct Run<'s> {
    space: &'s Space,
    neighbourhood: Neighbourhood<'s>,
    effects: Effects,
    /// What was learned, to be learned again: one pass over the answers is too little.
    past: Vec<(Vec<usize>, Option<f64>)>,
    /// Elites whose whole neighbourhood has been proposed.
    done: HashSet<Variant>,
    rng: ChaCha8Rng,
    batch: usize,
    elites: usize,
    pool: usize,
}

impl Run<'_> {
    fn explore(&mut self, share: f64, trials: &mut Trials<'_>) {
        let start = self.neighbourhood.start();
        self.try_all(vec![start], trials);
        while trials.over().is_none() && trials.fraction() < share {
            let batch = (0..self.batch).map(|_| self.neighbourhood.random(&mut self.rng)).collect();
            self.try_all(batch, trials);
        }
    }

    fn choose(&mut self, paid: &[f64; 3], may_order: bool) -> Source {
        // Never quite nothing: a source that has not paid may pay later.
        let weight = |s: Source| match s {
            Source::Order if !may_order => 0.0,
            s => paid[s as usize] + 0.1,
        };
        let sum: f64 = SOURCES.iter().map(|s| weight(*s)).sum();
        let mut ticket = self.rng.random::<f64>() * sum;
        for source in SOURCES {
            ticket -= weight(source);
            if ticket < 0.0 {
                return source;
            }
        }
        Source::Structure
    }

    /// Steps and crosses of elites, the most promising of many.
    fn structures(&mut self, trials: &Trials<'_>) -> Vec<Variant> {
        let elites = &trials.leaders()[..trials.leaders().len().min(self.elites)];
        if elites.is_empty() {
            return Vec::new();
        }
        let mut pool: Vec<(f32, Variant)> = Vec::new();
        let mut seen = HashSet::new();
        for _ in 0..self.pool * self.batch {
            let parent = &elites[skewed(elites.len(), &mut self.rng)].variant;
            let mut child = if elites.len() > 1 && self.rng.random_bool(0.25) {
                let other = &elites[self.rng.random_range(0..elites.len())].variant;
                self.neighbourhood.cross(parent, other, &mut self.rng)
            } else {
                parent.clone()
            };
            // One step mostly, more to leave a basin.
            let mut steps = 1;
            while steps < 6 && self.rng.random_bool(0.4) {
                steps += 1;
            }
            for _ in 0..steps {
                child = self.neighbourhood.step(&child, &mut self.rng);
            }
            // An order found for one structure may or may not carry over to another.
            if !child.order.is_empty() && self.rng.random() {
                child.order.clear();
            }
            if !trials.is_known(&child) && seen.insert(child.clone()) {
                let score = self.effects.score(&self.effects.features(self.space, &child));
                pool.push((score, child));
            }
        }
        pool.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut chosen: Vec<Variant> = Vec::with_capacity(self.batch);
        let trusted = (self.batch * 3).div_ceil(4).min(pool.len());
        chosen.extend(pool.drain(..trusted).map(|(_, v)| v));
        // The rest by chance, so that the model hears of what it does not believe in.
        while chosen.len() < self.batch && !pool.is_empty() {
            let place = self.rng.random_range(0..pool.len());
            chosen.push(pool.swap_remove(place).1);
        }
        chosen
    }

    /// Moves of single instructions on elites.
    fn orders(&mut self, trials: &Trials<'_>) -> Vec<Variant> {
        let elites = &trials.leaders()[..trials.leaders().len().min(self.elites)];
        let mut chosen: Vec<Variant> = Vec::with_capacity(self.batch);
        if elites.is_empty() {
            return chosen;
        }
        for _ in 0..4 * self.batch {
            let elite = &elites[skewed(elites.len(), &mut self.rng)];
            let moved = self.neighbourhood.reorder(&elite.variant, elite.instructions_in_loop, &mut self.rng);
            if let Some(moved) = moved
                && !trials.is_known(&moved)
                && !chosen.contains(&moved)
            {
                chosen.push(moved);
            }
            if chosen.len() == self.batch {
                break;
            }
        }
        chosen
    }

    /// All one-argument neighbours of the best elite that has not had this yet, the most promising
    /// half of them by the model.
    fn around(&mut self, trials: &Trials<'_>) -> Vec<Variant> {
        let elites = trials.leaders().iter().take(self.elites);
        let Some(elite) = elites.map(|l| &l.variant).find(|v| !self.done.contains(*v)) else {
            return Vec::new();
        };
        self.done.insert(elite.clone());
        let mut all: Vec<(f32, Variant)> = self
            .neighbourhood
            .around(elite)
            .into_iter()
            .filter(|v| !trials.is_known(v))
            .map(|v| (self.effects.score(&self.effects.features(self.space, &v)), v))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.truncate(all.len().div_ceil(2).min(4 * self.batch));
        all.into_iter().map(|(_, v)| v).collect()
    }

    fn try_all(&mut self, batch: Vec<Variant>, trials: &mut Trials<'_>) {
        let answers = trials.evaluate(&batch);
        for (variant, outcome) in batch.into_iter().zip(answers) {
            // The effects are those of structure alone.
            if variant.order.is_empty() {
                let features = self.effects.features(self.space, &variant);
                self.effects.learn(&features, outcome.cost);
                self.past.push((features, outcome.cost));
            }
        }
        for _ in 0..2 * self.batch.min(self.past.len()) {
            let (features, cost) = &self.past[self.rng.random_range(0..self.past.len())];
            self.effects.learn(features, *cost);
        }
    }
}

/// An index below `n`, the first the likeliest.
fn skewed(n: usize, rng: &mut ChaCha8Rng) -> usize {
    let u: f64 = rng.random();
    ((u * u * n as f64) as usize).min(n - 1)
}
