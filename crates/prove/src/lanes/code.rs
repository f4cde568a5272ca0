//! A kernel's instructions by offset: those that are reachable from the first byte, and the heads of loops.

use std::ops::Range;

use aesmith_isa::instructions::{Instruction, Instructions, Leads};
use aesmith_isa::lanes::Domain;

use crate::lanes::coverage::ByteSet;

/// The most instructions that are decoded: sixteen times those of the longest generated kernels.
pub const MOST_INSTRUCTIONS: usize = 1 << 20;

/// Mark of an offset at which no instruction begins.
const NONE: u32 = u32::MAX;

/// The instructions of a kernel, in the order of their offsets.
#[derive(Default)]
pub struct Code {
    /// The instructions.
    pub list: Vec<Instruction>,
    /// The index in `list` of the instruction at an offset; `NONE` inside one.
    at: Vec<u32>,
    /// True if a loop begins at this offset.
    head: Vec<bool>,
    /// Number of forward jumps to an offset.
    jumped_to: Vec<u8>,
    /// True for bytes of loops, by the jumps back.
    looped: Vec<bool>,
    /// True if a single forward jump is enough for paths to meet.
    single: bool,
}

impl Code {
    /// The index in the list of the instruction at an offset.
    pub fn place(&self, offset: u64) -> Option<usize> {
        self.at.get(offset as usize).filter(|&&place| place != NONE).map(|&place| place as usize)
    }

    /// The index in the list of an instruction's jump target.
    pub fn target(&self, instruction: &Instruction) -> Option<usize> {
        self.place(instruction.leads.target()?)
    }

    /// True if a loop begins at an instruction's offset.
    pub(crate) fn is_head(&self, offset: u64) -> bool {
        self.head[offset as usize]
    }

    /// True if several forward jumps lead to an instruction's offset, or one, if that is enough.
    pub(crate) fn is_met(&self, offset: u64) -> bool {
        self.jumped_to[offset as usize] > u8::from(!self.single)
    }

    /// Takes a place that a single forward jump leads to for one where paths meet, too: the jump, and the code before it.
    pub(crate) fn meets_at_single_jumps(&mut self) {
        self.single = true;
    }

    /// True if the way of a branch's jump is followed first: around a loop, or past code of no loop, behind which both ways
    /// meet. The state behind such a jump may contain the one behind the code, which has more blocks.
    pub(crate) fn leads_on(&self, branch: &Instruction, target: u64) -> bool {
        let is_back = target <= branch.offset;
        let is_looped = self.looped[branch.offset as usize];
        let meets = || self.place(target).is_some_and(|_| self.is_met(target));
        is_back || self.single && !is_looped && meets()
    }

    /// Forgets where paths meet.
    pub(crate) fn part_ways(&mut self) {
        self.jumped_to.fill(0);
    }

    /// True if there are more instructions than the decoder's limit.
    pub(crate) fn is_cut(&self) -> bool {
        self.list.len() > MOST_INSTRUCTIONS
    }

    /// The first byte behind all instructions.
    pub fn end(&self) -> u64 {
        self.list.iter().map(|i| i.end).max().unwrap_or(0)
    }

    /// The bytes of the reached instructions; `reached` is indexed like the list.
    pub fn bytes(&self, reached: &[bool]) -> Vec<Range<usize>> {
        let mut bytes = ByteSet::default();
        for (i, _) in self.list.iter().zip(reached).filter(|(_, reached)| **reached) {
            bytes.insert(i.offset as usize, (i.end - i.offset) as usize);
        }
        bytes.ranges()
    }

    /// Decodes the instructions that are reachable from the first byte. Constants and padding between instructions are
    /// not decoded.
    pub fn read<D: Domain>(&mut self, processor: &mut dyn Instructions<D>, bytes: &[u8]) {
        self.list.clear();
        self.at.clear();
        self.at.resize(bytes.len(), NONE);
        self.decode(processor, bytes);
        self.head.clear();
        self.head.resize(bytes.len(), false);
        self.jumped_to.clear();
        self.jumped_to.resize(bytes.len(), 0);
        self.looped.clear();
        self.looped.resize(bytes.len(), false);
        self.single = false;
        for instruction in &self.list {
            let Some(target) = instruction.leads.target() else { continue };
            if let Some(count) = self.jumped_to.get_mut(target as usize) {
                if target <= instruction.offset {
                    self.head[target as usize] = true;
                    self.looped[target as usize..instruction.end as usize].fill(true);
                } else {
                    *count = count.saturating_add(1);
                }
            }
        }
    }

    fn decode<D: Domain>(&mut self, processor: &mut dyn Instructions<D>, bytes: &[u8]) {
        processor.clear();
        let (list, at) = (&mut self.list, &mut self.at);
        let mut starts = vec![0];
        while let Some(start) = starts.pop() {
            if list.len() > MOST_INSTRUCTIONS {
                break;
            }
            if at.get(start as usize) != Some(&NONE) {
                continue;
            }
            processor.decode(bytes, start, &mut |instruction| {
                at[instruction.offset as usize] = 0;
                list.push(instruction);
                starts.extend(instruction.leads.target());
                let goes_on = !instruction.leads.ends() && list.len() <= MOST_INSTRUCTIONS;
                goes_on && at.get(instruction.end as usize) == Some(&NONE)
            });
        }
        list.sort_unstable_by_key(|i| i.offset);
        for (place, instruction) in list.iter().enumerate() {
            at[instruction.offset as usize] = place as u32;
        }
    }
}

/// The possible successors of an instruction in the code: the next one and its target.
pub fn ways(instruction: &Instruction) -> [Option<u64>; 2] {
    match instruction.leads {
        Leads::Return => [None, None],
        Leads::Jump(target) => [None, Some(target)],
        Leads::Branch { target, .. } => [Some(instruction.end), Some(target)],
        Leads::Next | Leads::Elsewhere | Leads::Nowhere => [Some(instruction.end), None],
    }
}
