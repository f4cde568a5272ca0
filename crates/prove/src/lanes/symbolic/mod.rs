//! The symbolic domain's state, and how values change shape in it: lanes to 64-bit halves, halves
//! to bytes, and back to the coarsest form that says the same.

use std::collections::BTreeSet;

use aesmith_cipher::{Mode, Problem};
use aesmith_isa::convention::Convention;
use aesmith_isa::lanes::{Condition, Unsupported, Width};

use crate::lanes::coverage::ByteSet;
use crate::lanes::forms::{ByteAtom, Form};
use crate::lanes::intern::{FastMap, Memo};
use crate::lanes::lookups;
use crate::lanes::rename::Renamed;
use crate::lanes::scalar::{Base, Linear, Split, Word};
use crate::lanes::state::Path;
use crate::lanes::terms::{Atom, Index, Lane, Order, Terms};

/// Terms that are kept from one kernel to the next.
const MOST_TERMS: usize = 1 << 19;

/// Why an instruction was not executed.
#[derive(Clone, Debug)]
pub enum Stop {
    /// It must be known first whether the low half of the counter overflows between these.
    Overflow(i32, Index),
    /// It must be known first on which side of a bound a length lies.
    Split(Split),
    /// What is wrong.
    Refused(String),
}

impl From<Unsupported> for Stop {
    fn from(unsupported: Unsupported) -> Self {
        Stop::Refused(unsupported.what)
    }
}

/// A refusal.
pub fn refuse<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(why.into()))
}

/// An opmask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mask {
    /// These bits.
    Bits(u64),
    /// The lowest so many, at most 64.
    Lowest(Linear),
    /// The highest bits of bytes, by number: perhaps secret.
    Signs(u32),
    /// Anything public.
    Unknown,
    /// Anything.
    Secret,
}

impl Mask {
    /// Whether a secret may be in it.
    pub fn is_secret(self) -> bool {
        matches!(self, Mask::Signs(_) | Mask::Secret)
    }

    /// Nothing is known of it any more but whether a secret may be in it.
    pub fn forgotten(self) -> Self {
        if self.is_secret() { Mask::Secret } else { Mask::Unknown }
    }
}

/// Status flags, as what they are the flags of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flags {
    /// Anything; `secret` if they may depend on a secret.
    Unknown {
        /// Whether a secret may be in them.
        secret: bool,
    },
    /// Of `left - right`, in so many bits.
    Difference {
        /// Minuend.
        left: Word,
        /// Subtrahend.
        right: Word,
        /// Width in bits.
        bits: u32,
    },
    /// Zero and sign of a value; carry and overflow apart, since some instructions change those
    /// alone (rotations), or all but the carry (inc, dec).
    Value {
        /// The value.
        value: Word,
        /// Width in bits.
        bits: u32,
        /// The carry.
        carry: CarryFlag,
        /// The overflow.
        overflow: OverflowFlag,
    },
}

/// The overflow flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OverflowFlag {
    /// Known.
    Known(bool),
    /// Public, and not known.
    Unknown,
    /// It may depend on a secret, or the manual leaves it undefined.
    Secret,
}

/// The carry flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CarryFlag {
    /// Known.
    Known(bool),
    /// Whether the counter's low half overflows between these.
    Counter(i32, Index),
    /// Public, and not known.
    Unknown,
    /// It may depend on a secret, or the manual leaves it undefined.
    Secret,
}

/// A number for a half that is bytes of lanes, or zero.
fn pair_key(word: Word) -> Option<u64> {
    match word {
        Word::Quad { lane, high, swapped } => {
            Some(u64::from(lane.0) << 4 | u64::from(high) << 3 | u64::from(swapped) << 2 | 1)
        }
        Word::Bytes(number) => Some(u64::from(number) << 4 | 2),
        _ => (word.as_number() == Some(0)).then_some(0),
    }
}

