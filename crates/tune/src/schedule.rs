//! The steady state of a loop in the machine model: the start of each instruction, modulo one iteration.
//!
//! Instructions enter in program order, as many per cycle as the front end delivers; each starts when its
//! operands are ready and its unit is free. A memory operand first occupies a load pipe; loads do not wait,
//! as their addresses do not depend on the loop's vectors. Kinds that were measured to share ports share them
//! here, too. Cycles and latencies are whole numbers, as in a core.

use crate::anatomy::{Anatomy, UNITS, throughput, unit, unit_of};
use aesmith_processor::measured::{Kind, Line, MachineModel, Register};
use std::collections::HashMap;

/// Number of instructions between the oldest that has not finished and the newest that has entered: the
/// reorder buffer of Golden Cove (512 entries, by Intel's optimization manual). A smaller buffer only makes
/// the model slower if an iteration is long.
const WINDOW: usize = 512;

/// Least number of iterations to simulate, and least number of times to fill the window: loads run ahead
/// until it is full, and only then do iterations become alike.
const PASSES: usize = 6;
const WINDOWS: usize = 4;

/// A schedule of one iteration in the steady state.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Start of each instruction modulo the iteration: at least 0 and less than [`Schedule::cycles`].
    pub starts: Vec<f64>,
    /// Iteration that each instruction works for, relative to the one whose busiest unit starts at 0: 1 is
    /// the next.
    pub passes: Vec<i32>,
    /// Cycles for which each instruction occupies its unit.
    pub occupies: Vec<f64>,
    /// Cycles until each result is available.
    pub latencies: Vec<f64>,
    /// Start of the load of a memory operand, modulo the iteration, and the cycles for which it occupies its
    /// unit.
    pub loads: Vec<Option<(f64, f64)>>,
    /// Number of pipes of each of [`UNITS`] that the loop can use.
    pub pipes: [usize; UNITS.len()],
    /// Fraction of the iteration for which the pipes of each unit are busy, if the model knows all kinds.
    pub taken: [Option<f64>; UNITS.len()],
    /// Cycles per iteration.
    pub cycles: f64,
}

/// The pipes of the units, and the capacity that kinds on several units share, cycle by cycle: a core's pipes
/// are occupied in whole cycles.
struct Ports<'m> {
    model: &'m MachineModel,
    units: [Vec<Pipe>; UNITS.len()],
    shared: Vec<Shared>,
    /// Cycles for which operations of a kind have held pipes so far; their throughput need not be a whole
    /// number.
    held: HashMap<Kind, f64>,
}

/// Busy cycles of a pipe.
type Pipe = Vec<bool>;

/// Used fraction of each cycle of units that several kinds share.
type Shared = Vec<f64>;

/// Fractions of a cycle are measured: two of 0.51 still fit.
const FULL: f64 = 1.05;

impl Ports<'_> {
    fn new<'m>(model: &'m MachineModel, lines: &[Line]) -> Ports<'m> {
        let mut units: [Vec<Pipe>; UNITS.len()] = Default::default();
        for kind in lines.iter().flat_map(|l| &l.parts) {
            let pipes = &mut units[unit(kind.class)];
            let own = pipes_of(model, *kind).0;
            if pipes.len() < own {
                pipes.resize(own, Pipe::new());
            }
        }
        Ports { model, units, shared: vec![Shared::new(); model.groups.len()], held: HashMap::new() }
    }

    /// Starts an operation of a kind in the first cycle from `wanted` on in which one of its pipes and the
    /// shared capacity are free, and occupies them: units take the oldest operation that is ready, so a later
    /// one fills the cycles for which an earlier one waits.
    fn start(&mut self, kind: Kind, wanted: f64) -> f64 {
        let (own, each) = pipes_of(self.model, kind);
        let before = self.held.entry(kind).or_default();
        let cycles = (*before + each).floor() - before.floor();
        *before += each;
        let cycles = cycles as usize;
        let pipes = &mut self.units[unit(kind.class)][..own];
        let groups = self.model.groups.iter().zip(&mut self.shared);
        let mut shares: Vec<(f64, &mut Shared)> = groups
            .filter_map(|(g, shared)| Some((g.members.iter().find(|(k, _)| *k == kind)?.1, shared)))
            .collect();
        let mut at = wanted.max(0.0).ceil() as usize;
        loop {
            let free = pipes.iter().position(|p| (at..at + cycles).all(|c| !p.get(c).is_some_and(|t| *t)));
            let room = |(share, shared): &(f64, &mut Shared)| {
                shared.get(at).is_none_or(|taken| taken + share.min(1.0) <= FULL)
            };
            if let (Some(pipe), true) = (free, shares.iter().all(room)) {
                let pipe = &mut pipes[pipe];
                pipe.resize(pipe.len().max(at + cycles), false);
                pipe[at..at + cycles].fill(true);
                shares.iter_mut().for_each(|(share, shared)| pour(shared, at, *share));
                return at as f64;
            }
            at += 1;
        }
    }
}

/// Takes a share of a cycle; any excess comes from the next cycles.
fn pour(shared: &mut Shared, at: usize, share: f64) {
    let (mut at, mut left) = (at, share);
    while left > 1e-9 {
        shared.resize(shared.len().max(at + 1), 0.0);
        let taken = left.min((1.0 - shared[at]).max(0.0));
        shared[at] += taken;
        left -= taken;
        at += 1;
    }
}

