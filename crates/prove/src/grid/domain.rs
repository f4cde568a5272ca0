//! The domain of a thread: data as bits, values of the launch as sums, and addresses in memories whose location is
//! unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aesmith_cipher::mode::Role;
use aesmith_isa::Description;
use aesmith_isa::grid::{GridProgram, Launch};
use aesmith_isa::image::Image;

use crate::bits::cipher::State;
use crate::bits::forks::ControlDependence;
use crate::bits::forms::{Bit, Byte};
use crate::bits::symbols::{self, Symbols};
use crate::bits::value::Value as Data;
use crate::grid::bitwise::Bitwise;
use crate::grid::facts::{Facts, Question};
use crate::grid::index::{Form, Symbol};
use crate::grid::shared::Shared;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Numbers and bits.
    Data(Data),
    /// A word of 32 bits, each of which is this function of other words' bits at the same place (`bitwise`).
    Bitwise(Bit),
    /// A sum of values of the launch. In a register of 32 bits, its value as a natural number.
    Index(Form),
    /// The address of shared memory, plus an offset in bytes.
    Shared(Data),
    /// The address of the constants, plus an offset in bytes.
    Constant(Data),
    /// The address of the key among the parameters, plus an offset in bytes.
    Key(Data),
    /// The address of a buffer, plus an offset in bytes.
    Text(Role, Form),
    /// The address of an array with an element for each stream, plus an offset in bytes.
    Array(Role, Form),
    /// The answer to a question, or with `false` its complement.
    Asked(Question, bool),
    /// The lower half of the first counter, or that without its lowest byte, plus natural numbers, as 65 bits.
    Sum(Form),
    /// The highest bit of such a sum.
    Carry(Form),
    /// The upper half of the first counter, and the carry of such a sum.
    Upper(Form),
}

impl Value {
    /// A number.
    pub fn number(n: u64) -> Value {
        Value::Data(Data::Number(n.into()))
    }

    /// An unknown value.
    pub fn unknown(secret: bool) -> Value {
        Value::Data(Data::Unknown(secret))
    }

    /// True if two values are the same.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Data(a), Value::Data(b))
            | (Value::Shared(a), Value::Shared(b))
            | (Value::Key(a), Value::Key(b))
            | (Value::Constant(a), Value::Constant(b)) => a.same(b),
            (Value::Index(a), Value::Index(b))
            | (Value::Sum(a), Value::Sum(b))
            | (Value::Carry(a), Value::Carry(b))
            | (Value::Upper(a), Value::Upper(b)) => a == b,
            (Value::Text(a, x), Value::Text(b, y)) | (Value::Array(a, x), Value::Array(b, y)) => {
                a == b && x == y
            }
            (Value::Asked(a, x), Value::Asked(b, y)) => a == b && x == y,
            (Value::Bitwise(a), Value::Bitwise(b)) => a == b,
            _ => false,
        }
    }
}

/// The reason why execution stops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// An error.
    Sentence(String),
    /// Control flow depends on a question without an answer.
    Fork(Question),
}

impl From<String> for Trouble {
    fn from(sentence: String) -> Trouble {
        Trouble::Sentence(sentence)
    }
}

impl From<&str> for Trouble {
    fn from(sentence: &str) -> Trouble {
        Trouble::Sentence(sentence.to_owned())
    }
}

impl From<symbols::Trouble> for Trouble {
    fn from(trouble: symbols::Trouble) -> Trouble {
        match trouble {
            symbols::Trouble::Sentence(sentence) => Trouble::Sentence(sentence),
            symbols::Trouble::Fork(_) => "control hangs on data, of which no block of text may depend".into(),
        }
    }
}

/// The phase of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Before the barrier, as a thread with a known number.
    Filling,
    /// Before the barrier, as any thread: what it writes to shared memory is known from the others.
    Before,
    /// Behind the barrier.
    Behind,
}

/// The events on a path since it began, within an iteration of the loop.
#[derive(Clone, Default, Debug)]
pub struct Path {
    /// Known facts.
    pub facts: Facts,
    /// Bytes of blocks of text that were written.
    pub written: BTreeMap<Form, Vec<Option<Bit8>>>,
    /// Blocks of text that were read.
    pub read: BTreeSet<Form>,
    /// Bytes that were read of blocks that may not be there.
    pub unsure: BTreeSet<(Form, usize)>,
}

impl Path {
    /// Notes that bytes of a block that may not be there were read. True if none of them was noted before.
    pub(crate) fn read_unsure(&mut self, number: &Form, bytes: Range<usize>) -> bool {
        let read = self.unsure.len() + bytes.len();
        self.unsure.extend(bytes.map(|byte| (number.clone(), byte)));
        self.unsure.len() == read
    }
}

/// The bits of a stored byte; `None` if it is unknown.
pub type Bit8 = Option<Byte>;

