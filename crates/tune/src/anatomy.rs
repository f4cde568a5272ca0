//! A kernel's main loop disassembled from its bytes: its instructions, and the units that they occupy.

use aesmith_isa::instructions::Leads;
use aesmith_processor::measured::{Counts, Kernel, Kind, Line, MachineModel, Register, TimingClass};
use std::collections::BTreeSet;

/// Names of units, as charts colour them.
pub const UNITS: [&str; 7] = ["AES", "vector logic", "vector add", "shuffle", "load", "store", "scalar"];

/// Index in [`UNITS`] of the unit that a class works on.
pub fn unit(class: TimingClass) -> usize {
    use TimingClass::*;
    match class {
        // Galois-field instructions share the pipes of AES rounds (measured on the core above).
        Aes | AesInvMixColumns | AesKeyGeneration | GaloisAffine | GaloisMultiply => 0,
        Logic | Blend | MaskedBlend | VectorShift | VectorMove | ZeroUpper => 1,
        VectorAdd => 2,
        Shuffle | CrossLane | LaneInsert | LaneExtract | Broadcast | BytePermute | BytePermuteTwo => 3,
        // Carry-less products share the pipe of shuffles (measured on family 6 model 207).
        CarrylessMultiply => 3,
        ScalarToVector | VectorToScalar | MaskMove | MaskLogic | MaskFromVector | VectorFromMask => 3,
        Load | BroadcastLoad | Prefetch => 4,
        Store | StreamingStore | Fence => 5,
        ScalarMove | ScalarAlu | ScalarCarry | ScalarShift | ByteSwap | Lea | Branch | Return | Nop => 6,
    }
}

/// Index in [`UNITS`] for an instruction: the unit of its first part.
pub fn unit_of(line: &Line) -> usize {
    unit(line.parts[0].class)
}

/// The loop of a kernel.
#[derive(Clone, Debug)]
pub struct Anatomy {
    /// Its instructions in program order.
    pub lines: Vec<Line>,
    /// Their demands on the machine.
    pub counts: Counts,
    /// Bytes of text per iteration, over all streams.
    pub bytes: usize,
}

impl Anatomy {
    /// Disassembles the main loop of a kernel, or the whole of straight-line code. `None` if the table lacks
    /// one of its instructions.
    pub fn of(kernel: &Kernel) -> Option<Anatomy> {
        let place = |name| kernel.places.iter().find(|(n, _)| *n == name).map(|(_, at)| *at);
        let lines = (kernel.processor.lines)(&kernel.bytes[..kernel.code_end]);
        let (start, end) = match (place("body"), place("body end")) {
            (Some(body), Some(end)) => back_edge(&lines, body, end).unwrap_or((body, end)),
            _ => (0, kernel.code_end),
        };
        let lines: Vec<Line> = lines.into_iter().filter(|line| (start..end).contains(&line.offset)).collect();
        if lines.iter().any(|line| line.parts.is_empty()) {
            return None;
        }
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.add(line));
        Some(Anatomy { lines, counts, bytes: 16 * kernel.loop_blocks })
    }

    /// Number of distinct vector registers that the loop names.
    pub(crate) fn vector_registers(&self) -> usize {
        let all = self.lines.iter().flat_map(|line| line.reads.iter().chain(&line.writes));
        all.filter(|register| matches!(register, Register::Vector(_))).collect::<BTreeSet<_>>().len()
    }

    /// Instructions of each unit; each is counted once.
    pub fn instructions(&self) -> [u64; UNITS.len()] {
        let mut all = [0; UNITS.len()];
        self.lines.iter().for_each(|line| all[unit_of(line)] += 1);
        all
    }

    /// Operations of each unit: an instruction with a memory operand also counts as a load.
    pub fn mix(&self) -> [u64; UNITS.len()] {
        let mut mix = [0; UNITS.len()];
        for (kind, count) in &self.counts.kinds {
            mix[unit(kind.class)] += *count as u64;
        }
        mix
    }

    /// Cycles per iteration in which each unit's ports are busy; `None` unless the model knows all of its
    /// kinds.
    pub fn occupancy(&self, model: &MachineModel) -> [Option<f64>; UNITS.len()] {
        let mut cycles = [Some(0.0); UNITS.len()];
        for (kind, count) in &self.counts.kinds {
            let place = &mut cycles[unit(kind.class)];
            *place = place.zip(throughput(model, *kind)).map(|(sum, each)| sum + count * each);
        }
        cycles
    }
}

/// Cycles per instruction of a kind. A kind without a row counts as the cheapest width of its class.
pub(crate) fn throughput(model: &MachineModel, kind: Kind) -> Option<f64> {
    let same = model.timings.iter().filter(|t| t.kind.class == kind.class);
    model
        .timing(kind)
        .map(|t| t.reciprocal_throughput)
        .or_else(|| same.map(|t| t.reciprocal_throughput).min_by(f64::total_cmp))
}

/// The loop around a body: from the target of a backward branch behind the body to the end of that branch.
fn back_edge(lines: &[Line], body: usize, end: usize) -> Option<(usize, usize)> {
    for line in lines.iter().filter(|line| line.offset >= end) {
        match line.leads {
            Leads::Branch { target, .. } | Leads::Jump(target) => {
                let target = target as usize;
                // A refresh before the body also branches back, but not as the loop's usual branch.
                if target <= body && body - target < 64 {
                    return Some((target, line.end));
                }
            }
            Leads::Next => {}
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::kernels::build;
    use aesmith_x86::{dimensions, targets};

    fn anatomy(text: &str) -> Anatomy {
        Anatomy::of(&build(&dimensions::variant(text).unwrap(), &targets::ALL).unwrap()).unwrap()
    }

    #[test]
    fn the_loop_of_a_kernel_is_found() {
        let four = anatomy("aes128-ecb width=zmm interleave=4");
        assert_eq!(four.bytes, 256);
        assert_eq!(four.mix()[0], 40, "ten rounds of four registers");
        assert!(four.lines.last().unwrap().branches_conditionally(), "{:?}", four.lines.last());
    }
}
