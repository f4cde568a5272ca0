//! The execution of rows of processors of 32-bit words, over any words. [`crate::rows`] describes rows; here an effect is a
//! list of statements between `;`:
//!
//! | statement | meaning |
//! |---|---|
//! | `P = E` | a place gets a value: `Rd` the register of field `d`, `R32` that with a number; a small letter a temporary |
//! | `[N E] = E` | N bytes of memory at an address get the low bytes of a value |
//! | `all L = [4 E]`, `[4 E] = all L` | the registers whose bits are set in field L get the words from an address on, or are stored there |
//! | `if E jump D`, `jump D`, `goto E` | by a distance in bytes from the instruction, under a condition or not; to an address |
//! | `when E` | what is behind it is done only if a bit is 1; the bit is decided |
//! | `never E`, `public E` | the row has no meaning if a bit is 1, or if a word is secret |
//! | `slot` | the next instruction is executed before the jump |
//! | `prefix E` | the number that begins with field K of the next instruction, without those bits, which are those of K |
//!
//! Values are words. `#ABC0` is the number with a sign of the bits of field A, then those of B and of C, then a zero, and `%ABC0`
//! the one without a sign. `[N E]` are N bytes of memory, the lowest first, with zeros above; `next` is the address of the next
//! instruction, `here` of this one, and `base` that rounded down to a multiple of 4; `<<` and `>>` move bits, and `asr(E, E)` with
//! copies of the highest, `ror(E, E)` in a circle, `swap(E)` the bytes to the other order; `less` compares numbers with a sign,
//! `below` without one, and `equal` any words: 1 or 0. `carry(E, E, E)` is the carry of the sum of two words and a bit. `mask` has
//! ones from bit 31 - B to bit 31 - E, by fields, in a circle, and `insert(E, E, M)` takes the bits of the second word where the
//! third has ones, else those of the first. `pick(N, E, E...)` is the value of this number, from 0 on: others have no effect.
//! `both(E, E)` decides a bit, and if it is 1 another one, which it then is. `ones L` is the number of registers in field L.
//! `moves.rs` describes `shift` and `out`. Operations are done from the left.

use crate::rows::{Instruction, Row};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The number of registers: 32 general ones, and others that rows name by their number, such as link registers, counters
/// and bits of conditions.
pub const REGISTERS: usize = 64;

/// A movement of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Up.
    Up,
    /// Down.
    Down,
    /// Down, with copies of the highest.
    Signed,
    /// Down in a circle.
    Circle,
    /// The bytes in the other order.
    Swap,
}

impl Move {
    /// The bit that comes to a place, if one does, where all move by a number below 32.
    pub fn source(self, by: usize, to: usize) -> Option<usize> {
        match self {
            Move::Up => to.checked_sub(by),
            Move::Down => Some(to + by).filter(|&from| from < 32),
            Move::Signed => Some((to + by).min(31)),
            Move::Circle => Some((to + by) % 32),
            Move::Swap => Some(to ^ 24),
        }
    }
}

