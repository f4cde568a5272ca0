//! The machine model of any processor, which interprets its timing table.

use crate::cycles::Cycles;
use crate::execute::Executed;
use crate::table::Isa;

use super::compile::{Compiled, NEXT, compile};
use super::{Overtaking, Timing};

/// The machine model of a timing table.
///
/// Time never goes back: a new start is the first cycle in which no earlier result is pending.
pub struct Modelled {
    timing: &'static Timing,
    /// The instruction table of the rows.
    isa: usize,
    /// Compiled rows, filled when first needed.
    rows: Vec<Option<Box<Compiled>>>,
    state: State,
}

/// The state that depends on earlier instructions.
struct State {
    /// The next cycle in which an instruction issues, if it joins no group.
    now: u64,
    /// The cycle from which each register's value can be used.
    ready: Box<[u64; 256]>,
    /// The last cycle in which any result is pending.
    latest: u64,
    /// Registers whose late results are ignored: the zero register, and the program counter.
    forgotten: [Option<u8>; 2],
    /// Cycles that pass after the instruction in a delay slot.
    refill: u32,
    /// The runs that the previous instruction starts, as bits, and its result.
    run: (u8, i32),
    /// For each distance, the cycle from which a class that keeps it may start.
    settled: Vec<u64>,
    /// The last hint seen.
    hint: Option<Hinted>,
    /// The cycle from which each unit is free.
    free: Vec<u64>,
    /// For each register, the issue cycle of the instruction that wrote it, and the bypasses from that instruction;
    /// empty without bypasses.
    made: Vec<(u64, u64)>,
    group: Group,
}

/// A branch whose target a hint has announced.
#[derive(Clone, Copy)]
struct Hinted {
    branch: u64,
    to: u64,
    /// The first cycle in which the branch may issue for the hint to count.
    from: u64,
}

/// The instructions that issue in one cycle.
#[derive(Default)]
struct Group {
    start: u64,
    /// The pairs in which each member is the first, as bits.
    members: Vec<u64>,
    /// True if another may join.
    open: bool,
}

impl Modelled {
    /// Builds the model of a table.
    pub fn new(timing: &'static Timing) -> Modelled {
        let state = State {
            now: 0,
            ready: Box::new([0; 256]),
            latest: 0,
            forgotten: [None; 2],
            refill: 0,
            run: (0, 0),
            settled: vec![0; timing.distances.len()],
            hint: None,
            free: vec![0; timing.units.len()],
            made: if timing.bypasses.is_empty() { Vec::new() } else { vec![(0, 0); 256] },
            group: Group::default(),
        };
        Modelled { timing, isa: 0, rows: Vec::new(), state }
    }

    #[cold]
    fn lay_out(&mut self, isa: &Isa, row: usize) {
        let address = std::ptr::from_ref(isa) as usize;
        if self.isa != address {
            self.isa = address;
            self.rows = vec![None; isa.rows.len()];
            self.state.forgotten = [isa.about.zero, isa.about.counter.map(|c| c.register)];
        }
        self.rows[row] = Some(Box::new(compile(self.timing, isa, &isa.rows[row])));
    }
}

/// The register of a field, or the next one.
fn register(executed: &Executed, place: u8) -> u8 {
    executed.insn.fields[usize::from(place & !NEXT & 7)] as u8 + (place >> 7)
}

/// The registers of a list, as bits.
fn listed(executed: &Executed, place: u8) -> u32 {
    executed.insn.fields[usize::from(place & 7)] as u32
}

impl State {
    /// The cycle, `start` or later, from which all operands are available.
    fn operands(&self, row: &Compiled, executed: &Executed, mut start: u64) -> u64 {
        for f in row.reads.iter() {
            start = start.max(self.ready[usize::from(register(executed, f))]);
        }
        for &r in &row.fixed {
            start = start.max(self.ready[usize::from(r)]);
        }
        if let Some(list) = row.stored {
            let list = listed(executed, list);
            for r in (0..32).filter(|r| list >> r & 1 == 1) {
                start = start.max(self.ready[r]);
            }
        }
        start
    }

    /// Extends [`State::operands`] by bypasses: some readers get their values earlier or later.
    fn bypassed(&self, row: &Compiled, executed: &Executed, mut start: u64) -> u64 {
        // Operands are places as bits; fixed registers match only rules for all operands.
        let at = |r: u8, operand: u8| {
            let (issued, from) = self.made[usize::from(r)];
            let by = row.to.iter().find(|&&(bit, places, _)| from & bit != 0 && places & operand == operand);
            by.map_or(self.ready[usize::from(r)], |&(_, _, latency)| issued + u64::from(latency))
        };
        for f in row.reads.iter() {
            start = start.max(at(register(executed, f), 1 << (f & 7)));
        }
        for &r in &row.fixed {
            start = start.max(at(r, u8::MAX));
        }
        start
    }

