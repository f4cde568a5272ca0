//! Simulated annealing as in Listing 1 of Manley, Magrath and Gregg, "Code Generation for Hardware
//! Accelerated AES" (2010): from no optimization, each trial changes one argument drawn by its
//! weight, and is kept if it is better, or by chance if its relative cost change is small against
//! the temperature. The best of all is kept beside ([`Trials`] does).

use super::{Entry, Strategy};
use crate::knobs::{Knob, Knobs};
use crate::neighbour::Neighbourhood;
use crate::trial::Trials;
use aesmith_arrange::Space;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const KNOBS: &[Knob] = &[
    Knob {
        name: "start",
        default: 0.2,
        least: 1e-6,
        most: 100.0,
        meaning: "first temperature: a relative cost change of so much is kept with probability 1/e",
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
    summary: "simulated annealing as the paper's Listing 1, from no optimization",
    knobs: KNOBS,
    build: |knobs| Box::new(Annealing { knobs: knobs.clone() }),
};

struct Annealing {
    knobs: Knobs,
}

impl Strategy for Annealing {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let (start, end) = (self.knobs.get("start"), self.knobs.get("end"));
        let neighbourhood = Neighbourhood::new(space);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut here = neighbourhood.start();
        let Some(outcome) = trials.try_one(&here) else { return };
        let mut old = outcome.cost;
        loop {
            let there = neighbourhood.step(&here, &mut rng);
            let Some(outcome) = trials.try_one(&there) else { return };
            let Some(new) = outcome.cost else { continue };
            let temperature = start * (end / start).powf(trials.fraction());
            // Without a cost where it stands, the first that has one is better.
            let change = old.map_or(-1.0, |old| (new - old) / old);
            if change < 0.0 || rng.random_bool((-change / temperature).exp()) {
                here = there;
                old = Some(new);
            }
        }
    }
}
