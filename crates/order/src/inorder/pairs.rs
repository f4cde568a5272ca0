//! Schedules for processors that issue the two instructions of an aligned pair together, each kind in its own half.
//! Each cycle takes one ready instruction of each kind; a half without one gets a filler that does nothing.

use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use super::block::{Block, insn};
use super::depend::Graph;
use super::pressure::{Counts, Pressure};

/// The limits to try for the distance between the first unscheduled instruction in the block's order and a chosen one.
const AHEAD: &[usize] = &[16, 32, 64, 128, 256, 512, usize::MAX];

/// Halves of pairs: instructions of the block, or fillers.
pub type Halves = Vec<Option<u16>>;

/// The properties of the instructions of a block.
struct Known<'a> {
    graph: &'a Graph,
    pressure: &'a Pressure,
    /// True for each instruction of the second half.
    second: Vec<bool>,
    /// Cycles until the result of each can be used.
    latency: Vec<u32>,
}

/// A schedule: its excess registers, its cycles, its halves.
type Scheduled = (u32, u32, Halves);

/// The best of several schedules, as pairs.
pub fn best(isa: &Isa, block: &Block, graph: &Graph, pressure: &Pressure, timing: &Timing) -> Halves {
    let insns: Vec<&Insn> = block.pieces.iter().filter_map(|piece| insn(&piece.item)).collect();
    let class = |insn: &&Insn| isa.of(insn).class.as_str();
    let is_second = |class: &str| timing.issue.together.iter().any(|pair| pair.second.contains(&class));
    let known = Known {
        graph,
        pressure,
        second: insns.iter().map(|insn| is_second(class(insn))).collect(),
        latency: insns.iter().map(|insn| timing.of(class(insn)).latency()).collect(),
    };
    let all = AHEAD.iter().map(|&ahead| known.schedule(ahead));
    all.min_by_key(|&(lacks, cycles, _)| (lacks, cycles)).map(|(_, _, halves)| halves).unwrap_or_default()
}

/// The state of a schedule under construction.
struct State<'k, 'a> {
    known: &'k Known<'a>,
    /// The number of scheduled instructions, and the position of each; unscheduled ones have a position after all
    /// others.
    placed: u16,
    place: Vec<u16>,
    /// The first unscheduled instruction in the block's order.
    first: usize,
    /// The number of unscheduled predecessors of each instruction, and the cycle from which it may issue.
    waiting: Vec<usize>,
    earliest: Vec<u32>,
    ready: Vec<u16>,
    counts: Counts,
}

impl Known<'_> {
    /// The minimum number of cycles from an instruction to a dependent one.
    fn distance(&self, from: u16, to: u16) -> u32 {
        let (writes, reads) =
            (&self.graph.access[usize::from(from)].writes, &self.graph.access[usize::from(to)].reads);
        if writes.iter().any(|r| reads.contains(r)) { self.latency[usize::from(from)] } else { 1 }
    }

    fn schedule(&self, ahead: usize) -> Scheduled {
        let count = self.second.len();
        let waiting: Vec<usize> = self.graph.before.iter().map(Vec::len).collect();
        let mut state = State {
            known: self,
            placed: 0,
            place: vec![u16::MAX; count],
            first: 0,
            earliest: vec![0; count],
            ready: (0..count as u16).filter(|&k| waiting[usize::from(k)] == 0).collect(),
            waiting,
            counts: self.pressure.start(),
        };
        let (mut cycle, mut lacks) = (0, 0);
        let mut halves = Halves::new();
        while usize::from(state.placed) < count {
            let mut pair = [false, true].map(|second| state.take_one(second, ahead, cycle));
            // If no pending instruction would free a register, the schedule exceeds the registers.
            let stuck = pair == [None, None] && state.ready.iter().all(|&k| state.earliest(k) <= cycle);
            if stuck && let Some(&k) = state.ready.iter().min() {
                let over = state.counted(k);
                lacks += over.0;
                state.take(k, cycle, over.1);
                pair[usize::from(self.second[usize::from(k)])] = Some(k);
            }
            if pair != [None, None] {
                halves.extend(pair);
            }
            cycle += 1;
        }
        (lacks, cycle, halves)
    }
}

impl State<'_, '_> {
    fn earliest(&self, k: u16) -> u32 {
        self.earliest[usize::from(k)]
    }

    /// The excess registers if an instruction is next, and the counts after it.
    fn counted(&mut self, k: u16) -> (u32, Counts) {
        let mut after = self.counts;
        self.place[usize::from(k)] = self.placed;
        let over = self.known.pressure.over(k, self.placed, &self.place, &mut after);
        self.place[usize::from(k)] = u16::MAX;
        (over, after)
    }

    /// Schedules the first instruction of a half, in the block's order, that can issue within the available registers.
    fn take_one(&mut self, second: bool, ahead: usize, cycle: u32) -> Option<u16> {
        let is_open = |k: &u16| {
            let index = usize::from(*k);
            self.known.second[index] == second && self.earliest[index] <= cycle && index - self.first <= ahead
        };
        let mut open: Vec<u16> = self.ready.iter().copied().filter(is_open).collect();
        open.sort_unstable();
        let (k, after) = open.into_iter().find_map(|k| match self.counted(k) {
            (0, after) => Some((k, after)),
            _ => None,
        })?;
        self.take(k, cycle, after);
        Some(k)
    }

    /// Schedules an instruction in a cycle.
    fn take(&mut self, k: u16, cycle: u32, after: Counts) {
        self.counts = after;
        self.place[usize::from(k)] = self.placed;
        self.placed += 1;
        self.ready.retain(|&other| other != k);
        let known = self.known;
        for &next in &known.graph.after[usize::from(k)] {
            let index = usize::from(next);
            self.earliest[index] = self.earliest[index].max(cycle + known.distance(k, next));
            self.waiting[index] -= 1;
            if self.waiting[index] == 0 {
                self.ready.push(next);
            }
        }
        while self.place.get(self.first).is_some_and(|&place| place != u16::MAX) {
            self.first += 1;
        }
    }
}