    /// Additional cycles of a branch that issues in this cycle and does not go where it was expected; also records
    /// hints.
    fn astray(&mut self, row: &Compiled, timing: &Timing, executed: &Executed, start: u64) -> u32 {
        let at = |place: u8| {
            let distance = i64::from(executed.insn.fields[usize::from(place)]);
            executed.pc.wrapping_add_signed(distance)
        };
        if let (Some((branch, to)), Some(hint)) = (row.hint, timing.hint) {
            self.hint = Some(Hinted { branch: at(branch), to: at(to), from: start + u64::from(hint.cycles) });
        }
        let is_other =
            |(place, _): (u8, u32)| executed.jumped != (executed.insn.fields[usize::from(place)] < 0);
        if row.predicted.is_some_and(is_other) {
            // The cost already contains the misprediction.
            return 0;
        }
        let hint = self.hint.filter(|hint| hint.branch == executed.pc && hint.from <= start);
        let is_right = |hint: Hinted| executed.jumped && executed.target == hint.to;
        if hint.map_or(executed.jumped, |hint| !is_right(hint)) { row.taken } else { 0 }
    }

    /// Issue cycles and latency of an instruction that does not wait, without the cycles of [`State::astray`].
    fn cost(&mut self, row: &Compiled, executed: &Executed) -> (u32, u32) {
        let (mut cycles, mut latency) = (row.cycles, row.latency);
        if row.special {
            if let Some((list, several)) = row.several {
                let registers = list.map_or(several.otherwise, |f| listed(executed, f).count_ones());
                let all = several.total(cycles, registers);
                latency += all - cycles;
                cycles = all;
            }
            for run in row.runs.iter().filter(|run| self.run.0 & run.bit != 0) {
                if run.address.iter().all(|&f| executed.insn.fields[usize::from(f)] != self.run.1) {
                    cycles = run.cycles;
                }
            }
            if let Some((place, wrong)) = row.predicted
                && executed.jumped != (executed.insn.fields[usize::from(place)] < 0)
            {
                return (cycles + wrong + std::mem::take(&mut self.refill), latency);
            }
        }
        cycles += std::mem::take(&mut self.refill);
        if executed.jumped {
            self.refill = row.after_slot;
        }
        (cycles, latency)
    }

    /// Passes the registers of an instruction's result to `see`.
    fn results(&self, row: &Compiled, executed: &Executed, mut see: impl FnMut(u8)) {
        let mut see = |r: u8| {
            if !self.forgotten.contains(&Some(r)) {
                see(r);
            }
        };
        row.results.iter().for_each(|&f| see(register(executed, f)));
        row.fixed_results.iter().for_each(|&r| see(r));
        if let Some(list) = row.last
            && let Some(last) = listed(executed, list).checked_ilog2()
        {
            see(last as u8);
        }
    }

    /// The first start at which the result is not available before an earlier one for the same register.
    fn behind(&self, row: &Compiled, executed: &Executed, latency: u32, mut start: u64) -> u64 {
        let latency = u64::from(latency);
        self.results(row, executed, |r| {
            start = start.max((self.ready[usize::from(r)] + 1).saturating_sub(latency));
        });
        start
    }

    /// Records the cycle from which a result is available. If earlier results are kept, a result that is not late does
    /// not shorten the wait for them.
    fn made(&mut self, row: &Compiled, executed: &Executed, start: u64, latency: u32, kept: bool) {
        let end = start + u64::from(latency);
        let mut named = [0; 16];
        let mut count = 0;
        self.results(row, executed, |r| {
            named[count & 15] = r;
            count += 1;
        });
        for &r in &named[..count.min(16)] {
            let ready = &mut self.ready[usize::from(r)];
            *ready = if kept { end.max(*ready) } else { end };
            if let Some(made) = self.made.get_mut(usize::from(r)) {
                *made = (start, row.from);
            }
        }
        self.latest = self.latest.max(start + u64::from(row.longest.max(latency)));
    }

    /// Records the runs that an instruction starts, for the instructions after it.
    fn lead(&mut self, row: &Compiled, executed: &Executed) {
        self.run = (row.leads, executed.insn.fields[usize::from(row.led & 7)]);
    }

    /// The first start that keeps all distances; also records the distances that begin here.
    fn distances(&mut self, row: &Compiled, timing: &Timing, mut start: u64) -> u64 {
        for (k, distance) in timing.distances.iter().enumerate() {
            if row.keeps >> k & 1 == 1 {
                start = start.max(self.settled[k]);
            }
            if row.starts >> k & 1 == 1 {
                self.settled[k] = start + u64::from(distance.cycles);
                self.latest = self.latest.max(self.settled[k]);
            }
        }
        start
    }

