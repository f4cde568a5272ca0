//! The canonical frame address and the saved registers at each instruction, for call frame directives (DWARF 5,
//! section 6.4), derived from the effects of instructions on the stack pointer.

use super::listing::{BASE, Listing};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use std::collections::BTreeMap;

/// The known frame before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Registers at a known distance below the canonical frame address, in bytes.
    bases: BTreeMap<Register, i64>,
    /// Callee-saved registers and the offsets of their slots from the canonical frame address, in bytes.
    saved: BTreeMap<Register, i64>,
}

/// Callee-saved registers (System V ABI, 3.2.1).
const CALLEE_SAVED: [Register; 6] =
    [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

impl Frame {
    /// The frame at the entry of a function: the return address is on top of the stack.
    pub fn entry() -> Frame {
        Frame { bases: BTreeMap::from([(Register::RSP, 8)]), saved: BTreeMap::new() }
    }

    /// The register that the canonical frame address is computed from, and its distance in bytes.
    fn address(&self) -> Option<(Register, i64)> {
        let known = |r: &Register| self.bases.get(r).map(|d| (*r, *d));
        known(&Register::RSP).or_else(|| CALLEE_SAVED.iter().find_map(known))
    }

    /// The frame after an instruction.
    fn after(&self, i: &Instruction) -> Frame {
        use Mnemonic::*;
        let mut frame = self.clone();
        let stack = self.bases.get(&Register::RSP).copied();
        let first = if i.op0_kind() == OpKind::Register { i.op0_register() } else { Register::None };
        let immediate = |n: u32| match i.op_kind(n) {
            OpKind::Immediate8to64 | OpKind::Immediate32to64 => Some(i.immediate(n) as i64),
            _ => None,
        };
        match i.mnemonic() {
            Push => {
                let stack = stack.map(|d| d + 8);
                frame.set(Register::RSP, stack);
                frame.save(first, stack.map(|d| -d));
            }
            Pop => {
                frame.set(first, None);
                frame.saved.remove(&first);
                frame.set(Register::RSP, stack.map(|d| d - 8));
            }
            Mov if i.op0_kind() == OpKind::Memory && i.memory_index() == Register::None => {
                let base = self.bases.get(&i.memory_base());
                frame.save(i.op1_register(), base.map(|d| i.memory_displacement64() as i64 - d));
            }
            Mov if i.op1_kind() == OpKind::Memory => {
                frame.set(first, None);
                let from = self.bases.get(&i.memory_base()).map(|d| i.memory_displacement64() as i64 - d);
                if from.is_some() && self.saved.get(&first).copied() == from {
                    frame.saved.remove(&first);
                }
            }
            Mov if i.op1_kind() == OpKind::Register => {
                frame.set(first, self.bases.get(&i.op1_register()).copied());
            }
            Lea if i.memory_index() == Register::None => {
                let base = self.bases.get(&i.memory_base());
                frame.set(first, base.map(|d| d - i.memory_displacement64() as i64));
            }
            Add | Sub => {
                let sign = if i.mnemonic() == Add { -1 } else { 1 };
                let moved = self.bases.get(&first).zip(immediate(1)).map(|(d, n)| d + sign * n);
                frame.set(first, moved);
            }
            Cmp | Test => {}
            _ => frame.set(first, None),
        }
        frame
    }

    fn set(&mut self, register: Register, distance: Option<i64>) {
        match distance {
            Some(distance) => self.bases.insert(register, distance),
            None => self.bases.remove(&register),
        };
    }

    fn save(&mut self, register: Register, place: Option<i64>) {
        if let Some(place) = place
            && CALLEE_SAVED.contains(&register)
        {
            self.saved.entry(register).or_insert(place);
        }
    }

    /// The directives that change the frame `self` to `next`.
    pub fn directives(&self, next: &Frame) -> Vec<String> {
        let mut lines = Vec::new();
        if self.address() != next.address()
            && let Some((register, distance)) = next.address()
        {
            lines.push(format!(".cfi_def_cfa {}, {distance}", name(register)));
        }
        for (register, place) in &next.saved {
            if self.saved.get(register) != Some(place) {
                lines.push(format!(".cfi_offset {}, {place}", name(*register)));
            }
        }
        for register in self.saved.keys().filter(|r| !next.saved.contains_key(r)) {
            lines.push(format!(".cfi_restore {}", name(*register)));
        }
        lines
    }
}

fn name(register: Register) -> String {
    format!("%{register:?}").to_lowercase()
}

/// The frame before each instruction. At a join, the facts common to all predecessors remain.
pub fn frames(listing: &Listing) -> BTreeMap<usize, Frame> {
    let mut frames = BTreeMap::from([(0, Frame::entry())]);
    let mut work = vec![0usize];
    while let Some(at) = work.pop() {
        let instruction = &listing.code[&at];
        let after = frames[&at].after(instruction);
        let target = || (instruction.near_branch_target() - BASE) as usize;
        let next = at + instruction.len();
        let ways = match instruction.flow_control() {
            FlowControl::Return => vec![],
            FlowControl::UnconditionalBranch => vec![target()],
            FlowControl::ConditionalBranch => vec![next, target()],
            _ => vec![next],
        };
        for way in ways {
            let met = match frames.get(&way) {
                None => after.clone(),
                Some(known) => Frame {
                    bases: common(&known.bases, &after.bases),
                    saved: common(&known.saved, &after.saved),
                },
            };
            if frames.get(&way) != Some(&met) {
                frames.insert(way, met);
                work.push(way);
            }
        }
    }
    frames
}

fn common(a: &BTreeMap<Register, i64>, b: &BTreeMap<Register, i64>) -> BTreeMap<Register, i64> {
    a.iter().filter(|(r, d)| b.get(r) == Some(d)).map(|(r, d)| (*r, *d)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aligned_frame_is_described() {
        // push rbp; mov rbp, rsp; and rsp, -64; nop; mov rsp, rbp; pop rbp; ret
        let bytes = [0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xc0, 0x90, 0x48, 0x89, 0xec, 0x5d, 0xc3];
        let listing = Listing::new(&bytes).unwrap();
        let frames = frames(&listing);
        let mut before = Frame::entry();
        let mut lines = Vec::new();
        for (at, frame) in &frames {
            lines.extend(before.directives(frame).into_iter().map(|d| (*at, d)));
            before = frame.clone();
        }
        let lines: Vec<(usize, &str)> = lines.iter().map(|(at, d)| (*at, d.as_str())).collect();
        assert_eq!(
            lines,
            [
                (1, ".cfi_def_cfa %rsp, 16"),
                (1, ".cfi_offset %rbp, -16"),
                (8, ".cfi_def_cfa %rbp, 16"),
                (12, ".cfi_def_cfa %rsp, 16"),
                (13, ".cfi_def_cfa %rsp, 8"),
                (13, ".cfi_restore %rbp"),
            ]
        );
    }
}
