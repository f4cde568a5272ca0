//! A kernel's main loop taken apart again from its bytes: its instructions, the units that they
//! occupy, and a schedule of them on the machine model.

use aesmith_kernel::Kernel;
use aesmith_processor::x86::table::{TimingClass, form};
use aesmith_processor::x86::timing::{Counts, Kind, MachineModel};
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Formatter, GasFormatter, Instruction, InstructionInfoFactory,
    OpAccess,
};
use std::collections::HashMap;

/// Names of units, as charts colour them.
pub const UNITS: [&str; 7] = ["AES", "vector logic", "vector add", "shuffle", "load", "store", "scalar"];

/// Instructions between the oldest that has not ended and the newest that has entered: the reorder
/// buffer of Golden Cove (512 entries, by Intel's optimization manual). A smaller one makes the model
/// slower only where a pass is long.
const WINDOW: usize = 512;

/// Which of [`UNITS`] a class works on.
pub fn unit(class: TimingClass) -> usize {
    use TimingClass::*;
    match class {
        // Galois-field instructions share the pipes of AES rounds (measured on the core above).
        Aes | AesInvMixColumns | AesKeyGeneration | GaloisAffine | GaloisMultiply => 0,
        Logic | Blend | MaskedBlend | VectorShift | VectorMove | ZeroUpper => 1,
        VectorAdd => 2,
        Shuffle | CrossLane | LaneInsert | LaneExtract | Broadcast | BytePermute | BytePermuteTwo => 3,
        ScalarToVector | VectorToScalar | MaskMove | MaskLogic | MaskFromVector | VectorFromMask => 3,
        Load | BroadcastLoad | Prefetch => 4,
        Store | StreamingStore | Fence => 5,
        ScalarMove | ScalarAlu | ScalarCarry | ScalarShift | ByteSwap | Lea | Branch | Return | Nop => 6,
    }
}

/// One instruction of the loop.
#[derive(Clone, Debug)]
pub struct Line {
    /// As assembly.
    pub text: String,
    /// The instruction.
    pub instruction: Instruction,
    /// What it occupies first: its computing part, else its load, else its store.
    pub kind: Kind,
}

/// The loop of a kernel.
#[derive(Clone, Debug)]
pub struct Anatomy {
    /// Its instructions in program order.
    pub lines: Vec<Line>,
    /// What they ask of the machine.
    pub counts: Counts,
    /// Bytes of text that one pass finishes (of all streams together).
    pub bytes: usize,
}

/// A schedule of one pass in the steady state.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Start of each instruction, from the first start of the pass.
    pub starts: Vec<f64>,
    /// Cycles that each occupies its unit.
    pub occupies: Vec<f64>,
    /// Cycles until each result can be used.
    pub latencies: Vec<f64>,
    /// Cycles from one pass to the next.
    pub cycles: f64,
}

impl Anatomy {
    /// Takes the main loop of a kernel apart; straight-line code is taken whole. `None` if it holds
    /// an instruction that is not in the table.
    pub fn of(kernel: &Kernel) -> Option<Anatomy> {
        let place = |name| kernel.places.iter().find(|(n, _)| *n == name).map(|(_, at)| *at);
        let code = &kernel.bytes[..kernel.code_end];
        let (start, end) = match (place("body"), place("body end")) {
            (Some(body), Some(end)) => back_edge(code, body, end).unwrap_or((body, end)),
            _ => (0, code.len()),
        };
        let mut lines = Vec::new();
        let mut counts = Counts::default();
        let mut formatter = GasFormatter::new();
        for instruction in &mut Decoder::with_ip(64, &code[start..end], start as u64, DecoderOptions::NONE) {
            counts.add(&instruction).ok()?;
            let form = form(instruction.code())?;
            let work = form.work(&instruction);
            let class = work.compute.or(work.load.then_some(TimingClass::Load)).or(work.store)?;
            let mut text = String::new();
            formatter.format(&instruction, &mut text);
            lines.push(Line { text, instruction, kind: Kind { class, vectors: form.vectors } });
        }
        Some(Anatomy { lines, counts, bytes: 16 * kernel.loop_blocks })
    }

