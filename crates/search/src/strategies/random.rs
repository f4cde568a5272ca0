//! Variants drawn at random, each dimension independently: the baseline for all other strategies.

use super::{Entry, Strategy};
use crate::neighbour::Neighbourhood;
use crate::trial::Trials;
use aesmith_arrange::{Space, Variant};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub(super) const ENTRY: Entry = Entry {
    name: "random",
    summary: "variants drawn at random, each dimension by itself",
    knobs: &[],
    build: |_| Box::new(Random),
};

/// Variants proposed at once.
const BATCH: usize = 512;

struct Random;

impl Strategy for Random {
    fn run(&mut self, space: &Space, seed: u64, trials: &mut Trials<'_>) {
        let neighbourhood = Neighbourhood::new(space);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        loop {
            let batch: Vec<Variant> = (0..BATCH).map(|_| neighbourhood.random(&mut rng)).collect();
            if trials.evaluate(&batch).len() < BATCH {
                return;
            }
        }
    }
}
