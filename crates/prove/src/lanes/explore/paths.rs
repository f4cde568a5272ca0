//! One path, followed to its end or to a question with two answers.

use super::{Explorer, Pending, State};
use crate::lanes::state::{Carry, Path};
use crate::lanes::symbolic::{Stop, Symbolic, refuse};
use aesmith_isa::instructions::{Flow, Instruction, Leads};
use aesmith_isa::lanes::Decision;

impl Explorer {
    /// Follows one path until it returns, splits, or closes a loop.
    pub(super) fn follow(
        &mut self,
        symbolic: &mut Symbolic,
        mut ip: u64,
        mut machine: State,
        mut resumed: bool,
    ) -> Result<(), Stop> {
        let sp = usize::from(symbolic.convention.stack_pointer);
        // The general-purpose registers before an instruction, which it may change before it stops with a question.
        let mut before = machine.gpr;
        loop {
            symbolic.ip = ip;
            let Some(place) = self.code.place(ip) else {
                return refuse("execution leaves the kernel's instructions");
            };
            if self.code.is_met(ip) && !resumed && self.met(symbolic, ip, &mut machine) {
                return Ok(());
            }
            if self.code.is_head(ip) && !resumed && !self.enter_head(symbolic, ip, &mut machine)? {
                return Ok(());
            }
            resumed = false;
            self.findings.steps += 1;
            self.within_budget(symbolic)?;
            let instruction = self.code.list[place];
            if !self.reached[place] {
                let checked = self.encodings.check(&*self.processor, &instruction, &symbolic.code);
                checked.map_err(Stop::Refused)?;
            }
            self.reached[place] = true;
            symbolic.stack_pointer = machine.gpr[sp];
            symbolic.accessed = None;
            before.copy_from_slice(&machine.gpr);
            let flags = machine.flags;
            // Checked before execution, too, because the instruction reads the registers that it overwrites.
            let unlisted = instruction.unlisted && self.findings.all_listed;
            let read_secret = unlisted && self.handles_secret(symbolic, &machine, &instruction);
            let flow = self.processor.execute(instruction.number, &mut machine, symbolic);
            if flow.is_ok() {
                symbolic.note_below(before[sp], machine.gpr[sp]);
                if machine.gpr[sp] != before[sp] {
                    symbolic.stack_moved(machine.gpr[sp])?;
                }
                if unlisted {
                    let secret = read_secret || self.handles_secret(symbolic, &machine, &instruction);
                    self.findings.all_listed = !secret;
                }
            }
            match flow {
                Ok(Flow::Next) => ip = instruction.end,
                Ok(Flow::Jump(target)) => ip = target,
                Ok(Flow::Branch { target, decision }) => {
                    ip = match decision {
                        Decision::Taken => target,
                        Decision::NotTaken => instruction.end,
                        Decision::Both => self.part(symbolic, &machine, &instruction, target),
                    }
                }
                Ok(Flow::Return) => {
                    // A question at the return is answered, and asked again from here.
                    let Err(stop) = self.check_return(symbolic, &machine) else {
                        self.findings.paths += 1;
                        return Ok(());
                    };
                    machine.gpr.copy_from_slice(&before);
                    return self.split(symbolic, machine, &instruction, stop);
                }
                Err(stop) => {
                    machine.gpr.copy_from_slice(&before);
                    machine.flags = flags;
                    return self.split(symbolic, machine, &instruction, stop);
                }
            }
        }
    }

    /// Takes both ways of an undecided branch: the way around a loop goes on, or the nearer, and the other waits.
    pub(super) fn part(
        &mut self,
        symbolic: &mut Symbolic,
        machine: &State,
        branch: &Instruction,
        target: u64,
    ) -> u64 {
        let next = branch.end;
        let (condition, flags) = symbolic.undecided.take().expect("set where a branch is not decided");
        let back = target <= branch.offset;
        let mut other = symbolic.path.clone();
        let here = std::mem::replace(&mut symbolic.path, other);
        symbolic.learn(condition, flags, !back);
        other = std::mem::replace(&mut symbolic.path, here);
        symbolic.learn(condition, flags, back);
        let (first, second) =
            if self.code.leads_on(branch, target) { (target, next) } else { (next, target) };
        self.work.push(Pending { ip: second, machine: machine.clone(), path: other, resumed: false });
        first
    }

    /// Splits the path by both answers to the question at which an instruction stopped.
    pub(super) fn split(
        &mut self,
        symbolic: &mut Symbolic,
        machine: State,
        instruction: &Instruction,
        stop: Stop,
    ) -> Result<(), Stop> {
        let mut sides: Vec<Path> = Vec::with_capacity(2);
        match stop {
            Stop::Refused(_) => return Err(stop),
            Stop::Split(split) => {
                for less in [true, false] {
                    let mut path = symbolic.path.clone();
                    if path.facts.assume(split, less) {
                        sides.push(path);
                    }
                }
            }
            Stop::Overflow(from, to) => {
                for overflows in [true, false] {
                    let mut path = symbolic.path.clone();
                    path.carry = Some(Carry { from, to, overflows });
                    sides.push(path);
                }
            }
        }
        // The way around a loop is followed first: it shows what the loop changes, before the exits are followed in
        // vain.
        if let Leads::Branch { target, condition } = instruction.leads
            && sides.len() == 2
        {
            let jumps = self.code.leads_on(instruction, target);
            let wanted = if jumps { Decision::Taken } else { Decision::NotTaken };
            std::mem::swap(&mut symbolic.path, &mut sides[0]);
            let leads =
                condition.is_some_and(|c| symbolic.decide(c, machine.flags).is_ok_and(|d| d == wanted));
            std::mem::swap(&mut symbolic.path, &mut sides[0]);
            // The side that is pushed last is followed first.
            if leads {
                sides.swap(0, 1);
            }
        }
        for path in sides {
            let machine = machine.clone();
            self.work.push(Pending { ip: instruction.offset, machine, path, resumed: true });
        }
        Ok(())
    }
}
