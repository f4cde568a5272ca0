//! Schedules for processors that issue the two instructions of an aligned pair together, each kind in its own half: at each
//! cycle one of each kind is taken that is ready, and what finds no partner gets one that does nothing.

use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa};

use super::block::{Block, insn};
use super::depend::Graph;
use super::pressure::{Counts, Pressure};

/// How far ahead of the writer's first instruction left another is taken, at most: several are tried.
const AHEAD: &[usize] = &[16, 32, 64, 128, 256, 512, usize::MAX];

/// Halves of pairs: instructions of the block, or nothing.
pub type Halves = Vec<Option<u16>>;

/// What is known of the instructions of a block.
struct Known<'a> {
    graph: &'a Graph,
    pressure: &'a Pressure,
    /// Whether each is of the second half.
    second: Vec<bool>,
    /// Cycles until its result can be used.
    latency: Vec<u32>,
}

/// A schedule, registers that it lacks, and its cycles.
type Found = (u32, u32, Halves);

/// The best of some schedules, as pairs.
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

impl Known<'_> {
    /// Cycles from an instruction to one that must stay behind it.
    fn distance(&self, from: u16, to: u16) -> u32 {
        let (writes, reads) =
            (&self.graph.access[usize::from(from)].writes, &self.graph.access[usize::from(to)].reads);
        if writes.iter().any(|r| reads.contains(r)) { self.latency[usize::from(from)] } else { 1 }
    }

    fn schedule(&self, ahead: usize) -> Found {
        let count = self.second.len();
        let mut waiting: Vec<usize> = self.graph.before.iter().map(Vec::len).collect();
        let mut earliest = vec![0; count];
        let mut ready: Vec<u16> = (0..count as u16).filter(|&k| waiting[usize::from(k)] == 0).collect();
        let mut place = vec![u16::MAX; count];
        let mut counts = self.pressure.start();
        let (mut placed, mut first, mut cycle, mut lacks) = (0, 0, 0u32, 0);
        let mut halves = Halves::new();
        while placed < count as u16 {
            let mut pair = [None, None];
            for (half, slot) in pair.iter_mut().enumerate() {
                let is_open = |k: u16, earliest: &[u32]| {
                    let index = usize::from(k);
                    self.second[index] == (half == 1) && earliest[index] <= cycle && index - first <= ahead
                };
                let open = ready.iter().copied().filter(|&k| is_open(k, &earliest));
                // The writer's first for which there are registers.
                let mut open: Vec<u16> = open.collect();
                open.sort_unstable();
                let mut tried = |k: u16| -> Option<(u16, Counts)> {
                    let mut after = counts;
                    place[usize::from(k)] = placed;
                    let over = self.pressure.over(k, placed, &place, &mut after);
                    place[usize::from(k)] = u16::MAX;
                    (over == 0).then_some((k, after))
                };
                let Some((k, after)) = open.into_iter().find_map(&mut tried) else { continue };
                (*slot, counts) = (Some(k), after);
                self.take(k, cycle, &mut placed, &mut place, &mut ready, &mut waiting, &mut earliest);
                while first < count && place[first] != u16::MAX {
                    first += 1;
                }
            }
            if pair == [None, None] {
                // Nothing is on its way that would free a register.
                if ready.iter().all(|&k| earliest[usize::from(k)] <= cycle) {
                    let k = *ready.iter().min().expect("something is left");
                    place[usize::from(k)] = placed;
                    lacks += self.pressure.over(k, placed, &place, &mut counts);
                    pair[usize::from(self.second[usize::from(k)])] = Some(k);
                    self.take(k, cycle, &mut placed, &mut place, &mut ready, &mut waiting, &mut earliest);
                    while first < count && place[first] != u16::MAX {
                        first += 1;
                    }
                }
            }
            if pair != [None, None] {
                halves.extend(pair);
            }
            cycle += 1;
        }
        (lacks, cycle, halves)
    }

    /// Takes an instruction in a cycle.
    #[allow(clippy::too_many_arguments)]
    fn take(
        &self,
        k: u16,
        cycle: u32,
        placed: &mut u16,
        place: &mut [u16],
        ready: &mut Vec<u16>,
        waiting: &mut [usize],
        earliest: &mut [u32],
    ) {
        place[usize::from(k)] = *placed;
        *placed += 1;
        ready.retain(|&other| other != k);
        for &next in &self.graph.after[usize::from(k)] {
            let index = usize::from(next);
            earliest[index] = earliest[index].max(cycle + self.distance(k, next));
            waiting[index] -= 1;
            if waiting[index] == 0 {
                ready.push(next);
            }
        }
    }
}
