//! A lower bound for all schedules of a loop: the loop-carried chains of dependences.

use std::collections::BTreeMap;

use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use crate::inorder::block::{Block, Constraints, insn};
use crate::inorder::depend::Graph;

/// The minimum latency of an instruction's result, in cycles.
fn latency(isa: &Isa, timing: &Timing, insn: &Insn) -> u32 {
    let class = isa.of(insn).class.as_str();
    let bypasses = timing.bypasses.iter().filter(|bypass| bypass.from.contains(&class));
    bypasses.map(|bypass| bypass.latency).fold(timing.of(class).latency(), u32::min)
}

/// The recurrence bound of a loop whose body is this block: the longest cyclic chain of dependences, in cycles per
/// iteration. Physical registers carry values between iterations.
///
/// # Errors
/// The block cannot be ordered.
pub(crate) fn recurrence(
    isa: &Isa,
    block: &Block,
    constraints: &Constraints,
    timing: &Timing,
) -> Result<f64, String> {
    let graph = Graph::new(isa, block, constraints)?;
    let latencies: Vec<u32> =
        block.pieces.iter().map(|p| insn(&p.item).map_or(0, |i| latency(isa, timing, i))).collect();
    // A virtual register that enters or leaves in a physical one stands for that register.
    let enters: BTreeMap<i32, i32> = block.enters.iter().map(|&(v, r)| (v, i32::from(r))).collect();
    let leaves: BTreeMap<i32, i32> =
        block.leaves.iter().filter_map(|&(v, r)| Some((v, i32::from(r?)))).collect();
    let mut last: BTreeMap<i32, usize> = BTreeMap::new();
    for (k, access) in graph.access.iter().enumerate() {
        for r in &access.writes {
            let carried = if *r < Insn::VIRTUAL { Some(r) } else { leaves.get(r) };
            carried.map(|&r| last.insert(r, k));
        }
    }
    let carried: Vec<(i32, usize)> = last.into_iter().collect();
    // The longest path within an iteration from each carried register to each other one.
    let longest: Vec<Vec<Option<u32>>> =
        carried.iter().map(|&(from, _)| paths(&graph, &latencies, &enters, from, &carried)).collect();
    Ok(most(&longest))
}

/// Cycles from a register's value at the start of an iteration to the values of these registers at its end.
fn paths(
    graph: &Graph,
    latencies: &[u32],
    enters: &BTreeMap<i32, i32>,
    from: i32,
    carried: &[(i32, usize)],
) -> Vec<Option<u32>> {
    let mut begins: Vec<Option<u32>> = vec![None; latencies.len()];
    let mut writer: BTreeMap<i32, usize> = BTreeMap::new();
    for (k, access) in graph.access.iter().enumerate() {
        for r in &access.reads {
            let begin = match writer.get(r) {
                Some(&w) => begins[w].map(|begin| begin + latencies[w]),
                None => (*r == from || enters.get(r) == Some(&from)).then_some(0),
            };
            begins[k] = begins[k].max(begin);
        }
        for &r in &access.writes {
            writer.insert(r, k);
        }
    }
    carried.iter().map(|&(_, k)| begins[k].map(|begin| begin + latencies[k])).collect()
}

/// The maximum cycle mean, by Karp's theorem (1978).
fn most(longest: &[Vec<Option<u32>>]) -> f64 {
    let count = longest.len();
    // The longest walks of each length that end at each register.
    let mut walks: Vec<Vec<Option<u32>>> = vec![vec![Some(0); count]];
    for step in 0..count {
        let before = &walks[step];
        let walk = (0..count).map(|to| {
            let from = (0..count).filter_map(|from| Some(before[from]? + longest[from][to]?));
            from.max()
        });
        let walk = walk.collect();
        walks.push(walk);
    }
    let of = |at: usize| {
        let whole = walks[count][at]?;
        let means = (0..count).filter_map(|k| {
            let part = walks[k][at]?;
            Some((f64::from(whole) - f64::from(part)) / (count - k) as f64)
        });
        means.min_by(f64::total_cmp)
    };
    (0..count).filter_map(of).fold(0.0, f64::max)
}
