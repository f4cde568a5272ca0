//! Local search over orders: one instruction moved to another place that its dependences allow,
//! again and again; worse orders are taken while it is warm (simulated annealing). Only what a move
//! touches is priced anew.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Search;
use super::depend::Graph;
use super::pressure::{Counts, Pressure};
use super::price::{Price, WINDOW};

/// How far an instruction is moved at most.
const REACH: usize = 32;
/// What a register too few costs, in cycles: more than any wait.
const LACKING: i64 = 64;
/// At the start, a change for the worse by so many cycles is taken once in e times.
const WARM: f64 = 0.6;

struct State<'s, 'a> {
    graph: &'s Graph,
    pressure: &'s Pressure,
    price: &'s mut Price<'a>,
    order: Vec<u16>,
    place: Vec<u16>,
    cycles: Vec<u32>,
    lacks: Vec<u32>,
    counts: Vec<Counts>,
    /// Cycles and registers lacked of the first order.
    cost: i64,
}

impl<'s, 'a> State<'s, 'a> {
    fn new(
        order: Vec<u16>,
        graph: &'s Graph,
        pressure: &'s Pressure,
        price: &'s mut Price<'a>,
    ) -> State<'s, 'a> {
        let count = order.len();
        let mut place = vec![0; count];
        for (at, &k) in order.iter().enumerate() {
            place[usize::from(k)] = at as u16;
        }
        let (cycles, lacks, counts) = (vec![0; count], vec![0; count], vec![Counts::default(); count]);
        let mut state = State { graph, pressure, price, order, place, cycles, lacks, counts, cost: 0 };
        state.cost = state.refresh(0, count - 1);
        state
    }

    /// Prices places `from ..= until` anew, counts of registers and waits; the change of cost.
    fn refresh(&mut self, from: usize, until: usize) -> i64 {
        let mut change = 0i64;
        let mut counts = if from == 0 { self.pressure.start() } else { self.counts[from - 1] };
        for at in from..=until {
            let lacks = self.pressure.over(self.order[at], at as u16, &self.place, &mut counts);
            change += LACKING * (i64::from(lacks) - i64::from(self.lacks[at]));
            self.lacks[at] = lacks;
            self.counts[at] = counts;
        }
        // Where several instructions issue in a cycle, others may begin the cycles that follow.
        let width = self.price.width();
        let mut steady = 0;
        for at in from..self.order.len() {
            if at >= until + WINDOW && (width == 1 || steady >= WINDOW + width) {
                break;
            }
            let first = self.price.window(&self.cycles, at);
            let cycles = self.price.last(&self.order[first..=at]);
            steady = if at > until && cycles == self.cycles[at] { steady + 1 } else { 0 };
            change += i64::from(cycles) - i64::from(self.cycles[at]);
            self.cycles[at] = cycles;
        }
        change
    }

    fn shift(&mut self, from: usize, to: usize) -> i64 {
        let (low, high) = (from.min(to), from.max(to));
        if from < to {
            self.order[from..=to].rotate_left(1);
        } else {
            self.order[to..=from].rotate_right(1);
        }
        for at in low..=high {
            self.place[usize::from(self.order[at])] = at as u16;
        }
        self.refresh(low, high)
    }

    /// The places that the instruction at a place may go to.
    fn span(&self, at: usize) -> (usize, usize) {
        let k = usize::from(self.order[at]);
        let after = |&b: &u16| usize::from(self.place[usize::from(b)]) + 1;
        let before = |&b: &u16| usize::from(self.place[usize::from(b)]) - 1;
        let low = self.graph.before[k].iter().map(after).max().unwrap_or(0);
        let high = self.graph.after[k].iter().map(before).min().unwrap_or(self.order.len() - 1);
        (low.max(at.saturating_sub(REACH)), high.min(at + REACH))
    }
}

/// Whether prices made anew after each of some random moves are those of the whole order.
#[cfg(test)]
pub fn is_consistent(
    order: Vec<u16>,
    graph: &Graph,
    pressure: &Pressure,
    price: &mut Price,
    search: Search,
) -> bool {
    let mut state = State::new(order, graph, pressure, price);
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(search.seed));
    (0..search.moves).all(|_| {
        let from = random.random_range(0..state.order.len());
        let (low, high) = state.span(from);
        state.shift(from, random.random_range(low..=high));
        let order = state.order.clone();
        state.cycles.iter().map(|&c| u64::from(c)).sum::<u64>() == state.price.order(&order)
    })
}

/// What no order is expected to be below: each instruction at its least, alone or after one of each
/// kind.
fn floor(price: &mut Price) -> i64 {
    let kinds = price.kinds();
    let least = |price: &mut Price, k: u16| {
        let after = kinds.iter().filter(|&&j| j != k).map(|&j| price.last(&[j, k])).min();
        i64::from(after.unwrap_or(u32::MAX).min(price.last(&[k])))
    };
    let sum: i64 = (0..price.count() as u16).map(|k| least(price, k)).sum();
    sum.max(price.count().div_ceil(price.width()) as i64)
}

/// An order at least as good, found from this one.
pub fn improve(
    order: Vec<u16>,
    graph: &Graph,
    pressure: &Pressure,
    price: &mut Price,
    search: Search,
) -> Vec<u16> {
    let count = order.len();
    if count < 2 {
        return order;
    }
    let floor = floor(price);
    let mut state = State::new(order, graph, pressure, price);
    let mut cost = state.cost;
    let mut best = (cost, state.order.clone());
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(search.seed));
    for step in 0..search.moves {
        if best.0 <= floor && state.lacks.iter().all(|&l| l == 0) {
            break;
        }
        let warmth = WARM * f64::from(search.moves - step) / f64::from(search.moves);
        let from = random.random_range(0..count);
        let (low, high) = state.span(from);
        if low >= high {
            continue;
        }
        let to = random.random_range(low..=high);
        if to == from {
            continue;
        }
        let change = state.shift(from, to);
        let taken = change <= 0 || random.random::<f64>() < (-(change as f64) / warmth).exp();
        if taken {
            cost += change;
            if cost < best.0 {
                best = (cost, state.order.clone());
            }
        } else {
            state.shift(to, from);
        }
    }
    best.1
}