    /// Distinct vector registers that the loop names.
    pub fn vector_registers(&self) -> usize {
        let mut factory = InstructionInfoFactory::new();
        let mut seen = std::collections::BTreeSet::new();
        for line in &self.lines {
            for used in factory.info(&line.instruction).used_registers() {
                if used.register().is_vector_register() {
                    seen.insert(used.register().full_register().number());
                }
            }
        }
        seen.len()
    }

    /// Instructions of each unit.
    pub fn mix(&self) -> [u64; UNITS.len()] {
        let mut mix = [0; UNITS.len()];
        for (kind, count) in &self.counts.kinds {
            mix[unit(kind.class)] += *count as u64;
        }
        mix
    }

    /// Cycles in which each unit's ports are taken in a pass, where the model knows all of its kinds.
    pub fn occupancy(&self, model: &MachineModel) -> [Option<f64>; UNITS.len()] {
        let mut cycles = [Some(0.0); UNITS.len()];
        for (kind, count) in &self.counts.kinds {
            let place = &mut cycles[unit(kind.class)];
            *place = place.zip(throughput(model, *kind)).map(|(sum, each)| sum + count * each);
        }
        cycles
    }

    /// A schedule on the model: instructions enter in program order, as many a cycle as the front
    /// end delivers; each starts when its operands are there and its unit is free. Loads wait for
    /// nothing, as their addresses do not depend on the loop's vectors. No instruction enters before the
    /// one 512 before it has ended. The pass shown is the last of several.
    pub fn schedule(&self, model: &MachineModel) -> Schedule {
        const PASSES: usize = 12;
        let mut factory = InstructionInfoFactory::new();
        let mut ready: HashMap<iced_x86::Register, f64> = HashMap::new();
        let mut free: HashMap<usize, Vec<Pipe>> = HashMap::new();
        let width = model.issue_width.unwrap_or(f64::INFINITY);
        let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
        let mut ends: Vec<f64> = Vec::new();
        let mut starts = Vec::new();
        let (mut occupies, mut latencies) = (Vec::new(), Vec::new());
        for _ in 0..PASSES {
            (starts, occupies, latencies) = (Vec::new(), Vec::new(), Vec::new());
            for line in &self.lines {
                let info = factory.info(&line.instruction);
                let each = throughput(model, line.kind).unwrap_or(0.0);
                let (pipes, held) =
                    if each > 0.0 && each < 1.0 { ((1.0 / each).round(), 1.0) } else { (1.0, each) };
                let latency = model.timing(line.kind).and_then(|t| t.latency).unwrap_or(0.0);
                let operands = info.used_registers().iter().filter(|u| reads(u.access()));
                let old = ends.len().checked_sub(WINDOW).map_or(0.0, |i| ends[i]);
                let enters = old.max(ends.len() as f64 / width);
                let wanted = operands
                    .filter_map(|u| ready.get(&u.register().full_register()))
                    .copied()
                    .fold(enters, f64::max);
                // Kinds on one unit share its pipes; the widest choice of pipes seen counts.
                let unit = free.entry(unit(line.kind.class)).or_default();
                if unit.len() < pipes as usize {
                    unit.resize(pipes as usize, Pipe::new());
                }
                let start = occupy(unit, wanted, held);
                for used in info.used_registers().iter().filter(|u| writes(u.access())) {
                    ready.insert(used.register().full_register(), start + latency);
                }
                // Instructions leave in program order.
                ends.push(ends.last().copied().unwrap_or(0.0).max(start + held.max(latency)));
                starts.push(start);
                occupies.push(held);
                latencies.push(latency);
            }
            firsts.push(starts.iter().copied().fold(f64::INFINITY, f64::min));
            lasts.push(ends.last().copied().unwrap_or(0.0));
        }
        // Averaged over passes, for pairs of passes may alternate.
        let cycles = match lasts.as_slice() {
            [.., a, _, _, _, b] => (b - a) / 4.0,
            _ => 0.0,
        };
        let first = firsts.last().copied().unwrap_or(0.0);
        starts.iter_mut().for_each(|s| *s -= first);
        Schedule { starts, occupies, latencies, cycles }
    }
}

