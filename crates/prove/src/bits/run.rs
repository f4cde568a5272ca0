//! Symbolic execution of a function, from entry to return.

use std::collections::{BTreeMap, BTreeSet};

use aesmith_isa::convention::{ARGUMENTS, Convention, Return};
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::meaning::Step;
use aesmith_isa::table::{Guard, Insn, Isa, Kind, LowestBit, Stands};
use aesmith_isa::values::Values;

use crate::bits::forks::ControlDependence;
use crate::bits::forms::Bit;
use crate::bits::memory::{ObjectId, Role, STACK};
use crate::bits::proof::Refutation;
use crate::bits::symbols::{Symbols, Trouble};
use crate::bits::value::Value;
use rustc_hash::FxHashMap as Map;

/// The program counter after a return: an address that fits in 15 bits, where no program has anything, nor just before
/// it. Only the return address leads there: see [`Role::Return`].
const RETURN: u64 = 0x7ffe;
/// Bytes before it without a program, so that execution cannot run into it.
const NOTHING_BEFORE: u64 = 32;
/// Instructions after which a function counts as endless.
pub const LIMIT: u64 = 400_000;

/// The number of atoms of all forms, of four bytes each, above which a proof is given up.
const LARGEST: usize = 3 << 28;

/// A symbolic run of a function.
pub struct Run<'a> {
    /// The instruction table.
    pub isa: &'a Isa,
    /// The calling convention.
    pub convention: &'a Convention,
    /// The program.
    pub image: &'a Image,
    /// Memory and bits.
    pub domain: Symbols<'a>,
    /// The machine's registers and program counter.
    pub machine: Machine<Value>,
    /// The stack.
    pub stack: ObjectId,
    /// The program counter that stands for the return address.
    pub home: u64,
    /// The number of instructions executed.
    pub instructions: u64,
    /// A return that keeps the instruction-set state, where the caller's may be the other one.
    pub own_state: Option<String>,
    /// The lowest value of the stack pointer, relative to its entry value.
    pub lowest: i64,
    /// The last value of the stack pointer, relative to its entry value.
    at: i64,
    /// The end of the arguments on the stack, relative to the stack pointer at entry.
    passed: i64,
    /// Secrets left on the stack where it is no longer in use.
    pub(crate) left_on_stack: Vec<Value>,
    /// The registers at entry.
    entry: Vec<Value>,
    /// Flags that belong to the caller.
    states: Vec<u8>,
    decoded: Map<u64, Insn>,
    /// The state of a block of conditional instructions in which each instruction was executed.
    blocks: Map<u64, u128>,
    /// Indices in the convention's list of reserved registers that were written and that only some platforms reserve.
    pub(crate) borrowed: BTreeSet<usize>,
    /// The addresses of multiplications of secrets, and the register fields of the instruction that held them.
    pub(crate) products: BTreeMap<u64, BTreeSet<String>>,
    pub(crate) hangs: BTreeSet<(u64, &'static str)>,
}

/// The refusal of register windows within another.
const SECOND_WINDOW: &str = "a second window of registers is taken, or one that is not the function's is given back: a \
    proof follows one window, so functions that it calls must do without";

/// A pointer in a register, above what a wider one has below its slot.
fn in_slot(domain: &Symbols, pointer: Value, below: Vec<(u8, Value)>) -> Value {
    if below.is_empty() {
        return pointer;
    }
    let width = match pointer {
        Value::Pointer(object, _) => domain.width_of(object),
        _ => 0,
    };
    Value::Joined(below.into_iter().chain([(width, pointer)]).collect())
}

/// Bits below a slot of which nothing is known.
fn loose_bits(domain: &mut Symbols, convention: &Convention) -> Vec<(u8, Value)> {
    let bits: Vec<Bit> = (0..convention.slot).map(|_| domain.bits.atom(false)).collect();
    if bits.is_empty() { Vec::new() } else { vec![(convention.slot, Value::Bits(bits.into()))] }
}

/// Words of the caller's below the slot of the stack pointer, to which code that adds to words adds the same: each is the
/// address of an object of its own, so that sums with numbers are known.
fn own_words(domain: &mut Symbols, convention: &Convention, width: u8) -> Vec<(u8, Value)> {
    let role = Role::Entry(convention.stack_pointer);
    let words = 0..convention.slot / width;
    words.map(|_| (width, Value::Pointer(domain.memory.object(role, width, 0, 0, false), 0))).collect()
}

