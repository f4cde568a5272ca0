//! The check of proofs about AVR: every path from the entry, and from each head, ends as the proof says.

use crate::avr::bytes::{Atom, Byte, ByteId, Condition, TABLES, Terms, VARIABLES, WORDS, reduced};
use crate::avr::claim::{Block, Keys, cipher, round_keys, sum};
use crate::avr::execute::execute;
use crate::avr::{Head, Line, Link, Proof, ROWS, register};
use crate::certificate::{Edge, number};
use crate::check::Accepted;
use crate::linear::{AtomId, Facts, Linear};
use crate::rows::{Bytes, Flow, Instruction, Registers, Rows};
use crate::spec::Mode;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The most instructions that are executed.
const MOST_STEPS: usize = 1 << 20;
/// The most bytes of stack.
const STACK_BYTES: i128 = 1024;
/// The most bytes of output between two heads.
const FARTHEST: i128 = 256;
/// The most conditions on a path, and the most tables.
const MOST_CONDITIONS: usize = 1000;
const MOST_TABLES: usize = 64;
/// Numbers of [`WORDS`].
const KEY: AtomId = 0;
const IV: AtomId = 1;
const INPUT: AtomId = 2;
const OUTPUT: AtomId = 3;
const STACK: AtomId = 4;
const BLOCKS: AtomId = 5;
/// Registers that are the caller's, and r1, which is zero.
const SAVED: [usize; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29];
/// The number of the flag that lets interrupts happen.
const INTERRUPTS: usize = 7;

/// A number of 16 bits as one with a sign.
fn signed(number: i128) -> i128 {
    if number >= 32768 { number - 65536 } else { number }
}

/// A reason not to go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path has to be split by this condition.
    Split(Condition),
    /// The kernel or its proof is refused.
    Refused(String),
}

fn refused<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(reason.into()))
}

fn no_pointer() -> Stop {
    Stop::Refused("the stack pointer is no allowed place on the stack, and an interrupt may happen".into())
}

/// All that is known on a path, besides registers.
#[derive(Clone, Debug)]
pub struct Path {
    /// Inequalities.
    pub facts: Facts,
    /// Conditions that split the path, and whether they are true.
    pub decided: Vec<(Condition, bool)>,
    /// Bytes of the stack, by their distance from the stack pointer at entry.
    pub cells: BTreeMap<i128, ByteId>,
    /// The stack pointer, by its distance from that at entry.
    pub pointer: i128,
    /// The memory of the IV.
    pub iv: Block,
    /// The number of blocks that are done at the beginning of the piece.
    pub done: Linear,
    /// Bytes that are stored since, by their distance.
    pub stored: BTreeMap<i128, ByteId>,
}

/// A state of execution.
#[derive(Clone, Debug)]
pub struct State {
    /// The registers.
    pub registers: Registers<ByteId>,
    /// All other knowledge.
    pub path: Path,
    /// The offset of the next instruction.
    pub at: usize,
}

/// The terms, and the memory of a path.
#[derive(Debug)]
pub struct Memory<'a> {
    proof: &'a Proof,
    /// All terms.
    pub terms: Terms,
    /// All that is known on the path.
    pub path: Path,
}

/// An execution of all paths.
#[derive(Debug)]
pub struct Run<'a> {
    proof: &'a Proof,
    rows: Rows,
    /// The domain.
    pub memory: Memory<'a>,
    start: State,
    keys: Vec<Block>,
    steps: usize,
    place: String,
}

/// Checks a proof.
///
/// # Errors
/// The reason why it is refused.
pub fn check(proof: &Proof) -> Result<Accepted, String> {
    let mut run = Run::new(proof)?;
    run.check().map_err(|stop| match stop {
        Stop::Refused(reason) => format!("{}: {reason}", run.place),
        Stop::Split(_) => format!("{}: a condition is not decided", run.place),
    })
}

