//! Secret-dependent branches: both ways are followed if they soon meet again.

use aesmith_isa::table::Insn;
use aesmith_isa::values::Values;

use crate::bits::forms::Bit;
use crate::bits::proof::Refutation;
use crate::bits::run::{Run, Stop};
use crate::bits::symbols::Trouble;
use crate::bits::value::Value;

/// A kind of secret dependence other than a branch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ControlDependence {
    /// The address of a load.
    Address,
    /// The lowest bits of the address of a load of several bytes: an access across words takes longer.
    Alignment,
    /// The count of a shift.
    Count,
    /// An operand of a division.
    Operand,
}

/// The most instructions that a secret-dependent branch may jump over.
const SHORT: usize = 12;

impl Run<'_> {
    /// Executes both outcomes of a secret decision up to where control meets again; each register then holds the value
    /// of the way taken.
    pub(crate) fn both_ways(&mut self, insn: &Insn, bit: Bit, depth: usize) -> Result<(), Refutation> {
        let at = self.machine.pc;
        if depth > 2 {
            return Err(self.refuse("branches on secrets within branches on secrets"));
        }
        let fallthrough = at + u64::from(self.isa.of(insn).bytes());
        let start = self.machine.clone();
        let still = std::mem::replace(&mut self.domain.still, true);
        let way = |run: &mut Self, outcome: bool| {
            run.machine = start.clone();
            run.domain.decided.push((bit, outcome));
            let went = run.once(insn);
            run.domain.decided.pop();
            match went {
                Ok(()) => Ok(std::mem::replace(&mut run.machine, start.clone())),
                Err(Trouble::Sentence(sentence)) => Err(run.refuse(sentence)),
                Err(Trouble::Fork(_)) => Err(run.refuse("the instruction hangs on two secrets")),
            }
        };
        let (mut yes, mut no) = (way(self, true)?, way(self, false)?);
        let branched = yes.pc != no.pc;
        let kind = if branched { "branch" } else { "condition" };
        self.hangs.insert((at, kind));
        let join = yes.pc.max(no.pc);
        if yes.delayed.is_some() || no.delayed.is_some() || yes.pc.min(no.pc) < fallthrough {
            return Err(self.refuse("a secret decides a branch that is not a short one ahead"));
        }
        for machine in [&mut yes, &mut no] {
            self.machine = machine.clone();
            let mut left = SHORT;
            while self.machine.pc != join {
                if left == 0 || self.machine.pc > join || self.machine.delayed.is_some() {
                    self.domain.pc = at;
                    return Err(self.refuse(format!(
                        "a secret decides a branch whose ways do not meet within {SHORT} instructions"
                    )));
                }
                left -= 1;
                if self.step_inside(depth + 1)? != Stop::Went {
                    return Err(self.refuse("a secret decides whether it returns, or how often it loops"));
                }
            }
            *machine = self.machine.clone();
        }
        self.domain.still = still;
        let mut merged = Vec::new();
        for (r, (y, n)) in yes.registers.iter().zip(&no.registers).enumerate() {
            let width = self.isa.about.registers[r].1;
            let condition = Value::Bits([bit].into());
            let value = self.domain.select(width, &condition, y, n);
            merged.push(value.map_err(|_| self.refuse("a register cannot be merged"))?);
        }
        self.machine.registers = merged;
        Ok(())
    }
}