    /// A step of one instruction at a time, without units and bypasses.
    fn scalar(&mut self, row: &Compiled, timing: &Timing, executed: &Executed) -> u32 {
        let before = self.now;
        let mut start = before + u64::from(row.prefixes);
        let waiting = self.latest > before;
        if waiting {
            start = self.operands(row, executed, start);
        }
        if row.keeps | row.starts != 0 {
            start = self.distances(row, timing, start);
        }
        let (cycles, latency) = self.cost(row, executed);
        if waiting && timing.overtaking == Overtaking::Waits {
            start = self.behind(row, executed, latency, start);
        }
        let late = row.latency > row.cycles;
        if late || waiting {
            self.made(row, executed, start, latency, timing.overtaking == Overtaking::Kept && !late);
        }
        let cycles = cycles + self.astray(row, timing, executed, start);
        self.now = start + u64::from(cycles);
        (self.now - before) as u32
    }

    /// A step with several instructions in a cycle, units and bypasses.
    fn grouped(&mut self, row: &Compiled, timing: &Timing, executed: &Executed) -> u32 {
        let before = self.now;
        let group = &self.group;
        let together =
            timing.issue.together.is_empty() || group.members.iter().all(|first| first & row.second != 0);
        let starts = timing.aligned > 0 && executed.pc.is_multiple_of(timing.aligned.into());
        let one = !starts && self.refill == 0 && row.prefixes == 0 && before == group.start + 1;
        let places = usize::from(timing.issue.width) + usize::from(row.beside);
        let room = group.open && !row.begins && group.members.len() < places;
        let joins = room && one && together;
        let first = if joins { group.start } else { before + u64::from(row.prefixes) };
        let mut start = if self.made.is_empty() {
            self.operands(row, executed, first)
        } else {
            self.bypassed(row, executed, first)
        };
        if row.keeps | row.starts != 0 {
            start = self.distances(row, timing, start);
        }
        let (cycles, latency) = self.cost(row, executed);
        if timing.overtaking == Overtaking::Waits {
            start = self.behind(row, executed, latency, start);
        }
        for &(units, _) in &row.uses {
            start = start.max(self.soonest(units).1);
        }
        let joined = joins && start == first;
        if joins && !joined {
            start = start.max(before);
        }
        for &(units, cycles) in &row.uses {
            let unit = self.soonest(units).0;
            self.free[unit] = start + u64::from(cycles);
            self.latest = self.latest.max(self.free[unit]);
        }
        let kept = timing.overtaking == Overtaking::Kept && row.latency <= row.cycles;
        self.made(row, executed, start, latency, kept);
        if !joined {
            self.group.members.clear();
            self.group.start = start;
        }
        if !row.beside {
            self.group.members.push(row.first);
        }
        self.group.open = !row.ends && !executed.jumped;
        let cycles = cycles + self.astray(row, timing, executed, start);
        self.now = before.max(start + u64::from(cycles));
        (self.now - before) as u32
    }

    /// The unit of this set that is free soonest, and the cycle.
    fn soonest(&self, units: u64) -> (usize, u64) {
        let able = (0..self.free.len()).filter(|unit| units >> unit & 1 == 1);
        able.map(|unit| (unit, self.free[unit])).min_by_key(|&(unit, at)| (at, unit)).unwrap_or((0, 0))
    }
}

impl Cycles for Modelled {
    fn start(&mut self) {
        let state = &mut self.state;
        state.now = state.now.max(state.latest);
        state.refill = 0;
        state.run.0 = 0;
        state.hint = None;
        state.group.open = false;
    }

    fn step(&mut self, executed: &Executed) -> u32 {
        let row = usize::from(executed.insn.row);
        let known = self.isa == std::ptr::from_ref(executed.isa) as usize;
        if !known || self.rows[row].is_none() {
            self.lay_out(executed.isa, row);
        }
        let Some(row) = &self.rows[row] else { return 0 };
        let (timing, state) = (self.timing, &mut self.state);
        if !executed.ran {
            state.run.0 = 0;
            state.group.open = false;
            state.now += u64::from(timing.idle);
            return timing.idle;
        }
        let grouped = timing.issue.width > 1 || !timing.units.is_empty() || !timing.bypasses.is_empty();
        let mut cycles = match grouped {
            false => state.scalar(row, timing, executed),
            true => state.grouped(row, timing, executed),
        };
        state.lead(row, executed);
        if executed.skipped > 0 && timing.skipped > 0 {
            let more = timing.skipped * u32::from(executed.skipped / executed.isa.about.unit);
            state.now += u64::from(more);
            cycles += more;
        }
        cycles
    }

    fn width(&self) -> usize {
        usize::from(self.timing.issue.width)
    }
}
