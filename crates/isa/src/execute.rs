//! Executes an instruction over a domain of values.

use crate::meaning::{Expression, Formula, Op, Place, Step};
use crate::numbers::mask;
use crate::table::{Guard, Insn, Isa, Kind, LowestBit};
use crate::values::{Binary as Operation, Space, Values};

/// The registers and flags in one domain, and the program counter.
#[derive(Clone)]
pub struct Machine<V> {
    /// The registers, in the order of [`crate::table::Description::registers`].
    pub registers: Vec<V>,
    /// The address of the next instruction.
    pub pc: u64,
    /// The target of a pending jump, taken after the instruction in a delay slot.
    pub delayed: Option<u64>,
    /// Empty lists, kept for their memory: each instruction needs two.
    scratch: [Vec<V>; 2],
}

impl<V> Machine<V> {
    /// A machine whose next instruction is at an address.
    pub fn new(registers: Vec<V>, pc: u64) -> Machine<V> {
        Machine { registers, pc, delayed: None, scratch: [Vec::new(), Vec::new()] }
    }
}

/// A record of an executed instruction, for timing models and counters.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'a> {
    /// The instruction table.
    pub isa: &'a Isa,
    /// The executed instruction.
    pub insn: &'a Insn,
    /// Its address.
    pub pc: u64,
    /// True if its guard held.
    pub ran: bool,
    /// True if control went elsewhere than to the next instruction.
    pub jumped: bool,
    /// Size in bytes of the instruction that it skipped; 0 if none.
    pub skipped: u8,
    /// The jump's target address, if it jumped.
    pub target: u64,
    /// True if it jumped by writing the program counter as a register.
    pub by_register: bool,
}

/// The state of the execution of one instruction.
struct Context<'a, D: Values> {
    isa: &'a Isa,
    insn: &'a Insn,
    domain: &'a mut D,
    machine: &'a mut Machine<D::V>,
    /// Values of local names.
    locals: Vec<D::V>,
    /// Results of the operations of the formula that is computed.
    values: Vec<D::V>,
    pc: u64,
    next: u64,
    jump: Option<(u64, bool)>,
    /// See [`Executed::by_register`].
    by_register: bool,
    skip: bool,
    /// A block's state register and its value after the instruction.
    block: Option<(usize, u64)>,
}

/// Executes the instruction at `machine.pc` and advances `machine.pc`. `size_after` is the size in bytes of the next
/// instruction, which skip instructions need.
pub fn execute<'a, D: Values>(
    isa: &'a Isa,
    insn: &'a Insn,
    domain: &mut D,
    machine: &mut Machine<D::V>,
    size_after: impl FnOnce() -> u8,
) -> Result<Executed<'a>, D::Error> {
    let row = isa.of(insn);
    let pc = machine.pc;
    let next = pc + u64::from(row.bytes());
    let after_slot = machine.delayed.take();
    let [locals, values] = std::mem::take(&mut machine.scratch);
    let mut context = Context {
        isa,
        insn,
        domain,
        machine,
        locals,
        values,
        pc,
        next,
        jump: None,
        by_register: false,
        skip: false,
        block: None,
    };
    let ran = context.guard()?;
    if ran {
        context.steps(&row.steps)?;
    }
    // The block's register is set last because the meaning of an instruction may depend on being inside a block.
    if let Some((r, moved)) = context.block {
        context.machine.registers[r] = context.domain.constant(8, moved);
    }
    let (jump, skip, by_register) = (context.jump, context.skip, context.by_register);
    let [mut locals, mut values] = [context.locals, context.values];
    locals.clear();
    values.clear();
    machine.scratch = [locals, values];
    let mut executed = Executed { isa, insn, pc, ran, jumped: false, skipped: 0, target: 0, by_register };
    machine.pc = after_slot.unwrap_or(next);
    if skip {
        executed.skipped = size_after();
        machine.pc = next + u64::from(executed.skipped);
    }
    if let Some((target, delayed)) = jump {
        executed.jumped = true;
        executed.target = target;
        if delayed {
            machine.delayed = Some(target);
        } else {
            machine.pc = target;
        }
    }
    Ok(executed)
}

