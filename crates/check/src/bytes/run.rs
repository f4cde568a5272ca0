//! The check of such proofs: every path from the entry, and from each head, ends as the proof says.

use crate::bytes::claim::{Block, Keys, cipher, inverted, round_keys, slices, sum, unshifted};
use crate::bytes::memory::{BLOCKS, INPUT, IV, KEY, Memory, OUTPUT, Path, STACK, Stop, refused};
use crate::bytes::terms::{Atom, ByteId, Condition, TABLES, Terms, VARIABLES, WORDS};
use crate::bytes::{Head, Line, Link, Proof, register};
use crate::certificate::{Edge, hex, number, offset};
use crate::check::Accepted;
use crate::linear::{AtomId, Facts, Linear};
use crate::rows::{Instruction, Rows};
use crate::spec::Mode;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Debug;

/// The most instructions that are executed.
const MOST_STEPS: usize = 1 << 20;
/// The most brackets in each other of an expression.
const DEEPEST: usize = 64;
/// The most conditions on a path, and the most tables.
const MOST_CONDITIONS: usize = 1000;
const MOST_TABLES: usize = 64;

/// A kind of processor: its registers and the execution of one instruction.
pub trait Machine: Copy {
    /// The registers, and flags.
    type Registers: Clone + Debug;
    /// Bytes of a register, and of a statement about the stack.
    const UNIT: usize;
    /// Bytes of an address.
    const WIDTH: u8;
    /// The most bytes of stack.
    const STACK_BYTES: i128;
    /// The lowest byte in use on the stack, by its distance from the stack pointer.
    const FREE: i128;

    /// The number of registers that statements name.
    fn registers(self) -> u8;
    /// The stack pointer is moved by multiples of this number.
    fn stack_step(self) -> i128;
    /// Instructions are at multiples of this number.
    fn code_step(self) -> usize;
    /// True if words have their highest byte first in memory.
    fn is_big(self) -> bool {
        false
    }
    /// Bytes of arguments on the stack at entry, from the lowest byte that is in use.
    fn above(self, _: &mut Terms, _: &[AtomId]) -> Vec<ByteId> {
        Vec::new()
    }
    /// The rows of instructions.
    ///
    /// # Errors
    /// The line that is wrong.
    fn rows(self) -> Result<Rows, String>;
    /// The registers at entry, with these words as arguments.
    fn entry(self, terms: &mut Terms, arguments: &[AtomId]) -> Self::Registers;
    /// The registers at a head of which nothing is stated.
    fn unknown(self, terms: &mut Terms, start: &Self::Registers) -> Self::Registers;
    /// The bytes of a general register.
    fn general(self, registers: &mut Self::Registers, number: usize) -> &mut [ByteId];
    /// The bytes of the stack pointer.
    fn pointer(self, registers: &mut Self::Registers) -> &mut [ByteId];
    /// Requires what is as at entry at each head.
    ///
    /// # Errors
    /// The difference, if a state does not keep it.
    fn kept(self, own: &Self::Registers, old: &Self::Registers) -> Result<(), &'static str>;
    /// Requires what belongs to the caller to be as at entry.
    ///
    /// # Errors
    /// If it is not.
    fn returned(self, own: &Self::Registers, old: &Self::Registers) -> Result<(), Stop>;
    /// Executes an instruction: the offset of the next one, or none behind a return to the caller.
    ///
    /// # Errors
    /// If it is refused, or the path has to be split.
    fn step(
        run: &mut Run<'_, Self>,
        registers: &mut Self::Registers,
        at: usize,
    ) -> Result<Option<usize>, Stop>;
}

/// A state of execution.
#[derive(Clone, Debug)]
pub struct State<R> {
    /// The registers.
    pub registers: R,
    /// All other knowledge.
    pub path: Path,
    /// The offset of the next instruction.
    pub at: usize,
}

/// An execution of all paths.
#[derive(Debug)]
pub struct Run<'a, M: Machine> {
    /// The kind of processor.
    pub machine: M,
    /// The proof.
    pub proof: &'a Proof,
    /// The rows.
    pub rows: Rows,
    /// The domain.
    pub memory: Memory<'a>,
    start: State<M::Registers>,
    keys: Vec<Block>,
    steps: usize,
    /// True if a number of instructions is too many; finders give up earlier.
    pub gives_up: fn(usize) -> bool,
    place: String,
}