impl Memory<'_> {
    /// True if `form >= 0` is known.
    fn is_natural(&self, form: &Linear) -> bool {
        self.path.facts.imply(form, &|atom| if atom < VARIABLES { Some(65535) } else { None })
    }

    /// True if a form is known to be the integer that it is as a word.
    fn is_word(&self, form: &Linear) -> bool {
        let room = Linear::number(65535).checked(form, -1);
        self.is_natural(form) && room.is_some_and(|room| self.is_natural(&room))
    }

    /// The inequality that a condition is, and the one that its opposite is.
    fn inequalities(&self, condition: &Condition) -> Option<[Linear; 2]> {
        let (word, number, is_zero) = match condition {
            Condition::ZeroWord(word) => (word, -1, true),
            Condition::CarryWord(word, number) => (word, number - 65536, false),
            _ => return None,
        };
        // Words have no negative coefficients; the integer may have.
        let terms = word.terms.iter().map(|&(id, c)| (id, signed(c))).collect();
        let forms = [word.constant, signed(word.constant)]
            .map(|constant| Linear { constant, terms: Vec::clone(&terms) });
        let form = forms.iter().find(|form| self.is_word(form))?;
        // At least 1, or at least so much that it carries.
        let high = form.offset_checked(number)?;
        let low = Linear::number(-1).checked(&high, -1)?;
        Some(if is_zero { [low, high] } else { [high, low] })
    }

    /// The value of a condition, if it is known.
    fn known(&self, condition: &Condition) -> Option<bool> {
        if let Some(decided) = self.path.decided.iter().find(|decided| decided.0 == *condition) {
            return Some(decided.1);
        }
        let both = self.inequalities(condition)?;
        both.iter().position(|form| self.is_natural(form)).map(|which| which == 0)
    }

    /// The object at an address and the distance in it.
    fn place(&mut self, address: [ByteId; 2]) -> Result<(AtomId, Linear), Stop> {
        let word = self.terms.as_word(address);
        let base = word.as_ref().and_then(|word| word.terms.iter().find(|t| t.0 < BLOCKS && t.1 == 1));
        let (Some(&(base, _)), Some(mut word)) = (base, word.clone()) else {
            return refused("an address is in no object, or depends on a secret");
        };
        word.terms.retain(|term| term.0 != base);
        Ok((base, word))
    }

    fn fixed(offset: &Linear, below: usize) -> Result<usize, Stop> {
        match offset.as_number() {
            Some(at) if (0..below as i128).contains(&at) => Ok(at as usize),
            _ => refused("an access is outside the key, or the IV"),
        }
    }

    /// The distance of a byte of text from what is done, and its block.
    fn text(&self, offset: &Linear) -> Result<(i128, Linear), Stop> {
        let begin = Linear::default().checked(&self.path.done, 16);
        let distance = begin.and_then(|begin| offset.checked(&begin, -1)).map(|rest| reduced(&rest, 65536));
        let Some(distance) = distance.and_then(|rest| rest.as_number()).filter(|&d| d < FARTHEST) else {
            return refused("a byte of text is at no known distance from what is done");
        };
        let block = self.path.done.offset_checked(distance / 16);
        let rest = block.as_ref().and_then(|block| self.blocks().checked(block, -1)?.offset_checked(-1));
        match (rest, block) {
            (Some(rest), Some(block)) if self.is_natural(&rest) => Ok((distance, block)),
            _ => refused("an access may be behind the end of the text"),
        }
    }

    /// The number of blocks.
    pub fn blocks(&self) -> Linear {
        if self.proof.contract.mode == Mode::Ecb { Linear::number(1) } else { Linear::atom(BLOCKS) }
    }

    /// The distance on the stack, of a byte that is in use, or of the next one, which is kept if it is then in use.
    fn cell(&self, offset: &Linear) -> Result<i128, Stop> {
        match offset.as_number().map(signed) {
            Some(at) if at <= 0 && at >= self.path.pointer && at > -STACK_BYTES => Ok(at),
            _ => refused("an access is outside the function's own stack"),
        }
    }
}

