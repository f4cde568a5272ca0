//! The values of one thread that stands for all: integers by linear forms, which are public, and words of canonical bytes.

use crate::bytes::terms::{Atom, Byte, ByteId, Terms};
use crate::grid::Proof;
use crate::grid::memory::Path;
use crate::grid::module::Module;
use crate::grid::rows::{Domain, Space, Special};
use crate::grid::setup::Shared;
use crate::linear::{AtomId, Linear};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Names of atoms by their numbers: addresses, the number of blocks of text, of shared memory and of constants; the number of the
/// block of threads, the number of these; the variable of heads; the halves of the counter of block 0. Of several streams, those are
/// the ones of the thread's, and behind them are the addresses of arrays of round keys, counters or vectors, addresses of texts and
/// of outputs, numbers of blocks; and the number of streams.
pub const NAMES: [&str; 16] = [
    "in", "out", "blocks", "tables", "words", "ctaid", "nctaid", "turn", "low", "high", "keys", "ivs", "ins",
    "outs", "counts", "streams",
];
/// The text's address.
pub const INPUT: AtomId = 0;
/// The output's address.
pub const OUTPUT: AtomId = 1;
/// The number of blocks of text: fewer than 2^38.
pub const BLOCKS: AtomId = 2;
/// The address of shared memory, a multiple of 16.
pub const TABLES: AtomId = 3;
/// The address of the constants, a multiple of 16.
pub const WORDS: AtomId = 4;
/// The number of the block of threads.
pub const CTAID: AtomId = 5;
/// The number of blocks of threads: 1 to 2^31 - 1.
pub const NCTAID: AtomId = 6;
/// The variable of heads: the number of a block of threads, plus a multiple of the number of these.
pub const TURN: AtomId = 7;
/// The counter of block 0, modulo 2^64.
pub const LOW: AtomId = 8;
/// Its upper half.
pub const HIGH: AtomId = 9;
/// The address of the round keys of streams.
pub const KEYS: AtomId = 10;
/// The address of their counters or vectors.
pub const IVS: AtomId = 11;
/// The address of the addresses of their texts; of those of outputs and of the numbers of blocks behind it.
pub const INPUTS: AtomId = 12;
/// The number of streams.
pub const STREAMS: AtomId = 15;
/// The first bit of the number of the thread, of ten.
pub const THREAD: AtomId = 16;
/// The first atom that is a function of others.
const FUNCTIONS: AtomId = 32;

/// A reason not to go on.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path has to be split: this form may be negative or not.
    Split(Linear),
    /// The kernel or its proof is refused.
    Refused(String),
}

/// A refusal.
///
/// # Errors
/// Always.
pub fn refused<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Refused(why.into()))
}

/// A number of 32 or 64 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A form modulo two to the number of bits.
    Form(Linear),
    /// Bytes, the lowest first.
    Bytes(Vec<ByteId>),
    /// The sum of a form with an address, and of bytes.
    Indexed(Linear, Vec<ByteId>),
}

/// A public integer that is a function of others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// A form that is not negative, over two to a number.
    Quotient(Linear, u32),
    /// 1 if a form is at least 2^64, else 0.
    Carry(Linear),
}

/// The terms, and what is known on a path.
#[derive(Debug)]
pub struct Symbols<'p> {
    /// The proof.
    pub proof: &'p Proof,
    /// The module.
    pub module: &'p Module,
    /// All terms of bytes.
    pub terms: Terms,
    /// All that is known on the path.
    pub path: Path,
    /// Bytes of the key.
    pub key: Vec<ByteId>,
    /// The number of the thread's stream, if there are several.
    pub stream: Option<Linear>,
    /// The numbers of the blocks of text of a thread's turn.
    pub blocks: Vec<Linear>,
    /// Shared memory behind the barrier.
    pub shared: Option<Shared>,
    /// The functions of public integers.
    pub functions: Vec<Function>,
    /// Tables that were looked up: by address, bits of the index and bytes.
    pub found: BTreeMap<(i128, u64, u64, usize), Vec<[u8; 256]>>,
}

/// The largest value of an atom.
pub fn range(atom: AtomId) -> Option<i128> {
    match atom {
        BLOCKS => Some((1 << 38) - 1),
        CTAID | NCTAID => Some((1 << 31) - 1),
        TABLES => Some((1 << 32) - 1),
        TURN => None,
        0..THREAD => Some((1 << 64) - 1),
        THREAD..FUNCTIONS => Some(1),
        _ => None,
    }
}