impl<'a, M: Machine> Run<'a, M> {
    /// A run at its beginning.
    ///
    /// # Errors
    /// If the proof says what no contract can be.
    pub fn new(machine: M, proof: &'a Proof) -> Result<Run<'a, M>, String> {
        let rows = machine.rows()?;
        let (mode, is_inverse) = (proof.contract.mode, proof.contract.is_inverse);
        let is_wrong = match proof.keys {
            Keys::Round | Keys::Sliced | Keys::Expanded => false,
            Keys::Forward => !is_inverse,
            Keys::Cipher | Keys::Unshifted => is_inverse,
        };
        if is_wrong {
            return Err("its keys are of the other direction".into());
        }
        if proof.tables.len() > MOST_TABLES {
            return Err("it has too many tables".into());
        }
        let mut terms = Terms::new(M::WIDTH);
        let known = match proof.keys {
            Keys::Expanded => Keys::Cipher,
            Keys::Sliced | Keys::Unshifted => Keys::Round,
            keys => keys,
        };
        let key = (0..known.bytes(&proof.contract)).map(|k| terms.atom(Atom::Key(k as u8)));
        let mut key: Vec<ByteId> = key.collect();
        let mut keys = round_keys(&mut terms, known, proof.contract.rounds, &key);
        if proof.keys == Keys::Expanded && is_inverse {
            keys = inverted(&mut terms, &keys);
        }
        match proof.keys {
            Keys::Expanded => key = keys.concat(),
            Keys::Sliced => key = keys.iter().flat_map(|key| slices(&mut terms, key)).collect(),
            Keys::Unshifted => {
                let all: Vec<Block> =
                    (0..).zip(&keys).map(|(n, key)| unshifted(&mut terms, key, n)).collect();
                key = all.iter().flat_map(|key| slices(&mut terms, key)).collect();
            }
            _ => {}
        }
        if proof.keys.are_slices() {
            terms.with_functions(is_inverse);
            if machine.is_big() {
                key.chunks_exact_mut(M::UNIT).for_each(<[ByteId]>::reverse);
            }
        }
        let arguments =
            if mode == Mode::Ecb { &[KEY, INPUT, OUTPUT][..] } else { &[KEY, IV, INPUT, OUTPUT, BLOCKS] };
        let registers = machine.entry(&mut terms, arguments);
        let cells: BTreeMap<i128, ByteId> = (M::FREE..).zip(machine.above(&mut terms, arguments)).collect();
        let free = M::FREE + cells.len() as i128;
        let path = Path {
            facts: Facts::default(),
            decided: Vec::new(),
            cells,
            pointer: 0,
            iv: [0; 16],
            done: Linear::default(),
            stored: BTreeMap::new(),
        };
        let start = State { registers, path: path.clone(), at: proof.first };
        let lowest = M::FREE - M::STACK_BYTES;
        let memory = Memory { proof, terms, path, key, free, lowest, reach: None };
        let mut run = Run {
            machine,
            proof,
            rows,
            memory,
            start,
            keys,
            steps: 0,
            gives_up: |steps| steps > MOST_STEPS,
            place: "the entry".into(),
        };
        run.start.path.iv = run.named(&Linear::default());
        Ok(run)
    }

    /// The state at the entry.
    pub fn start(&self) -> &State<M::Registers> {
        &self.start
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

    /// Checks the proof.
    ///
    /// # Errors
    /// The reason why it is refused.
    pub fn checked(mut self) -> Result<Accepted, String> {
        self.check().map_err(|stop| match stop {
            Stop::Refused(reason) => format!("{}: {reason}", self.place),
            Stop::Split(_) => format!("{}: a condition is not decided", self.place),
        })
    }

    fn check(&mut self) -> Result<Accepted, Stop> {
        let proof = self.proof;
        let entry = self.start.clone();
        let mut paths = self.source(entry, &proof.entry, None)?;
        for (number, head) in proof.heads.iter().enumerate() {
            self.place = format!("head {}", head.name);
            let state = self.stated(number)?;
            paths += self.source(state, &head.edges, Some(number))?;
        }
        Ok(Accepted { heads: proof.heads.len(), paths, steps: self.steps })
    }

    /// Follows all paths from a state, and compares their ends with the proof: their number.
    fn source(
        &mut self,
        state: State<M::Registers>,
        edges: &'a [Edge],
        from: Option<usize>,
    ) -> Result<usize, Stop> {
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
        let tables = proof.tables.iter().zip(TABLES..).map(|(table, id)| (table.name.as_str(), id));
        let words = WORDS.iter().zip(0..).map(|(&name, id)| (name, id));
        let mut all: BTreeMap<&str, Linear> =
            tables.chain(words).map(|(name, id)| (name, Linear::atom(id))).collect();
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
    pub fn follow(
        &mut self,
        mut state: State<M::Registers>,
        waiting: &mut Vec<State<M::Registers>>,
    ) -> Result<(State<M::Registers>, bool), Stop> {
        let mut is_first = true;
        self.foresee(&state.path)?;
        loop {
            self.place = format!("0x{:x}", state.at);
            if !is_first && self.proof.heads.iter().any(|head| head.at == state.at) {
                return Ok((state, false));
            }
            self.steps += 1;
            if (self.gives_up)(self.steps) {
                return refused("it executes too many instructions, or a loop has no head");
            }
            core::mem::swap(&mut self.memory.path, &mut state.path);
            let result = M::step(self, &mut state.registers, state.at);
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
                    self.foresee(&state.path)?;
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

    /// The instruction at an offset.
    ///
    /// # Errors
    /// If there is none.
    pub fn decode(&self, at: usize) -> Result<Instruction, Stop> {
        let found =
            if at.is_multiple_of(self.machine.code_step()) { self.proof.code.get(at..) } else { None };
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

    /// Sets the stack pointer, by its distance from that at entry.
    pub fn set_pointer(&mut self, registers: &mut M::Registers, at: i128) {
        let word = Linear { constant: at, terms: [(STACK, 1)].into() };
        for (half, byte) in (0..).zip(self.machine.pointer(registers)) {
            *byte = self.memory.terms.half(&word, half);
        }
    }

    /// A distance of the stack pointer from that at entry, if it is allowed.
    pub fn as_pointer<const N: usize>(&mut self, address: [ByteId; N]) -> Option<i128> {
        let (base, offset) = self.memory.place(address).ok()?;
        offset.as_number().map(|at| self.memory.signed(at)).filter(|&at| base == STACK && self.is_pointer(at))
    }

    fn is_pointer(&self, at: i128) -> bool {
        (-M::STACK_BYTES..=0).contains(&at) && at % self.machine.stack_step() == 0
    }

    /// A unit of memory as a register, or the other way round: the lowest byte first in registers.
    pub fn turned(&self, mut unit: Vec<ByteId>) -> Vec<ByteId> {
        if self.machine.is_big() {
            unit.reverse();
        }
        unit
    }

    /// Moves the stack pointer: what is below it is lost.
    pub fn follow_pointer(&mut self, at: i128) {
        self.memory.path.pointer = at;
        self.memory.path.cells.retain(|&cell, _| cell >= at + M::FREE);
    }

    /// Requires the output that was stored to be that of blocks up to this one: their number, and the chain value behind them.
    ///
    /// # Errors
    /// If it is not.
    pub fn completed(&mut self, done: &Linear) -> Result<(usize, Block), Stop> {
        let first = self.memory.path.done.clone();
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
            let out;
            (out, chain) = self.specified(&block, &chain)?;
            for (k, &byte) in out.iter().enumerate() {
                if self.memory.path.stored.get(&((16 * number + k) as i128)) != Some(&byte) {
                    return refused(format!(
                        "byte {k} of a block of output is not that of the specification"
                    ));
                }
            }
        }
        Ok((count, chain))
    }

    /// The output of a block, and the chain value behind it.
    fn specified(&mut self, block: &Linear, chain: &Block) -> Result<(Block, Block), Stop> {
        let (terms, is_inverse) = (&mut self.memory.terms, self.proof.contract.is_inverse);
        let text: Block = core::array::from_fn(|k| terms.atom(Atom::Text(block.clone(), k as u8)));
        let mut apply =
            |block: &Block| cipher(terms, is_inverse, self.proof.keys == Keys::Forward, &self.keys, block);
        Ok(match self.proof.contract.mode {
            Mode::Ecb => {
                let out = apply(&text);
                (out, out)
            }
            Mode::Cbc if is_inverse => {
                let state = apply(&text);
                (sum(terms, &state, chain), text)
            }
            Mode::Cbc => {
                let state = sum(terms, &text, chain);
                let out = cipher(terms, false, false, &self.keys, &state);
                (out, out)
            }
            Mode::Ctr => {
                let state = apply(chain);
                (sum(terms, &state, &text), self.counted(chain))
            }
            _ => return refused("the mode has no rules here"),
        })
    }

    /// Makes the terms of the next blocks, so that bits of them are known where there are bit slices.
    fn foresee(&mut self, path: &Path) -> Result<(), Stop> {
        self.memory.path = path.clone();
        let (mut block, mut chain) = (path.done.clone(), self.named(&path.done));
        for _ in 0..if self.proof.keys.are_slices() { 2 } else { 0 } {
            (_, chain) = self.specified(&block, &chain)?;
            block = block.offset_checked(1).unwrap_or_default();
        }
        Ok(())
    }

    /// Requires the memory of the IV to hold a chain value, or its first bytes.
    fn holds(&mut self, chain: &[ByteId]) -> Result<(), Stop> {
        let own = self.memory.path.iv;
        if self.are_equal(&own[..chain.len()], chain) {
            return Ok(());
        }
        refused("the IV's memory does not hold the next chain value")
    }

    /// The next counter. A byte is one more if all behind it became zero, which the path may have decided.
    fn counted(&mut self, counter: &Block) -> Block {
        let [one, zero] = [1, 0].map(|number| self.memory.terms.constant(number));
        let (mut next, mut carry) = (*counter, one);
        for k in (0..16).rev() {
            next[k] = self.memory.terms.sum(counter[k], carry, zero);
            carry = self.memory.terms.carry(counter[k], carry, zero, 8);
            let known = match self.memory.terms.as_atom(carry) {
                Some(Atom::Is(condition)) => self.memory.known(condition),
                _ => None,
            };
            match known {
                Some(false) => break,
                Some(true) => carry = one,
                None => {}
            }
        }
        next
    }

    /// A byte by what the path has decided: bytes in it are zero, or bits are known.
    fn settled(&mut self, byte: ByteId) -> ByteId {
        let mut settled = byte;
        for (number, columns) in self.memory.terms.get(byte).parts.clone() {
            let atom = self.memory.terms.get_atom(number).clone();
            let own = self.memory.terms.atom(atom.clone());
            let value = match &atom {
                Atom::Is(condition) => self.memory.known(condition),
                _ => self.memory.known(&Condition::Zero(own)).filter(|&is_zero| is_zero).map(|_| false),
            };
            if let Some(value) = value {
                let terms = &mut self.memory.terms;
                let known = terms.constant(value.into());
                let difference = terms.xor(own, known);
                let difference = terms.mapped(difference, columns);
                settled = terms.xor(settled, difference);
            }
        }
        settled
    }

    /// True if bytes are equal by what the path has decided.
    pub fn are_equal(&mut self, a: &[ByteId], b: &[ByteId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| a == b || self.settled(a) == self.settled(b))
    }

    /// Checks a return: all output is stored, and all is kept that belongs to the caller.
    fn exit(&mut self, state: &State<M::Registers>) -> Result<(), Stop> {
        self.machine.returned(&state.registers, &self.start.registers)?;
        let blocks = self.memory.blocks();
        let (_, chain) = self.completed(&blocks)?;
        if self.proof.contract.mode == Mode::Ecb { Ok(()) } else { self.holds(&chain) }
    }

    /// The state that a head states: all else is unknown, and secret.
    ///
    /// # Errors
    /// If the statement cannot be evaluated.
    pub fn stated(&mut self, number: usize) -> Result<State<M::Registers>, Stop> {
        let (head, names) = (&self.proof.heads[number], self.names(Some(number)));
        let mut state = self.start.clone();
        let (machine, terms) = (self.machine, &mut self.memory.terms);
        state.registers = machine.unknown(terms, &state.registers);
        state.path.iv = core::array::from_fn(|_| terms.unknown(true));
        state.path.cells.clear();
        state.at = head.at;
        for line in &head.lines {
            if let Line::Done(text) = line {
                state.path.done = blocks(text, &names)?;
            }
        }
        let chain = self.named(&state.path.done);
        for line in &head.lines {
            match line {
                Line::Done(_) => {}
                Line::Fact(text) => state.path.facts.add(form(text, &names)?),
                Line::Pointer(at) => state.path.pointer = *at,
                Line::Register(register, text) => {
                    let value = self.value(text, &names, &chain)?;
                    machine.general(&mut state.registers, (*register).into()).copy_from_slice(&value);
                }
                Line::Cell(at, text) => {
                    let value = self.value(text, &names, &chain)?;
                    state.path.cells.extend((*at..).zip(self.turned(value)));
                }
                Line::Chain(count, text) => {
                    let chain = self.named(&form(text, &names)?);
                    state.path.iv[..*count].copy_from_slice(&chain[..*count]);
                }
            }
        }
        let pointer = state.path.pointer;
        if !self.is_pointer(pointer)
            || state.path.cells.keys().any(|&at| at >= self.memory.free || at < pointer + M::FREE)
        {
            return refused("it states bytes that are not on the stack");
        }
        self.set_pointer(&mut state.registers, pointer);
        Ok(state)
    }

    /// Compares a state with the statement of a head, for values of its variables. True if output was stored.
    fn arrive(
        &mut self,
        state: &State<M::Registers>,
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
        let (mut done, mut pointer, mut registers) = (Linear::default(), 0, state.registers.clone());
        for line in &head.lines {
            match line {
                Line::Done(text) => done = blocks(text, &inner)?,
                Line::Pointer(at) => pointer = *at,
                Line::Fact(text) if !self.memory.is_natural(&form(text, &inner)?) => {
                    return differs(&format!("the inequality {text} >= 0"));
                }
                _ => {}
            }
        }
        let chains = head.lines.iter().filter_map(|line| match line {
            Line::Chain(count, text) => Some((*count, text)),
            _ => None,
        });
        // The chain value that the memory of the IV holds is compared with that before the first block that is not done.
        if !chains.clone().all(|(_, text)| form(text, &inner).is_ok_and(|form| form == done)) {
            return differs("the block of the chain value");
        }
        let (count, chain) = self.completed(&done)?;
        if let Some(count) = chains.map(|(count, _)| count).max() {
            self.holds(&chain[..count])?;
        }
        for line in &head.lines {
            match line {
                Line::Done(_) | Line::Pointer(_) | Line::Fact(_) | Line::Chain(..) => {}
                Line::Register(register, text) => {
                    let own = self.machine.general(&mut registers, (*register).into());
                    if !self.has_value(own, text, &inner, &chain)? {
                        return differs(&format!("r{register}"));
                    }
                }
                Line::Cell(at, text) => {
                    let own =
                        (*at..*at + M::UNIT as i128).filter_map(|at| state.path.cells.get(&at).copied());
                    let own = self.turned(own.collect());
                    if !self.has_value(&own, text, &inner, &chain)? {
                        return differs(&format!("stack[{at}]"));
                    }
                }
            }
        }
        if let Err(what) = self.machine.kept(&state.registers, &self.start.registers) {
            return differs(what);
        }
        let mut expected = state.registers.clone();
        self.set_pointer(&mut expected, pointer);
        if self.machine.pointer(&mut expected) != self.machine.pointer(&mut registers) {
            return differs("the stack pointer");
        }
        Ok(count > 0)
    }

    /// The sum of bytes of the key and of the chain value, of numbers, and of S-boxes and linear maps of such sums, at the
    /// beginning of a text.
    fn sum_of(&mut self, text: &mut &str, chain: &Block, depth: usize) -> Option<ByteId> {
        let mut all = self.memory.terms.constant(0);
        loop {
            let part = if text.starts_with(|c: char| c.is_ascii_digit()) {
                let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
                let value = u8::try_from(number(&text[..end])?).ok()?;
                *text = &text[end..];
                self.memory.terms.constant(value)
            } else {
                match text.split(['(', '[']).next()? {
                    name @ ("key" | "chain") => {
                        *text = text.get(name.len() + 1..)?;
                        let place = offset(taken(text, ']')?)?;
                        *if name == "key" { &self.memory.key[..] } else { &chain[..] }.get(place)?
                    }
                    name @ ("box" | "inverse" | "map") => {
                        *text = text.get(name.len() + 1..)?;
                        let digits = if name == "map" { hex(taken(text, ' ')?)? } else { Vec::new() };
                        let inner = self.sum_of(text, chain, depth.checked_sub(1)?)?;
                        *text = text.strip_prefix(')')?;
                        match name {
                            "map" => self.memory.terms.mapped(inner, digits.try_into().ok()?),
                            _ => self.memory.terms.sbox(name == "inverse", inner),
                        }
                    }
                    _ => return None,
                }
            };
            all = self.memory.terms.xor(all, part);
            let Some(rest) = text.strip_prefix(" ^ ") else { return Some(all) };
            *text = rest;
        }
    }

    /// True if bytes have the value of an expression, or one of its values.
    fn has_value(
        &mut self,
        own: &[ByteId],
        text: &str,
        names: &BTreeMap<&str, Linear>,
        chain: &Block,
    ) -> Result<bool, Stop> {
        if let Some((rest, mask)) = any_index(text).filter(|_| M::UNIT > 1) {
            let form = form(rest, names)?;
            return Ok(self.memory.terms.is_within(own, &form, mask));
        }
        let value = self.value(text, names, chain)?;
        Ok(self.are_equal(own, &value))
    }

    /// The value of an expression for a byte, or a word, where a chain value is that before the first block that is not done.
    ///
    /// # Errors
    /// If it is none.
    pub fn value(
        &mut self,
        text: &str,
        names: &BTreeMap<&str, Linear>,
        chain: &Block,
    ) -> Result<Vec<ByteId>, Stop> {
        let wrong = || Stop::Refused(format!("an expression of the proof is not understood: {text}"));
        let count = self.machine.registers();
        if let Some(register) = text.strip_prefix("old.").and_then(|name| register(name, count)) {
            return Ok(self.machine.general(&mut self.start.registers, register.into()).to_vec());
        }
        for (prefix, memory) in [("key.", &self.memory.key[..]), ("chain.", chain)] {
            if let Some(place) = text.strip_prefix(prefix) {
                let unit = offset(place).and_then(|place| memory.chunks_exact(M::UNIT).nth(place));
                return unit.map(|unit| self.turned(unit.to_vec())).ok_or_else(wrong);
            }
        }
        if let Some(inner) = text.strip_prefix("word(").and_then(|rest| rest.strip_suffix(')')) {
            let mut rest = inner;
            let mut all = Vec::from([self.sum_of(&mut rest, chain, DEEPEST).ok_or_else(wrong)?]);
            while let Some(more) = rest.strip_prefix("; ") {
                rest = more;
                all.push(self.sum_of(&mut rest, chain, DEEPEST).ok_or_else(wrong)?);
            }
            return if rest.is_empty() && all.len() == M::UNIT { Ok(all) } else { Err(wrong()) };
        }
        if M::UNIT > 1 {
            if let Some((rest, mask)) = any_index(text) {
                let form = form(rest, names)?;
                return Ok(self.memory.terms.within(&form, mask).to_vec());
            }
            let form = form(text, names)?;
            return Ok((0..M::WIDTH).map(|k| self.memory.terms.half(&form, k)).collect());
        }
        for (prefix, half) in [("low(", 0), ("high(", 1)] {
            if let Some(inner) = text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')')) {
                return Ok([self.memory.terms.half(&form(inner, names)?, half)].into());
            }
        }
        let number = number(text).and_then(|number| u8::try_from(number).ok()).ok_or_else(wrong)?;
        Ok([self.memory.terms.constant(number)].into())
    }
}

/// The form and the mask of an expression for a form plus any word of these bits.
pub fn any_index(text: &str) -> Option<(&str, u32)> {
    let (form, mask) = text.strip_suffix(')')?.split_once(" + any(")?;
    Some((form, u32::try_from(number(mask)?).ok()?))
}

/// The text before and behind a symbol.
fn taken<'t>(text: &mut &'t str, symbol: char) -> Option<&'t str> {
    let (before, behind) = text.split_once(symbol)?;
    *text = behind;
    Some(before)
}

/// The value of an expression for an integer.
fn form(text: &str, names: &BTreeMap<&str, Linear>) -> Result<Linear, Stop> {
    let form = form_of(text, &mut |name| names.get(name).cloned());
    form.ok_or_else(|| Stop::Refused(format!("an expression of the proof is not understood: {text}")))
}

/// The value of an expression for an integer: terms `N`, `ATOM` or `N*ATOM` with signs.
pub(crate) fn form_of(text: &str, atom: &mut dyn FnMut(&str) -> Option<Linear>) -> Option<Linear> {
    let mut sum = Linear::default();
    for part in text.replace('-', "+-").split('+').map(str::trim).filter(|part| !part.is_empty()) {
        let (sign, part) = part.strip_prefix('-').map_or((1, part), |rest| (-1, rest.trim()));
        let (factor, name) = part.split_once('*').unwrap_or(("1", part));
        let (factor, term) = (number(factor)?, number(name).map(Linear::number).or_else(|| atom(name))?);
        sum = sum.checked(&term, sign * factor)?;
    }
    Some(sum)
}

/// The number of blocks that an expression for a number of bytes is.
fn blocks(text: &str, names: &BTreeMap<&str, Linear>) -> Result<Linear, Stop> {
    form(text, names)?.divided(16).ok_or_else(|| Stop::Refused("half a block is done".into()))
}
