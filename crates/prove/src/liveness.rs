//! Which registers a kernel's code may still read, by address, from the instructions alone. What
//! is not live may be forgotten where paths meet. Soundness does not depend on it: a register
//! that is forgotten and read after all makes the proof fail.

use iced_x86::{Code, FlowControl, Instruction, InstructionInfoFactory, OpAccess};

/// A set of registers: bits 0 to 15 the general ones, 16 to 47 the vector ones, 48 to 55 the
/// masks, 56 the flags.
pub type Set = u64;

/// The flags' bit.
pub const FLAGS: Set = 1 << 56;

/// The bit of general register `number`.
pub const fn general(number: usize) -> Set {
    1 << number
}

/// The bit of vector register `number`.
pub const fn vector(number: usize) -> Set {
    1 << (16 + number)
}

/// The bit of mask register `number`.
pub const fn mask(number: usize) -> Set {
    1 << (48 + number)
}

/// All vector registers.
pub const VECTORS: Set = 0xffff_ffff << 16;

/// Code shorter than this is followed again rather than compared.
const WORTH_IT: usize = 24;

/// rbx, rsp, rbp, r12 to r15: a caller's (System V AMD64).
const CALLERS: Set = 0xf038;

/// Code and what is live before each instruction.
#[derive(Default)]
pub struct Liveness {
    factory: Option<InstructionInfoFactory>,
    uses: Vec<(Set, Set)>,
    live: Vec<Set>,
    looked_at: usize,
}

impl Liveness {
    /// How many instructions the last question was about, each time that one was looked at.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// What is live before instruction `from` of `code`, whose targets `at` gives by offset;
    /// `None` if what follows it leads back before it,
    /// or is too short to be worth the comparison.
    pub fn before(&mut self, code: &[Instruction], at: &[u32], from: usize) -> Option<Set> {
        let factory = self.factory.get_or_insert_with(InstructionInfoFactory::new);
        let start = code[from].ip();
        let target = |instruction: &Instruction| -> Option<usize> {
            at.get(instruction.near_branch_target() as usize).map(|&i| i as usize).filter(|&i| i < code.len())
        };
        let mut end = from;
        let mut furthest = start;
        self.uses.clear();
        self.looked_at = 0;
        for (i, instruction) in code.iter().enumerate().skip(from) {
            let flow = instruction.flow_control();
            if matches!(flow, FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch) {
                if instruction.near_branch_target() < start {
                    return None;
                }
                furthest = furthest.max(instruction.near_branch_target());
            }
            self.uses.push(uses(factory, instruction));
            self.looked_at += 4;
            end = i;
            let ends = matches!(flow, FlowControl::Return | FlowControl::UnconditionalBranch);
            if ends && furthest <= instruction.ip() {
                break;
            }
        }
        if end - from < WORTH_IT {
            return None;
        }
        self.live.clear();
        self.live.resize(end + 2 - from, 0);
        loop {
            self.looked_at += self.uses.len();
            let mut changed = false;
            for i in (from..=end).rev() {
                let instruction = &code[i];
                let next = self.live[i + 1 - from];
                let jumped = || {
                    target(instruction)
                        .map_or(Set::MAX, |t| self.live.get(t - from).copied().unwrap_or(Set::MAX))
                };
                let after = match instruction.flow_control() {
                    FlowControl::Next => next,
                    FlowControl::ConditionalBranch => next | jumped(),
                    FlowControl::UnconditionalBranch => jumped(),
                    FlowControl::Return => CALLERS,
                    _ => Set::MAX,
                };
                let (read, written) = self.uses[i - from];
                let before = (after & !written) | read;
                changed |= self.live[i - from] != before;
                self.live[i - from] = before;
            }
            if !changed {
                return Some(self.live[0]);
            }
        }
    }
}

/// What an instruction reads, and what it overwrites whole.
fn uses(factory: &mut InstructionInfoFactory, instruction: &Instruction) -> (Set, Set) {
    match instruction.code() {
        // What they clear is no use of what was there.
        Code::VEX_Vzeroupper => return (0, 0),
        Code::VEX_Vzeroall => return (0, VECTORS & 0xffff_ffff),
        _ => {}
    }
    let (mut read, mut written) = (0, 0);
    if instruction.rflags_read() != 0 {
        read |= FLAGS;
    }
    if instruction.rflags_modified() != 0 {
        written |= FLAGS;
    }
    for used in factory.info(instruction).used_registers() {
        let register = used.register();
        let (bit, whole) = if register.is_gpr() {
            let whole = register.size() >= 4;
            (general(register.full_register().number()), whole)
        } else if register.is_vector_register() {
            (vector(register.number()), true)
        } else if register.is_k() {
            (mask(register.number()), true)
        } else {
            continue;
        };
        match used.access() {
            OpAccess::Write if whole => written |= bit,
            OpAccess::NoMemAccess | OpAccess::None => {}
            _ => read |= bit,
        }
    }
    // INC and DEC leave the carry flag alone.
    if matches!(instruction.mnemonic(), iced_x86::Mnemonic::Inc | iced_x86::Mnemonic::Dec) {
        written &= !FLAGS;
    }
    (read, written)
}