/// A stack pointer that is set by halves, before or after an instruction.
struct Half {
    pointer: Value,
    /// True if both halves are of one address.
    whole: bool,
    /// True if interrupts are off.
    masked: bool,
}

/// The outcome of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The instruction was executed.
    Went,
    /// The function returned.
    Returned,
    /// No instruction was executed: control depends on this public bit.
    Asks(Bit),
}

impl<'a> Run<'a> {
    /// A run from entry. The caller passes buffers with [`Run::argument`].
    pub fn new(isa: &'a Isa, convention: &'a Convention, image: &'a Image, function: u64) -> Run<'a> {
        let mut domain = Symbols::new(image, &isa.about);
        let mut registers: Vec<Value> = Vec::new();
        for (r, (_, width)) in isa.about.registers.iter().enumerate() {
            let r = r as u8;
            let entry = domain.memory.object(Role::Entry(r), *width, 0, 0, false);
            registers.push(Value::Pointer(entry, 0));
        }
        let mut machine = Machine::new(registers, function);
        for &(r, number) in convention.fixed {
            machine.registers[usize::from(r)] = Value::Number(number.into());
        }
        if let Guard::Block(name) = isa.about.guard
            && let Some(state) = isa.register(name)
        {
            machine.registers[usize::from(state)] = Value::Number(0);
        }
        let width = isa.about.registers[usize::from(convention.stack_pointer)].1 - convention.slot;
        let above = usize::from(convention.saves.1.max(64));
        let stack = domain.memory.object(Role::Stack, width, -STACK, STACK as usize + above, true);
        let below = own_words(&mut domain, convention, width);
        machine.registers[usize::from(convention.stack_pointer)] =
            in_slot(&domain, Value::Pointer(stack, -convention.bias()), below);
        if let Some(windows) = convention.windows {
            machine.registers[usize::from(windows.moves)] = Value::Number(0);
        }
        domain.enter_sections(image, isa.about.address, width);
        let is_free = |at: u64| (at - NOTHING_BEFORE..=at).all(|at| image.at(at).is_empty());
        let home = (0..).map(|k| RETURN + 0x10_0000 * k).find(|&at| is_free(at)).unwrap_or(RETURN);
        domain.home = home;
        domain.memory.alignment = convention.buffers;
        // A pushed return address lies above an aligned address, which limits the alignment of the stack pointer at
        // entry.
        domain.memory.stack_alignment = match convention.pushed() {
            0 => convention.stack_alignment,
            pushed => convention.stack_alignment.min(1 << pushed.trailing_zeros().min(7)),
        };
        domain.returns_even = isa.about.lowest_bit() != LowestBit::Caller;
        domain.returns_by_fours = convention.callers_by_fours
            && isa.about.lowest_bit() == LowestBit::Nothing
            && isa.shortest() == 4;
        let address = match convention.returns {
            Return::Register(r, _) => isa.about.registers[usize::from(r)].1 - convention.slot,
            Return::Pushed(3) => 23,
            Return::Pushed(bytes) => 8 * bytes,
        };
        let back = domain.memory.object(Role::Return, address, 0, 0, false);
        let mut run = Run {
            isa,
            convention,
            image,
            domain,
            machine,
            stack,
            home,
            instructions: 0,
            own_state: None,
            lowest: 0,
            at: 0,
            passed: 0,
            left_on_stack: Vec::new(),
            entry: Vec::new(),
            states: convention.saved.iter().copied().filter(|&r| r >= isa.about.general).collect(),
            decoded: Map::default(),
            blocks: Map::default(),
            borrowed: BTreeSet::new(),
            products: BTreeMap::new(),
            hangs: BTreeSet::new(),
        };
        match convention.returns {
            Return::Register(r, more) => {
                let pointer = Value::Pointer(back, isa.about.mark() as i64 - i64::from(more));
                let below = loose_bits(&mut run.domain, convention);
                run.machine.registers[usize::from(r)] = in_slot(&run.domain, pointer, below);
            }
            Return::Pushed(bytes) if run.convention.below() == 0 => {
                let _ = run.domain.memory.store(stack, 0, bytes, &Value::Pointer(back, 0));
            }
            Return::Pushed(bytes) => {
                // The highest byte is the first. It counts words, so that of three bytes one bit is zero.
                for (offset, low) in (1..).zip((0..bytes).rev().map(|byte| 8 * byte)) {
                    let part = Value::Part(back, 0, low);
                    let byte = match low + 8 > address {
                        true => Value::Joined([(7, part), (1, Value::Number(0))].into()),
                        false => part,
                    };
                    // The stack was made with room there.
                    let _ = run.domain.memory.store(stack, offset, 1, &byte);
                }
            }
        }
        run
    }

    /// Enters the function: all bytes on the stack now are the caller's.
    pub fn enter(&mut self) {
        self.entry.clone_from(&self.machine.registers);
        let memory = &mut self.domain.memory;
        memory.stack_end = self.convention.below();
        let (first, end) = self.convention.saves;
        memory.saves = (first.into(), if end == ARGUMENTS { self.passed } else { end.into() });
        memory.stack_touched = i64::MAX;
        let stack = &mut memory.objects[usize::from(self.stack)];
        (stack.written, stack.access) = (None, 1);
    }

    /// Passes a pointer as an argument, in registers or on the stack.
    pub fn argument(&mut self, number: usize, object: ObjectId) -> Result<(), String> {
        let pointer = Value::Pointer(object, 0);
        let width = self.pointer_width();
        if let Some(registers) = self.convention.arguments.get(number) {
            let mut low = 0;
            if let ([r], true) = (*registers, self.convention.slot > 0) {
                let below = loose_bits(&mut self.domain, self.convention);
                let value = in_slot(&self.domain, pointer, below);
                self.machine.registers[usize::from(*r)] = value;
                return Ok(());
            }
            for &r in *registers {
                let bits = self.isa.about.registers[usize::from(r)].1;
                let part = self
                    .domain
                    .slice(width, &pointer, low, bits)
                    .map_err(|_| "an argument has no such part".to_owned())?;
                self.machine.registers[usize::from(r)] = part;
                low += bits;
            }
            return Ok(());
        }
        let bytes = width.div_ceil(8);
        let place = (number - self.convention.arguments.len()) as i64 * i64::from(bytes)
            + i64::from(self.convention.stack_arguments);
        self.passed = self.passed.max(place + i64::from(bytes));
        self.domain.memory.store(self.stack, place, bytes, &pointer)
    }

    /// The width of a pointer to data in bits: that of the stack pointer.
    pub(crate) fn pointer_width(&self) -> u8 {
        self.isa.about.registers[usize::from(self.convention.stack_pointer)].1 - self.convention.slot
    }

    /// Decodes the instruction at an address, and refuses it if it is undefined or not allowed.
    fn decode(&mut self, at: u64) -> Result<Insn, String> {
        if let Some(insn) = self.decoded.get(&at) {
            return Ok(*insn);
        }
        let insn = self.isa.decode_at(self.image, at)?;
        self.domain.note_links(self.isa, at, &insn)?;
        if let Some(why) = (self.isa.undefined)(self.isa, &insn, Stands::default()) {
            return Err(format!("`{}`: {why}", self.isa.print(&insn, |_| None)));
        }
        self.keep_reserved(&insn)?;
        self.decoded.insert(at, insn);
        Ok(insn)
    }

    /// Refuses instructions that write registers of the platform, saved or not: an interrupt in between would find the
    /// function's values there. Also refuses reads of registers that the platform itself writes, as their values are
    /// unknown.
    fn keep_reserved(&mut self, insn: &Insn) -> Result<(), String> {
        if self.convention.reserved.is_empty() {
            return Ok(());
        }
        let (written, read) = (self.isa.registers_written(insn), self.isa.registers_read(insn));
        for (number, reserved) in self.convention.reserved.iter().enumerate() {
            let is = |r: &u8| reserved.registers.contains(r);
            let (verb, found) = match (written.iter().copied().find(is), read.iter().copied().find(is)) {
                (Some(r), _) => ("writes", r),
                (None, Some(r)) if reserved.changes => ("reads", r),
                _ => continue,
            };
            if reserved.only.is_some() {
                self.borrowed.insert(number);
                continue;
            }
            return Err(format!(
                "`{}` {verb} {}, which holds {} ({}): use another register",
                self.isa.print(insn, |_| None),
                self.isa.about.registers[usize::from(found)].0,
                reserved.holds,
                reserved.source
            ));
        }
        Ok(())
    }

    /// A refutation at the current instruction.
    pub fn refuse(&mut self, sentence: impl Into<String>) -> Refutation {
        let address = self.domain.pc;
        let instruction = match self.decode(address) {
            Ok(insn) => self.isa.print(&insn, |_| None),
            Err(_) => String::new(),
        };
        Refutation { address, instruction, sentence: sentence.into() }
    }

    /// True if control may go more than one way after this instruction, by its row.
    fn may_fork(&self, insn: &Insn) -> bool {
        let row = self.isa.of(insn);
        match self.isa.about.guard {
            Guard::None => {}
            Guard::Field(name) => {
                let field = row.fields.iter().position(|f| f.name == name);
                if field.is_some_and(|f| insn.fields[f] as usize + 1 < self.isa.conditions.len()) {
                    return true;
                }
            }
            Guard::Block(_) => return true,
        }
        row.effects.jumps || row.steps.iter().any(|s| matches!(s, Step::If(..)))
    }

    pub(crate) fn once(&mut self, insn: &Insn) -> Result<(), Trouble> {
        let pc = self.machine.pc;
        let size = self.isa.of(insn).bytes();
        let (isa, image) = (self.isa, self.image);
        let after = || {
            let next = isa.decode_at(image, pc + u64::from(size));
            next.map_or(0, |next| isa.of(&next).bytes())
        };
        let slot = self.machine.delayed.is_some();
        let effects = &isa.of(insn).effects;
        self.domain.memory.accesses = effects.accesses;
        let factors = effects.multiplies.then(|| self.secret_fields(insn));
        let block = self.block();
        let stands = Stands { in_slot: slot, in_block: block != Some(0) };
        if stands != Stands::default()
            && let Some(why) = (isa.undefined)(isa, insn, stands)
        {
            return Err(why.to_owned().into());
        }
        self.stay_in_block(pc, insn, block)?;
        let moves =
            self.convention.windows.map(|windows| windows.moves).filter(|r| effects.writes.contains(r));
        let window = moves.map(|r| (usize::from(r), self.machine.registers[usize::from(r)].clone()));
        let executed = match execute(isa, insn, &mut self.domain, &mut self.machine, after) {
            // The table then has no address to go on at.
            Err(Trouble::Sentence(_))
                if window.is_some_and(|(r, of)| self.machine.registers[r].same(&of)) =>
            {
                return Err(SECOND_WINDOW.to_owned().into());
            }
            executed => executed?,
        };
        // The linker decides what follows a section; only a jump to a label leads to another section.
        let goes_on = !slot && (!executed.jumped || self.machine.delayed.is_some());
        if goes_on && self.domain.falls_out(pc, self.machine.pc) {
            return Err("control leaves the section that it is in".to_owned().into());
        }
        if executed.jumped
            && executed.by_register
            && executed.target == self.home
            && isa.about.lowest_bit() == LowestBit::Caller
        {
            self.own_state = Some(isa.print(insn, |_| None));
        }
        if let Some(factors) = factors.filter(|_| self.domain.multiplies.contains(&pc)) {
            self.products.entry(pc).or_default().extend(factors);
        }
        if slot && executed.jumped {
            return Err("control leaves a delay slot: what processors do then is not defined"
                .to_owned()
                .into());
        }
        Ok(())
    }

    /// Refuses an instruction that may jump out of a block of conditional instructions before its end, even if its condition
    /// does not hold, and one to which control comes both by its block and from elsewhere.
    fn stay_in_block(&mut self, pc: u64, insn: &Insn, block: Option<u128>) -> Result<(), String> {
        if !matches!(self.isa.about.guard, Guard::Block(_)) {
            return Ok(());
        }
        let state = block.ok_or("whether it is in a block of conditional instructions is unknown")?;
        if *self.blocks.entry(pc).or_insert(state) != state {
            return Err("control jumps into a block: what processors do then is not defined".to_owned());
        }
        // Bit 3 alone is left of the mask at the last instruction of a block.
        if state & 7 != 0 && self.may_jump(insn) {
            let sentence = "control may leave a block before its end: what processors do then is not defined";
            return Err(sentence.to_owned());
        }
        Ok(())
    }

    /// True if an instruction may jump, by its row or by writing the program counter as a register.
    fn may_jump(&self, insn: &Insn) -> bool {
        let counter = self.isa.about.counter.map(|counter| counter.register);
        let writes = || self.isa.registers_written(insn).iter().any(|&r| Some(r) == counter);
        self.isa.of(insn).effects.jumps || writes()
    }

    /// Names of the instruction's fields whose registers hold secrets now.
    fn secret_fields(&self, insn: &Insn) -> Vec<String> {
        let fields = self.isa.of(insn).fields.iter().zip(insn.fields);
        let secret = fields.filter(|(field, r)| {
            matches!(field.kind, Kind::Register { .. })
                && self.domain.is_secret(&self.machine.registers[*r as usize])
        });
        secret.map(|(field, _)| field.name.clone()).collect()
    }

    /// The state of a block of conditional instructions, or 0 outside of one; `None` if it is unknown.
    fn block(&self) -> Option<u128> {
        let Guard::Block(name) = self.isa.about.guard else { return Some(0) };
        match self.machine.registers[usize::from(self.isa.register(name)?)] {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    /// Executes an instruction. A decision on a secret is followed both ways if these soon meet again; a decision on a
    /// public bit is left to the caller.
    pub fn step(&mut self) -> Result<Stop, Refutation> {
        self.step_inside(0)
    }

    pub(crate) fn step_inside(&mut self, depth: usize) -> Result<Stop, Refutation> {
        if self.machine.pc == self.home {
            return Ok(Stop::Returned);
        }
        self.domain.pc = self.machine.pc;
        self.instructions += 1;
        if self.instructions > LIMIT {
            return Err(self.refuse(format!("it does not return within {LIMIT} instructions")));
        }
        if self.domain.bits.size() > LARGEST {
            return Err(self.refuse("its sums of bits grow beyond what a proof has room for"));
        }
        let insn = match self.decode(self.machine.pc) {
            Ok(insn) => insn,
            Err(sentence) => return Err(self.refuse(sentence)),
        };
        let halves = self.halves();
        let before = self.may_fork(&insn).then(|| self.machine.clone());
        let stores = self.domain.memory.stores;
        match self.once(&insn) {
            Ok(()) => {}
            Err(Trouble::Sentence(sentence)) => return Err(self.refuse(sentence)),
            Err(Trouble::Fork(bit)) => {
                let Some(before) = before.filter(|_| stores == self.domain.memory.stores) else {
                    return Err(self.refuse("a decision within the instruction follows on a store"));
                };
                self.machine = before;
                if !self.domain.bits.is_secret(bit) {
                    self.instructions -= 1;
                    return Ok(Stop::Asks(bit));
                }
                self.both_ways(&insn, bit, depth)?;
            }
        }
        self.note_states()?;
        self.note_windows()?;
        self.note_stack(halves)?;
        Ok(Stop::Went)
    }

    /// Executes the instruction with a given outcome for a public bit.
    pub(crate) fn step_deciding(&mut self, bit: Bit, outcome: bool) -> Result<(), Refutation> {
        self.domain.decided.push((bit, outcome));
        let went = self.step();
        self.domain.decided.pop();
        match went? {
            Stop::Asks(_) => Err(self.refuse("control hangs on more than one unknown at once")),
            _ => Ok(()),
        }
    }

    /// The stack pointer, relative to its entry value.
    fn stack_pointer(&self) -> Option<i64> {
        let register = &self.machine.registers[usize::from(self.convention.stack_pointer)];
        let pointer = match register {
            Value::Joined(parts) if self.convention.slot > 0 => parts.last().map(|(_, part)| part)?,
            register => register,
        };
        match *pointer {
            Value::Pointer(object, offset) if object == self.stack => Some(offset + self.convention.bias()),
            _ => None,
        }
    }

    /// Checks that the caller's state outside of the general registers is kept. Flags may be cleared for a while and
    /// set back to their entry values, but not set otherwise: a caller that keeps interrupts off has a reason.
    fn note_states(&mut self) -> Result<(), Refutation> {
        for k in 0..self.states.len() {
            let r = self.states[k];
            let value = &self.machine.registers[usize::from(r)];
            let (name, width) = self.isa.about.registers[usize::from(r)];
            let is_cleared = width == 1 && matches!(value, Value::Number(0));
            if !is_cleared && !value.same(&self.entry[usize::from(r)]) {
                return Err(self.refuse(format!("it sets {name}, which is its caller's to set")));
            }
        }
        Ok(())
    }

    /// Checks the stack pointers of this register window and of the caller's: the system may move a window to memory at
    /// any time, so both must have room there.
    fn note_windows(&mut self) -> Result<(), Refutation> {
        let Some(windows) = self.convention.windows else { return Ok(()) };
        let registers = &self.machine.registers;
        let is_own = match registers[usize::from(windows.moves)] {
            Value::Number(moves) => moves == 1,
            _ => return Err(self.refuse("which window of registers is seen hangs on something unknown")),
        };
        // The caller's stack pointer; in the caller's window, that of the window before.
        let held = match is_own {
            true => Value::Pointer(self.stack, -windows.bias),
            false => self.entry[usize::from(windows.caller)].clone(),
        };
        if !registers[usize::from(windows.caller)].same(&held) {
            return Err(
                self.refuse("the caller's stack pointer is changed, by which the system saves its window")
            );
        }
        let least = if is_own { -i64::from(windows.spilled) } else { 0 };
        let fits = |at: i64| at <= least && at % i64::from(windows.alignment) == 0;
        if self.stack_pointer().is_some_and(|at| !fits(at)) {
            return Err(self.refuse(format!(
                "the stack pointer leaves no room for a window of {} bytes at a multiple of {}",
                windows.spilled, windows.alignment
            )));
        }
        Ok(())
    }

    /// The state of a stack pointer that is set by halves; `None` if it is set as a whole.
    fn halves(&self) -> Option<Half> {
        let halves = self.convention.halves?;
        let registers = &self.machine.registers;
        let pointer = registers[usize::from(self.convention.stack_pointer)].clone();
        let masked = matches!(registers[usize::from(halves.interrupts)], Value::Number(0));
        let whole = self.stack_pointer().is_some();
        Some(Half { pointer, whole, masked })
    }

    /// Refuses a stack pointer with only one half set, unless no interrupt can come before the next instruction:
    /// interrupts are off, or this instruction enables them, which takes effect after the next, or it keeps them off by
    /// writing the low half.
    fn half_set(&mut self, before: Half) -> Result<(), Refutation> {
        let (Some(halves), Some(after)) = (self.convention.halves, self.halves()) else {
            return Err(self.refuse("the stack pointer is set to something that is not on the stack"));
        };
        let low = |domain: &mut Symbols, pointer: &Value| domain.slice(16, pointer, 0, 8).ok();
        let lows = (low(&mut self.domain, &before.pointer), low(&mut self.domain, &after.pointer));
        let low_set = matches!(lows, (Some(a), Some(b)) if !a.same(&b));
        if after.masked || before.masked || halves.low_first && before.whole && low_set {
            return Ok(());
        }
        let order = if halves.low_first { ", or set the low half first and the high half next" } else { "" };
        Err(self.refuse(format!(
            "half of the stack pointer is set while interrupts may come, which would write at an address of two \
             halves ({}): read SREG, `cli`, set the high half, write SREG back, set the low half{order}",
            halves.source
        )))
    }

    /// Checks that the stack pointer stays at a known distance from its entry value, and that nothing beyond it is
    /// touched, since interrupts write there.
    fn note_stack(&mut self, before: Option<Half>) -> Result<(), Refutation> {
        let touched = std::mem::replace(&mut self.domain.memory.stack_touched, i64::MAX);
        let Some(after) = self.stack_pointer() else {
            let pointer = &self.machine.registers[usize::from(self.convention.stack_pointer)];
            if let (Some(before), Value::Joined(_), i64::MAX) = (before, pointer, touched) {
                return self.half_set(before);
            }
            return Err(self.refuse("the stack pointer is set to something that is not on the stack"));
        };
        // Processors drop the lowest bits of the register (Cortex-M), and interrupt handlers rely on it.
        let least = i64::from(self.convention.held_alignment);
        if after % least != 0 {
            return Err(self.refuse(format!(
                "the stack pointer is set to no multiple of {least}, which it is at any time ({})",
                self.convention.source
            )));
        }
        if self.convention.back_chain && after < 0 && !self.is_chained(after) {
            return Err(self.refuse(format!(
                "the word at the stack pointer is not the address of the frame before, which it is at any time ({})",
                self.convention.source
            )));
        }
        // Further down there may be no stack, and interrupts write wherever it is.
        if after < -STACK {
            return Err(self.refuse(format!("the stack pointer is set to more than {STACK} bytes of stack")));
        }
        let before = std::mem::replace(&mut self.at, after);
        self.lowest = self.lowest.min(after);
        if after > self.convention.pushed() {
            return Err(
                self.refuse("the stack pointer is above where it was at entry: interrupts would write there")
            );
        }
        if after > before {
            self.leave_stack(after + self.free());
        }
        if touched < before.min(after) + self.free() {
            return Err(self.refuse("the stack is touched beyond the stack pointer, where interrupts write"));
        }
        Ok(())
    }

    /// True if the word on the stack at this offset leads to the caller's frame, by way of other frames of the function:
    /// each is above the one before, is aligned as the stack pointer is, and begins with the address of the next.
    /// Debuggers and unwinders follow the chain, and take any address in it for a frame.
    fn is_chained(&self, mut at: i64) -> bool {
        let least = i64::from(self.convention.held_alignment);
        while at < 0 {
            match self.frame_before(at) {
                Some(above) if above > at && above <= 0 && above % least == 0 => at = above,
                _ => return false,
            }
        }
        true
    }

    /// The offset on the stack whose address the word at another offset is.
    fn frame_before(&self, at: i64) -> Option<i64> {
        let memory = &self.domain.memory;
        let stack = &memory.objects[usize::from(self.stack)];
        let bytes = self.pointer_width() / 8;
        let from = usize::try_from(at - stack.low).ok()?;
        let cells = stack.cells.get(from..from + usize::from(bytes))?;
        let first = cells.first()?.as_ref()?;
        let Value::Pointer(object, before) = first.value else { return None };
        let is_whole = (0..bytes).all(|place| {
            let cell = cells[usize::from(memory.order.place(place, bytes))].as_ref();
            cell.is_some_and(|cell| (cell.at, cell.bytes) == (place, bytes) && cell.value.same(&first.value))
        });
        (object == self.stack && is_whole).then_some(before)
    }

    /// Discards the stack below this offset, which interrupts may overwrite from now on; its secrets are recorded as
    /// left behind.
    fn leave_stack(&mut self, until: i64) {
        let stack = &self.domain.memory.objects[usize::from(self.stack)];
        let cells = usize::try_from(until - stack.low).unwrap_or(0).min(stack.cells.len());
        let gone: Vec<Value> = self.domain.memory.objects[usize::from(self.stack)].cells[..cells]
            .iter_mut()
            .filter_map(Option::take)
            .map(|cell| cell.value)
            .collect();
        let secret = gone.into_iter().filter(|value| self.domain.is_secret(value));
        let secret: Vec<Value> = secret.collect();
        for value in secret {
            if !self.left_on_stack.iter().any(|known| known.same(&value)) {
                self.left_on_stack.push(value);
            }
        }
    }

    /// The lowest offset on the stack in use.
    pub(crate) fn in_use(&self) -> Option<i64> {
        self.stack_pointer().map(|at| at + self.free())
    }

    /// Renames arguments that were saved to the stack unchanged, or stayed in their registers, to the entry contents of
    /// these registers: at a cut, their meaning as arguments is over.
    pub(crate) fn rename_saved_arguments(&mut self) {
        let memory = &mut self.domain.memory;
        for &r in self.convention.saved {
            let first = &self.entry[usize::from(r)];
            let entry = memory.find(Role::Entry(r));
            let (Value::Part(..), Some(entry)) = (first, entry) else { continue };
            for cell in memory.objects[usize::from(self.stack)].cells.iter_mut().flatten() {
                if cell.value.same(first) {
                    cell.value = Value::Pointer(entry, 0);
                }
            }
            if self.machine.registers[usize::from(r)].same(first) {
                self.machine.registers[usize::from(r)] = Value::Pointer(entry, 0);
            }
        }
    }

    /// Renames the entry values of arguments that move with the blocks done: from here on, they are only the entry
    /// contents of their registers.
    pub(crate) fn rename_arguments(&mut self) {
        let memory = &self.domain.memory;
        for &r in self.convention.saved {
            let (Value::Part(object, ..) | Value::Pointer(object, _)) = self.entry[usize::from(r)] else {
                continue;
            };
            let moves =
                matches!(memory.objects[usize::from(object)].role, Role::Input | Role::Output | Role::Count);
            if let Some(entry) = memory.find(Role::Entry(r)).filter(|_| moves) {
                self.entry[usize::from(r)] = Value::Pointer(entry, 0);
            }
        }
    }

    /// Takes the stack pointer as it is, after registers were set from outside.
    pub(crate) fn settle_stack(&mut self) {
        self.at = self.stack_pointer().unwrap_or(0);
        self.domain.memory.stack_touched = i64::MAX;
    }

    /// Bytes at the stack pointer that are not in use: on AVR it points below the last byte, and register windows may
    /// be moved there.
    fn free(&self) -> i64 {
        match self.convention.windows {
            Some(windows) => windows.spilled.into(),
            None => self.convention.below(),
        }
    }

    /// The addresses of secret-dependent actions, and their kinds.
    pub fn places(&mut self) -> Vec<(u64, &'static str)> {
        let of = |h: ControlDependence| match h {
            ControlDependence::Address => "address",
            ControlDependence::Alignment => "alignment",
            ControlDependence::Count => "count",
            ControlDependence::Operand => "operand",
        };
        self.hangs.extend(self.domain.hangs.drain(..).map(|(at, h)| (at, of(h))));
        self.hangs.iter().copied().collect()
    }

    /// Refuses code that reads bytes of its executed instructions as data. Bytes between instructions are valid
    /// constants, such as the literals of Thumb code; the bytes of an instruction depend on the assembler and the
    /// linker, which may relax it or put an address into it.
    pub(crate) fn read_no_code(&mut self) -> Result<(), Refutation> {
        let constants = self.domain.memory.constants.borrow();
        let bytes = |at: u64, insn: &Insn| at..at + u64::from(self.isa.of(insn).bytes());
        let both =
            self.decoded.iter().filter_map(|(&at, insn)| bytes(at, insn).find(|b| constants.contains(b)));
        let Some(first) = both.min() else { return Ok(()) };
        drop(constants);
        let at = self.decoded.keys().copied().filter(|&at| at <= first).max().unwrap_or(first);
        self.domain.pc = at;
        Err(self.refuse(format!("the byte at {first:#x} of its own code is read as data")))
    }

    /// General registers that do not hold their entry values.
    pub(crate) fn changed(&self) -> Vec<u8> {
        let now = &self.machine.registers;
        let differ = |&r: &u8| !now[usize::from(r)].same(&self.entry[usize::from(r)]);
        (0..self.isa.about.general).filter(differ).collect()
    }

    /// Checks the requirements of the convention at return.
    pub(crate) fn returned_well(&mut self) -> Result<(), Refutation> {
        let name = |r: u8| self.isa.about.registers[usize::from(r)].0;
        for &r in self.convention.saved {
            // The register of an argument may hold its entry value under two names.
            let kept = match &self.machine.registers[usize::from(r)] {
                Value::Pointer(object, 0)
                    if self.domain.memory.objects[usize::from(*object)].role == Role::Entry(r) =>
                {
                    true
                }
                value => value.same(&self.entry[usize::from(r)]),
            };
            if !kept {
                let sentence = format!("it returns without register {} as it was", name(r));
                return Err(self.refuse(sentence));
            }
        }
        for &(r, number) in self.convention.fixed {
            if !matches!(self.machine.registers[usize::from(r)], Value::Number(n) if n == u128::from(number))
            {
                let sentence = format!("it returns with another value than {number} in {}", name(r));
                return Err(self.refuse(sentence));
            }
        }
        let popped = self.convention.pushed();
        let register = usize::from(self.convention.stack_pointer);
        let whole = self.convention.slot == 0 || self.machine.registers[register].same(&self.entry[register]);
        match self.stack_pointer() {
            Some(offset) if offset == popped && whole => Ok(()),
            _ => Err(self.refuse("it returns with another stack pointer than the convention asks for")),
        }
    }
}
