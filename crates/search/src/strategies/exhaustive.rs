//! Every variant of the space, in a fixed order. Dimensions are left out by fixing their values in
//! the space.

use super::{Entry, Strategy};
use crate::trial::Trials;
use aesmith_arrange::{Space, Variant};
use std::ops::ControlFlow;

pub(super) const ENTRY: Entry = Entry {
    name: "exhaustive",
    summary: "every variant of the space, in a fixed order",
    knobs: &[],
    build: |_| Box::new(Exhaustive),
};

/// Variants proposed at once.
const BATCH: usize = 512;

struct Exhaustive;

impl Strategy for Exhaustive {
    fn run(&mut self, space: &Space, _seed: u64, trials: &mut Trials<'_>) {
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
