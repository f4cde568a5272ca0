//! The check: every path from the entry, and from each head, ends as the certificate says.
//!
//! Soundness is by induction over the heads that an execution passes: the entry's paths establish the statements where
//! they end, each path from a head establishes the next one, and the paths that return have written the output. Each
//! circle of heads contains a path that stores output, so that each execution ends.

use crate::bits::{Bits, Mark};
use crate::certificate::{Certificate, Edge, Evaluator, Head, Known, Line};
use crate::claim;
use crate::contract::{SAVED, STACK};
use crate::counters::Table;
use crate::decode::{Instruction, Op, Operand, decode};
use crate::execute::{Domain, Flags, Flow, Registers, reads_flags, step};
use crate::linear::Linear;
use crate::spec::Mode;
use crate::symbolic::{Bit, Path, Place, Stop, Symbolic, Text, WORDS, refused};
use crate::terms::{Atom, STREAM, Terms};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A verdict: the certificate's claim is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Statements.
    pub heads: usize,
    /// Paths.
    pub paths: usize,
    /// Executed instructions.
    pub steps: usize,
}

/// The most instructions that are executed.
const MOST_STEPS: usize = 1 << 20;

/// A state of execution.
#[derive(Clone, Debug)]
pub struct State<'a> {
    /// The registers.
    pub registers: Registers<Symbolic<'a>>,
    /// All other knowledge.
    pub path: Path,
    /// The offset of the next instruction.
    pub at: usize,
}

/// The end of a path: at a head's place, or behind a return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The offset of a head.
    Place(usize),
    /// The caller.
    Return,
}

/// The instructions that a call may execute, by their offsets in the code.
pub type Executed = BTreeMap<usize, Instruction>;

/// Checks a certificate.
///
/// # Errors
/// The reason why it is refused.
pub fn check(certificate: &Certificate) -> Result<Accepted, String> {
    check_code(certificate).map(|(accepted, _)| accepted)
}

/// Checks a certificate, and gives all instructions that a call may execute.
///
/// # Errors
/// The reason why it is refused.
pub fn check_code(certificate: &Certificate) -> Result<(Accepted, Executed), String> {
    let mut run = Run::new(certificate);
    match run.check() {
        Ok(accepted) => Ok((accepted, run.instructions)),
        Err(Stop::Refused(reason)) => Err(format!("{}: {reason}", run.place)),
        Err(Stop::Split(_)) => Err(format!("{}: a condition is not decided", run.place)),
    }
}

/// Words of the stack from a place on.
fn words_from((region, at): Place, count: i128) -> impl Iterator<Item = Place> {
    (0..count).map(move |number| (region, at.saturating_add(8 * number)))
}

/// An execution of all paths.
#[derive(Debug)]
pub struct Run<'a> {
    certificate: &'a Certificate,
    /// The domain.
    pub symbolic: Symbolic<'a>,
    start: Registers<Symbolic<'a>>,
    /// Values of expressions that are the same everywhere.
    known: Known<'a>,
    instructions: Executed,
    steps: usize,
    place: String,
}

impl<'a> Run<'a> {
    /// A run at its beginning.
    pub fn new(certificate: &'a Certificate) -> Run<'a> {
        let constants = certificate.constants..certificate.code.len();
        let (contract, code) = (certificate.contract, &certificate.code[..]);
        let terms = match &certificate.bits {
            Some(plan) => Terms::of_bits(Bits::new(contract.has_inverse_boxes(), plan.bases.clone())),
            None => Terms::default(),
        };
        let (mut symbolic, start) = Symbolic::entry(terms, contract, code, constants);
        (symbolic.splits, symbolic.frame) = (certificate.splits, certificate.frame);
        symbolic.expanded = certificate.expanded;
        Run {
            certificate,
            symbolic,
            start,
            known: Known::new(),
            instructions: Executed::new(),
            steps: 0,
            place: "the certificate".into(),
        }
    }

    /// The place that was executed last, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The state at the entry.
    pub fn entry(&self) -> State<'a> {
        State { registers: self.start.clone(), path: self.symbolic.path.clone(), at: 0 }
    }

