//! The number of registers that an order needs, and the registers that each virtual one may get.

use aesmith_isa::Insn;
use aesmith_isa::table::{Isa, Kind};

use super::block::{Block, Constraints, insn};
use super::depend::{Graph, nameable};
use super::set::RegisterSet;

/// The maximum number of register sets that are counted separately: all, and sets such as Thumb's low registers.
pub const CLASSES: usize = 4;

/// Numbers of live registers, by class.
pub type Counts = [u16; CLASSES];

/// A virtual register in a block.
#[derive(Clone, Debug)]
pub struct Virtual {
    /// The instructions that access it.
    pub accesses: Vec<u16>,
    /// The register that holds its value at the start.
    pub enters: Option<u8>,
    /// True if its value is needed at the end.
    pub leaves: bool,
    /// Registers that it may get.
    pub mask: RegisterSet,
    /// The classes that it belongs to, as bits.
    classes: u8,
}

/// The register limits of a block, against which orders are checked.
pub struct Pressure {
    /// The virtual registers, by number.
    pub virtuals: Vec<Virtual>,
    /// The virtual registers that each instruction accesses, with true for a write.
    pub touched: Vec<Vec<(u32, bool)>>,
    /// The number of registers in each class.
    pub sizes: Counts,
    start: Counts,
}

impl Pressure {
    /// Computes the register limits of a block.
    pub fn new(
        isa: &Isa,
        block: &Block,
        graph: &Graph,
        constraints: &Constraints,
    ) -> Result<Pressure, String> {
        let free: RegisterSet = constraints.free.iter().copied().collect();
        let all = RegisterSet::ALL;
        let plain = Virtual { accesses: Vec::new(), enters: None, leaves: false, mask: all, classes: 0 };
        let mut virtuals = vec![plain; block.count as usize];
        let mut touched = vec![Vec::new(); block.pieces.len()];
        for (k, access) in graph.access.iter().enumerate() {
            let mut all: Vec<u32> =
                access.reads.iter().chain(&access.writes).copied().filter_map(number).collect();
            all.sort_unstable();
            all.dedup();
            for &v in &all {
                virtuals[v as usize].accesses.push(k as u16);
            }
            touched[k] =
                all.iter().map(|&v| (v, access.writes.contains(&(Insn::VIRTUAL + v as i32)))).collect();
            let mut named = access.reads.iter().chain(&access.writes);
            if let Some(&r) = named.find(|&&r| u8::try_from(r).is_ok_and(|r| free.contains(r))) {
                let r = isa.register_name(r);
                return Err(format!("instruction {k} names {r}, which is free for virtual registers"));
            }
            let Some(insn) = insn(&block.pieces[k].item) else { continue };
            for (place, field) in isa.of(insn).fields.iter().enumerate() {
                if let (Kind::Register { .. }, Some(v)) = (field.kind, number(insn.fields[place])) {
                    let one = &mut virtuals[v as usize].mask;
                    *one = one.and(&nameable(isa, insn, place));
                }
            }
        }
        let pins = block.enters.iter().map(|&(v, r)| (v, r, true));
        let pins = pins.chain(block.leaves.iter().filter_map(|&(v, r)| r.map(|r| (v, r, false))));
        for (v, r, entering) in pins {
            let one = &mut virtuals[(v - Insn::VIRTUAL) as usize];
            // A value that enters or leaves in a register may use it even if it is not free for others.
            if one.mask.count() > 1 && !one.mask.contains(r) {
                let (v, r) = (isa.register_name(v), isa.register_name(i32::from(r)));
                return Err(format!("{v} is wanted in {r}, which its instructions cannot name"));
            }
            one.mask = RegisterSet::one(r);
            if entering {
                one.enters = Some(r);
            }
        }
        for one in virtuals.iter_mut().filter(|one| one.mask.count() > 1) {
            one.mask = one.mask.and(&free);
        }
        for &(v, _) in &block.leaves {
            virtuals[(v - Insn::VIRTUAL) as usize].leaves = true;
        }
        let mut masks = vec![free];
        for v in virtuals.iter().filter(|v| v.mask.count() > 1) {
            if !masks.contains(&v.mask) && masks.len() < CLASSES {
                masks.push(v.mask);
            }
        }
        let mut sizes = [u16::MAX; CLASSES];
        for (class, mask) in masks.iter().enumerate() {
            sizes[class] = mask.count() as u16;
            for v in virtuals.iter_mut().filter(|v| v.mask.is_within(mask)) {
                v.classes |= 1 << class;
            }
        }
        let mut pressure = Pressure { virtuals, touched, sizes, start: [0; CLASSES] };
        let mut start = [0; CLASSES];
        for v in pressure.virtuals.iter().filter(|v| v.enters.is_some() && v.is_used()) {
            v.count(&mut start, 1);
        }
        pressure.start = start;
        Ok(pressure)
    }

    /// The counts before the first instruction.
    pub fn start(&self) -> Counts {
        self.start
    }

    /// Updates the counts for an instruction at a position of an order, and returns its excess registers.
    pub fn over(&self, instruction: u16, at: u16, place: &[u16], counts: &mut Counts) -> u32 {
        let mut ends = [0u16; CLASSES];
        let mut idle = [0u16; CLASSES];
        for &(v, written) in &self.touched[usize::from(instruction)] {
            let v = &self.virtuals[v as usize];
            let (mut first, mut last) = (v.enters.is_none(), !v.leaves);
            for &k in &v.accesses {
                let p = place[usize::from(k)];
                first &= p >= at;
                last &= p <= at;
            }
            if first {
                v.count(counts, 1);
            }
            if last {
                v.count(if written { &mut idle } else { &mut ends }, 1);
            }
        }
        let mut excess = 0;
        for class in 0..CLASSES {
            counts[class] -= ends[class];
            excess += u32::from(counts[class].saturating_sub(self.sizes[class]));
            counts[class] -= idle[class];
        }
        excess
    }

    /// The excess registers of an order, summed over its instructions.
    pub fn excess(&self, order: &[u16]) -> u32 {
        let mut place = vec![0; order.len()];
        for (at, &k) in order.iter().enumerate() {
            place[usize::from(k)] = at as u16;
        }
        let mut counts = self.start;
        order.iter().enumerate().map(|(at, &k)| self.over(k, at as u16, &place, &mut counts)).sum()
    }
}

impl Virtual {
    /// True if any instruction or the end of the block uses it.
    pub fn is_used(&self) -> bool {
        self.leaves || !self.accesses.is_empty()
    }

    fn count(&self, counts: &mut Counts, n: u16) {
        for (class, count) in counts.iter_mut().enumerate() {
            *count += n * u16::from(self.classes >> class & 1);
        }
    }
}

/// The number of a virtual register.
pub fn number(register: i32) -> Option<u32> {
    (register >= Insn::VIRTUAL).then(|| (register - Insn::VIRTUAL) as u32)
}
