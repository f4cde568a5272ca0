//! The check of a proof about a grid: every path from the entry, and from each head, ends as the proof says, and the turns of all
//! threads together have each block once.

use crate::bytes::run::form_of;
use crate::bytes::terms::Atom;
use crate::bytes::terms::{ByteId, Terms};
use crate::check::Accepted;
use crate::grid::memory::Path;
use crate::grid::rows::{Flow, Registers, execute};
use crate::grid::setup::at_barrier;
use crate::grid::symbols::{BLOCKS, CTAID, NAMES, Stop, Symbols, THREAD, TURN, Value, refused, thread};
use crate::grid::{Head, Line, Proof};
use crate::linear::{AtomId, Linear};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The most instructions that are executed, and the most conditions on a path.
const MOST_STEPS: usize = 1 << 21;
const MOST_CONDITIONS: usize = 1000;

/// A state of the thread.
#[derive(Clone, Debug)]
pub struct State {
    /// The registers.
    pub registers: Registers<Value>,
    /// All other knowledge.
    pub path: Path,
    /// The next instruction.
    pub at: usize,
    conditions: usize,
}

/// An execution of all paths.
#[derive(Debug)]
pub struct Run<'p> {
    /// The values and the memory.
    pub symbols: Symbols<'p>,
    /// The most instructions that are executed; finders give up earlier.
    pub most_steps: usize,
    steps: usize,
    place: String,
}

