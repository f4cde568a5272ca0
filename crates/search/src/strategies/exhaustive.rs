//! All variants of the space, in a fixed order or in one drawn by the seed. A dimension whose value is fixed in the
//! space is left out.

use super::{Entry, Strategy};
use crate::knobs::{Knob, Knobs};
use crate::trial::Trials;
use aesmith_arrange::{Space, Variant};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

const KNOBS: &[Knob] = &[Knob {
    name: "shuffled",
    default: 0.0,
    least: 0.0,
    most: 1.0,
    meaning: "1 takes the variants of a space of up to 4,194,304 in an order drawn by the seed, so that a part of them is a sample of all",
}];

pub(super) const ENTRY: Entry = Entry {
    name: "exhaustive",
    summary: "every variant of the space, in a fixed order or shuffled",
    knobs: KNOBS,
    build: |knobs| Box::new(Exhaustive { knobs: knobs.clone() }),
};

/// Variants proposed at once.
const BATCH: usize = 512;
/// Maximum number of variants for a random order: more would not fit into memory.
const SHUFFLED: u128 = 1 << 22;

struct Exhaustive {
    knobs: Knobs,
}

impl Strategy for Exhaustive {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        if self.knobs.get("shuffled") > 0.0 && space.count() <= SHUFFLED {
            let mut all = Vec::new();
            space.each(|variant| {
                all.push(variant);
                ControlFlow::Continue(())
            });
            all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
            for batch in all.chunks(BATCH) {
                if trials.evaluate(batch).len() < batch.len() {
                    return;
                }
            }
            return;
        }
        let mut batch: Vec<Variant> = Vec::with_capacity(BATCH);
        let mut over = false;
        space.each(|variant| {
            batch.push(variant);
            if batch.len() == BATCH {
                over = trials.evaluate(&batch).len() < BATCH;
                batch.clear();
            }
            if over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !over {
            trials.evaluate(&batch);
        }
    }
}