    fn check(&mut self) -> Result<Accepted, Stop> {
        let certificate = self.certificate;
        let mode = certificate.contract.mode;
        let mut splits = certificate.heads.iter().map(|head| head.splits).chain([certificate.splits]);
        if mode.is_gcm() || mode == Mode::Xts {
            if certificate.bits.is_some() {
                return refused("terms of bits have no products");
            }
            // The powers of the hash key stand where a counter table would.
            if splits.any(|splits| splits == 1) {
                return refused("the mode has no counter table that a round is split for");
            }
        }
        if certificate.frame.is_some_and(|(_, alignment)| alignment.count_ones() != 1) {
            return refused("the alignment of the frame is no power of two");
        }
        let mut paths = 0;
        // For each head, the heads that are reached without storing output.
        let mut idle: Vec<(usize, usize)> = Vec::new();
        let entry = self.entry();
        self.source(entry, &certificate.entry, None, &mut idle, &mut paths)?;
        for (number, head) in certificate.heads.iter().enumerate() {
            self.place = format!("head {}", head.name);
            let state = self.stated(head)?;
            self.source(state, &head.edges, Some(number), &mut idle, &mut paths)?;
        }
        // Remove heads without such successors until none is left.
        let mut left: BTreeSet<usize> = (0..certificate.heads.len()).collect();
        while let Some(&end) =
            left.iter().find(|&&head| idle.iter().all(|edge| edge.0 != head || !left.contains(&edge.1)))
        {
            left.remove(&end);
        }
        if let Some(&head) = left.first() {
            self.place = format!("head {}", certificate.heads[head].name);
            return refused("a loop may go on without storing output");
        }
        Ok(Accepted { heads: certificate.heads.len(), paths, steps: self.steps })
    }

    /// Follows all paths from a state, and compares their ends with the certificate.
    fn source(
        &mut self,
        state: State<'a>,
        edges: &'a [Edge],
        from: Option<usize>,
        idle: &mut Vec<(usize, usize)>,
        paths: &mut usize,
    ) -> Result<(), Stop> {
        let heads: BTreeSet<usize> = self.certificate.heads.iter().map(|head| head.at).collect();
        let variables = from.map_or(&[][..], |head| &self.certificate.heads[head].variables);
        let names = self.names(from, variables);
        let mut waiting = Vec::from([state]);
        let mut edges = edges.iter();
        while let Some(state) = waiting.pop() {
            let (state, end) = self.follow(state, &heads, &mut waiting)?;
            *paths += 1;
            let Some(edge) = edges.next() else { return refused("it has more paths than are listed") };
            match (end, edge) {
                (End::Return, Edge::Exit(blocks)) => self.exit(&state, blocks, &names)?,
                (End::Place(at), Edge::Head(name, values)) => {
                    let all = &self.certificate.heads;
                    let Some(to) = all.iter().position(|head| head.at == at && head.name == *name) else {
                        return refused(format!("a path ends at 0x{at:x}, not at {name}"));
                    };
                    let progress = self.arrive(state, &all[to], values, &names)?;
                    if let (Some(from), false) = (from, progress) {
                        idle.push((from, to));
                    }
                }
                _ => return refused("a path ends elsewhere than is listed"),
            }
        }
        if edges.next().is_some() { refused("it has fewer paths than are listed") } else { Ok(()) }
    }