impl Bytes for Memory<'_> {
    type Byte = ByteId;
    type Stop = Stop;

    fn number(&mut self, value: u8) -> ByteId {
        self.terms.constant(value)
    }

    fn xor(&mut self, a: ByteId, b: ByteId) -> ByteId {
        self.terms.xor(a, b)
    }

    fn and(&mut self, a: ByteId, b: ByteId) -> ByteId {
        self.terms.and(a, b)
    }

    fn mapped(&mut self, a: ByteId, columns: [u8; 8]) -> ByteId {
        self.terms.mapped(a, columns)
    }

    fn sum(&mut self, a: ByteId, b: ByteId, c: ByteId) -> ByteId {
        self.terms.sum(a, b, c)
    }

    fn carry(&mut self, a: ByteId, b: ByteId, c: ByteId, bits: u8) -> ByteId {
        self.terms.carry(a, b, c, bits)
    }

    fn is_zero(&mut self, a: ByteId) -> ByteId {
        self.terms.zero(a)
    }

    fn load(&mut self, address: [ByteId; 2], of_program: bool) -> Result<ByteId, Stop> {
        if let Some((table, page)) = self.terms.as_page(address[1]) {
            let table = &self.proof.tables[table];
            let entries = usize::try_from(page).ok().and_then(|page| table.bytes.get(page..page + 256));
            let Some(entries) = entries.and_then(|entries| <&[u8; 256]>::try_from(entries).ok()) else {
                return refused(format!("an access is outside {}", table.name));
            };
            if table.is_flash != of_program {
                return refused(format!("{} is read from the other memory", table.name));
            }
            if self.terms.is_secret(address[0]) && !self.proof.lookups {
                return refused("the address of a load depends on a secret");
            }
            let value = self.terms.entry(entries, address[0]);
            return value
                .map_or_else(|| refused(format!("{} is no S-box and no linear map", table.name)), Ok);
        }
        if of_program {
            return refused("a load from the program is from no table");
        }
        let (base, offset) = self.place(address)?;
        match base {
            KEY => {
                let at = Self::fixed(&offset, self.proof.keys.bytes(&self.proof.contract))?;
                Ok(self.terms.atom(Atom::Key(at as u8)))
            }
            IV if self.proof.contract.mode != Mode::Ecb => Ok(self.path.iv[Self::fixed(&offset, 16)?]),
            INPUT => {
                let (distance, block) = self.text(&offset)?;
                if self.path.stored.contains_key(&distance) {
                    return refused("text is read where output is stored");
                }
                Ok(self.terms.atom(Atom::Text(block, (distance % 16) as u8)))
            }
            OUTPUT => {
                let (distance, _) = self.text(&offset)?;
                let value = self.path.stored.get(&distance).copied();
                value.map_or_else(|| refused("output is read that is not stored"), Ok)
            }
            STACK => {
                let value = self.path.cells.get(&self.cell(&offset)?).copied();
                value.map_or_else(|| refused("a byte of the stack is read that is not written"), Ok)
            }
            _ => refused("a load is not allowed there"),
        }
    }

    fn store(&mut self, address: [ByteId; 2], value: ByteId) -> Result<(), Stop> {
        let (base, offset) = self.place(address)?;
        match base {
            OUTPUT => {
                let (distance, _) = self.text(&offset)?;
                self.path.stored.insert(distance, value);
            }
            IV if self.proof.contract.mode != Mode::Ecb => self.path.iv[Self::fixed(&offset, 16)?] = value,
            STACK => {
                let at = self.cell(&offset)?;
                self.path.cells.insert(at, value);
            }
            _ => return refused("a store is not allowed there"),
        }
        Ok(())
    }

    fn unknown(&self) -> Stop {
        Stop::Refused("a row of the table has no meaning".into())
    }
}