/// The number of the thread as a sum of its bits.
pub fn thread(threads: usize) -> Linear {
    let bits = usize::BITS - (threads - 1).leading_zeros();
    Linear { constant: 0, terms: (0..bits).map(|bit| (THREAD + bit, 1 << bit)).collect() }
}

/// The terms whose coefficients are multiples of a number, with what a constant is above a multiple of it left out; and the rest.
fn parts(form: &Linear, unit: i128) -> (Linear, Linear) {
    let rest = form.constant.rem_euclid(unit);
    let (high, low) = form.terms.iter().partition(|term| term.1 % unit == 0);
    (Linear { constant: form.constant - rest, terms: high }, Linear { constant: rest, terms: low })
}

impl Symbols<'_> {
    /// True if `form >= 0` is known.
    pub fn is_natural(&self, form: &Linear) -> bool {
        let functions = &self.functions;
        self.path.facts.imply(form, &|atom| match functions.get(atom.wrapping_sub(FUNCTIONS) as usize) {
            Some(Function::Carry(_)) => Some(1),
            _ => range(atom),
        })
    }

    /// True if a form is known to be from 0 to a number.
    pub fn is_within(&self, form: &Linear, most: i128) -> bool {
        let room = Linear::number(most).checked(form, -1);
        self.is_natural(form) && room.is_some_and(|room| self.is_natural(&room))
    }

    /// True for atoms that are 0 or 1.
    fn is_bit(&self, atom: AtomId) -> bool {
        let function = self.functions.get(atom.wrapping_sub(FUNCTIONS) as usize);
        range(atom) == Some(1) || matches!(function, Some(Function::Carry(_)))
    }

    /// True for atoms that are the same for all threads of a launch, and in all turns.
    pub fn is_of_launch(&self, atom: AtomId) -> bool {
        match self.functions.get(atom.wrapping_sub(FUNCTIONS) as usize) {
            Some(Function::Quotient(form, _) | Function::Carry(form)) => {
                form.terms.iter().all(|term| self.is_of_launch(term.0))
            }
            None => matches!(atom, INPUT | OUTPUT | BLOCKS | NCTAID | LOW | HIGH),
        }
    }

    fn function(&mut self, function: Function) -> Linear {
        let place = self.functions.iter().position(|own| *own == function);
        let place = place.unwrap_or_else(|| {
            self.functions.push(function);
            self.functions.len() - 1
        });
        Linear::atom(FUNCTIONS + place as AtomId)
    }

    /// The quotient of a form that is not negative by two to a number.
    pub fn quotient(&mut self, form: &Linear, by: u32) -> Option<Linear> {
        let (high, low) = parts(form, 1 << by);
        if self.is_within(&low, (1 << by) - 1) {
            return high.divided(1 << by);
        }
        let quotient = self.function(Function::Quotient(form.clone(), by));
        // By its definition, form - 2^by * quotient is from 0 to 2^by - 1.
        let rest = form.checked(&quotient, -(1 << by))?;
        let room = Linear::number((1 << by) - 1).checked(&rest, -1)?;
        self.path.facts.add(rest);
        self.path.facts.add(room);
        Some(quotient)
    }

    /// A form modulo two to a number, as an integer.
    fn low(&mut self, form: &Linear, bits: u32) -> Option<Linear> {
        let (_, low) = parts(form, 1 << bits);
        if self.is_within(&low, (1 << bits) - 1) {
            return Some(low);
        }
        let quotient = if self.is_natural(form) { self.quotient(form, bits)? } else { return None };
        form.checked(&quotient, -(1 << bits))
    }

    /// The bit that a form is at least 2^64, without a part of the form that cannot matter.
    pub fn carry_of(&mut self, form: &Linear) -> Linear {
        let room = Linear::number((1 << 64) - 1).checked(form, -1);
        if room.is_some_and(|room| self.is_natural(&room)) {
            return Linear::default();
        }
        let (high, low) = parts(form, 256);
        let form = if self.is_within(&low, 255) { high } else { form.clone() };
        self.function(Function::Carry(form))
    }

    /// A byte of a form, 0 the lowest.
    pub fn half(&mut self, form: &Linear, k: usize) -> ByteId {
        let (unit, modulus) = (1_i128 << (8 * k), 256_i128 << (8 * k));
        let reduced = |c: i128| {
            let c = c.rem_euclid(modulus);
            if 2 * c > modulus { c - modulus } else { c }
        };
        let terms = form.terms.iter().map(|&(atom, c)| (atom, reduced(c))).filter(|term| term.1 != 0);
        let mut form = Linear { constant: form.constant.rem_euclid(modulus), terms: terms.collect() };
        // What is below a multiple of 256^j, and not negative, changes no byte from j on.
        for unit in (1..=k).rev().map(|k| 1 << (8 * k)) {
            let (high, low) = parts(&form, unit);
            if self.is_within(&low, unit - 1) {
                form = high;
                break;
            }
        }
        if let Some(byte) = self.bits_of(&form, unit) {
            return byte;
        }
        self.terms.atom(Atom::Half(form, k as u8))
    }

    /// The byte that a number and bits are that stand at different places. Less a bit is less 1, and plus its opposite.
    fn bits_of(&mut self, form: &Linear, unit: i128) -> Option<ByteId> {
        let mut constant = form.constant / unit;
        let (mut used, mut sum) = (0, self.terms.constant(0));
        if form.constant % unit != 0 {
            return None;
        }
        for &(atom, coefficient) in &form.terms {
            let place = u8::try_from(coefficient.abs() / unit).ok()?;
            if !self.is_bit(atom) || !place.is_power_of_two() || coefficient % unit != 0 || used & place != 0
            {
                return None;
            }
            used |= place;
            let bit = self.terms.atom(Atom::Half(Linear::atom(atom), 0));
            let moved = self.terms.mapped(bit, [place, 0, 0, 0, 0, 0, 0, 0]);
            sum = self.terms.xor(sum, moved);
            if coefficient < 0 {
                constant -= i128::from(place);
                let ones = self.terms.constant(place);
                sum = self.terms.xor(sum, ones);
            }
        }
        let constant = constant.rem_euclid(256) as u8;
        let number = self.terms.constant(constant);
        if constant & used == 0 { Some(self.terms.xor(sum, number)) } else { None }
    }

    /// The bytes of a value.
    pub fn bytes(&mut self, value: &Value, bits: u32) -> Vec<ByteId> {
        match value {
            Value::Bytes(bytes) => bytes.clone(),
            Value::Form(form) => (0..bits as usize / 8).map(|k| self.half(form, k)).collect(),
            Value::Indexed(_, index) => {
                let is_secret = index.iter().any(|&byte| self.terms.is_secret(byte));
                (0..bits / 8).map(|_| self.terms.unknown(is_secret)).collect()
            }
        }
    }

    /// A value of which nothing is known.
    pub fn unknown(&mut self, bits: u32, is_secret: bool) -> Value {
        Value::Bytes((0..bits / 8).map(|_| self.terms.unknown(is_secret)).collect())
    }

    /// True if a value depends on a secret.
    pub fn is_secret(&self, value: &Value) -> bool {
        match value {
            Value::Form(_) => false,
            Value::Bytes(bytes) | Value::Indexed(_, bytes) => {
                bytes.iter().any(|&byte| self.terms.is_secret(byte))
            }
        }
    }

    /// The bit atom of a part of a byte.
    fn as_bit(&self, atom: u32) -> Option<AtomId> {
        match self.terms.get_atom(atom) {
            Atom::Half(form, 0) => form.as_atom().filter(|&atom| self.is_bit(atom)),
            _ => None,
        }
    }

    /// The form that a value is, if that is known.
    pub fn form(&mut self, value: &Value) -> Option<Linear> {
        let bytes = match value {
            Value::Form(form) => return Some(form.clone()),
            Value::Bytes(bytes) => bytes,
            Value::Indexed(..) => return None,
        };
        let zeros = bytes.iter().rev().take_while(|&&byte| self.terms.as_constant(byte) == Some(0)).count();
        let length = bytes.len() - zeros;
        if let Some(&last) = bytes[..length].last()
            && let Some(Atom::Half(form, k)) = self.terms.as_atom(last).cloned()
            && usize::from(k) == length - 1
            && (0..length).all(|k| self.half(&form, k) == bytes[k])
            && (zeros == 0 || self.is_within(&form, (1 << (8 * length)) - 1))
        {
            return Some(form);
        }
        // A sum of bits and a number.
        let mut sum = Linear::default();
        for (k, &byte) in bytes[..length].iter().enumerate() {
            let Byte { constant, parts } = self.terms.get(byte).clone();
            let mut used = 0;
            sum = sum.offset_checked(i128::from(constant) << (8 * k))?;
            for (atom, columns) in parts {
                let (bit, mask) = (self.as_bit(atom)?, columns[0]);
                if used & mask != 0 {
                    return None;
                }
                used |= mask;
                // The XOR of a bit and 1 is 1 - bit.
                let weight = (0..8)
                    .filter(|place| mask >> place & 1 == 1)
                    .map(|place| if constant >> place & 1 == 1 { -(1 << place) } else { 1_i128 << place });
                sum = sum.checked(&Linear::atom(bit), weight.sum::<i128>() << (8 * k))?;
            }
        }
        Some(sum)
    }

    /// The number that a value is, if it is known.
    fn number_of(&mut self, value: &Value, bits: u32) -> Option<u64> {
        self.form(value)?.as_number().map(|number| number.rem_euclid(1 << bits) as u64)
    }

    /// The integer from 0 to two to the number of bits that a value is. The path may have to be split.
    ///
    /// # Errors
    /// If it is secret, or not known.
    pub fn integer(&mut self, value: &Value, bits: u32) -> Result<Linear, Stop> {
        let Some(form) = self.form(value) else {
            return refused(if self.is_secret(value) {
                "a condition or an address depends on a secret"
            } else {
                "a condition or an address is not known"
            });
        };
        if let Some(integer) = self.as_integer(&form, bits) {
            return Ok(integer);
        }
        // Known to be below, but not whether it is negative, or the other way round.
        let beyond = form.offset_checked(-(1 << bits));
        match beyond.filter(|_| self.is_natural(&form)) {
            Some(beyond) => Err(Stop::Split(beyond)),
            None => Err(Stop::Split(form)),
        }
    }

    /// The integer from 0 to two to the number of bits that a form is, if that is known.
    fn as_integer(&self, form: &Linear, bits: u32) -> Option<Linear> {
        let modulus = 1_i128 << bits;
        if let Some(number) = form.as_number() {
            return Some(Linear::number(number.rem_euclid(modulus)));
        }
        let all = [0, modulus, -modulus].map(|by| form.offset_checked(by));
        all.into_iter().flatten().find(|form| self.is_within(form, modulus - 1))
    }

    /// Bytes whose bits are moved.
    fn all_moved(&mut self, bytes: &[ByteId], by: usize, is_up: bool) -> Vec<ByteId> {
        let source = |to: usize| if is_up { to.checked_sub(by) } else { Some(to + by) };
        let mut all = Vec::new();
        for to in 0..bytes.len() {
            let mut sum = self.terms.constant(0);
            for (from, &byte) in bytes.iter().enumerate() {
                let mut columns = [0; 8];
                for bit in 0..8 {
                    if let Some(source) = source(8 * to + bit).filter(|source| source / 8 == from) {
                        columns[source % 8] |= 1 << bit;
                    }
                }
                if columns != [0; 8] {
                    let share = self.terms.mapped(byte, columns);
                    sum = self.terms.xor(sum, share);
                }
            }
            all.push(sum);
        }
        all
    }

    /// Bits of a form that a mask selects: those of each run of ones are what is below its end without what is below its beginning.
    fn masked(&mut self, form: &Linear, mask: u64) -> Option<Linear> {
        let (mut sum, mut rest) = (Linear::default(), mask);
        while rest != 0 {
            let begin = rest.trailing_zeros();
            let end = begin + (rest >> begin).trailing_ones();
            let (high, low) = (self.low(form, end)?, self.low(form, begin)?);
            sum = sum.checked(&high, 1)?.checked(&low, -1)?;
            rest = rest.checked_shr(end).and_then(|rest| rest.checked_shl(end)).unwrap_or(0);
        }
        Some(sum)
    }
}