    /// The variables of a head as atoms.
    fn names(&mut self, head: Option<usize>, names: &'a [String]) -> BTreeMap<&'a str, Linear> {
        // No head has as many variables.
        let first = head.map_or(0, |head| (head as u32) << 16);
        let atom = |number: usize| Atom::Variable(first + number as u32);
        let numbered = names.iter().enumerate();
        numbered.map(|(number, name)| (name.as_str(), self.symbolic.terms.word(atom(number)))).collect()
    }

    /// Executes from a state until the path ends. Other paths, where it splits, are left for later.
    ///
    /// # Errors
    /// If an instruction is refused.
    pub fn follow(
        &mut self,
        mut state: State<'a>,
        heads: &BTreeSet<usize>,
        waiting: &mut Vec<State<'a>>,
    ) -> Result<(State<'a>, End), Stop> {
        let mut is_first = true;
        loop {
            self.place = format!("0x{:x}", state.at);
            if !is_first && heads.contains(&state.at) {
                let end = End::Place(state.at);
                return Ok((state, end));
            }
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return refused("it executes too many instructions, or a loop has no head");
            }
            let instruction = self.instruction(state.at)?;
            let next = state.at + instruction.length;
            // Only these ask for conditions, before they change anything, and may have to be executed again on two paths.
            let before = self.may_split(&instruction).then(|| state.registers.clone());
            core::mem::swap(&mut self.symbolic.path, &mut state.path);
            let flow = step(&mut self.symbolic, &mut state.registers, &instruction, next as u64);
            core::mem::swap(&mut self.symbolic.path, &mut state.path);
            let target = match flow {
                Ok(Flow::Next) => {
                    if let Some(mark) =
                        self.certificate.bits.as_ref().and_then(|plan| plan.marks.get(&state.at))
                    {
                        self.mark(&mut state.registers, &instruction, mark)?;
                    }
                    Some(next)
                }
                Ok(Flow::Jump(distance)) => i64::try_from(next)
                    .ok()
                    .and_then(|next| next.checked_add(distance))
                    .and_then(|target| usize::try_from(target).ok()),
                Ok(Flow::Return) => return Ok((state, End::Return)),
                Err(Stop::Split(bit)) => {
                    let Some(registers) = before else { return refused("a condition is not decided") };
                    state.registers = registers;
                    let mut other = state.clone();
                    self.assume(&mut state, &bit, true);
                    self.assume(&mut other, &bit, false);
                    waiting.push(other);
                    // The same instruction again, even at a head's place.
                    is_first = true;
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            state.at = match target {
                Some(target) => target,
                None => return refused("it jumps out of its code"),
            };
            is_first = false;
        }
    }

    /// True if an instruction may ask for a condition: in GCM the number of blocks that are left may be one.
    fn may_split(&self, instruction: &Instruction) -> bool {
        let is_load = |operand: &Operand| matches!(operand, Operand::Memory(_));
        reads_flags(instruction.op)
            || self.symbolic.contract.mode.is_gcm()
                && (instruction.op == Op::MoveBytes || instruction.operands[1..].iter().any(is_load))
    }

    /// Makes the result of an instruction a function of bytes to which the S-box is applied.
    fn mark(
        &mut self,
        registers: &mut Registers<Symbolic<'a>>,
        instruction: &Instruction,
        mark: &Mark,
    ) -> Result<(), Stop> {
        let Operand::Vector(number) = instruction.operands[0] else {
            return refused("a box is of a result that is no vector register");
        };
        let lanes = &mut registers.vectors[usize::from(number)][..instruction.lanes()];
        for (number, lane) in lanes.iter_mut().enumerate() {
            match self.symbolic.terms.marked(mark, number, *lane) {
                Some(marked) => *lane = marked,
                None => return refused("a box is of a result that is not known, or has other bits, too"),
            }
        }
        Ok(())
    }

    fn assume(&mut self, state: &mut State<'a>, bit: &Bit, value: bool) {
        core::mem::swap(&mut self.symbolic.path, &mut state.path);
        self.symbolic.assume(bit, value);
        core::mem::swap(&mut self.symbolic.path, &mut state.path);
    }

    /// The instruction at an offset, which must end before the constants.
    fn instruction(&mut self, at: usize) -> Result<Instruction, Stop> {
        if let Some(instruction) = self.instructions.get(&at) {
            return Ok(*instruction);
        }
        let code = &self.certificate.code[..self.certificate.constants];
        match code.get(at..).and_then(decode) {
            Some(instruction) => {
                self.instructions.insert(at, instruction);
                Ok(instruction)
            }
            None => refused("it executes bytes that are no instruction with a known meaning"),
        }
    }

    /// The state that a head states: all else is unknown, and possibly secret.
    ///
    /// # Errors
    /// If the statement cannot be evaluated.
    pub fn stated(&mut self, head: &'a Head) -> Result<State<'a>, Stop> {
        let number = self.certificate.heads.iter().position(|other| other.name == head.name);
        let names = self.names(number, &head.variables);
        let s = &mut self.symbolic;
        s.splits = head.splits;
        let general = core::array::from_fn(|_| s.terms.unknown());
        let vectors = core::array::from_fn(|_| core::array::from_fn(|_| s.terms.unknown_lane()));
        let flags = Flags { carry: Bit::Arbitrary, zero: Bit::Arbitrary, is_secret: true };
        let masks = core::array::from_fn(|_| s.terms.unknown());
        let mut registers: Registers<Symbolic<'a>> =
            Registers { general, vectors, masks, signs: Default::default(), flags };
        let words = s.path.texts[0].iv.len();
        let texts =
            (0..s.contract.streams).map(|n| Text::new(n, (0..words).map(|_| s.terms.unknown()).collect()));
        s.path = Path::new(texts.collect());
        let mut e = Evaluator { s, variables: &names };
        // Values may need facts, and chain values what is done: both come first.
        for line in &head.lines {
            match line {
                Line::Fact(form) => {
                    let fact = e.form(form)?;
                    e.s.path.facts.add(fact);
                }
                Line::Done(stream, form) => e.s.path.texts[*stream].done = e.done(*stream, form)?,
                Line::Carry(form) => e.s.path.carry = e.form(form)?,
                Line::Hashed(form) => {
                    let hashed = e.form(form)?;
                    e.s.path.facts.add(hashed.clone());
                    e.s.path.hashed = hashed;
                }
                Line::Table(..) if e.s.path.table.is_some() => return refused("it states two tables"),
                Line::Table(at, entry) => {
                    let rest = e.s.terms.unknown_lane();
                    e.s.path.table = Some(Table { at: *at, entry: entry.clone(), rest });
                }
                _ => {}
            }
        }
        // The carry is compared wherever a path ends here.
        if e.s.contract.mode == Mode::Ctr {
            let s = &mut *e.s;
            let low = s.terms.word(Atom::Counter(0));
            let sum = s.path.texts[0].done.divided(16).and_then(|block| low.checked(&block, 1));
            let rest = sum.and_then(|sum| sum.checked(&s.path.carry, -WORDS));
            let Some(rest) = rest else { return refused("its carry is not that of a block") };
            let Some(room) = Linear::number(WORDS - 1).checked(&rest, -1) else {
                return refused("a number is too large");
            };
            s.path.facts.add(rest);
            s.path.facts.add(room);
        }
        for line in &head.lines {
            if let Line::Disjoint(form, mask) = line {
                let word = e.form(form)?.into_word();
                let bit = e.s.disjoint(&word, *mask);
                e.s.path.decided.push((bit, true));
            }
        }
        for line in &head.lines {
            match line {
                Line::Fact(_) | Line::Done(..) | Line::Carry(_) | Line::Hashed(_) | Line::Disjoint(..) => {}
                Line::Table(..) => {}
                Line::General(register, form) => {
                    registers.general[usize::from(*register)] = e.form(form)?.into_word();
                }
                Line::Vector(register, lane, value) => {
                    let value = e.lane_of(value, &mut self.known)?;
                    registers.vectors[usize::from(*register)][usize::from(*lane)] = value;
                }
                Line::Vectors(register, value) => {
                    registers.vectors[usize::from(*register)] = e.lanes_of(value, &mut self.known)?;
                }
                Line::Kept(register) => {
                    registers.vectors[usize::from(*register)] = self.start.vectors[usize::from(*register)];
                }
                Line::Cell(at, form) => {
                    let value = e.form(form)?.into_word();
                    e.s.path.cells.insert(*at, value);
                }
                Line::SecretCells(at, count) => e.s.path.secret_cells.extend(words_from(*at, *count)),
                Line::SecretMask(mask) => {
                    registers.signs[usize::from(*mask)] = Vec::from([e.s.terms.unknown_lane()]);
                }
                Line::Iv(stream, half, form) => {
                    let value = e.form(form)?.into_word();
                    let text = e.s.path.texts.get_mut(*stream);
                    let Some(word) = text.and_then(|text| text.iv.get_mut(usize::from(*half))) else {
                        return refused("there is no such word of an IV");
                    };
                    *word = value;
                }
                Line::Streams => e.s.path.streams = true,
                Line::PublicFlags => registers.flags.is_secret = false,
                Line::Public(register) => registers.general[usize::from(*register)] = e.s.terms.public(),
            }
        }
        // The stack pointer is a part of the statement.
        let cells = s.path.cells.len();
        if s.stack(&registers.general[usize::from(STACK)]).is_err() {
            return refused("it does not state rsp");
        }
        // Words below the stack pointer are lost.
        if s.path.cells.len() < cells || s.path.cells.keys().any(|(_, at)| at % 8 != 0 || *at >= 0) {
            return refused("it states words that are not on the stack");
        }
        Ok(State { registers, path: s.path.clone(), at: head.at })
    }

    /// Compares a state with the statement of a head, for values of its variables. True if output was stored on the
    /// path.
    fn arrive(
        &mut self,
        state: State<'a>,
        head: &'a Head,
        values: &'a [(String, String)],
        names: &BTreeMap<&'a str, Linear>,
    ) -> Result<bool, Stop> {
        self.symbolic.path = state.path;
        let s = &mut self.symbolic;
        let splits = core::mem::replace(&mut s.splits, head.splits);
        let mut inner = BTreeMap::new();
        for name in &head.variables {
            let Some((_, value)) = values.iter().find(|(other, _)| other == name) else {
                return refused(format!("a path to {} has no value for {name}", head.name));
            };
            let value = Evaluator { s, variables: names }.form(value)?;
            if !s.is_natural(&value) {
                return refused(format!(
                    "a path to {} has a value for {name} that may be negative",
                    head.name
                ));
            }
            // A variable is a public number wherever it stands in the statement.
            if s.terms.is_secret(&value) {
                return refused(format!(
                    "a path to {} has a value for {name} that depends on a secret",
                    head.name
                ));
            }
            inner.insert(name.as_str(), value);
        }
        if values.len() != head.variables.len() {
            return refused(format!("a path to {} has values of other variables", head.name));
        }
        // What the blocks of a table have in common has a name in other lines.
        s.path.table = match head.lines.iter().find_map(|line| match line {
            Line::Table(at, entry) => Some((at, entry)),
            _ => None,
        }) {
            Some((&at, entry)) => Some(Table { at, entry: entry.clone(), rest: s.rest_of(at, entry)? }),
            None => None,
        };
        let mut e = Evaluator { s, variables: &inner };
        let mut done: Vec<Linear> =
            (0..e.s.contract.streams).map(|n| Text::new(n, Vec::new()).done).collect();
        let mut carry = Linear::default();
        let (mut secret, mut streams) = (BTreeSet::new(), false);
        let mut signs = state.registers.signs.clone();
        let differs = |what: &str| refused(format!("{what} is not as {} states", head.name));
        for line in &head.lines {
            match line {
                Line::Fact(form) => {
                    let fact = e.form(form)?;
                    if !e.s.is_natural(&fact) {
                        return differs(&format!("the inequality {form} >= 0"));
                    }
                }
                Line::Disjoint(form, mask) => {
                    let word = e.form(form)?.into_word();
                    let bit = e.s.disjoint(&word, *mask);
                    let is_known = bit == Bit::Known(true) || e.s.path.decided.contains(&(bit, true));
                    if !is_known {
                        return differs(&format!("the alignment of {form}"));
                    }
                }
                Line::General(register, form) => {
                    let own = &state.registers.general[usize::from(*register)];
                    let value = e.form(form)?.into_word();
                    if value != *own && value != e.s.word_again(own) {
                        return differs(crate::certificate::GENERAL[usize::from(*register)]);
                    }
                }
                Line::Vector(register, lane, value) => {
                    let place = (usize::from(*register), usize::from(*lane));
                    let own = state.registers.vectors[place.0][place.1];
                    let value = e.lane_of(value, &mut self.known)?;
                    if value != own && value != e.s.again(own) {
                        return differs(&format!("xmm{register}.{lane}"));
                    }
                }
                Line::Vectors(register, value) => {
                    let own = state.registers.vectors[usize::from(*register)];
                    let values = e.lanes_of(value, &mut self.known)?;
                    if values.into_iter().zip(own).any(|(value, own)| value != own && value != e.s.again(own))
                    {
                        return differs(&format!("xmm{register}"));
                    }
                }
                Line::Kept(register) => {
                    let register = usize::from(*register);
                    if state.registers.vectors[register] != self.start.vectors[register] {
                        return differs(&format!("xmm{register}"));
                    }
                }
                Line::Cell(at, form) => {
                    let value = e.form(form)?.into_word();
                    if e.s.path.cells.get(at) != Some(&value) {
                        return differs(&format!("the word of the stack at {}", at.1));
                    }
                }
                Line::SecretCells(at, count) => secret.extend(words_from(*at, *count)),
                // See above.
                Line::Table(..) => {}
                Line::SecretMask(mask) => signs[usize::from(*mask)].clear(),
                Line::Iv(stream, half, form) => {
                    let value = e.form(form)?.into_word();
                    let text = e.s.path.texts.get(*stream);
                    if text.and_then(|text| text.iv.get(usize::from(*half))) != Some(&value) {
                        return differs(&format!("iv.{half} of stream {stream}"));
                    }
                }
                Line::Done(stream, form) => done[*stream] = e.done(*stream, form)?,
                Line::Carry(form) => carry = e.form(form)?,
                // Values of GHASH are defined from the first block on.
                Line::Hashed(form) => {
                    let hashed = e.form(form)?;
                    if !e.s.is_natural(&hashed) {
                        return differs("the number of blocks that GHASH has absorbed");
                    }
                }
                Line::Streams => streams = true,
                Line::PublicFlags if state.registers.flags.is_secret => return differs("a flag"),
                Line::PublicFlags => {}
                Line::Public(register) => {
                    if e.s.terms.is_secret(&state.registers.general[usize::from(*register)]) {
                        return differs(crate::certificate::GENERAL[usize::from(*register)]);
                    }
                }
            }
        }
        let s = &self.symbolic;
        if s.path.rest.is_some() {
            return refused("all output is stored, but the path does not return");
        }
        if s.path.streams && !streams {
            return differs("the order of stores");
        }
        if s.contract.wipes && signs.iter().flatten().any(|&lane| s.terms.is_secret_lane(lane)) {
            return differs("a secret in an opmask");
        }
        if !s.path.secret_cells.is_subset(&secret) {
            return differs("a secret on the stack");
        }
        let mut stored = 0;
        for (stream, done) in done.iter().enumerate() {
            stored += self.completed(stream, done)?;
        }
        self.carried(&done[0], &carry)?;
        self.symbolic.splits = splits;
        Ok(stored > 0)
    }

    /// The number of bytes of a stream that were stored on the path, if they are just those up to `done`.
    fn completed(&self, stream: usize, done: &Linear) -> Result<i128, Stop> {
        let Some(stored) = self.symbolic.stored(stream) else { return refused("output is stored with gaps") };
        let before = &self.symbolic.path.texts[stream].done;
        if let Some(rest) = self.symbolic.path.rest {
            // The rest to the end of the text, where a path can only return.
            return if rest == stored { Ok(stored) } else { refused("output is stored with gaps") };
        }
        let rest = done.checked(before, -1).and_then(|rest| rest.offset_checked(-stored));
        match rest {
            Some(rest) if self.symbolic.is_zero_form(&rest) => Ok(stored),
            _ => refused("the output of the path does not end where it should"),
        }
    }

    /// Requires `carry` to be that of the counter of the first block that is not done.
    fn carried(&self, done: &Linear, carry: &Linear) -> Result<(), Stop> {
        let s = &self.symbolic;
        if s.contract.mode != Mode::Ctr {
            return Ok(());
        }
        let low = s.terms.find(&Atom::Counter(0));
        let sum = low.and_then(|low| done.divided(16).and_then(|block| Linear::atom(low).checked(&block, 1)));
        match sum {
            Some(sum) if claim::is_carry(s, &sum, carry) => Ok(()),
            _ => refused("the carry of the counter is not as stated"),
        }
    }

    /// Checks a return: all output is stored, and all is kept that belongs to the caller.
    fn exit(
        &mut self,
        state: &State<'a>,
        blocks: &str,
        names: &BTreeMap<&'a str, Linear>,
    ) -> Result<(), Stop> {
        self.symbolic.path = state.path.clone();
        let s = &mut self.symbolic;
        for register in SAVED {
            if state.registers.general[usize::from(register)] != s.terms.word(Atom::Entry(register)) {
                let name = crate::certificate::GENERAL[usize::from(register)];
                return refused(format!("{name} is not that of the caller at the return"));
            }
        }
        if s.path.streams {
            return refused("stores past the caches are not fenced at the return");
        }
        let streams = usize::from(s.contract.streams);
        if blocks.split(';').count() != streams {
            return refused("a return has a number of blocks for each stream");
        }
        for (stream, blocks) in blocks.split(';').enumerate() {
            self.ended(stream, blocks, names)?;
        }
        if self.symbolic.contract.wipes { self.wiped(state) } else { Ok(()) }
    }

    /// Requires the output of a stream to be complete at a return, and the IV of the next call.
    fn ended(&mut self, stream: usize, blocks: &str, names: &BTreeMap<&'a str, Linear>) -> Result<(), Stop> {
        let s = &mut self.symbolic;
        let blocks = Evaluator { s, variables: names }.form(blocks)?;
        // These blocks are all whole ones, or in counter mode all.
        let Some(bytes) = Linear::default().checked(&blocks, 16) else { return refused("too many blocks") };
        let is_partial = s.contract.mode.has_counter();
        let rest = s.lengths[stream].checked(&bytes, -1);
        let rest = if is_partial { bytes.checked(&s.lengths[stream], -1) } else { rest };
        let is_all = rest.is_some_and(|rest| s.is_within(&rest, 15));
        if !is_all {
            return refused("the text may have another number of blocks at the return");
        }
        let end = if is_partial { s.lengths[stream].clone() } else { bytes };
        let first = stream as i128 * STREAM;
        let (Some(blocks), Some(end)) = (blocks.offset_checked(first), end.offset_checked(16 * first)) else {
            return refused("too many blocks");
        };
        self.completed(stream, &end)?;
        let s = &mut self.symbolic;
        let is_next = claim::carries(s).iter().any(|carry| {
            let next = claim::iv_with(s, &blocks, carry);
            next.is_ok_and(|next| s.path.texts[stream].iv == next)
        });
        if s.contract.has_iv() && !is_next {
            return refused("the IV of the next call is not stored at the return");
        }
        Ok(())
    }

    /// Requires registers, flags and stack to be free of secrets, except for what the caller left there.
    fn wiped(&self, state: &State<'a>) -> Result<(), Stop> {
        let s = &self.symbolic;
        let mut general = state.registers.general.iter();
        if general.any(|word| s.terms.is_secret(word) && !s.is_of_caller(word)) {
            return refused("a general register may hold a secret at the return");
        }
        for (register, lanes) in state.registers.vectors.iter().enumerate() {
            for (number, &lane) in lanes.iter().enumerate() {
                if s.terms.is_secret_lane(lane) && !s.terms.is_entry(lane, register, number) {
                    return refused(format!("xmm{register}.{number} may hold a secret at the return"));
                }
            }
        }
        if state.registers.signs.iter().flatten().any(|&lane| s.terms.is_secret_lane(lane)) {
            return refused("an opmask may hold a secret at the return");
        }
        if state.registers.flags.is_secret {
            return refused("a flag may depend on a secret at the return");
        }
        if !s.path.secret_cells.is_empty() {
            return refused("the stack may hold a secret at the return");
        }
        Ok(())
    }
}
