//! Simulated annealing as in Listing 1 of Manley, Magrath and Gregg, "Code Generation for Hardware Accelerated AES"
//! (ASAP 2010): starting without optimization, each iteration changes one argument, drawn by its weight, and keeps the
//! change if it is better, or by chance if its relative cost is small compared with the temperature. The temperature is
//! lowered after a number of iterations, and the search ends after a number of temperatures. [`Trials`] keeps the best
//! variant of all.

use super::{Entry, Strategy};
use crate::knobs::{Knob, Knobs};
use crate::neighbour::Neighbourhood;
use crate::trial::Trials;
use aesmith_arrange::{Space, Variant};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const LISTING: &[Knob] = &[
    Knob { name: "start", default: 0.2, least: 1e-6, most: 100.0, meaning: "first temperature" },
    Knob {
        name: "iterations",
        default: 30.0,
        least: 1.0,
        most: 1e9,
        meaning: "solutions generated at each temperature",
    },
    Knob {
        name: "cooling_steps",
        default: 50.0,
        least: 1.0,
        most: 1e9,
        meaning: "temperatures; iterations times cooling_steps solutions are generated, and the search is over",
    },
    Knob {
        name: "k",
        default: 1.0,
        least: 1e-6,
        most: 1e6,
        meaning: "a relative cost change of k times the temperature is kept with probability 1/e",
    },
    Knob {
        name: "reduce",
        default: 0.9,
        least: 1e-6,
        most: 1.0,
        meaning: "what the temperature is multiplied by after each cooling step",
    },
];

const BUDGET: &[Knob] = &[
    Knob {
        name: "start",
        default: 0.2,
        least: 1e-6,
        most: 100.0,
        meaning: "first temperature: a relative cost change of this size is kept with probability 1/e",
    },
    Knob {
        name: "end",
        default: 0.001,
        least: 1e-6,
        most: 100.0,
        meaning: "last temperature, reached geometrically when the budget is used up",
    },
];

pub(super) const ENTRY: Entry = Entry {
    name: "annealing",
    summary: "simulated annealing as the paper's Listing 1, from no optimization, over after its cooling steps",
    knobs: LISTING,
    build: |knobs| Box::new(Listing { knobs: knobs.clone() }),
};

pub(super) const BY_BUDGET: Entry = Entry {
    name: "annealing-budget",
    summary: "the same with a temperature that falls with the budget, over when that is used up",
    knobs: BUDGET,
    build: |knobs| Box::new(ByBudget { knobs: knobs.clone() }),
};

/// Listing 1: the temperature depends on the number of proposals, not on the budget.
struct Listing {
    knobs: Knobs,
}

impl Strategy for Listing {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let knob = |name| self.knobs.get(name);
        // Whole numbers; the table's limits ensure that they fit into a u64.
        let [iterations, steps] = ["iterations", "cooling_steps"].map(|name| knob(name) as u64);
        let Some(mut walk) = Walk::start(space, seed, trials) else { return };
        let mut temperature = knob("start");
        for _ in 0..steps {
            for _ in 0..iterations {
                if walk.step(trials, |_| knob("k") * temperature).is_none() {
                    return;
                }
            }
            temperature *= knob("reduce");
        }
    }
}

/// The geometric schedule over the budget: a search of any length ends cold.
struct ByBudget {
    knobs: Knobs,
}

impl Strategy for ByBudget {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let (start, end) = (self.knobs.get("start"), self.knobs.get("end"));
        let Some(mut walk) = Walk::start(space, seed, trials) else { return };
        while walk.step(trials, |trials| start * (end / start).powf(trials.fraction())).is_some() {}
    }
}

/// State of an annealing run.
struct Walk<'s> {
    neighbourhood: Neighbourhood<'s>,
    rng: ChaCha8Rng,
    here: Variant,
    cost: Option<f64>,
}

impl<'s> Walk<'s> {
    /// Starts without optimization; `None` if that uses up the budget.
    fn start(space: &'s Space, seed: u64, trials: &mut Trials<'_>) -> Option<Self> {
        let neighbourhood = Neighbourhood::new(space);
        let here = neighbourhood.start();
        let cost = trials.try_one(&here)?.cost;
        Some(Walk { neighbourhood, rng: ChaCha8Rng::seed_from_u64(seed), here, cost })
    }

    /// Proposes a neighbour and moves there if it is better, or by chance at a temperature. `None` if the budget is
    /// used up.
    fn step(&mut self, trials: &mut Trials<'_>, temperature: impl Fn(&Trials<'_>) -> f64) -> Option<()> {
        let there = self.neighbourhood.step(&self.here, &mut self.rng);
        // A variant without a cost has no kernel: the walk stays at its place.
        let Some(new) = trials.try_one(&there)?.cost else { return Some(()) };
        // If the current variant has no cost, the first neighbour with a cost is better.
        let change = self.cost.map_or(-1.0, |old| (new - old) / old);
        // At temperature zero no higher cost is accepted; an equal cost always is.
        let kept = |t: f64| if change > 0.0 { (-change / t).exp() } else { 1.0 };
        if change < 0.0 || self.rng.random_bool(kept(temperature(trials))) {
            self.here = there;
            self.cost = Some(new);
        }
        Some(())
    }
}