/// Terms, the current path, and the kernel that is interpreted.
pub struct Symbolic {
    /// How kernels are called.
    pub convention: &'static Convention,
    /// Lanes and bytes.
    pub terms: Terms,
    /// The path in execution.
    pub path: Path,
    /// What the kernel shall compute.
    pub problem: Problem,
    /// What is to be known of that: [`Problem::mode`].
    pub(crate) mode: &'static Mode,
    /// The kernel.
    pub code: Vec<u8>,
    /// Where its constants begin: at the first multiple of 64 behind every instruction.
    pub constants_from: usize,
    /// Where the instruction in execution lies.
    pub ip: u64,
    /// The stack pointer before that instruction.
    pub stack_pointer: Word,
    /// The condition of a branch of which nothing is known.
    pub undecided: Option<(Condition, Flags)>,
    /// Whether entries of a counter table were loaded.
    pub reads_table: bool,
    /// How often it mattered that no blocks were processed yet.
    pub start_uses: usize,
    /// The first thing of the proof that could not be said exactly, for refutations.
    pub blur: Option<(u64, &'static str)>,
    /// The blocks of the counter tables that were proved, by number less one.
    pub tables: Vec<[Form; 16]>,
    /// Whether something secret was left where the stack pointer no longer protects it.
    pub left_secret: bool,
    /// The most stack that was in use before the stack pointer left it, in bytes.
    pub deepest: usize,
    /// The bytes of which masks are the highest bits.
    pub(crate) signs: Vec<Vec<Form>>,
    signs_of: FastMap<Vec<Form>, u32>,
    /// Lanes that are permuted together, by number.
    pub(crate) permuted: FastMap<(usize, [Lane; 8]), u32>,
    /// Numbers that bytes decide.
    pub(crate) indices: Vec<lookups::Index>,
    pub(crate) indices_of: FastMap<(Form, u64), Vec<u32>>,
    /// What this kernel's constants hold at places that bytes decide.
    pub(crate) looked_up: Memo<(u32, i64, Width), Word>,
    /// Whether parts of eight bytes of memory were written, and the others never.
    pub(crate) keeps_stale: bool,
    /// Bytes by the names that what is known of counters gives them.
    pub(crate) window_memo: Renamed,
    /// Bytes by round keys that are no sums of others.
    pub(crate) schedule_memo: Renamed,
    /// The instructions that load at places that secrets decide.
    pub secret_loads: BTreeSet<u64>,
    /// Bytes of the kernel that were read as constants.
    pub(crate) constants_read: ByteSet,
    /// Bytes of the caller's key structures that were read.
    pub(crate) key_read: ByteSet,
    words: Vec<[Form; 8]>,
    words_of: FastMap<[Form; 8], u32>,
    /// Halves of lanes of bytes, and lanes of halves that are bytes, found before.
    halves: Memo<(Lane, bool), Word>,
    pairs: Memo<(u64, u64), Lane>,
    /// The specification's output blocks, by stream and block.
    pub outputs: Memo<(u8, i32), Lane>,
}

impl Symbolic {
    /// For any problem; [`Symbolic::begin`] sets it.
    pub fn new(problem: Problem, convention: &'static Convention) -> Self {
        Symbolic {
            convention,
            terms: Terms::new(),
            path: Path::new(0, [Lane::ZERO; 16], convention),
            problem,
            mode: problem.mode(),
            code: Vec::new(),
            constants_from: 0,
            ip: 0,
            stack_pointer: Word::Public,
            undecided: None,
            start_uses: 0,
            reads_table: false,
            blur: None,
            tables: Vec::new(),
            left_secret: false,
            deepest: 0,
            signs: Vec::new(),
            signs_of: FastMap::default(),
            permuted: FastMap::default(),
            indices: Vec::new(),
            indices_of: FastMap::default(),
            looked_up: Memo::default(),
            keeps_stale: false,
            window_memo: Renamed::default(),
            schedule_memo: Renamed::default(),
            secret_loads: BTreeSet::new(),
            constants_read: ByteSet::default(),
            key_read: ByteSet::default(),
            words: Vec::new(),
            words_of: FastMap::default(),
            halves: Memo::default(),
            pairs: Memo::default(),
            outputs: Memo::default(),
        }
    }

    /// Has all that is remembered made anew when it is first asked for in a proof, and compared: a debugging
    /// aid, which panics where a key does not hold all that a result depends on.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.terms.check_memos(begin);
        self.looked_up.check_if(begin);
        self.halves.check_if(begin);
        self.pairs.check_if(begin);
        self.outputs.check_if(begin);
    }

    /// Starts on another kernel. Terms are kept while they are few: kernels of one problem share
    /// most of them.
    pub fn begin(&mut self, problem: Problem, code: &[u8]) {
        if self.terms.size() > MOST_TERMS {
            self.terms.clear();
            self.signs.clear();
            self.signs_of.clear();
            self.indices.clear();
            self.indices_of.clear();
            self.permuted.clear();
            self.words.clear();
            self.words_of.clear();
            self.halves.clear();
            self.pairs.clear();
            self.outputs.clear();
        }
        if problem != self.problem {
            self.outputs.clear();
        }
        self.problem = problem;
        self.mode = problem.mode();
        self.code.clear();
        self.code.extend_from_slice(code);
        self.constants_from = code.len();
        self.ip = 0;
        self.blur = None;
        self.reads_table = false;
        self.looked_up.clear();
        self.keeps_stale = false;
        self.window_memo.clear();
        self.schedule_memo.clear();
        self.secret_loads.clear();
        self.constants_read.clear();
        self.key_read.clear();
        self.tables.clear();
        self.left_secret = false;
        self.deepest = 0;
        let mut iv = [Lane::ZERO; 16];
        for (stream, lane) in iv.iter_mut().enumerate().take(problem.streams()) {
            *lane = self.chain(stream as u8);
        }
        self.path = Path::new(problem.streams(), iv, self.convention);
        self.check_memos(false);
    }

