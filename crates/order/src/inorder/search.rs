//! Local search over orders by simulated annealing: each move takes one instruction to another position that its
//! dependences allow, and worse orders are accepted while the temperature is high. Only the changed part is priced
//! again.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Search;
use super::depend::Graph;
use super::pressure::{Counts, Pressure};
use super::price::{Price, WINDOW};

/// The maximum distance of a move, in positions.
const REACH: usize = 32;
/// The cost of an excess register in cycles, higher than any wait.
const LACKING: i64 = 64;
/// The initial temperature: a change for the worse by this many cycles is accepted with probability 1/e.
const WARM: f64 = 0.6;

/// The values that a move has overwritten, from a position on.
#[derive(Default)]
struct Undo {
    from: usize,
    lacks: Vec<u32>,
    counts: Vec<Counts>,
    cycles: Vec<u32>,
}

impl Undo {
    fn begin(&mut self, from: usize) {
        self.from = from;
        self.lacks.clear();
        self.counts.clear();
        self.cycles.clear();
    }
}

struct State<'s, 'a> {
    graph: &'s Graph,
    pressure: &'s Pressure,
    price: &'s mut Price<'a>,
    order: Vec<u16>,
    place: Vec<u16>,
    cycles: Vec<u32>,
    lacks: Vec<u32>,
    counts: Vec<Counts>,
    /// The cost in cycles and excess registers of the first order.
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

    /// Recomputes the register counts and waits of positions `from ..= until`; returns the change of cost.
    fn refresh(&mut self, from: usize, until: usize) -> i64 {
        let mut undo = Undo::default();
        self.registers(from, until, &mut undo) + self.waits(from, until, &mut undo)
    }

    /// Recomputes the register counts of positions `from ..= until`; returns the change of cost.
    fn registers(&mut self, from: usize, until: usize, undo: &mut Undo) -> i64 {
        let mut change = 0i64;
        let mut counts = if from == 0 { self.pressure.start() } else { self.counts[from - 1] };
        for at in from..=until {
            let lacks = self.pressure.over(self.order[at], at as u16, &self.place, &mut counts);
            change += LACKING * (i64::from(lacks) - i64::from(self.lacks[at]));
            undo.lacks.push(std::mem::replace(&mut self.lacks[at], lacks));
            undo.counts.push(std::mem::replace(&mut self.counts[at], counts));
        }
        change
    }

    /// Recomputes the prices from `from` on, as far as positions `from ..= until` affect them; returns the change of
    /// cost.
    fn waits(&mut self, from: usize, until: usize, undo: &mut Undo) -> i64 {
        let mut change = 0i64;
        // With several issues per cycle, the following cycles may start at other instructions.
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
            undo.cycles.push(std::mem::replace(&mut self.cycles[at], cycles));
        }
        change
    }

    /// Moves an instruction to another position, without pricing.
    fn rotate(&mut self, from: usize, to: usize) -> (usize, usize) {
        let (low, high) = (from.min(to), from.max(to));
        if from < to {
            self.order[from..=to].rotate_left(1);
        } else {
            self.order[to..=from].rotate_right(1);
        }
        for at in low..=high {
            self.place[usize::from(self.order[at])] = at as u16;
        }
        (low, high)
    }

    fn shift(&mut self, from: usize, to: usize) -> i64 {
        let (low, high) = self.rotate(from, to);
        self.refresh(low, high)
    }

    /// Moves an instruction and keeps the move or undoes it, at random if the order got worse. Returns the change of
    /// cost if the move is kept. Moves that are certain to be undone, because they add more for excess registers than
    /// shorter waits can save, are not priced.
    fn attempt(
        &mut self,
        from: usize,
        to: usize,
        warmth: f64,
        random: &mut ChaCha8Rng,
        undo: &mut Undo,
    ) -> Option<i64> {
        // With several issues per cycle, prices depend on more state than is saved here.
        let plain = self.price.width() == 1;
        let (low, high) = self.rotate(from, to);
        undo.begin(low);
        let lacking = self.registers(low, high, undo);
        let kept = |change: i64, luck: f64| luck < (-(change as f64) / warmth).exp();
        let mut luck = None;
        if plain && lacking > 0 {
            let end = (high + WINDOW).min(self.order.len());
            let least = lacking - self.cycles[low..end].iter().map(|&c| i64::from(c)).sum::<i64>();
            if least > 0 {
                let drawn = random.random::<f64>();
                if !kept(least, drawn) {
                    self.take_back(from, to, undo);
                    return None;
                }
                luck = Some(drawn);
            }
        }
        let change = lacking + self.waits(low, high, undo);
        if change <= 0 || kept(change, luck.unwrap_or_else(|| random.random::<f64>())) {
            return Some(change);
        }
        if plain {
            self.take_back(from, to, undo);
        } else {
            self.shift(to, from);
        }
        None
    }

    /// Restores the order before a move, and its prices.
    fn take_back(&mut self, from: usize, to: usize, undo: &Undo) {
        self.rotate(to, from);
        let low = undo.from;
        self.lacks[low..low + undo.lacks.len()].copy_from_slice(&undo.lacks);
        self.counts[low..low + undo.counts.len()].copy_from_slice(&undo.counts);
        self.cycles[low..low + undo.cycles.len()].copy_from_slice(&undo.cycles);
    }

    /// The positions to which the instruction at a position may move.
    fn span(&self, at: usize) -> (usize, usize) {
        let k = usize::from(self.order[at]);
        let after = |&b: &u16| usize::from(self.place[usize::from(b)]) + 1;
        let before = |&b: &u16| usize::from(self.place[usize::from(b)]) - 1;
        let low = self.graph.before[k].iter().map(after).max().unwrap_or(0);
        let high = self.graph.after[k].iter().map(before).min().unwrap_or(self.order.len() - 1);
        (low.max(at.saturating_sub(REACH)), high.min(at + REACH))
    }
}

/// True if the incremental prices after random moves equal those of the whole order.
#[cfg(test)]
pub(crate) fn is_consistent(
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

/// An estimated lower bound for all orders: each instruction at its minimum cost, alone or after one instruction of
/// another kind.
fn floor(price: &mut Price) -> i64 {
    let kinds = price.kinds();
    let least = |price: &mut Price, k: u16| {
        let after = kinds.iter().filter(|&&j| j != k).map(|&j| price.last(&[j, k])).min();
        i64::from(after.unwrap_or(u32::MAX).min(price.last(&[k])))
    };
    let sum: i64 = (0..price.count() as u16).map(|k| least(price, k)).sum();
    sum.max(price.count().div_ceil(price.width()) as i64)
}

/// Searches from an order for a better one; the result is at least as good.
pub(crate) fn improve(
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
    let mut undo = Undo::default();
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
        if let Some(change) = state.attempt(from, to, warmth, &mut random, &mut undo) {
            cost += change;
            if cost < best.0 {
                best = (cost, state.order.clone());
            }
        }
    }
    best.1
}