impl Domain for Symbols<'_> {
    type Value = Value;
    type Stop = Stop;

    fn number(&mut self, value: u64) -> Value {
        Value::Form(Linear::number(value.into()))
    }

    fn resized(&mut self, a: &Value, from: u32, to: u32) -> Result<Value, Stop> {
        if from == to || from > to && matches!(a, Value::Form(_)) {
            return Ok(a.clone());
        }
        if from < to
            && let Some(form) = self.form(a).and_then(|form| self.as_integer(&form, from))
        {
            return Ok(Value::Form(form));
        }
        let mut bytes = self.bytes(a, from);
        let zero = self.terms.constant(0);
        bytes.resize(to as usize / 8, zero);
        Ok(Value::Bytes(bytes))
    }

    fn sum(&mut self, a: &Value, b: &Value, bits: u32) -> Value {
        let (x, y) = (self.form(a), self.form(b));
        let sum = match (a, b, &x, &y) {
            (_, _, Some(x), Some(y)) => x.checked(y, 1).map(Value::Form),
            (Value::Indexed(form, index), _, _, Some(y)) | (_, Value::Indexed(form, index), Some(y), _) => {
                form.checked(y, 1).map(|form| Value::Indexed(form, index.clone()))
            }
            (Value::Bytes(index), _, _, Some(form)) | (_, Value::Bytes(index), Some(form), _)
                if form.terms.iter().any(|term| term.0 == TABLES) =>
            {
                Some(Value::Indexed(form.clone(), index.clone()))
            }
            _ => None,
        };
        if let Some(sum) = sum {
            return sum;
        }
        let (left, right) = (self.bytes(a, bits), self.bytes(b, bits));
        if left == right {
            return Value::Bytes(self.all_moved(&left, 1, true));
        }
        // Without a common bit there is no carry.
        if left.iter().zip(&right).all(|(&a, &b)| self.terms.possible(a) & self.terms.possible(b) == 0) {
            return self.xor(a, b, bits);
        }
        let is_secret = self.is_secret(a) || self.is_secret(b);
        self.unknown(bits, is_secret)
    }

    fn carry(&mut self, a: &Value, b: &Value, bits: u32) -> Result<Value, Stop> {
        let (x, y) = (self.integer(a, bits)?, self.integer(b, bits)?);
        match x.checked(&y, 1) {
            Some(sum) if bits == 64 => Ok(Value::Form(self.carry_of(&sum))),
            _ => refused("a carry is not known"),
        }
    }

    fn difference(&mut self, a: &Value, b: &Value, bits: u32) -> Value {
        if let Some(negative) = self.form(b).and_then(|form| Linear::default().checked(&form, -1)) {
            return self.sum(a, &Value::Form(negative), bits);
        }
        let is_secret = self.is_secret(a) || self.is_secret(b);
        self.unknown(bits, is_secret)
    }

    fn product(&mut self, a: &Value, b: &Value, bits: u32) -> Value {
        let (x, y) = (self.form(a), self.form(b));
        let numbers = [&x, &y].map(|form| form.as_ref().and_then(Linear::as_number));
        let (number, other, form) = match numbers {
            [_, Some(number)] => (number, a, x),
            [Some(number), _] => (number, b, y),
            _ => (0, a, None),
        };
        if let Some(product) = form.and_then(|form| Linear::default().checked(&form, number)) {
            return Value::Form(product);
        }
        if let Value::Bytes(bytes) = other
            && number.count_ones() == 1
            && number < 1 << bits
        {
            return Value::Bytes(self.all_moved(bytes, number.trailing_zeros() as usize, true));
        }
        let is_secret = self.is_secret(a) || self.is_secret(b);
        self.unknown(bits, is_secret)
    }

    fn and(&mut self, a: &Value, b: &Value, bits: u32) -> Result<Value, Stop> {
        for (value, mask) in [(a, b), (b, a)] {
            if let Some(mask) = self.number_of(mask, bits)
                && let Some(form) = self.form(value)
                && let Some(masked) = self.masked(&form, mask)
            {
                return Ok(Value::Form(masked));
            }
        }
        let (a, b) = (self.bytes(a, bits), self.bytes(b, bits));
        Ok(Value::Bytes(a.iter().zip(&b).map(|(&a, &b)| self.terms.and(a, b)).collect()))
    }

    fn xor(&mut self, a: &Value, b: &Value, bits: u32) -> Value {
        let (a, b) = (self.bytes(a, bits), self.bytes(b, bits));
        Value::Bytes(a.iter().zip(&b).map(|(&a, &b)| self.terms.xor(a, b)).collect())
    }

    fn moved(&mut self, a: &Value, by: &Value, is_up: bool, bits: u32) -> Result<Value, Stop> {
        let Some(by) = self.number_of(by, bits) else {
            if self.is_secret(by) {
                return refused("bits are moved by a number that depends on a secret");
            }
            let is_secret = self.is_secret(a);
            return Ok(self.unknown(bits, is_secret));
        };
        if by >= bits.into() {
            return Ok(self.number(0));
        }
        if let Some(form) = self.form(a) {
            let moved = if is_up {
                Linear::default().checked(&form, 1 << by)
            } else {
                self.as_integer(&form, bits).and_then(|form| self.quotient(&form, by as u32))
            };
            if let Some(moved) = moved {
                return Ok(Value::Form(moved));
            }
        }
        let bytes = self.bytes(a, bits);
        Ok(Value::Bytes(self.all_moved(&bytes, by as usize, is_up)))
    }

    fn permuted(&mut self, a: &Value, b: &Value, selectors: &Value) -> Result<Value, Stop> {
        let Some(selectors) = self.number_of(selectors, 32) else {
            return refused("the selectors of `prmt` are not known");
        };
        let mut all = self.bytes(a, 32);
        all.extend(self.bytes(b, 32));
        let byte = |place: u32| {
            let selector = selectors >> (4 * place);
            let byte = all[(selector & 7) as usize];
            if selector & 8 == 0 { byte } else { self.terms.mapped(byte, [0, 0, 0, 0, 0, 0, 0, 255]) }
        };
        Ok(Value::Bytes((0..4).map(byte).collect()))
    }

    fn is_less(&mut self, a: &Value, b: &Value, bits: u32) -> Result<bool, Stop> {
        let (x, y) = (self.integer(a, bits)?, self.integer(b, bits)?);
        let (Some(less), Some(not)) =
            (y.checked(&x, -1).and_then(|d| d.offset_checked(-1)), x.checked(&y, -1))
        else {
            return refused("numbers are too large to be compared");
        };
        match (self.is_natural(&less), self.is_natural(&not)) {
            (true, _) => Ok(true),
            (_, true) => Ok(false),
            _ => Err(Stop::Split(less)),
        }
    }

    fn special(&mut self, special: Special) -> Value {
        Value::Form(match special {
            Special::Thread => thread(self.module.threads),
            Special::Block => Linear::atom(CTAID),
            Special::Blocks => Linear::atom(NCTAID),
            Special::Shared => Linear::atom(TABLES),
            Special::Constants => Linear::atom(WORDS),
        })
    }

    fn parameter(&mut self, number: usize, at: i64, bits: u32) -> Result<Value, Stop> {
        let (name, size) = (&self.module.parameters[number].name, bits as usize / 8);
        let atom = NAMES[..3].iter().position(|known| known == name).map(|atom| atom as AtomId);
        let atom = match (name.as_str(), atom) {
            _ if self.proof.stream.is_none() => atom,
            ("keys", _) => Some(KEYS),
            ("iv", _) => Some(IVS),
            (_, Some(atom)) => Some(INPUTS + atom),
            _ => Some(STREAMS),
        };
        if let Some(atom) = atom {
            if (at, bits) != (0, 64) {
                return refused("a part of a parameter is read");
            }
            return Ok(Value::Form(Linear::atom(atom)));
        }
        let memory = if name == "iv" { self.first_chain() } else { self.key.clone() };
        let found = usize::try_from(at).ok().filter(|at| at.is_multiple_of(size));
        match found.and_then(|at| memory.get(at..at + size)) {
            Some(bytes) => Ok(Value::Bytes(bytes.to_vec())),
            None => refused("an access is not within its parameter, or not aligned"),
        }
    }

    fn load(&mut self, space: Space, address: &Value, bits: &[u32]) -> Result<Vec<Value>, Stop> {
        let bytes = bits.iter().sum::<u32>() as usize / 8;
        let all = match space {
            Space::Shared => self.load_shared(address, bytes)?,
            Space::Global => self.load_global(address, bytes)?,
            // Before the barrier, each thread was executed with its number.
            Space::Const if !self.path.is_behind && self.shared.is_some() => {
                (0..bytes).map(|_| self.terms.unknown(false)).collect()
            }
            Space::Const => self.load_constant(address, bytes)?,
            Space::Param => return refused("a parameter is read by a register"),
        };
        let mut rest = &all[..];
        let mut values = vec![];
        for bits in bits {
            let (value, behind) = rest.split_at(*bits as usize / 8);
            let value = Value::Bytes(value.to_vec());
            values.push(self.form(&value).map_or(value, Value::Form));
            rest = behind;
        }
        Ok(values)
    }

    fn store(&mut self, space: Space, address: &Value, values: &[Value]) -> Result<(), Stop> {
        match space {
            Space::Shared if !self.path.is_behind && self.shared.is_some() => Ok(()),
            Space::Shared => refused("shared memory is written behind the barrier, or there is none"),
            _ => {
                let bytes: Vec<ByteId> = values.iter().flat_map(|value| self.bytes(value, 32)).collect();
                self.store_global(address, &bytes)
            }
        }
    }

    fn refused(&self, why: &str) -> Stop {
        Stop::Refused(why.into())
    }
}