    /// Notes that something could not be said exactly.
    pub fn blurred(&mut self, why: &'static str) {
        if self.blur.is_none() {
            self.blur = Some((self.ip, why));
        }
    }

    /// A counter block.
    pub fn counter(&mut self, index: Index, order: Order) -> Lane {
        self.terms.atom(Atom::Counter { index, order })
    }

    /// The number of bytes whose highest bits are a mask.
    pub(crate) fn signs_number(&mut self, signs: Vec<Form>) -> u32 {
        let fresh = self.signs.len() as u32;
        let number = *self.signs_of.entry(signs.clone()).or_insert(fresh);
        if number == fresh {
            self.signs.push(signs);
        }
        number
    }

    /// The number of up to eight lanes.
    pub(crate) fn tables_number(&mut self, lanes: &[Lane]) -> u32 {
        // How many there are, too: what is not there is not the same as what is not known.
        let key = (lanes.len(), std::array::from_fn(|i| lanes.get(i).copied().unwrap_or(Lane::ZERO)));
        let fresh = self.permuted.len() as u32;
        *self.permuted.entry(key).or_insert(fresh)
    }

    // Lanes and halves.

    /// One half of a lane.
    pub fn half(&mut self, lane: Lane, high: bool) -> Word {
        if lane.is_unknown() {
            return if lane == Lane::PUBLIC { Word::Public } else { Word::Unknown };
        }
        if let Some(value) = self.terms.as_constant(lane) {
            return Word::number((value >> if high { 64 } else { 0 }) as u64);
        }
        match self.terms.as_atom(lane) {
            Some(Atom::Counter { index, order }) => Word::Quad {
                lane: self.counter(index, Order::MEMORY),
                high: high ^ (order.0 & 1 != 0),
                swapped: order.0 & 2 != 0,
            },
            Some(Atom::Bytes { .. }) => {
                if let Some(known) = self.halves.get(&(lane, high)) {
                    return known;
                }
                let bytes = self.terms.bytes(lane).expect("known");
                let at = if high { 8 } else { 0 };
                let half = self.word_of_bytes(std::array::from_fn(|i| bytes[at + i]));
                self.halves.insert((lane, high), half);
                half
            }
            _ => Word::Quad { lane, high, swapped: false },
        }
    }

    /// The lane of two halves.
    pub fn pair(&mut self, low: Word, high: Word) -> Lane {
        if let (Some(low), Some(high)) = (low.as_number(), high.as_number()) {
            return self.terms.constant(u128::from(high) << 64 | u128::from(low));
        }
        if let (
            Word::Quad { lane: a, high: at_a, swapped: by_a },
            Word::Quad { lane: b, high: at_b, swapped: by_b },
        ) = (low, high)
            && by_a == by_b
            && at_a != at_b
        {
            if a == b && !at_a && !by_a {
                return a;
            }
            let counters = (self.terms.as_atom(a), self.terms.as_atom(b));
            if let (Some(Atom::Counter { index: ia, .. }), Some(Atom::Counter { index: ib, .. })) = counters {
                // The half with the low bits of the number says which counter it is, if both
                // have the same high bits.
                let (index, other) = if at_a { (ia, ib) } else { (ib, ia) };
                if index == other || self.same_high_half(other, index) {
                    return self.counter(index, Order(u8::from(at_a) | u8::from(by_a) << 1));
                }
            }
        }
        let key = match (pair_key(low), pair_key(high)) {
            (Some(low), Some(high)) => Some((low, high)),
            _ => None,
        };
        if let Some(known) = key.and_then(|key| self.pairs.get(&key)) {
            return known;
        }
        let lane = self.pair_of_bytes(low, high);
        if let Some(key) = key {
            self.pairs.insert(key, lane);
        }
        lane
    }