/// What a pipe has taken on: intervals in ascending order.
type Pipe = Vec<(f64, f64)>;

/// Puts an instruction into the first gap of any of a unit's pipes that is long enough and not
/// before `wanted`: units take the oldest instruction that is ready, so a later one fills the time
/// for which an earlier one waits.
fn occupy(pipes: &mut [Pipe], wanted: f64, held: f64) -> f64 {
    let gap = |pipe: &Pipe| {
        let mut start = wanted;
        let mut place = pipe.partition_point(|(_, end)| *end <= wanted);
        while let Some(&(from, to)) = pipe.get(place) {
            // Sums of measured cycles: a gap that is too short by rounding is long enough.
            if start + held <= from + 1e-6 {
                break;
            }
            start = start.max(to);
            place += 1;
        }
        (start, place)
    };
    let found = pipes.iter().map(gap).enumerate().min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b));
    let Some((pipe, (start, place))) = found else { return wanted };
    if held > 0.0 {
        pipes[pipe].insert(place, (start, start + held));
    }
    start
}

/// Cycles an instruction of a kind; what has no row of its own counts as the same class at any
/// other width, which costs no more.
fn throughput(model: &MachineModel, kind: Kind) -> Option<f64> {
    let same = model.timings.iter().filter(|t| t.kind.class == kind.class);
    model
        .timing(kind)
        .map(|t| t.reciprocal_throughput)
        .or_else(|| same.map(|t| t.reciprocal_throughput).min_by(f64::total_cmp))
}

fn reads(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn writes(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

/// The loop around a body: from where a jump behind it goes back to, up to that jump.
fn back_edge(code: &[u8], body: usize, end: usize) -> Option<(usize, usize)> {
    for instruction in &mut Decoder::with_ip(64, &code[end..], end as u64, DecoderOptions::NONE) {
        match instruction.flow_control() {
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                let target = instruction.near_branch_target() as usize;
                // A refresh before the body is a way back too, but not the loop's usual one.
                if target <= body && body - target < 64 {
                    return Some((target, instruction.next_ip() as usize));
                }
            }
            FlowControl::Next => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_kernel::{Target, build};
    use aesmith_processor::x86::table::Vectors;
    use aesmith_processor::x86::timing::Timing;

    fn model() -> MachineModel {
        let timing = |class, vectors, latency, reciprocal_throughput| {
            Timing::new(Kind { class, vectors }, Some(latency), reciprocal_throughput)
        };
        MachineModel {
            timings: vec![
                timing(TimingClass::Aes, Vectors::Xmm, 3.0, 0.5),
                timing(TimingClass::Aes, Vectors::Zmm, 3.0, 1.0),
                timing(TimingClass::Logic, Vectors::Zmm, 1.0, 0.5),
                timing(TimingClass::ScalarAlu, Vectors::Scalar, 1.0, 0.25),
            ],
            groups: Vec::new(),
            issue_width: Some(6.0),
        }
    }

    fn anatomy(text: &str) -> Anatomy {
        Anatomy::of(&build(&text.parse().unwrap(), &Target::ALL).unwrap()).unwrap()
    }

    #[test]
    fn the_loop_of_a_kernel_is_found() {
        let four = anatomy("aes128-ecb width=zmm interleave=4");
        assert_eq!(four.bytes, 256);
        assert_eq!(four.mix()[0], 40, "ten rounds of four registers");
        assert!(four.lines.last().unwrap().instruction.is_jcc_short_or_near(), "{:?}", four.lines.last());
    }

    #[test]
    fn a_schedule_reaches_the_pipes_bound_or_the_chain() {
        let full = anatomy("aes128-ecb width=zmm interleave=8").schedule(&model());
        assert!((79.5..84.0).contains(&full.cycles), "80 rounds on one pipe: {}", full.cycles);
        let alone = anatomy("aes128-cbc xor=plain").schedule(&model());
        assert!(alone.cycles >= 30.0, "ten rounds of three cycles wait for each other: {}", alone.cycles);
    }
}
