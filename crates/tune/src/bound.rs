//! What the machine allows: for a problem, and for a variant of it.

use crate::count::steady_work;
use crate::workplace::Workplace;
use aesmith_arrange::{Technique, Variant};
use aesmith_cipher::Problem;
use aesmith_judge::bounds;
use aesmith_kernel::build;

/// What the machine allows for a problem with AES instructions, per byte.
pub fn problem_bound(place: &Workplace, problem: Problem, size: usize) -> Option<f64> {
    bounds::bound(&place.model, problem, size).map(|b| b.cycles_per_byte)
}

/// What the machine allows for a variant, per byte: with AES instructions what their pipes allow for
/// the problem; with other techniques what the units allow for the instructions that a block takes.
pub fn variant_bound(place: &Workplace, variant: &Variant, size: usize) -> Option<f64> {
    if variant.technique == Technique::Aes {
        return problem_bound(place, variant.problem, size);
    }
    if !variant.problem.is_message() {
        return None;
    }
    let kernel = build(variant, &place.target).ok()?;
    let work = steady_work(variant.problem, &kernel.bytes).ok()?;
    Some(place.model.throughput_bound(&work).cycles / 16.0)
}