/// Number of pipes that a kind can use, and the average number of cycles for which it holds one.
fn pipes_of(model: &MachineModel, kind: Kind) -> (usize, f64) {
    match throughput(model, kind) {
        Some(each) if each > 0.0 => {
            let pipes = (1.0 / each).round().max(1.0);
            let held = pipes * each;
            // A value within the noise of a whole number of cycles is rounded to it.
            let whole = held.round();
            (pipes as usize, if (held - whole).abs() < 0.05 * whole { whole } else { held })
        }
        _ => (1, 0.0),
    }
}

impl Schedule {
    /// The steady state of a loop: the last of many iterations, modulo the iteration.
    pub fn of(anatomy: &Anatomy, model: &MachineModel) -> Schedule {
        let lines = &anatomy.lines;
        let mut ready: HashMap<Register, f64> = HashMap::new();
        let mut ports = Ports::new(model, lines);
        let width = model.issue_width.unwrap_or(f64::INFINITY);
        let latency = |kind: Kind| model.timing(kind).and_then(|t| t.latency).unwrap_or(0.0).round();
        let held = |kind: Kind| pipes_of(model, kind).1;
        let passes = PASSES.max(WINDOWS * WINDOW / lines.len().max(1));
        let (mut ends, mut lasts) = (Vec::<f64>::new(), Vec::new());
        let (mut starts, mut loads) = (Vec::new(), Vec::new());
        for _ in 0..passes {
            starts.clear();
            loads.clear();
            for line in lines {
                // An instruction enters only after the instruction one window earlier has finished.
                let old = ends.len().checked_sub(WINDOW).map_or(0.0, |i| ends[i]);
                let enters = old.max(ends.len() as f64 / width);
                let operands = line.reads.iter().filter_map(|register| ready.get(register));
                let mut wanted = operands.copied().fold(enters, f64::max);
                let (main, memory) = (line.parts[0], &line.parts[1..]);
                let operand = memory.iter().find(|part| unit(part.class) == LOAD).map(|&part| {
                    let at = ports.start(part, enters);
                    wanted = wanted.max(at + latency(part));
                    (at, held(part))
                });
                loads.push(operand);
                let start = ports.start(main, wanted);
                let done = start + latency(main);
                for &part in memory.iter().filter(|part| unit(part.class) != LOAD) {
                    ports.start(part, done);
                }
                for register in &line.writes {
                    ready.insert(*register, done);
                }
                // Instructions retire in program order.
                ends.push(ends.last().copied().unwrap_or(0.0).max(start + held(main).max(latency(main))));
                starts.push(start);
            }
            lasts.push(ends.last().copied().unwrap_or(0.0));
        }
        // Average over iterations, as neighbouring ones may differ; the result is at least the bound of the
        // units.
        let (last, few) = (lasts.len() - 1, lasts.len() / 3);
        let bound = model.throughput_bound(&anatomy.counts).cycles;
        let cycles = ((lasts[last] - lasts[last - few]) / few as f64).max(bound);
        let mut pipes = [0; UNITS.len()];
        ports.units.iter().enumerate().for_each(|(u, all)| pipes[u] = all.len());
        let taken = taken(model, lines, &pipes, cycles);
        let occupies: Vec<f64> = lines.iter().map(|l| held(l.parts[0])).collect();
        let latencies = lines.iter().map(|l| latency(l.parts[0])).collect();
        let origin = origin(lines, &starts, &occupies, &pipes);
        let (starts, passes) = starts.iter().map(|s| modulo(s - origin, cycles)).unzip();
        let loads = loads.iter().map(|l| l.map(|(at, held)| (modulo(at - origin, cycles).0, held))).collect();
        Schedule { loads, starts, passes, occupies, latencies, pipes, taken, cycles }
    }
}

/// Fractions of an iteration of `cycles` for which the units' pipes are busy.
fn taken(
    model: &MachineModel,
    lines: &[Line],
    pipes: &[usize; UNITS.len()],
    cycles: f64,
) -> [Option<f64>; UNITS.len()] {
    let mut taken = [(cycles > 0.0).then_some(0.0); UNITS.len()];
    for kind in lines.iter().flat_map(|l| &l.parts) {
        let unit = unit(kind.class);
        let known = throughput(model, *kind).map(|_| pipes_of(model, *kind).1);
        taken[unit] = taken[unit].zip(known).map(|(sum, held)| sum + held / (pipes[unit] as f64 * cycles));
    }
    taken
}

/// Index of the load unit.
const LOAD: usize = 4;

/// The start of the busiest unit's work for the iteration.
fn origin(lines: &[Line], starts: &[f64], occupies: &[f64], pipes: &[usize; UNITS.len()]) -> f64 {
    let of = |u: usize| lines.iter().zip(starts).zip(occupies).filter(move |((l, _), _)| unit_of(l) == u);
    let busy = |u: usize| of(u).map(|(_, held)| held).sum::<f64>() / pipes[u].max(1) as f64;
    let busiest = (0..UNITS.len()).filter(|u| of(*u).next().is_some());
    let busiest = busiest.max_by(|a, b| busy(*a).total_cmp(&busy(*b)));
    busiest.map_or(0.0, |u| of(u).map(|((_, start), _)| *start).fold(f64::INFINITY, f64::min))
}

/// A time within the iteration, and the iteration that works there: later times of this iteration coincide
/// with earlier iterations.
fn modulo(time: f64, cycles: f64) -> (f64, i32) {
    if cycles <= 0.0 {
        return (0.0, 0);
    }
    // A time that is below the end only by rounding belongs to the next iteration.
    let turns = (time / cycles + 1e-9).floor();
    ((time - turns * cycles).max(0.0), -turns as i32)
}