impl<'a> Run<'a> {
    /// A run at its beginning.
    ///
    /// # Errors
    /// If the proof says what no contract can be.
    pub fn new(proof: &'a Proof) -> Result<Run<'a>, String> {
        let rows = Rows::read(ROWS)?;
        let (mode, is_inverse) = (proof.contract.mode, proof.contract.is_inverse);
        if proof.keys == Keys::Forward && !is_inverse || proof.keys == Keys::Cipher && is_inverse {
            return Err("its keys are of the other direction".into());
        }
        if proof.tables.len() > MOST_TABLES {
            return Err("it has too many tables".into());
        }
        let mut terms = Terms::default();
        let memory = (0..proof.keys.bytes(&proof.contract)).map(|k| terms.atom(Atom::Key(k as u8)));
        let memory: Vec<ByteId> = memory.collect();
        let keys = round_keys(&mut terms, proof.keys, proof.contract.rounds, &memory);
        let mut general = core::array::from_fn(|k| terms.atom(Atom::Entry(k as u8)));
        general[1] = terms.constant(0);
        let arguments =
            if mode == Mode::Ecb { &[KEY, INPUT, OUTPUT][..] } else { &[KEY, IV, INPUT, OUTPUT, BLOCKS] };
        for (place, &argument) in arguments.iter().enumerate() {
            for half in 0..2 {
                general[24 - 2 * place + half] = terms.half(&Linear::atom(argument), half as u8);
            }
        }
        let mut flags = core::array::from_fn(|_| terms.unknown_bit(true));
        flags[INTERRUPTS] = terms.atom(Atom::Interrupts);
        let pointer = [0, 1].map(|half| terms.half(&Linear::atom(STACK), half));
        let path = Path {
            facts: Facts::default(),
            decided: Vec::new(),
            cells: BTreeMap::new(),
            pointer: 0,
            iv: [0; 16],
            done: Linear::default(),
            stored: BTreeMap::new(),
        };
        let registers = Registers { general, flags, pointer };
        let start = State { registers, path: path.clone(), at: 0 };
        let memory = Memory { proof, terms, path };
        let mut run = Run { proof, rows, memory, start, keys, steps: 0, place: "the entry".into() };
        run.start.path.iv = run.named(&Linear::default());
        Ok(run)
    }

    /// The state at the entry.
    pub fn entry(&self) -> State {
        self.start.clone()
    }

    /// The place that was executed last, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The chain value or the counter of the first block of a piece.
    fn named(&mut self, block: &Linear) -> Block {
        let is_counter = self.proof.contract.mode == Mode::Ctr;
        core::array::from_fn(|k| {
            let (block, k) = (block.clone(), k as u8);
            self.memory.terms.atom(if is_counter { Atom::Counter(block, k) } else { Atom::Chain(block, k) })
        })
    }

    fn check(&mut self) -> Result<Accepted, Stop> {
        let proof = self.proof;
        let entry = self.entry();
        let mut paths = self.source(entry, &proof.entry, None)?;
        for (number, head) in proof.heads.iter().enumerate() {
            self.place = format!("head {}", head.name);
            let state = self.stated(number)?;
            paths += self.source(state, &head.edges, Some(number))?;
        }
        Ok(Accepted { heads: proof.heads.len(), paths, steps: self.steps })
    }

    /// Follows all paths from a state, and compares their ends with the proof: their number.
    fn source(&mut self, state: State, edges: &'a [Edge], from: Option<usize>) -> Result<usize, Stop> {
        let names = self.names(from);
        let (mut waiting, mut paths, mut rest) = (Vec::from([state]), 0, edges.iter());
        while let Some(state) = waiting.pop() {
            let (state, is_return) = self.follow(state, &mut waiting)?;
            paths += 1;
            self.memory.path = state.path.clone();
            match rest.next() {
                Some(Edge::Exit(text)) if is_return && text.is_empty() => self.exit(&state)?,
                Some(Edge::Head(name, values)) if !is_return => {
                    let head = self.proof.heads.iter().position(|h| h.at == state.at && h.name == *name);
                    let Some(head) = head else {
                        return refused("a path ends at another head than is listed");
                    };
                    let has_stored = self.arrive(&state, head, values, &names)?;
                    if from.is_some() && !has_stored {
                        return refused("a path between heads stores no output");
                    }
                }
                _ => return refused("a path ends elsewhere than is listed"),
            }
        }
        if rest.next().is_some() { refused("it has fewer paths than are listed") } else { Ok(paths) }
    }

    /// Words by their names, with the variables of a head.
    fn names(&self, head: Option<usize>) -> BTreeMap<&'a str, Linear> {
        let proof = self.proof;
        let mut all: BTreeMap<&str, Linear> =
            WORDS.iter().enumerate().map(|(id, &name)| (name, Linear::atom(id as AtomId))).collect();
        if let Some(number) = head {
            let variables = proof.heads[number].variables.iter().enumerate();
            let first = VARIABLES + ((number as AtomId) << 12);
            all.extend(variables.map(|(k, name)| (name.as_str(), Linear::atom(first + k as AtomId))));
        }
        all
    }