/// The domain.
pub struct Domain<'a> {
    /// Data.
    pub symbols: Symbols<'a>,
    /// Shared memory.
    pub shared: Shared,
    /// The phase of the thread.
    pub phase: Phase,
    /// The events on the current path.
    pub path: Path,
    /// Atoms of the bits of the thread's number.
    pub thread: Vec<u32>,
    /// Instructions whose time depends on a secret, and how.
    pub hangs: BTreeSet<(u64, &'static str)>,
    /// True if the initial vector is a counter, whose sums are tracked.
    pub counts: bool,
    /// True if results may take their texts' place.
    pub in_place: bool,
    /// True if an instruction's text names the parameter that it loads: it has no register for an address.
    pub names: bool,
    /// True if an iteration is executed only for its block numbers and control flow: text, counters and looked-up
    /// values are unknown.
    pub sketches: bool,
    /// Sizes in bytes of a block of text and of its result, or of a cipher key and its round keys.
    pub elements: [usize; 2],
    /// An assumption while an instruction is executed: a block of text is there, or is below the end of the range that
    /// threads take. The instruction is executed only in this case, and accesses that block. In the other case the
    /// loaded value is unknown; if it got into another block's output, that block would be refused.
    pub assumed: Option<Question>,
    /// The end of the range of blocks that this kind of thread takes, if others take the rest (`kinds`).
    pub end: Option<Form>,
    /// The bit of the thread's number that control flow was found to depend on.
    pub divides: Option<u8>,
    /// Functions that are applied to whole words; `None` if each bit is tracked by itself.
    pub bitwise: Option<Bitwise>,
    pub(super) program: &'a GridProgram,
    pub(super) launch: &'a Launch,
    pub(super) key: Vec<Byte>,
    texts: BTreeMap<Form, Vec<Byte>>,
    /// The first counter or the initial vector, as it is stored in the parameters or in an array.
    pub(super) iv: Vec<Byte>,
    /// Counters, the lowest bit first, by their distance from the first; for counters that share all but the lowest
    /// byte, the upper bits.
    pub(super) counters: BTreeMap<(Form, usize), Vec<Bit>>,
    /// The number of blocks of text that an iteration moves on, for each block of threads, or of a stream.
    pub(super) turns: Option<u64>,
    chain: Vec<Byte>,
    /// The number of the thread's stream, where there are several.
    pub stream: Option<Form>,
}