impl<'p> Run<'p> {
    /// A run at its beginning.
    ///
    /// # Errors
    /// If shared memory is not known at the barrier.
    pub fn new(proof: &'p Proof) -> Result<Run<'p>, String> {
        let module = &proof.module;
        let mut terms = Terms::new(8);
        let key = (0..proof.contract.key_bytes()).map(|k| terms.atom(Atom::Key(k as u8))).collect();
        let (path, shared) = (Path::entry(module.threads, Linear::default()), at_barrier(module)?);
        let (functions, found) = (Vec::new(), BTreeMap::new());
        let (stream, blocks) = (None, Vec::new());
        let symbols = Symbols { proof, module, terms, path, key, stream, blocks, shared, functions, found };
        Ok(Run { symbols, most_steps: MOST_STEPS, steps: 0, place: "the entry".into() })
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
        self.start()?;
        self.turns()?;
        let proof = self.symbols.proof;
        let mut paths = 0;
        for number in core::iter::once(None).chain((0..proof.heads.len()).map(Some)) {
            let state = match number {
                None => self.start()?,
                Some(number) => {
                    let head = &proof.heads[number];
                    self.place = format!("head {}", head.name);
                    let state = self.stated(head)?;
                    self.is_bounded()?;
                    state
                }
            };
            let mut waiting = vec![state];
            while let Some(state) = waiting.pop() {
                let (state, is_return) = self.follow(state, &mut waiting)?;
                paths += 1;
                self.symbols.path = state.path.clone();
                if is_return { self.exit()? } else { self.arrive(&state)? }
            }
        }
        Ok(Accepted { heads: proof.heads.len(), paths, steps: self.steps })
    }

    /// Requires the blocks of all turns of all threads to be each natural number once, less one public number that is the same for all.
    fn turns(&self) -> Result<(), Stop> {
        let threads = self.symbols.module.threads;
        let is_thread = |term: &&(AtomId, i128)| (THREAD..THREAD + 10).contains(&term.0);
        // The value of the part that depends on the number of the thread.
        let of_thread = |form: &Linear, number: usize| {
            let set = form.terms.iter().filter(is_thread).filter(|term| number >> (term.0 - THREAD) & 1 == 1);
            form.constant + set.map(|term| term.1).sum::<i128>()
        };
        // Streams of a block of threads, each of which has as many threads; without streams all have one.
        let (mut streams, mut own) = (1, vec![0; threads]);
        if let Some(stream) = &self.symbols.stream {
            let rest: Vec<_> = stream.terms.iter().filter(|term| !is_thread(term)).copied().collect();
            let [(CTAID, count)] = rest[..] else {
                return refused("the number of a stream is not that of a thread and its block");
            };
            streams = usize::try_from(count).unwrap_or(0);
            own = (0..threads)
                .map(|number| usize::try_from(of_thread(stream, number)).unwrap_or(streams))
                .collect();
            if !threads.is_multiple_of(streams) || own.iter().any(|&stream| stream >= streams) {
                return refused("the streams of a block of threads are not those behind the block before");
            }
        }
        let all = threads * self.symbols.blocks.len();
        let each = all / streams;
        let (mut seen, mut common) = (vec![false; all], None);
        for block in &self.symbols.blocks {
            let rest: Vec<_> = block.terms.iter().filter(|term| !is_thread(term)).copied().collect();
            let is_turn = |term: &(AtomId, i128)| term.0 == TURN;
            if rest.iter().find(|term| is_turn(term)).is_none_or(|term| term.1 != each as i128) {
                return refused(
                    "blocks of following turns are not as far apart as there are blocks in a turn",
                );
            }
            let rest: Vec<_> = rest.into_iter().filter(|term| !is_turn(term)).collect();
            if !rest.iter().all(|term| self.symbols.is_of_launch(term.0)) {
                return refused("blocks of a turn are counted from a number that threads do not share");
            }
            if *common.get_or_insert_with(|| rest.clone()) != rest {
                return refused("blocks of a turn are counted from different numbers");
            }
            for (number, own) in own.iter().enumerate() {
                let place = usize::try_from(of_thread(block, number)).ok().filter(|&place| place < each);
                match place.and_then(|place| seen.get_mut(own * each + place)) {
                    Some(seen @ false) => *seen = true,
                    _ => return refused("two threads have one block, or none has it"),
                }
            }
        }
        if self.symbols.proof.is_chained() && self.symbols.blocks != [Linear::atom(TURN)] {
            return refused("blocks of CBC encryption are not taken one after another by one thread");
        }
        let least = Linear { constant: 0, terms: common.unwrap_or_default() };
        let before = Linear::default().checked(&least, -1);
        if before.is_some_and(|before| self.symbols.is_natural(&before)) && each > 0 {
            return Ok(());
        }
        refused("the first blocks of text may be in no turn")
    }

    /// Requires the number of turns to be bounded by that of blocks: each comes at least one behind the one before.
    fn is_bounded(&self) -> Result<(), Stop> {
        let room = Linear { constant: 1 << 64, terms: [(BLOCKS, 1), (TURN, -1)].into() };
        if self.symbols.is_natural(&room) { Ok(()) } else { refused("nothing says that the loop ends") }
    }

    fn unknown(&mut self) -> Registers<Value> {
        let counts = self.symbols.module.registers;
        let mut file = |place: usize| {
            (0..counts[place]).map(|_| self.symbols.unknown(32 * place as u32, true)).collect()
        };
        let words = [file(1), file(2)];
        Registers { words, predicates: vec![None; counts[0]], carry: None }
    }

    /// The state at the entry.
    ///
    /// # Errors
    /// If the blocks of a turn cannot be evaluated.
    pub fn start(&mut self) -> Result<State, Stop> {
        let first = self.symbols.first_turn();
        self.begin(Path::entry(self.symbols.module.threads, first))?;
        let registers = self.unknown();
        Ok(State { registers, path: self.symbols.path.clone(), at: 0, conditions: 0 })
    }

    /// Begins a path, on which what defines the blocks of a turn is known.
    fn begin(&mut self, path: Path) -> Result<(), Stop> {
        self.symbols.path = path;
        let turn = Linear::atom(TURN);
        let blocks: Result<Vec<_>, _> =
            self.symbols.proof.blocks.iter().map(|block| self.form(block, &turn)).collect();
        self.symbols.blocks = blocks?;
        let stream = self.symbols.proof.stream.as_ref().map(|stream| self.form(stream, &turn));
        self.symbols.stream = stream.transpose()?;
        Ok(())
    }

    /// The place that was executed last, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Executes from a state until the path ends: at a head's place, or true if it returns.
    ///
    /// # Errors
    /// If an instruction is refused.
    pub fn follow(&mut self, mut state: State, waiting: &mut Vec<State>) -> Result<(State, bool), Stop> {
        let (module, proof) = (self.symbols.module, self.symbols.proof);
        let mut is_first = true;
        loop {
            if !is_first && proof.heads.iter().any(|head| head.at == state.at) {
                return Ok((state, false));
            }
            let Some(instruction) = module.code.get(state.at) else {
                return refused("the code ends without `ret`");
            };
            self.place = format!("line {}", instruction.line);
            self.steps += 1;
            if self.steps > self.most_steps {
                return refused("it executes too many instructions, or a loop has no head");
            }
            core::mem::swap(&mut self.symbols.path, &mut state.path);
            let row = &module.rows[instruction.row];
            let result = execute(&mut self.symbols, row, instruction, &mut state.registers);
            core::mem::swap(&mut self.symbols.path, &mut state.path);
            is_first = false;
            match result {
                Ok(Flow::Next) => state.at += 1,
                Ok(Flow::Jump(to)) => state.at = to,
                Ok(Flow::Return) => return Ok((state, true)),
                Ok(Flow::Barrier) => {
                    state.at += 1;
                    let behind = self.symbols.shared.as_ref().map(|shared| shared.1);
                    if state.path.is_behind || behind != Some(state.at) {
                        return refused("there is a barrier behind the first");
                    }
                    state.path.is_behind = true;
                }
                Err(Stop::Split(form)) => {
                    state.conditions += 1;
                    if state.conditions > MOST_CONDITIONS {
                        return refused("a path has too many conditions");
                    }
                    let mut other = state.clone();
                    if let Some(opposite) = Linear::number(-1).checked(&form, -1) {
                        other.path.facts.add(opposite);
                    }
                    state.path.facts.add(form);
                    waiting.push(other);
                    // The same instruction again, even at a head's place.
                    is_first = true;
                }
                Err(stop) => return Err(stop),
            }
        }
    }

    /// Requires the blocks of a turn that exist to be stored as specified.
    fn completed(&mut self) -> Result<(), Stop> {
        let symbols = &mut self.symbols;
        for number in 0..if symbols.path.is_turn { symbols.blocks.len() } else { 0 } {
            let turn = symbols.path.turn.clone();
            let block = symbols.block(number, &turn)?;
            let Some(stored) = symbols.path.stored.get(&number).cloned() else {
                if symbols.is_outside(&block, false) {
                    continue;
                }
                return refused("a block of a turn is not written, and may exist");
            };
            let specified = symbols.specified(&block)?;
            for (k, (stored, specified)) in stored.iter().zip(specified).enumerate() {
                match stored {
                    Some(byte) if *byte == specified => {}
                    Some(_) => {
                        return refused(format!(
                            "byte {k} of block {number} of a turn is not that of the specification"
                        ));
                    }
                    None => return refused(format!("byte {k} of block {number} of a turn is not written")),
                }
            }
        }
        Ok(())
    }

    /// Checks an end of the thread: nothing is left for later turns, whose blocks have greater numbers.
    fn exit(&mut self) -> Result<(), Stop> {
        self.completed()?;
        if !self.symbols.path.is_turn && self.symbols.has_no_stream() {
            return Ok(());
        }
        let next = self.symbols.next_turn();
        for number in 0..self.symbols.blocks.len() {
            let block = self.symbols.block(number, &next)?;
            if !self.symbols.is_outside(&block, true) {
                return refused("a thread ends though a later turn may have a block");
            }
        }
        Ok(())
    }

    /// Compares a state with the statements of the heads at its place, of which one has to hold.
    fn arrive(&mut self, state: &State) -> Result<(), Stop> {
        self.completed()?;
        if state.path.is_behind != self.symbols.shared.is_some() {
            return refused("a head is before the barrier");
        }
        let proof = self.symbols.proof;
        let mut first = None;
        for head in proof.heads.iter().filter(|head| head.at == state.at) {
            match self.holds(state, head)? {
                None => return Ok(()),
                why => first = first.or(why),
            }
        }
        refused(first.unwrap_or_default())
    }

    /// The first statement of a head that does not hold, for the next turn.
    fn holds(&mut self, state: &State, head: &Head) -> Result<Option<String>, Stop> {
        for line in &head.lines {
            if !self.is_true(state, line)? {
                let what = match line {
                    Line::Fact(text) => text.clone(),
                    Line::Register(32, number, _) => format!("r{number}"),
                    Line::Register(_, number, _) => format!("rd{number}"),
                };
                return Ok(Some(format!("{what} is not as {} states", head.name)));
            }
        }
        Ok(None)
    }

    /// True if a statement is known to hold of a state, for the next turn.
    ///
    /// # Errors
    /// If it cannot be evaluated.
    pub fn is_true(&mut self, state: &State, line: &Line) -> Result<bool, Stop> {
        let next = self.symbols.next_turn();
        Ok(match line {
            Line::Fact(text) => {
                let form = self.form(text, &next)?;
                self.symbols.is_natural(&form)
            }
            Line::Register(bits, number, text) => {
                let stated = self.value(text, *bits, &next)?;
                let own = state.registers.words[usize::from(*bits == 64)][*number].clone();
                self.are_equal(&own, &stated, *bits)
            }
        })
    }

    /// True if two values are known to be equal.
    fn are_equal(&mut self, a: &Value, b: &Value, bits: u32) -> bool {
        if let (Some(x), Some(y)) = (self.symbols.form(a), self.symbols.form(b)) {
            let rest = x.checked(&y, -1);
            let is_multiple = |c: i128| c.rem_euclid(1 << bits) == 0;
            if rest.is_some_and(|rest| {
                is_multiple(rest.constant) && rest.terms.iter().all(|term| is_multiple(term.1))
            }) {
                return true;
            }
        }
        !matches!((a, b), (Value::Indexed(..), _) | (_, Value::Indexed(..)))
            && self.symbols.bytes(a, bits) == self.symbols.bytes(b, bits)
    }

    /// The state that a head states: all else is unknown, and secret.
    ///
    /// # Errors
    /// If the statement cannot be evaluated.
    pub fn stated(&mut self, head: &Head) -> Result<State, Stop> {
        let mut path = Path::entry(self.symbols.module.threads, Linear::atom(TURN));
        (path.is_behind, path.is_turn) = (self.symbols.shared.is_some(), true);
        let turn = path.turn.clone();
        self.begin(path)?;
        let mut registers = self.unknown();
        for line in &head.lines {
            if let Line::Fact(text) = line {
                let fact = self.form(text, &turn)?;
                self.symbols.path.facts.add(fact);
            }
        }
        for line in &head.lines {
            if let Line::Register(bits, number, text) = line {
                registers.file(*bits)[*number] = self.value(text, *bits, &turn)?;
            }
        }
        Ok(State { registers, path: self.symbols.path.clone(), at: head.at, conditions: 0 })
    }

    /// The value of an expression for an integer, in a turn.
    fn form(&mut self, text: &str, turn: &Linear) -> Result<Linear, Stop> {
        let symbols = &mut self.symbols;
        match form_of(text, &mut |name| symbols.atom(name, turn)) {
            Some(form) => Ok(form),
            None => refused(format!("an expression of the proof is not understood: {text}")),
        }
    }

    /// The value of an expression for a register.
    fn value(&mut self, text: &str, bits: u32, turn: &Linear) -> Result<Value, Stop> {
        let word = |bytes: &[ByteId], place: &str| {
            let place = crate::certificate::offset(place)?;
            bytes.chunks_exact(4).nth(place).map(|word| Value::Bytes(word.to_vec()))
        };
        let found = if let Some(place) = text.strip_prefix("key.") {
            word(&self.symbols.key, place)
        } else if let Some(place) = text.strip_prefix("iv.") {
            word(&self.symbols.first_chain(), place)
        } else if let Some(place) = text.strip_prefix("chain.").filter(|_| self.symbols.proof.is_chained()) {
            // Behind a turn of CBC encryption this is its output.
            let own = self.symbols.path.turn.clone();
            let chain = if *turn == own {
                self.symbols.chain(turn).to_vec()
            } else {
                self.symbols.specified(&own)?
            };
            word(&chain, place)
        } else if let Some((block, place)) = text.strip_prefix("text(").and_then(|rest| rest.split_once(")."))
        {
            let block = self.form(block, turn)?;
            let unit = self.symbols.proof.units()[0];
            let bytes = (0..unit).map(|k| self.symbols.terms.atom(Atom::Text(block.clone(), k as u8)));
            let bytes: Vec<ByteId> = bytes.collect();
            word(&bytes, place)
        } else {
            return Ok(Value::Form(self.form(text, turn)?));
        };
        match found.filter(|_| bits == 32) {
            Some(value) => Ok(value),
            None => refused(format!("an expression of the proof is not understood: {text}")),
        }
    }
}

impl Symbols<'_> {
    /// The form of a name in a turn: `tid` is the number of the thread, `tid.N` a bit of it, and `NAME>>N` a quotient by two to N.
    fn atom(&mut self, name: &str, turn: &Linear) -> Option<Linear> {
        let threads = self.module.threads;
        if let Some((name, by)) = name.split_once(">>") {
            let form = self.atom(name, turn)?;
            let by = crate::certificate::offset(by).filter(|by| (1..64).contains(by))?;
            return if self.is_natural(&form) { self.quotient(&form, by as u32) } else { None };
        }
        if let Some(bit) = name.strip_prefix("tid.") {
            let bit = crate::certificate::offset(bit).filter(|bit| *bit < 10 && 1 << bit < threads)?;
            return Some(Linear::atom(THREAD + bit as AtomId));
        }
        match (name, NAMES.iter().position(|known| *known == name)) {
            ("tid", _) => Some(thread(threads)),
            ("turn", _) => Some(turn.clone()),
            (_, known) => known.map(|atom| Linear::atom(atom as AtomId)),
        }
    }
}