impl<D: Values> Context<'_, D> {
    fn guard(&mut self) -> Result<bool, D::Error> {
        let condition = match self.isa.about.guard {
            Guard::None => return Ok(true),
            Guard::Field(name) => {
                let row = self.isa.of(self.insn);
                match row.fields.iter().position(|f| f.name == name) {
                    None => return Ok(true),
                    Some(f) => self.insn.fields[f] as usize,
                }
            }
            Guard::Block(name) => {
                let r = self.isa.register(name).map_or(0, usize::from);
                let state = self.domain.number(8, &self.machine.registers[r].clone())?;
                if state == 0 {
                    return Ok(true);
                }
                let moved = if state & 7 == 0 { 0 } else { state & 0xe0 | state << 1 & 0x1f };
                let condition = (state >> 4) as usize;
                self.block = Some((r, moved));
                condition
            }
        };
        if condition + 1 >= self.isa.conditions.len() {
            return Ok(true);
        }
        let isa = self.isa;
        let holds = self.value(&isa.conditions[condition])?;
        self.domain.decide(&holds)
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), D::Error> {
        for step in steps {
            match step {
                Step::Local(number, value) => {
                    let value = self.value(value)?;
                    // Locals are numbered in the order of the text; a branch that is not taken leaves gaps.
                    while self.locals.len() <= *number as usize {
                        self.locals.push(value.clone());
                    }
                    self.locals[*number as usize] = value;
                }
                Step::Set(place, value) => {
                    let loaded = matches!(value.tree(), Expression::Load(..));
                    let value = self.value(value)?;
                    self.write(self.index(*place), value, loaded)?;
                }
                Step::Store(space, bytes, width, address, value) => {
                    let (address, value) = (self.value(address)?, self.value(value)?);
                    self.domain.store(*space, *bytes, *width, &address, &value)?;
                }
                Step::If(condition, then, otherwise) => {
                    let condition = self.value(condition)?;
                    let branch = if self.domain.decide(&condition)? { then } else { otherwise };
                    self.steps(branch)?;
                }
                Step::Jump(to, delayed) => {
                    let to = self.value(to)?;
                    let to = self.domain.target(self.isa.about.address, &to)?;
                    self.jump = Some((to, *delayed));
                }
                Step::Skip => self.skip = true,
                Step::Multiple(field, address, store) => self.multiple(*field, address, *store)?,
            }
        }
        Ok(())
    }

    fn multiple(&mut self, field: u8, address: &Formula, store: bool) -> Result<(), D::Error> {
        let list = self.insn.fields[field as usize];
        let width = self.isa.about.address;
        let mut address = self.value(address)?;
        let four = self.domain.constant(width, 4);
        for r in (0..16).filter(|r| list >> r & 1 == 1) {
            if store {
                let value = self.read(r as usize);
                self.domain.store(Space::Data, 4, width, &address, &value)?;
            } else {
                let value = self.domain.load(Space::Data, 4, width, &address)?;
                self.write(r as usize, value, true)?;
            }
            address = self.domain.binary(crate::values::Binary::Add, width, &address, &four)?;
        }
        Ok(())
    }

    /// The number of a register that a field names.
    fn index(&self, place: Place) -> usize {
        match place {
            Place::Fixed(r) => r as usize,
            Place::Field(f) => self.insn.fields[f as usize] as usize,
            Place::Next(f) => self.insn.fields[f as usize] as usize + 1,
        }
    }

    fn read(&mut self, r: usize) -> D::V {
        let width = self.isa.about.registers[r].1;
        if self.isa.about.zero == Some(r as u8) {
            return self.domain.constant(width, 0);
        }
        match self.isa.about.counter {
            Some(counter) if usize::from(counter.register) == r => {
                self.domain.address(width, self.pc + u64::from(counter.ahead))
            }
            _ => self.machine.registers[r].clone(),
        }
    }

    /// Sets a register. The lowest bit of an address that is loaded into the program counter selects the instruction
    /// set state (BXWritePC); that of a computed address does not (BranchWritePC).
    fn write(&mut self, r: usize, value: D::V, loaded: bool) -> Result<(), D::Error> {
        if self.isa.about.counter.is_none_or(|counter| usize::from(counter.register) != r) {
            self.machine.registers[r] = value;
            return Ok(());
        }
        let width = self.isa.about.address;
        let to = match (self.isa.about.lowest_bit(), loaded) {
            (LowestBit::Thumb, true) => {
                let one = self.domain.constant(width, 1);
                self.domain.binary(Operation::Subtract, width, &value, &one)?
            }
            (LowestBit::Thumb, false) => {
                let even = self.domain.constant(width, mask(width) as u64 & !1);
                self.domain.binary(Operation::And, width, &value, &even)?
            }
            _ => value,
        };
        let to = self.domain.target(width, &to)?;
        self.jump = Some((to, false));
        self.by_register = true;
        Ok(())
    }

    /// Computes a formula.
    fn value(&mut self, formula: &Formula) -> Result<D::V, D::Error> {
        self.values.clear();
        for op in formula.ops() {
            let value = self.op(op)?;
            self.values.push(value);
        }
        Ok(self.values.pop().expect("a formula has an operation"))
    }

    /// Executes an operation; `values` holds the results of those before it.
    #[inline(always)]
    fn op(&mut self, op: &Op) -> Result<D::V, D::Error> {
        match *op {
            Op::Number(width, n) => Ok(self.domain.constant(width, n)),
            Op::Field(f, width) => {
                let value = self.insn.fields[f as usize] as i64 as u64;
                let relative =
                    matches!(self.isa.of(self.insn).fields[f as usize].kind, Kind::Relative { .. });
                assert!(!relative || width >= 8, "distances have at least a byte");
                self.domain.field(self.pc, f, width, value & u64::MAX >> (64 - u32::from(width)))
            }
            Op::Count(f, width) => {
                let ones = (self.insn.fields[f as usize] as u32).count_ones();
                Ok(self.domain.constant(width, u64::from(ones)))
            }
            Op::Register(place) => Ok(self.read(self.index(place))),
            Op::Local(n) => Ok(self.locals[n as usize].clone()),
            Op::Address(next) => {
                let at = if next { self.next } else { self.pc };
                Ok(self.domain.address(self.isa.about.address, at))
            }
            Op::Load(space, bytes, width, address) => {
                self.domain.load(space, bytes, width, &self.values[usize::from(address)])
            }
            Op::Difference(_, width, (p, _), (q, _)) if self.index(p) == self.index(q) => {
                Ok(self.domain.constant(width, 0))
            }
            Op::Binary(op, width, a, b) | Op::Difference(op, width, (_, a), (_, b)) => {
                self.domain.binary(op, width, &self.values[usize::from(a)], &self.values[usize::from(b)])
            }
            Op::Shift(op, width, a, count_width, count) => {
                let (a, count) = (&self.values[usize::from(a)], &self.values[usize::from(count)]);
                self.domain.shift(op, width, a, count_width, count)
            }
            Op::Undefined(width, of) => Ok(self.domain.undefined(width, &self.values[usize::from(of)])),
            Op::Not(width, a) => self.domain.not(width, &self.values[usize::from(a)]),
            Op::Slice(width, a, low, count) => {
                self.domain.slice(width, &self.values[usize::from(a)], low, count)
            }
            Op::Join(high_width, high, low_width, low) => {
                let (high, low) = (&self.values[usize::from(high)], &self.values[usize::from(low)]);
                self.domain.join((high_width, high), (low_width, low))
            }
            Op::Extend(signed, from, to, a) => {
                self.domain.extend(signed, from, to, &self.values[usize::from(a)])
            }
            Op::Select(width, condition, yes, no) => {
                let [condition, yes, no] = [condition, yes, no].map(|slot| &self.values[usize::from(slot)]);
                self.domain.select(width, condition, yes, no)
            }
            Op::Pick(high, low, index) => {
                let [high, low, index] = [high, low, index].map(|slot| &self.values[usize::from(slot)]);
                self.domain.pick(high, low, index)
            }
            Op::Function(f, a) => self.domain.function(f, &self.values[usize::from(a)]),
        }
    }
}