    /// Executes from a state until the path ends: at a head's place, or true if it returns.
    ///
    /// # Errors
    /// If an instruction is refused.
    pub fn follow(&mut self, mut state: State, waiting: &mut Vec<State>) -> Result<(State, bool), Stop> {
        let mut is_first = true;
        loop {
            self.place = format!("0x{:x}", state.at);
            if !is_first && self.proof.heads.iter().any(|head| head.at == state.at) {
                return Ok((state, false));
            }
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return refused("it executes too many instructions, or a loop has no head");
            }
            core::mem::swap(&mut self.memory.path, &mut state.path);
            let result = self.step(&mut state.registers, state.at);
            core::mem::swap(&mut self.memory.path, &mut state.path);
            is_first = false;
            match result {
                Ok(Some(next)) => state.at = next,
                Ok(None) => return Ok((state, true)),
                Err(Stop::Split(condition)) => {
                    if state.path.decided.len() > MOST_CONDITIONS {
                        return refused("a path has too many conditions");
                    }
                    let mut other = state.clone();
                    self.assume(&mut state.path, &condition, true);
                    self.assume(&mut other.path, &condition, false);
                    waiting.push(other);
                    // The same instruction again, even at a head's place.
                    is_first = true;
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Adds a condition's value to what is known.
    fn assume(&mut self, path: &mut Path, condition: &Condition, value: bool) {
        self.memory.path = path.clone();
        if let Some(both) = self.memory.inequalities(condition) {
            path.facts.add(both[usize::from(!value)].clone());
        }
        path.decided.push((condition.clone(), value));
    }

    fn decode(&self, at: usize) -> Result<Instruction, Stop> {
        let found = if at.is_multiple_of(2) { self.proof.code.get(at..) } else { None };
        let Some(instruction) = found.and_then(|code| self.rows.decode(code)) else {
            return refused("it executes bytes that are no instruction with a known meaning");
        };
        // A linker may write a part of another instruction only where no instruction is executed that has it, too.
        let until = at + instruction.length;
        let is_torn = |(&from, link): (&usize, &Link)| from != at && from + link.width() > at;
        if self.proof.links.range(at.saturating_sub(Link::LONGEST)..until).any(is_torn) {
            return refused("a linker writes into the middle of an instruction, or beyond its end");
        }
        Ok(instruction)
    }

    /// Executes the effect of an instruction on registers and memory.
    fn effect(
        &mut self,
        registers: &mut Registers<ByteId>,
        at: usize,
    ) -> Result<(Flow<ByteId>, usize), Stop> {
        let i = self.decode(at)?;
        let row = &self.rows.0[i.row];
        let given = match self.proof.links.get(&at) {
            Some(&Link::Table(table, half)) => {
                if row.name != "ldi" || row.field(i.bits, b'K') != 0 {
                    return refused("a linker writes into another instruction than an ldi of 0");
                }
                Some(self.memory.terms.half(&Linear::atom(TABLES + table as AtomId), half))
            }
            Some(Link::Place(_)) if row.code.len() == 16 || row.field(i.bits, b'k') != 0 => {
                return refused("a linker writes into another instruction than a jump to 0");
            }
            _ => None,
        };
        Ok((execute(&mut self.memory, registers, row, &i, given)?, at + i.length))
    }

    /// Executes an instruction: the offset of the next one, or none behind a return to the caller.
    fn step(&mut self, registers: &mut Registers<ByteId>, at: usize) -> Result<Option<usize>, Stop> {
        let was_off = self.memory.terms.as_constant(registers.flags[INTERRUPTS]) == Some(0);
        let (flow, next) = self.effect(registers, at)?;
        let target = |distance: Option<i32>| match (distance, self.proof.links.get(&at)) {
            (Some(words), _) => next.checked_add_signed(2 * words as isize),
            (None, Some(&Link::Place(place))) => Some(place),
            _ => None,
        };
        let behind = match flow {
            Flow::Next => Some(next),
            Flow::Jump(None, distance) => target(distance),
            Flow::Jump(Some(bit), distance) => {
                let target = target(distance);
                self.decided(registers, bit, next, target)?
            }
            Flow::Skip(bit) => {
                let length = self.decode(next)?.length;
                self.decided(registers, bit, next, Some(next + length))?
            }
            Flow::Call(distance) => {
                let target = target(distance);
                let p = self.pointer(registers).filter(|p| p - 2 >= -STACK_BYTES).ok_or_else(no_pointer)?;
                for half in [0, 1] {
                    let byte = self.memory.terms.atom(Atom::Code(next, half));
                    self.memory.path.cells.insert(p - i128::from(half), byte);
                }
                self.set_pointer(registers, p - 2);
                target
            }
            Flow::Return => {
                let p = self.pointer(registers).ok_or_else(no_pointer)?;
                if p == 0 {
                    return Ok(None);
                }
                let cell = |at: i128| {
                    self.memory.path.cells.get(&at).and_then(|&byte| self.memory.terms.as_atom(byte))
                };
                let (Some(Atom::Code(low, 0)), Some(Atom::Code(high, 1))) = (cell(p + 2), cell(p + 1)) else {
                    return refused("it returns to no known place");
                };
                let back = (low == high).then_some(*low);
                self.set_pointer(registers, p + 2);
                back
            }
        };
        self.moved(registers, was_off)?;
        match behind {
            Some(next) => Ok(Some(next)),
            None => refused("it jumps out of its code, or to no known place"),
        }
    }

    /// The target of a jump under a condition, or else the next instruction. If the condition is secret, and one instruction
    /// between them of one cycle is left out, what the jump takes longer, both ways take the same time.
    fn decided(
        &mut self,
        registers: &mut Registers<ByteId>,
        bit: ByteId,
        next: usize,
        target: Option<usize>,
    ) -> Result<Option<usize>, Stop> {
        if let Some(value) = self.memory.terms.as_constant(bit) {
            return Ok(if value == 1 { target } else { Some(next) });
        }
        if !self.memory.terms.is_secret(bit) {
            let Byte { constant, parts } = self.memory.terms.get(bit);
            let atom = parts.first().map(|part| self.memory.terms.get_atom(part.0));
            let (Some(Atom::Is(condition)), 1) = (atom, parts.len()) else {
                return refused("a condition is unknown");
            };
            let Some(value) = self.memory.known(condition) else {
                return Err(Stop::Split(condition.clone()));
            };
            return Ok(if value ^ (*constant == 1) { target } else { Some(next) });
        }
        let is_plain = self.decode(next).is_ok_and(|i| self.rows.0[i.row].is_plain());
        if !self.proof.skips || !is_plain || target != Some(next + 2) {
            return refused("a condition depends on a secret");
        }
        let mut other = registers.clone();
        self.effect(&mut other, next)?;
        let terms = &mut self.memory.terms;
        for (one, other) in registers.general.iter_mut().zip(other.general) {
            *one = terms.chosen(bit, *one, other);
        }
        for (one, other) in registers.flags.iter_mut().zip(other.flags) {
            *one = terms.chosen(bit, *one, other);
        }
        Ok(target)
    }

    fn set_pointer(&mut self, registers: &mut Registers<ByteId>, at: i128) {
        let word = Linear { constant: at, terms: [(STACK, 1)].into() };
        registers.pointer = [0, 1].map(|half| self.memory.terms.half(&word, half));
    }

    /// Follows the stack pointer. It may have the halves of two words only while no interrupt can happen: if interrupts
    /// are off, or were before this instruction, which lets them happen behind the next one.
    fn moved(&mut self, registers: &Registers<ByteId>, was_off: bool) -> Result<(), Stop> {
        if self.memory.terms.is_secret(registers.flags[INTERRUPTS]) {
            return refused("whether interrupts happen depends on a secret");
        }
        let flag = registers.flags[INTERRUPTS];
        if flag != self.start.registers.flags[INTERRUPTS] && self.memory.terms.as_constant(flag) != Some(0) {
            return refused("it may let interrupts happen where its caller does not");
        }
        let is_off = was_off || self.memory.terms.as_constant(registers.flags[INTERRUPTS]) == Some(0);
        match self.pointer(registers) {
            Some(at) => {
                self.memory.path.pointer = at;
                self.memory.path.cells.retain(|&cell, _| cell > at);
                Ok(())
            }
            None if is_off => Ok(()),
            None => Err(no_pointer()),
        }
    }

    /// The stack pointer by its distance from that at entry, if it is one on the stack.
    fn pointer(&mut self, registers: &Registers<ByteId>) -> Option<i128> {
        let (base, offset) = self.memory.place(registers.pointer).ok()?;
        offset.as_number().map(signed).filter(|at| base == STACK && (-STACK_BYTES..=0).contains(at))
    }

    /// Requires the output that was stored to be that of blocks up to this one: their number.
    fn completed(&mut self, done: &Linear) -> Result<usize, Stop> {
        let (first, is_inverse) = (self.memory.path.done.clone(), self.proof.contract.is_inverse);
        let count = self.memory.path.stored.len() / 16;
        let end = first.offset_checked(count as i128);
        let rest = end.and_then(|end| done.checked(&end, -1));
        let is_end = rest.is_some_and(|rest| {
            let opposite = Linear::default().checked(&rest, -1).unwrap_or(Linear::number(-1));
            self.memory.is_natural(&rest) && self.memory.is_natural(&opposite)
        });
        if !is_end || self.memory.path.stored.len() != 16 * count {
            return refused("the output of the path does not end where it should");
        }
        let mut chain = self.named(&first);
        for number in 0..count {
            let Some(block) = first.offset_checked(number as i128) else { return refused("too many blocks") };
            let terms = &mut self.memory.terms;
            let text: Block = core::array::from_fn(|k| terms.atom(Atom::Text(block.clone(), k as u8)));
            let mut apply = |block: &Block| {
                cipher(terms, is_inverse, self.proof.keys == Keys::Forward, &self.keys, block)
            };
            let out = match self.proof.contract.mode {
                Mode::Ecb => apply(&text),
                Mode::Cbc if is_inverse => {
                    let state = apply(&text);
                    sum(terms, &state, &chain)
                }
                Mode::Cbc => {
                    let state = sum(terms, &text, &chain);
                    cipher(terms, false, false, &self.keys, &state)
                }
                Mode::Ctr => {
                    let state = apply(&chain);
                    sum(terms, &state, &text)
                }
                Mode::Keys => return refused("key schedules have no rules on AVR"),
            };
            for (k, &byte) in out.iter().enumerate() {
                if self.memory.path.stored.get(&((16 * number + k) as i128)) != Some(&byte) {
                    return refused(format!(
                        "byte {k} of a block of output is not that of the specification"
                    ));
                }
            }
            chain = match self.proof.contract.mode {
                Mode::Ctr => self.counted(&chain)?,
                Mode::Cbc if is_inverse => text,
                _ => out,
            };
        }
        if self.proof.contract.mode != Mode::Ecb && self.memory.path.iv != chain {
            return refused("the IV's memory does not hold the next chain value");
        }
        Ok(count)
    }

    /// The next counter. Each byte that is not the last is one more if all behind it are zero, which the path decided.
    fn counted(&mut self, counter: &Block) -> Result<Block, Stop> {
        let (mut next, one, zero) = (*counter, self.memory.number(1), self.memory.number(0));
        for k in (0..16).rev() {
            next[k] = self.memory.terms.sum(counter[k], one, zero);
            let is_zero = self.memory.known(&Condition::Zero(next[k]));
            match is_zero {
                Some(false) => return Ok(next),
                None if k > 0 => return refused("a carry of the counter is not decided"),
                _ => {}
            }
        }
        Ok(next)
    }

    /// Checks a return: all output is stored, and all is kept that belongs to the caller.
    fn exit(&mut self, state: &State) -> Result<(), Stop> {
        let (own, old) = (&state.registers.general, &self.start.registers.general);
        // At entry r1 is zero.
        if !SAVED.iter().all(|&register| own[register] == old[register]) {
            return refused("a register is not that of the caller at the return, or r1 is not zero");
        }
        if state.registers.flags[INTERRUPTS] != self.start.registers.flags[INTERRUPTS] {
            return refused("interrupts are not as they were at the return");
        }
        let blocks = self.memory.blocks();
        self.completed(&blocks).map(|_| ())
    }

    /// The state that a head states: all else is unknown, and secret.
    ///
    /// # Errors
    /// If the statement cannot be evaluated.
    pub fn stated(&mut self, number: usize) -> Result<State, Stop> {
        let (head, names) = (&self.proof.heads[number], self.names(Some(number)));
        let mut state = self.start.clone();
        let terms = &mut self.memory.terms;
        state.registers.general = core::array::from_fn(|_| terms.unknown(true));
        let flags: [ByteId; INTERRUPTS] = core::array::from_fn(|_| terms.unknown_bit(true));
        state.registers.flags[..INTERRUPTS].copy_from_slice(&flags);
        state.path.iv = core::array::from_fn(|_| terms.unknown(true));
        state.at = head.at;
        for line in &head.lines {
            match line {
                Line::Fact(text) => state.path.facts.add(form(text, &names)?),
                Line::Done(text) => state.path.done = blocks(text, &names)?,
                Line::Pointer(at) => state.path.pointer = *at,
                Line::Register(register, text) => {
                    state.registers.general[usize::from(*register)] = self.byte(text, &names)?;
                }
                Line::Cell(at, text) => {
                    let value = self.byte(text, &names)?;
                    state.path.cells.insert(*at, value);
                }
                Line::Chain(text) => state.path.iv = self.named(&form(text, &names)?),
            }
        }
        let pointer = state.path.pointer;
        if !(-STACK_BYTES..=0).contains(&pointer)
            || state.path.cells.keys().any(|&at| at > 0 || at <= pointer)
        {
            return refused("it states bytes that are not on the stack");
        }
        self.set_pointer(&mut state.registers, pointer);
        Ok(state)
    }

    /// Compares a state with the statement of a head, for values of its variables. True if output was stored.
    fn arrive(
        &mut self,
        state: &State,
        number: usize,
        values: &'a [(String, String)],
        names: &BTreeMap<&'a str, Linear>,
    ) -> Result<bool, Stop> {
        let head: &'a Head = &self.proof.heads[number];
        let mut inner = self.names(None);
        for name in &head.variables {
            let Some((_, value)) = values.iter().find(|(other, _)| other == name) else {
                return refused(format!("a path to {} has no value for {name}", head.name));
            };
            let value = form(value, names)?;
            if !self.memory.is_natural(&value) {
                return refused(format!(
                    "a path to {} has a value for {name} that may be negative",
                    head.name
                ));
            }
            inner.insert(name.as_str(), value);
        }
        if values.len() != head.variables.len() {
            return refused(format!("a path to {} has values of other variables", head.name));
        }
        let differs = |what: &str| refused(format!("{what} is not as {} states", head.name));
        let (mut done, mut pointer) = (Linear::default(), 0);
        for line in &head.lines {
            match line {
                Line::Fact(text) => {
                    if !self.memory.is_natural(&form(text, &inner)?) {
                        return differs(&format!("the inequality {text} >= 0"));
                    }
                }
                Line::Done(text) => done = blocks(text, &inner)?,
                Line::Pointer(at) => pointer = *at,
                Line::Register(register, text) => {
                    if state.registers.general[usize::from(*register)] != self.byte(text, &inner)? {
                        return differs(&format!("r{register}"));
                    }
                }
                Line::Cell(at, text) => {
                    let value = self.byte(text, &inner)?;
                    if state.path.cells.get(at) != Some(&value) {
                        return differs(&format!("stack[{at}]"));
                    }
                }
                Line::Chain(_) => {}
            }
        }
        // The chain value that the memory of the IV holds is compared with that before the first block that is not done.
        for line in &head.lines {
            if let Line::Chain(text) = line
                && form(text, &inner)? != done
            {
                return differs("the block of the chain value");
            }
        }
        if state.registers.flags[INTERRUPTS] != self.start.registers.flags[INTERRUPTS] {
            return differs("the interrupt flag");
        }
        let mut expected = state.registers.clone();
        self.set_pointer(&mut expected, pointer);
        if expected.pointer != state.registers.pointer {
            return differs("the stack pointer");
        }
        Ok(self.completed(&done)? > 0)
    }

    /// The value of an expression for a byte.
    fn byte(&mut self, text: &str, names: &BTreeMap<&str, Linear>) -> Result<ByteId, Stop> {
        let halves = [("low(", 0), ("high(", 1)];
        for (prefix, half) in halves {
            if let Some(inner) = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')')) {
                return Ok(self.memory.terms.half(&form(inner, names)?, half));
            }
        }
        if let Some(register) = text.strip_prefix("old.").and_then(register) {
            return Ok(self.start.registers.general[usize::from(register)]);
        }
        match number(text).and_then(|number| u8::try_from(number).ok()) {
            Some(number) => Ok(self.memory.terms.constant(number)),
            None => refused(format!("an expression of the proof is not understood: {text}")),
        }
    }
}

/// The value of an expression for an integer: terms `N`, `ATOM` or `N*ATOM` with signs.
fn form(text: &str, names: &BTreeMap<&str, Linear>) -> Result<Linear, Stop> {
    let wrong = || Stop::Refused(format!("an expression of the proof is not understood: {text}"));
    let mut sum = Linear::default();
    for part in text.replace('-', "+-").split('+').map(str::trim).filter(|part| !part.is_empty()) {
        let (sign, part) = part.strip_prefix('-').map_or((1, part), |rest| (-1, rest.trim()));
        let (factor, name) = part.split_once('*').unwrap_or(("1", part));
        let term = match (number(factor), number(name), names.get(name)) {
            (Some(factor), Some(number), _) => (factor, Linear::number(number)),
            (Some(factor), None, Some(form)) => (factor, form.clone()),
            _ => return Err(wrong()),
        };
        sum = sum.checked(&term.1, sign * term.0).ok_or_else(wrong)?;
    }
    Ok(sum)
}

/// The number of blocks that an expression for a number of bytes is.
fn blocks(text: &str, names: &BTreeMap<&str, Linear>) -> Result<Linear, Stop> {
    form(text, names)?.divided(16).ok_or_else(|| Stop::Refused("half a block is done".into()))
}