impl<'a> Domain<'a> {
    /// A domain without a thread.
    pub fn new(
        program: &'a GridProgram,
        launch: &'a Launch,
        image: &'a Image,
        about: &Description,
    ) -> Domain<'a> {
        Domain {
            symbols: Symbols::new(image, about),
            shared: Shared::new(program.shared),
            phase: Phase::Filling,
            path: Path::default(),
            thread: Vec::new(),
            hangs: BTreeSet::new(),
            counts: false,
            in_place: true,
            names: false,
            sketches: false,
            elements: [16; 2],
            bitwise: None,
            program,
            launch,
            assumed: None,
            end: None,
            divides: None,
            key: Vec::new(),
            iv: Vec::new(),
            counters: BTreeMap::new(),
            texts: BTreeMap::new(),
            turns: None,
            stream: None,
            chain: Vec::new(),
        }
    }

    /// Sets the key as it is stored in the parameters, or in an array.
    pub(crate) fn set_key(&mut self, key: Vec<Byte>) {
        self.key = key;
    }

    /// The bytes of a block of text, or of a cipher key.
    pub fn text(&mut self, number: &Form) -> Vec<Byte> {
        if let Some(text) = self.texts.get(number) {
            return text.clone();
        }
        let text = self.symbols.bits.bytes(self.elements[0], true);
        self.texts.insert(number.clone(), text.clone());
        text
    }

    /// The bits of the chain value at the head of the loop, in any iteration.
    pub fn chain(&mut self) -> State {
        if self.chain.is_empty() {
            self.chain = self.symbols.bits.bytes(16, true);
        }
        std::array::from_fn(|i| self.chain[i])
    }

    /// A value as a sum, if it is one.
    pub(super) fn form(&self, width: u8, value: &Value) -> Option<Form> {
        match value {
            Value::Index(form) => Some(form.clone()),
            Value::Data(Data::Number(n)) => Some(Form::number(u64::try_from(*n).ok()?)),
            Value::Data(Data::Bits(bits)) if self.counter_form(bits).is_some() => self.counter_form(bits),
            Value::Data(Data::Bits(bits)) if width <= 64 => {
                (0..).zip(bits.iter()).try_fold(Form::default(), |sum, (place, &bit)| {
                    let by = 1u64 << place;
                    let complement = bit & 1 == 1;
                    let one = match self.symbols.bits.atoms_of(bit) {
                        [] if bit <= 1 => Form::number(u64::from(bit)),
                        [atom] => {
                            let place = self.thread.iter().position(|known| known == atom)?;
                            let of = Form::of(Symbol::Bit(place as u8), 1);
                            if complement { Form::number(1).minus(&of) } else { of }
                        }
                        _ => return None,
                    };
                    Some(sum.plus(&one, by))
                })
            }
            _ => None,
        }
    }

    /// The index of the bit of the thread's number that a bit, or its complement, is.
    pub(super) fn bit_of_thread(&self, bit: Bit) -> Option<u8> {
        let [atom] = self.symbols.bits.atoms_of(bit) else { return None };
        self.thread.iter().position(|known| known == atom).map(|place| place as u8)
    }

    /// A sum in a register of `width` bits; below 64 bits only if it is known to fit.
    pub(super) fn index(&self, width: u8, form: Form) -> Value {
        let fits = width == 64 || form.bound().is_some_and(|most| most <= 1 << width);
        if fits { Value::Index(form) } else { Value::unknown(false) }
    }

    pub(super) fn unknown(&self, of: &[&Value]) -> Value {
        Value::unknown(of.iter().any(|value| match value {
            Value::Data(data) | Value::Shared(data) | Value::Constant(data) | Value::Key(data) => {
                self.symbols.is_secret(data)
            }
            Value::Bitwise(of) => self.bitwise.as_ref().is_none_or(|known| known.is_secret(*of)),
            _ => false,
        }))
    }

    pub(super) fn hang(&mut self, what: &'static str) {
        self.hangs.insert((self.symbols.pc, what));
    }

    /// Takes over the dependences that the domain of bits has noted.
    pub(crate) fn note_hangs(&mut self) {
        for (at, what) in std::mem::take(&mut self.symbols.hangs) {
            let what = match what {
                ControlDependence::Address => "address",
                ControlDependence::Alignment => "alignment",
                ControlDependence::Count => "count",
                ControlDependence::Operand => "operand",
            };
            self.hangs.insert((at, what));
        }
    }

    pub(super) fn data<'v>(&self, value: &'v Value) -> Option<&'v Data> {
        match value {
            Value::Data(data) => Some(data),
            _ => None,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bits::toy::ABOUT;
    use aesmith_isa::grid::Parameter;
    use std::rc::Rc;

    /// A program without instructions, and its launch.
    pub(in crate::grid) fn empty() -> (GridProgram, Launch) {
        let program = GridProgram {
            symbol: String::new(),
            insns: Vec::new(),
            parameters: Vec::new(),
            constants: Vec::new(),
            shared: 0,
            threads: 32,
            registers: None,
        };
        let launch =
            Launch { thread: 0, block: 0, blocks: 0, shared: 0, constants: 0, key: 0, warp: 32, banks: 32 };
        (program, launch)
    }

    /// Calls a function with the domain of a program with a key, an initial vector and a table of 256 words.
    pub(in crate::grid) fn with_domain(test: impl FnOnce(&mut Domain)) {
        let parameter = |role: Role, at: u64, bytes: u32| {
            let name = String::new();
            Parameter { role, name, at, bytes, each: false }
        };
        let (mut program, launch) = empty();
        program.parameters = vec![parameter(Role::Key, 0, 176), parameter(Role::Iv, 1 << 32, 16)];
        program.constants = vec![0; 1024];
        let image = Image::default();
        let mut domain = Domain::new(&program, &launch, &image, &ABOUT);
        domain.key = domain.symbols.bits.bytes(176, true);
        domain.iv = domain.symbols.bits.bytes(16, false);
        test(&mut domain);
    }

    #[test]
    fn sums_in_registers_of_32_bits_are_known_to_fit() {
        with_domain(|domain| {
            let is_known = |width: u8, form: Form| matches!(domain.index(width, form), Value::Index(_));
            // There are at most 2^31 blocks of threads.
            let blocks = |by: u64| Form::of(Symbol::Block, by);
            assert!(is_known(32, blocks(1)) && !is_known(32, blocks(2)) && is_known(64, blocks(2)));
            assert!(is_known(8, Form::of(Symbol::Low, 1)) && !is_known(8, Form::of(Symbol::Low, 2)));
            assert!(!is_known(32, Form::of(Symbol::Count, 1)), "it has no bound");
        });
    }

    #[test]
    fn what_is_not_of_the_key_is_not_at_its_address() {
        with_domain(|domain| {
            assert!(domain.key_at(172, 4).is_ok() && domain.parameter(1 << 32, 4).is_ok());
            for at in [173, 174, 176, 1 << 32, u64::MAX - 3] {
                assert!(domain.key_at(at, 4).is_err(), "{at:#x}");
            }
        });
    }

    #[test]
    fn secret_addresses_of_constants_are_noted() {
        for secret in [false, true] {
            with_domain(|domain| {
                let byte: Vec<Bit> = (0..8).map(|_| domain.symbols.bits.atom(secret)).collect();
                let address: Rc<[Bit]> = [0; 2].into_iter().chain(byte).collect();
                assert!(domain.constant_at(&Data::Bits(address), 4).is_ok());
                assert_eq!(!domain.hangs.is_empty(), secret);
            });
        }
    }
}