/// Arithmetic on words, and memory.
pub trait Domain {
    /// A word; a bit is a word 0 or 1.
    type Word: Copy;
    /// A reason not to go on.
    type Stop;
    /// A constant.
    fn number(&mut self, value: u32) -> Self::Word;
    /// The sum modulo 2^32.
    fn sum(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The bit that the sum of two words and of a bit, as numbers, is 2^32 or more.
    fn carry(&mut self, a: Self::Word, b: Self::Word, bit: Self::Word) -> Self::Word;
    /// The difference modulo 2^32.
    fn difference(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The product modulo 2^32.
    fn product(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The XOR.
    fn xor(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The AND.
    fn and(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The word with its bits moved by a number below 32.
    ///
    /// # Errors
    /// If the number is not known.
    fn moved(&mut self, a: Self::Word, by: Self::Word, how: Move) -> Result<Self::Word, Self::Stop>;
    /// The value of a bit.
    ///
    /// # Errors
    /// If it is secret, or not known.
    fn decided(&mut self, bit: Self::Word) -> Result<bool, Self::Stop>;
    /// The number that the low byte of a word is; modulo 32 and not zero, if that is enough.
    ///
    /// # Errors
    /// If it is not known.
    fn count(&mut self, a: Self::Word, in_circle: bool) -> Result<u32, Self::Stop>;
    /// Requires a word to be public.
    ///
    /// # Errors
    /// If it is secret.
    fn needs_public(&mut self, a: Self::Word) -> Result<(), Self::Stop>;
    /// An address without the index that stands where a mask has ones, if that is known.
    fn freed(&mut self, address: Self::Word, mask: Self::Word) -> Option<Self::Word> {
        _ = (address, mask);
        None
    }
    /// The first word with those bits of the second where a mask has ones.
    fn inserted(&mut self, into: Self::Word, bits: Self::Word, mask: Self::Word) -> Self::Word {
        let bits = self.and(bits, mask);
        if let Some(address) = self.freed(into, mask) {
            return self.sum(address, bits);
        }
        let ones = self.number(u32::MAX);
        let others = self.xor(mask, ones);
        let others = self.and(into, others);
        self.xor(others, bits)
    }
    /// The bit that a number is less than another, with signs or without.
    fn is_less(&mut self, a: Self::Word, b: Self::Word, is_signed: bool) -> Self::Word;
    /// The bit that two words are equal.
    fn is_equal(&mut self, a: Self::Word, b: Self::Word) -> Self::Word;
    /// The address of an offset in the code.
    fn code(&mut self, at: usize) -> Self::Word;
    /// Bytes of memory at an address: 1, 2 or 4.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn load(&mut self, address: Self::Word, bytes: usize) -> Result<Self::Word, Self::Stop>;
    /// Stores the low bytes of a word.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn store(&mut self, address: Self::Word, bytes: usize, value: Self::Word) -> Result<(), Self::Stop>;
    /// The message where a row has no meaning.
    fn unknown(&self) -> Self::Stop;
}

/// The way on behind an instruction. Distances are in bytes from the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow<W> {
    /// The next instruction.
    Next,
    /// An instruction at a distance, if a bit is 1 or if there is none.
    Jump(Option<W>, i32),
    /// An instruction at an address.
    To(W),
}

/// The execution of an instruction.
pub(crate) struct Execution<'e, D: Domain> {
    pub(crate) domain: &'e mut D,
    registers: &'e mut [D::Word; REGISTERS],
    row: &'e Row,
    bits: u32,
    next: usize,
    /// The value of the number that begins with field K, if a linker writes it.
    given: Option<D::Word>,
    temporaries: BTreeMap<String, D::Word>,
    /// The rest of the statement.
    rest: &'e [String],
}

/// Executes an instruction, behind which the next one is at an offset. A linker's value may stand for the number that begins
/// with field K.
///
/// # Errors
/// If memory is accessed where it is not allowed.
pub fn execute<D: Domain>(
    domain: &mut D,
    registers: &mut [D::Word; REGISTERS],
    row: &Row,
    instruction: &Instruction,
    next: usize,
    given: Option<D::Word>,
) -> Result<Flow<D::Word>, D::Stop> {
    let (bits, temporaries) = (instruction.bits, BTreeMap::new());
    let mut e = Execution { domain, registers, row, bits, next, given, temporaries, rest: &[] };
    let mut flow = Flow::Next;
    for statement in &row.effect {
        e.rest = &statement[1..];
        match statement[0].as_str() {
            "if" => {
                let bit = e.value()?;
                e.needs("jump")?;
                flow = Flow::Jump(Some(bit), row.jump(instruction).ok_or_else(|| e.domain.unknown())?);
                e.rest = &[];
            }
            "jump" => {
                flow = Flow::Jump(None, row.jump(instruction).ok_or_else(|| e.domain.unknown())?);
                e.rest = &[];
            }
            "goto" => flow = Flow::To(e.value()?),
            "when" => {
                let bit = e.value()?;
                if !e.domain.decided(bit)? {
                    return Ok(flow);
                }
            }
            "never" => {
                let bit = e.value()?;
                if e.domain.decided(bit)? {
                    return Err(e.domain.unknown());
                }
            }
            "public" => {
                let value = e.value()?;
                e.domain.needs_public(value)?;
            }
            "all" => {
                let list = e.list()?;
                e.needs("=")?;
                e.needs("[")?;
                let (mut address, bytes) = e.place()?;
                for register in list {
                    e.registers[register] = e.domain.load(address, bytes)?;
                    address = e.after(address, bytes);
                }
            }
            "[" => {
                let (mut address, bytes) = e.place()?;
                e.needs("=")?;
                if e.takes("all") {
                    for register in e.list()? {
                        e.domain.store(address, bytes, e.registers[register])?;
                        address = e.after(address, bytes);
                    }
                } else {
                    let value = e.value()?;
                    e.domain.store(address, bytes, value)?;
                }
            }
            "slot" => {}
            place => {
                e.needs("=")?;
                let value = e.value()?;
                match (row.register(bits, place), place.as_bytes()) {
                    (Some(register), _) => e.registers[register] = value,
                    (None, [b'a'..=b'z']) => _ = e.temporaries.insert(place.into(), value),
                    _ => return Err(e.domain.unknown()),
                }
            }
        }
        if !e.rest.is_empty() {
            return Err(e.domain.unknown());
        }
    }
    Ok(flow)
}

impl<D: Domain> Execution<'_, D> {
    /// The registers of a field that is a list.
    fn list(&mut self) -> Result<impl Iterator<Item = usize> + use<D>, D::Stop> {
        let [field] = *self.next().as_bytes() else { return Err(self.domain.unknown()) };
        let list = self.row.field(self.bits, field);
        Ok((0..32).filter(move |register| list >> register & 1 == 1))
    }

    fn after(&mut self, address: D::Word, bytes: usize) -> D::Word {
        let bytes = self.domain.number(bytes as u32);
        self.domain.sum(address, bytes)
    }

    fn next(&mut self) -> &str {
        let Some((first, rest)) = self.rest.split_first() else { return "" };
        self.rest = rest;
        first
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = self.rest.first().is_some_and(|first| first == symbol);
        self.rest = &self.rest[usize::from(is_next)..];
        is_next
    }

    fn needs(&mut self, symbol: &str) -> Result<(), D::Stop> {
        if self.takes(symbol) { Ok(()) } else { Err(self.domain.unknown()) }
    }

    /// The address and the number of bytes of an access, behind the bracket.
    fn place(&mut self) -> Result<(D::Word, usize), D::Stop> {
        let bytes = self.next().parse().map_err(|_| self.domain.unknown())?;
        let address = self.value()?;
        self.needs("]")?;
        Ok((address, bytes))
    }

    /// The value of terms with operations between them, from the left.
    pub(crate) fn value(&mut self) -> Result<D::Word, D::Stop> {
        let mut left = self.term()?;
        loop {
            let all = ["<<", ">>", "+", "-", "&", "|", "^"];
            let Some(symbol) = all.into_iter().find(|symbol| self.takes(symbol)) else { return Ok(left) };
            let right = self.term()?;
            left = match symbol {
                "<<" => self.domain.moved(left, right, Move::Up)?,
                ">>" => self.domain.moved(left, right, Move::Down)?,
                "+" => self.domain.sum(left, right),
                "-" => self.domain.difference(left, right),
                "&" => self.domain.and(left, right),
                "^" => self.domain.xor(left, right),
                // Bits of either are those of one of them, and of both.
                _ => {
                    let both = self.domain.and(left, right);
                    let one = self.domain.xor(left, right);
                    self.domain.xor(one, both)
                }
            };
        }
    }

    fn term(&mut self) -> Result<D::Word, D::Stop> {
        let word = self.next().to_string();
        Ok(match word.as_str() {
            "~" => {
                let (value, ones) = (self.term()?, self.domain.number(u32::MAX));
                self.domain.xor(value, ones)
            }
            "(" => {
                let value = self.value()?;
                self.needs(")")?;
                value
            }
            "[" => {
                let (address, bytes) = self.place()?;
                self.domain.load(address, bytes)?
            }
            "#" | "%" => {
                let names = self.next().to_string();
                match self.given {
                    Some(given) if names.starts_with('K') => given,
                    _ => self.domain.number(self.row.number(self.bits, &names, word == "#")),
                }
            }
            "next" => self.domain.code(self.next),
            "here" => self.domain.code(self.next - self.row.code.len() / 8),
            "base" => self.domain.code((self.next - self.row.code.len() / 8) & !3),
            "mask" => self.domain.number(self.row.mask(self.bits)),
            "pick" => self.picked()?,
            "ones" => {
                let count = self.list()?.count();
                self.domain.number(count as u32)
            }
            _ if self.takes("(") => self.call(&word)?,
            _ => match (crate::certificate::number(&word), self.row.register(self.bits, &word)) {
                (Some(number), _) => self.domain.number(number as u32),
                (None, Some(register)) => self.registers[register],
                _ => *self.temporaries.get(&word).ok_or_else(|| self.domain.unknown())?,
            },
        })
    }

    /// Goes over an expression: to the comma, or the bracket, behind it.
    fn pass(&mut self) {
        let mut depth = 0;
        while let Some(symbol) = self.rest.first() {
            match symbol.as_str() {
                "(" | "[" => depth += 1,
                "," if depth == 0 => return,
                ")" | "]" if depth == 0 => return,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            self.rest = &self.rest[1..];
        }
    }

    /// One of some values, by its number.
    fn picked(&mut self) -> Result<D::Word, D::Stop> {
        self.needs("(")?;
        let number = self.value()?;
        let number = self.domain.count(number, false)?;
        for _ in 0..number {
            self.needs(",")?;
            self.pass();
        }
        self.needs(",")?;
        let value = self.value()?;
        while self.takes(",") {
            self.pass();
        }
        self.needs(")")?;
        Ok(value)
    }

    fn call(&mut self, name: &str) -> Result<D::Word, D::Stop> {
        let mut all = Vec::from([self.value()?]);
        if name == "both" && !self.domain.decided(all[0])? {
            self.needs(",")?;
            self.pass();
            self.needs(")")?;
            return Ok(self.domain.number(0));
        }
        while self.takes(",") {
            all.push(self.value()?);
        }
        self.needs(")")?;
        let zero = self.domain.number(0);
        let (a, b) = match (name, &all[..]) {
            ("carry", &[a, b, c]) => return Ok(self.domain.carry(a, b, c)),
            ("insert", &[into, bits, mask]) => return Ok(self.domain.inserted(into, bits, mask)),
            ("shift", &[kind, value, by]) => return self.shifted(kind, value, by),
            ("out", &[kind, value, by, carry]) => return self.shifted_out(kind, value, by, carry),
            ("swap", &[a]) => (a, zero),
            (_, &[a, b]) if name != "swap" => (a, b),
            _ => return Err(self.domain.unknown()),
        };
        Ok(match name {
            "both" => {
                let is_one = self.domain.decided(b)?;
                self.domain.number(is_one.into())
            }
            "swap" => self.domain.moved(a, b, Move::Swap)?,
            "asr" => self.domain.moved(a, b, Move::Signed)?,
            "ror" => self.domain.moved(a, b, Move::Circle)?,
            "less" => self.domain.is_less(a, b, true),
            "below" => self.domain.is_less(a, b, false),
            "equal" => self.domain.is_equal(a, b),
            "times" => self.domain.product(a, b),
            _ => return Err(self.domain.unknown()),
        })
    }
}