    fn pair_of_bytes(&mut self, low: Word, high: Word) -> Lane {
        let secret = self.word_is_secret(low) || self.word_is_secret(high);
        match (self.word_bytes(low), self.word_bytes(high)) {
            (Some(low), Some(high)) => {
                let bytes = std::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] });
                self.terms.from_bytes(bytes)
            }
            _ if secret => Lane::UNKNOWN,
            _ => Lane::PUBLIC,
        }
    }

    /// Whether what is the high half of counter `held` is also that of counter `sought`.
    pub fn same_high_half(&self, held: Index, sought: Index) -> bool {
        self.path.same_high_half(held, sought, sought)
    }

    /// Whether a key or message byte may be in a scalar.
    pub fn word_is_secret(&self, word: Word) -> bool {
        match word {
            Word::Quad { lane, .. } => self.terms.is_secret(lane),
            Word::Bytes(number) => {
                self.words[number as usize].iter().any(|&form| self.terms.form_is_secret(form))
            }
            Word::Lookup { index, .. } => self.index_is_secret(index),
            Word::Unknown | Word::TableEntry => true,
            Word::Linear(_)
            | Word::Ones(_)
            | Word::Initial(_)
            | Word::ReturnAddress
            | Word::LowBits { .. }
            | Word::CounterByte { .. }
            | Word::Public => false,
        }
    }

    /// The flags of which no more is known than whether any of these is secret.
    pub fn unknown_flags(&self, of: &[Flags]) -> Flags {
        Flags::Unknown { secret: of.iter().any(|&flags| self.flags_are_secret(flags)) }
    }

    /// Whether a scalar of bytes is the same at every place of the message.
    pub fn word_is_fixed(&self, word: Word) -> bool {
        match word {
            Word::Bytes(number) => {
                self.words[number as usize].iter().all(|&form| self.terms.form_is_fixed(form))
            }
            _ => false,
        }
    }

    /// The unknown scalar that an operation on these gives.
    pub fn unknown_word(&self, of: &[Word]) -> Word {
        if of.iter().any(|&w| self.word_is_secret(w)) { Word::Unknown } else { Word::Public }
    }

    /// A scalar's bytes, lowest first.
    pub fn word_bytes(&mut self, word: Word) -> Option<[Form; 8]> {
        match word {
            Word::Quad { lane, high, swapped } => {
                let bytes = self.terms.bytes(lane)?;
                let at = if high { 8 } else { 0 };
                Some(std::array::from_fn(|i| bytes[at + if swapped { 7 - i } else { i }]))
            }
            Word::Bytes(number) => Some(self.words[number as usize]),
            Word::CounterByte { index, mask: 0xff, scale: 1, base } if base == Linear::number(0) => {
                let lane = self.counter(Index::At(index), Order::MEMORY);
                let bytes = self.terms.bytes(lane)?;
                Some(std::array::from_fn(|i| if i == 0 { bytes[15] } else { Form(0) }))
            }
            _ => {
                let value = word.as_number()?;
                Some(value.to_le_bytes().map(|b| self.terms.forms.constant(b)))
            }
        }
    }

    /// One byte of a scalar, counted from the lowest.
    pub fn word_byte(&mut self, word: Word, i: usize) -> Option<Form> {
        match word {
            Word::Quad { lane, high, swapped } => {
                let at = if high { 8 } else { 0 };
                self.terms.byte(lane, at + if swapped { 7 - i } else { i })
            }
            _ => Some(self.word_bytes(word)?[i]),
        }
    }

    /// The scalar of eight bytes, lowest first.
    pub fn word_of_bytes(&mut self, bytes: [Form; 8]) -> Word {
        let constant: Option<Vec<u8>> = bytes.iter().map(|&b| self.terms.forms.as_constant(b)).collect();
        if let Some(constant) = constant {
            return Word::number(u64::from_le_bytes(constant.try_into().expect("eight bytes")));
        }
        if let Some(quad) = self.quad_of_bytes(&bytes) {
            return quad;
        }
        if bytes.iter().any(|&form| self.terms.form_is_too_deep(form)) {
            return match bytes.iter().any(|&form| self.terms.form_is_secret(form)) {
                true => Word::Unknown,
                false => Word::Public,
            };
        }
        let fresh = self.words.len() as u32;
        let number = *self.words_of.entry(bytes).or_insert(fresh);
        if number == fresh {
            self.words.push(bytes);
        }
        Word::Bytes(number)
    }

    /// The half of a lane that eight bytes are, in either order.
    fn quad_of_bytes(&self, bytes: &[Form; 8]) -> Option<Word> {
        let place = |form: Form| {
            let mut terms = self.terms.forms.terms(form);
            match (terms.next(), terms.len(), self.terms.forms.constant_part(form)) {
                (Some((ByteAtom::Lane { atom, index }, 1)), 0, 0) => Some((atom, index)),
                _ => None,
            }
        };
        let (atom, first) = place(bytes[0])?;
        let (high, swapped) = match first {
            0 => (false, false),
            8 => (true, false),
            7 => (false, true),
            15 => (true, true),
            _ => return None,
        };
        let in_order = (1..8).all(|i| {
            let index = if swapped { first - i } else { first + i };
            place(bytes[i as usize]) == Some((atom, index))
        });
        in_order.then(|| Word::Quad { lane: self.terms.single(atom), high, swapped })
    }

    // Counters.

    /// The counter that is the low or high half (as an integer) in this word.
    pub fn counter_half(&self, word: Word) -> Option<(Index, bool)> {
        let Word::Quad { lane, high, swapped: true } = word else { return None };
        match self.terms.as_atom(lane)? {
            Atom::Counter { index, .. } => Some((index, high)),
            _ => None,
        }
    }

    /// A half of a counter as an integer: the low one with `low`.
    pub fn counter_word(&mut self, index: Index, low: bool) -> Word {
        Word::Quad { lane: self.counter(index, Order::MEMORY), high: low, swapped: true }
    }

    /// The counter `amount` after `index`, if that is a counter.
    pub fn counter_after(&self, index: Index, amount: Linear) -> Option<Index> {
        let amount = self.path.facts.resolve(amount);
        if let Some(number) = amount.as_number() {
            return index.plus(i32::try_from(number).ok()?);
        }
        let whole = Linear { blocks: 1, partial: 1, ..Linear::number(amount.offset) };
        match index {
            Index::At(i) if amount == (Linear { count: amount.count, ..whole }) => {
                Some(Index::End(i.checked_add(i32::try_from(amount.offset).ok()?)?))
            }
            // With no partial block there is nothing to round up.
            Index::At(i)
                if amount == (Linear { count: amount.count, partial: 0, ..whole })
                    && self.path.facts.lengths[amount.count as usize].tail.high == 0 =>
            {
                Some(Index::End(i.checked_add(i32::try_from(amount.offset).ok()?)?))
            }
            _ => None,
        }
    }

    /// An index in the form that its path allows to compare: `End` as `At` if it is known where
    /// the end is.
    pub fn settled_index(&self, index: Index) -> Index {
        let Index::End(beyond) = index else { return index };
        let length = &self.path.facts.lengths[0];
        match (length.blocks.exact(), length.partial()) {
            (Some(blocks), Some(partial)) => match i32::try_from(blocks + partial) {
                Ok(end) => Index::At(0).plus(end).and_then(|end| end.plus(beyond)).unwrap_or(index),
                Err(_) => index,
            },
            _ => index,
        }
    }

    /// Sum of two lanes by 64-bit elements, where one is a counter and the other a constant.
    pub fn advance_counter(&mut self, lane: Lane, addend: u128) -> Option<Lane> {
        let Some(Atom::Counter { index, order }) = self.terms.as_atom(lane) else { return None };
        if order.0 & 2 == 0 {
            return None;
        }
        // Reversed, the low half of the number is the low half of the lane.
        let (low, high) = if order == Order::REVERSED {
            (addend as u64, (addend >> 64) as u64)
        } else {
            ((addend >> 64) as u64, addend as u64)
        };
        let by = i32::try_from(low as i64).ok()?;
        let to = index.plus(by)?;
        let covered = matches!((index, to), (Index::At(_), Index::At(_))) && self.same_high_half(index, to);
        (high == 0 && covered).then(|| self.counter(to, order))
    }

    /// The address of a constant. Code has no address here: constants may stand apart from it, in a
    /// section of their own, so that nothing may be concluded from where the code is.
    pub fn code_word(&self, offset: u64) -> Word {
        match usize::try_from(offset) {
            Ok(at) if at >= self.constants_from => {
                Word::Linear(Linear::address(Base::Code, 0, offset as i64))
            }
            _ => Word::Public,
        }
    }

    /// Bytes of the constants.
    pub(crate) fn constant_bytes(&mut self, offset: i64, count: usize) -> Result<&[u8], Stop> {
        let from = usize::try_from(offset).ok().filter(|from| *from >= self.constants_from);
        let range = from.and_then(|from| Some(from..from.checked_add(count)?));
        match range.filter(|range| range.end <= self.code.len()) {
            Some(range) => {
                self.constants_read.insert(range.start, count);
                Ok(&self.code[range])
            }
            None => Err(Stop::Refused(format!(
                "it reads byte {offset} of the kernel as a constant, and its constants are those from the first \
                 multiple of 64 behind all of its code on, byte {}, to byte {}",
                self.constants_from,
                self.code.len()
            ))),
        }
    }
}
