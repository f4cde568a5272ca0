//! List scheduling: each step takes a ready instruction that does not wait, within the available registers.

use super::depend::Graph;
use super::pressure::{Counts, Pressure};
use super::price::Price;

/// The cost of an order: excess registers, then cycles.
pub fn cost(order: &[u16], pressure: &Pressure, price: &mut Price) -> (u32, u64) {
    (pressure.excess(order), price.order(order))
}

/// The rank of a candidate: excess registers, cycles waited, inverse distance to the end, position in the block.
/// Smaller is better.
type Rank = (u32, i64, u32, usize);

/// The choice among instructions that do not wait.
#[derive(Clone, Copy)]
enum Priority {
    /// The instruction with the longest path to the end.
    Critical,
    /// The first in the block's order, with at most this many positions of lookahead.
    Source(usize),
}

/// The best of the block's own order and several list schedules.
pub fn best(graph: &Graph, pressure: &Pressure, price: &mut Price) -> Vec<u16> {
    let source: Vec<u16> = (0..price.count() as u16).collect();
    let mut best = (cost(&source, pressure, price), source);
    for taste in [Priority::Critical, Priority::Source(8), Priority::Source(24), Priority::Source(usize::MAX)]
    {
        let order = schedule(graph, pressure, price, taste);
        let found = cost(&order, pressure, price);
        if found < best.0 {
            best = (found, order);
        }
    }
    best.1
}

/// Cycles from each instruction to the end, by the dependences and the model's latencies.
fn paths(graph: &Graph, price: &mut Price) -> Vec<u32> {
    let mut paths = vec![0; price.count()];
    for k in (0..price.count()).rev() {
        let own = price.last(&[k as u16]);
        let mut longest = own;
        for &next in &graph.after[k] {
            let waits = price.last(&[k as u16, next]).saturating_sub(price.last(&[next]));
            longest = longest.max(own + waits + paths[usize::from(next)]);
        }
        paths[k] = longest;
    }
    paths
}

fn schedule(graph: &Graph, pressure: &Pressure, price: &mut Price, taste: Priority) -> Vec<u16> {
    let count = price.count();
    let paths = match taste {
        Priority::Critical => paths(graph, price),
        Priority::Source(_) => Vec::new(),
    };
    let mut waiting: Vec<usize> = graph.before.iter().map(Vec::len).collect();
    let mut ready: Vec<u16> = (0..count as u16).filter(|&k| waiting[usize::from(k)] == 0).collect();
    let mut order: Vec<u16> = Vec::with_capacity(count);
    let mut cycles: Vec<u32> = Vec::with_capacity(count);
    // Instructions that are not yet scheduled have a position after all others.
    let mut place = vec![u16::MAX; count];
    let mut counts = pressure.start();
    let mut first = 0;
    while !ready.is_empty() {
        let at = order.len() as u16;
        while first < count && place[first] != u16::MAX {
            first += 1;
        }
        let mut best: Option<(Rank, usize, Counts, u32)> = None;
        let mut window: Vec<u16> = order[price.window(&cycles, order.len())..].to_vec();
        window.push(0);
        for (slot, &k) in ready.iter().enumerate() {
            let index = usize::from(k);
            if matches!(taste, Priority::Source(ahead) if index - first > ahead) {
                continue;
            }
            place[index] = at;
            let mut after = counts;
            let excess = pressure.over(k, at, &place, &mut after);
            place[index] = u16::MAX;
            // A candidate with more excess registers than the best one needs no price.
            if best.as_ref().is_some_and(|((least, ..), ..)| excess > *least) {
                continue;
            }
            *window.last_mut().expect("one at least") = k;
            let added = price.last(&window);
            // The price is lower than alone if the instruction pairs well with those before it: consecutive loads, or
            // issue in the same cycle.
            let waits = i64::from(added) - i64::from(price.last(&[k]));
            let far = paths.get(index).map_or(0, |p| u32::MAX - p);
            let rank = (excess, waits, far, index);
            if best.as_ref().is_none_or(|(b, ..)| rank < *b) {
                best = Some((rank, slot, after, added));
            }
        }
        let (_, slot, after, added) = best.expect("the writer's first instruction left is ready");
        let k = ready.swap_remove(slot);
        place[usize::from(k)] = at;
        counts = after;
        order.push(k);
        cycles.push(added);
        for &next in &graph.after[usize::from(k)] {
            waiting[usize::from(next)] -= 1;
            if waiting[usize::from(next)] == 0 {
                ready.push(next);
            }
        }
    }
    order
}
