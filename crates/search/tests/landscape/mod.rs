//! A synthetic processor with the features that make real spaces hard: walls (registers run out), plateaus
//! (throughput-bound regions, dimensions without effect), interactions (key loads against pipes against width), ragged
//! noise of placement, and an order that matters by a few percent.

use aesmith_arrange::Variant;
use aesmith_search::{Evaluate, Outcome, Verdict};
use aesmith_x86::dimensions::{self, Dim};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The judge of the synthetic processor. Without noise: equal variants have equal costs.
pub struct Landscape;

/// A pseudorandom number in 0..1 that depends on all of `what`.
fn ragged(what: impl Hash) -> f64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    (hasher.finish() >> 11) as f64 / (1u64 << 53) as f64
}

/// The values that determine the code: not `restrict`, nor dimensions without effect.
fn code(v: &Variant) -> Vec<u16> {
    let inert = |dim| match dim {
        Dim::Restrict => true,
        Dim::Distance => v.get(Dim::Interleave) < 2,
        _ => false,
    };
    let dims = dimensions::TABLE.dimensions(v.problem, v.technique);
    let mut code: Vec<u16> = dims.map(|d| if inert(Dim::of(d)) { 0 } else { v.get(d.place) }).collect();
    code.push(v.get(Dim::Interleave).max(1));
    code.extend(v.order.iter().flat_map(|m| [m.from, m.to]));
    code
}

/// Movable instructions of the main loop.
fn instructions(v: &Variant) -> usize {
    let in_flight = usize::from(v.get(Dim::Interleave).max(1));
    in_flight * (v.problem.key.rounds() + 4) + 3
}

/// Cycles per byte, or `None` if no kernel exists.
pub fn cost(v: &Variant) -> Option<f64> {
    let rounds = v.problem.key.rounds() as f64 - f64::from(v.get(Dim::Cached));
    let lanes = v.lanes() as f64;
    let in_flight = f64::from(v.get(Dim::Interleave).max(1));
    let keys = f64::from(v.get(Dim::Keys).count_ones());
    let interval = f64::from(v.get(Dim::Interval));
    let stages = if interval > 0.0 { (rounds / interval).ceil().min(4.0) } else { 1.0 };
    let constants = [3.0, 2.0, 2.0 + in_flight / 2.0][usize::from(v.get(Dim::Counter))];
    let registers = in_flight * (0.5 + stages / 2.0)
        + keys
        + constants
        + if v.get(Dim::Prefetch) == 2 { 1.0 } else { 0.0 };
    if registers > if lanes == 4.0 { 32.0 } else { 16.0 } {
        return None;
    }
    let pipes = in_flight * rounds * if lanes == 4.0 { 1.0 } else { 0.5 };
    let loads = in_flight * (rounds + 2.0 - keys) + 6.0 * f64::from(v.get(Dim::Cached).min(1));
    let load_time = loads * if lanes == 4.0 { 0.62 } else { 0.53 };
    let making = in_flight * [1.0, 0.6, 0.5][usize::from(v.get(Dim::Counter))];
    let xors = in_flight * if v.on(Dim::Fold) { 0.5 } else { 1.0 };
    let shuffles = making + xors + 3.0 * f64::from(v.get(Dim::Cached)) * in_flight / lanes.sqrt();
    let uops = in_flight * (rounds + 5.0) + 4.0 + in_flight * f64::from(v.get(Dim::Prefetch)) * 0.7;
    // Iterations overlap as far as the reorder window allows.
    let overlap = (1.0 + 120.0 / uops) * stages.sqrt();
    let chain = (rounds * 2.98 + 11.0) / overlap;
    let distance = f64::from(v.get(Dim::Distance));
    let skew = if in_flight < 2.0 { 0.0 } else { (distance - (rounds / in_flight).floor()).abs().min(6.0) };
    let busy = pipes.max(load_time).max(uops / 5.5).max(shuffles);
    let clash = 0.25 * busy.min(load_time) + 0.10 * shuffles;
    let slack = (1.0 + 0.004 * skew) * (1.0 + 0.15 * (chain / busy).min(3.0).powi(2));
    let mut cycles = busy.max(chain) * slack + 0.06 * clash + if v.get(Dim::Loop) == 1 { 0.6 } else { 0.0 };
    let blocks = 2048.0;
    let left = (blocks / lanes) % in_flight;
    cycles *= 1.0 + left * if v.get(Dim::Tail) == 1 { 0.2 } else { 0.6 } / (blocks / lanes) * rounds / 4.0;
    if v.on(Dim::Streaming) {
        cycles *= 1.35;
    }
    // Effects of placement and of the choice of keys, which no model predicts.
    cycles *= 1.0 + 0.012 * ragged((instructions(v), v.get(Dim::Align), v.get(Dim::Loop)));
    cycles *= 1.0 + 0.006 * ragged((v.get(Dim::Keys), v.get(Dim::Distance)));
    Some((cycles / (16.0 * lanes * in_flight)) * order(v)?)
}

/// The cost factor of the order of instructions: some neighbours do not go well together.
fn order(v: &Variant) -> Option<f64> {
    let mut loop_body: Vec<usize> = (0..instructions(v)).collect();
    for (i, m) in v.order.iter().enumerate() {
        let (from, to) = (usize::from(m.from), usize::from(m.to));
        // A third of all moves would break a dependency.
        if from >= loop_body.len()
            || to >= loop_body.len()
            || ragged((loop_body[from], loop_body[to], i)) < 0.3
        {
            return None;
        }
        let instruction = loop_body.remove(from);
        loop_body.insert(to, instruction);
    }
    let kind = (v.get(Dim::Width), v.get(Dim::Interleave));
    let ill = loop_body.windows(2).map(|w| ragged((kind, w[0], w[1])).powi(4)).sum::<f64>();
    Some(1.0 + 0.1 * ill / loop_body.len() as f64)
}

impl Evaluate for Landscape {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        let answer = |v: &Variant| match cost(v) {
            None => Outcome::without_cost(Verdict::DoesNotFit),
            Some(cost) => {
                let mut hasher = DefaultHasher::new();
                code(v).hash(&mut hasher);
                Outcome {
                    cost: Some(cost),
                    verdict: Verdict::Measured,
                    kernel_hash: Some(hasher.finish()),
                    instructions_in_loop: instructions(v) as u16,
                }
            }
        };
        batch.iter().map(answer).collect()
    }
}
