//! Registers that a kernel's code may still read, by address, from the instructions alone. Dead registers may be
//! forgotten where paths meet. Soundness does not depend on this: a register that is forgotten and read after all makes
//! the proof fail.

use aesmith_isa::convention::Convention;
use aesmith_isa::instructions::{Instructions, Leads, Registers, Uses};
use aesmith_isa::lanes::Domain;

use crate::lanes::code::Code;

/// Code shorter than this is followed again instead of compared.
const WORTH_IT: usize = 24;

/// Live registers before each instruction of some code.
#[derive(Default)]
pub(crate) struct Liveness {
    uses: Vec<Uses>,
    live: Vec<Registers>,
    looked_at: usize,
}

impl Liveness {
    /// The number of visits of instructions for the last query.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// The live registers before the instruction at index `from` in `code`; `None` if the following code jumps back
    /// before it, or is too short to be worth the comparison.
    pub fn before<D: Domain>(
        &mut self,
        processor: &mut dyn Instructions<D>,
        code: &Code,
        from: usize,
    ) -> Option<Registers> {
        let start = code.list[from].offset;
        let mut end = from;
        let mut furthest = start;
        self.uses.clear();
        self.looked_at = 0;
        for (i, instruction) in code.list.iter().enumerate().skip(from) {
            if let Some(target) = instruction.leads.target() {
                if target < start {
                    return None;
                }
                furthest = furthest.max(target);
            }
            self.uses.push(processor.uses(instruction.number));
            self.looked_at += 4;
            end = i;
            let ends = matches!(instruction.leads, Leads::Return | Leads::Jump(_));
            if ends && furthest <= instruction.offset {
                break;
            }
        }
        if end - from < WORTH_IT {
            return None;
        }
        let callers = callers(processor.convention());
        self.live.clear();
        self.live.resize(end + 2 - from, Registers::NONE);
        loop {
            self.looked_at += self.uses.len();
            let mut changed = false;
            for i in (from..=end).rev() {
                let instruction = &code.list[i];
                let jumped = || {
                    let place = code.target(instruction);
                    place.and_then(|t| self.live.get(t - from).copied()).unwrap_or(Registers::ALL)
                };
                let after = after(instruction.leads, callers, || self.live[i + 1 - from], jumped);
                let Uses { read, written } = self.uses[i - from];
                let before = after.without(written).or(read);
                changed |= self.live[i - from] != before;
                self.live[i - from] = before;
            }
            if !changed {
                return Some(self.live[0]);
            }
        }
    }
}

/// The live registers after an instruction, from those before the next one and before its jump target.
fn after(
    leads: Leads,
    callers: Registers,
    next: impl Fn() -> Registers,
    jumped: impl Fn() -> Registers,
) -> Registers {
    match leads {
        Leads::Next => next(),
        Leads::Branch { .. } => next().or(jumped()),
        Leads::Jump(_) => jumped(),
        Leads::Return => callers,
        Leads::Elsewhere | Leads::Nowhere => Registers::ALL,
    }
}

/// The live registers before each instruction of some code, by index.
pub fn everywhere<D: Domain>(processor: &mut dyn Instructions<D>, code: &Code) -> Vec<Registers> {
    let callers = callers(processor.convention());
    let uses: Vec<Uses> = code.list.iter().map(|instruction| processor.uses(instruction.number)).collect();
    let mut live = vec![Registers::NONE; code.list.len()];
    loop {
        let mut changed = false;
        for (place, instruction) in code.list.iter().enumerate().rev() {
            let at = |place: Option<usize>| place.map_or(Registers::ALL, |place| live[place]);
            let (next, jumped) = (|| at(code.place(instruction.end)), || at(code.target(instruction)));
            let after = after(instruction.leads, callers, next, jumped);
            let before = after.without(uses[place].written).or(uses[place].read);
            changed |= live[place] != before;
            live[place] = before;
        }
        if !changed {
            return live;
        }
    }
}

/// Registers that belong to the caller.
fn callers(convention: &Convention) -> Registers {
    let general = convention.saved.iter().fold(1 << convention.stack_pointer, |set, &r| set | 1 << r);
    Registers { general, ..Registers::NONE }
}
