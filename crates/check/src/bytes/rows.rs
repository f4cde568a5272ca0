//! Processors by rows of text: how instructions are encoded, and what they do.
//!
//! A row is `NAME CODE CYCLES EFFECT`, or without cycles where they say nothing. A code has 16 or 32 bits, on AVR the first
//! word first, else the highest bit first; letters are fields. An effect is a list of statements between `;`, which
//! [`crate::words::execute`] describes for words, and on AVR are:
//!
//! | statement | meaning |
//! |---|---|
//! | `P = E` | a place gets a value: `Rd` the register of field `d`, `Hd` that plus 16, `Pd` the pair 2d, `Wd` the pair 24+2d; `X`, `Y`, `Z` pairs 26, 28, 30; `SP`, `SPL`, `SPH`, `SREG`; `fc` and others a flag, `fS` that of field `S`; a small letter a temporary |
//! | `[E] = E` | a byte of memory gets a value |
//! | `if E jump`, `jump`, `call` | by field `k` words from the next instruction; with a code of 32 bits to another address |
//! | `skip E`, `return` | not the next instruction, if a bit is 1; back to the caller |
//! | `not d N ...` | the row is none if field `d` is one of these numbers, or `not d r` if it is field `r` |
//!
//! Values are bytes, bits (bytes 0 and 1), and words `high : low`. Other capitals are fields as numbers. `+` and `-` are of
//! words; `E[h:l]` are bits, `E << n` are moved up, `~` inverts a byte and `!` a bit; operations are done from the left.
//! `let NAME TEXT` stands for text; a line that ends with `\` goes on.

use crate::words::execute::REGISTERS;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Arithmetic on bytes, and memory.
pub trait Bytes {
    /// A byte; a bit is a byte 0 or 1.
    type Byte: Copy;
    /// A reason not to go on.
    type Stop;
    /// A constant.
    fn number(&mut self, value: u8) -> Self::Byte;
    /// The XOR of two bytes.
    fn xor(&mut self, a: Self::Byte, b: Self::Byte) -> Self::Byte;
    /// The AND of two bytes.
    fn and(&mut self, a: Self::Byte, b: Self::Byte) -> Self::Byte;
    /// The XOR of the columns whose bits are set.
    fn mapped(&mut self, a: Self::Byte, columns: [u8; 8]) -> Self::Byte;
    /// The sum of two bytes and a bit, modulo 256.
    fn sum(&mut self, a: Self::Byte, b: Self::Byte, c: Self::Byte) -> Self::Byte;
    /// The carry of that sum out of its low bits, 4 or 8.
    fn carry(&mut self, a: Self::Byte, b: Self::Byte, c: Self::Byte, bits: u8) -> Self::Byte;
    /// The bit that a byte is zero.
    fn is_zero(&mut self, a: Self::Byte) -> Self::Byte;
    /// A byte of data memory, or of the program's, at an address by its low and high byte.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn load(&mut self, address: [Self::Byte; 2], of_program: bool) -> Result<Self::Byte, Self::Stop>;
    /// Stores a byte.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn store(&mut self, address: [Self::Byte; 2], value: Self::Byte) -> Result<(), Self::Stop>;
    /// The message where a row has no meaning.
    fn unknown(&self) -> Self::Stop;
}

/// The registers.
#[derive(Clone, Debug)]
pub struct Registers<B> {
    /// r0 to r31.
    pub general: [B; 32],
    /// Carry, zero, negative, overflow, sign, half carry, transfer and interrupts: the bits of SREG from the lowest.
    pub flags: [B; 8],
    /// The stack pointer, low and high.
    pub pointer: [B; 2],
}

/// The way on behind an instruction. Distances are in words; there is none if the code has an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow<B> {
    /// The next instruction.
    Next,
    /// An instruction at a distance, if a bit is 1 or if there is none.
    Jump(Option<B>, Option<i32>),
    /// If a bit is 1, not the next instruction.
    Skip(B),
    /// A function.
    Call(Option<i32>),
    /// The caller.
    Return,
}

/// An instruction's encoding and effect.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name, for messages.
    pub name: String,
    cycles: u8,
    pub(crate) code: Vec<u8>,
    not: Vec<(u8, Result<u32, u8>)>,
    /// Words, numbers and symbols of each statement.
    pub(crate) effect: Vec<Vec<String>>,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// The number of its row.
    pub row: usize,
    /// Bytes.
    pub length: usize,
    pub(crate) bits: u32,
}

/// The order of the bytes of a code in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// 16 bits, the lower byte first; of 32 bits the upper 16 first.
    Halves,
    /// 32 bits, the lowest byte first.
    Lowest,
    /// 32 bits, the highest byte first.
    Highest,
}

/// All rows, and the order of the bytes of their codes.
#[derive(Debug)]
pub struct Rows(pub Vec<Row>, Order);

impl Rows {
    /// Reads rows.
    ///
    /// # Errors
    /// The line that is wrong.
    pub fn read(text: &str) -> Result<Rows, String> {
        let (mut lets, mut all) = (Vec::<(&str, String)>::new(), Vec::new());
        let text = text.replace("\\\n", " ");
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            let whole = |text: &str| {
                lets.iter().rev().fold(text.to_string(), |text, (name, meaning)| text.replace(name, meaning))
            };
            if name == "let" {
                let (name, meaning) = rest.trim().split_once(' ').ok_or(line)?;
                let meaning = whole(meaning.trim());
                lets.push((name, meaning));
            } else {
                all.push(Row::read(name, &whole(rest)).ok_or(line)?);
            }
        }
        Ok(Rows(all, Order::Halves))
    }

    /// Reads rows of a processor whose codes are words of 32 bits, the highest or the lowest byte first.
    ///
    /// # Errors
    /// The line that is wrong.
    pub fn read_words(text: &str, is_big: bool) -> Result<Rows, String> {
        let order = if is_big { Order::Highest } else { Order::Lowest };
        Rows::read(text).map(|rows| Rows(rows.0, order))
    }

    /// The instruction at the beginning of code: the only row whose code it has, made again from its fields.
    pub fn decode(&self, code: &[u8]) -> Option<Instruction> {
        let half = |at: usize| code.get(at..at + 2).map(|b| u32::from(b[0]) | u32::from(b[1]) << 8);
        let first = half(0)?;
        let of = |row: &Row| match (row.code.len(), self.1) {
            (32, Order::Halves) => Some(first << 16 | half(2)?),
            (32, Order::Lowest) => Some(first | half(2)? << 16),
            (32, Order::Highest) => Some((first | half(2)? << 16).swap_bytes()),
            _ => Some(first),
        };
        let mut rows = self.0.iter().enumerate().filter_map(|(number, row)| {
            let bits = of(row).filter(|&bits| row.is_fixed(bits))?;
            (row.encode(|field| row.field(bits, field)) == bits).then_some(())?;
            let value = |other: Result<u32, u8>| other.unwrap_or_else(|field| row.field(bits, field));
            let is_none = row.not.iter().any(|&(field, other)| row.field(bits, field) == value(other));
            (!is_none).then_some(Instruction { row: number, length: row.code.len() / 8, bits })
        });
        let found = rows.next()?;
        rows.next().is_none().then_some(found)
    }
}

impl Row {
    fn read(name: &str, rest: &str) -> Option<Row> {
        let (code, rest) = rest.trim().split_once(' ')?;
        let (first, behind) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
        let (cycles, effect) = first.parse().map_or((0, rest), |cycles| (cycles, behind));
        let code = code.as_bytes().to_vec();
        let mut row = Row { name: name.into(), cycles, code, not: Vec::new(), effect: Vec::new() };
        for text in effect.split(';').filter(|text| !text.trim().is_empty()) {
            match text.trim().strip_prefix("not ") {
                Some(list) => {
                    let (field, numbers) = list.split_once(' ')?;
                    let field = *field.as_bytes().first()?;
                    for other in numbers.split(' ') {
                        row.not.push((field, other.parse().map_err(|_| other.as_bytes()[0])));
                    }
                }
                None => row.effect.push(tokens(text)),
            }
        }
        matches!(row.code.len(), 16 | 32).then_some(row)
    }

    /// The code, as it is written.
    pub fn code(&self) -> &str {
        core::str::from_utf8(&self.code).unwrap_or_default()
    }

    /// The words of the effect.
    pub fn text(&self) -> String {
        self.effect.iter().map(|statement| statement.join(" ")).collect::<Vec<_>>().join(" ; ")
    }

    /// The bits of a field, the highest first.
    pub(crate) fn field(&self, bits: u32, field: u8) -> u32 {
        let places = (0..).zip(self.code.iter().rev()).filter(|&(_, &c)| c == field);
        places.enumerate().fold(0, |value, (number, (at, _))| value | (bits >> at & 1) << number)
    }

    /// The number of bits of a field.
    pub(crate) fn width(&self, field: u8) -> usize {
        self.code.iter().filter(|&&c| c == field).count()
    }

    /// The number of fields, and of zeros, one after another, with a sign or without.
    pub(crate) fn number(&self, bits: u32, names: &str, is_signed: bool) -> u32 {
        let (mut value, mut count) = (0, 0);
        for name in names.bytes() {
            let width = if name == b'0' { 1 } else { self.width(name) };
            let own = if name == b'0' { 0 } else { self.field(bits, name) };
            (value, count) = (value << width | u64::from(own), count + width);
        }
        let sign = if is_signed && count > 0 { value >> (count - 1) & 1 } else { 0 };
        value.wrapping_sub(sign << count) as u32
    }

    /// The number of a register: `Rd` is that of field `d`, and `R32` has its number.
    pub(crate) fn register(&self, bits: u32, name: &str) -> Option<usize> {
        let name = name.strip_prefix('R')?;
        let number = match name.as_bytes() {
            [field] if field.is_ascii_alphabetic() => self.field(bits, *field) as usize % 32,
            _ => name.parse().ok()?,
        };
        (number < REGISTERS).then_some(number)
    }

    /// The statement of this kind, if the effect has one: its words.
    fn statement(&self, kind: &str) -> Option<&[String]> {
        self.effect.iter().find(|statement| statement[0] == kind).map(|statement| &statement[1..])
    }

    /// The number that is the upper part of that of the next instruction, if this is such a prefix.
    pub fn prefix(&self, instruction: &Instruction) -> Option<u32> {
        self.statement("prefix").map(|number| self.number(instruction.bits, &number[1], false))
    }

    /// True if its number is 16 bits that a prefix completes.
    pub fn takes_prefix(&self) -> bool {
        self.width(b'K') == 16 && !self.is_jump() && self.statement("prefix").is_none()
    }

    /// The bits of field K, without a sign.
    pub fn lower(&self, instruction: &Instruction) -> u32 {
        self.field(instruction.bits, b'K')
    }

    /// Ones from bit 31 - B to bit 31 - E, by fields, in a circle.
    pub(crate) fn mask(&self, bits: u32) -> u32 {
        let (begin, end) = (self.field(bits, b'B'), self.field(bits, b'E'));
        (0..32).fold(0, |all, at| {
            let is_in = if begin <= end { (begin..=end).contains(&at) } else { at >= begin || at <= end };
            all | u32::from(is_in) << (31 - at)
        })
    }

    /// True if the next instruction is executed before the jump.
    pub fn has_slot(&self) -> bool {
        self.statement("slot").is_some()
    }

    /// True if it jumps, or may.
    pub fn is_jump(&self) -> bool {
        ["if", "jump", "goto"].iter().any(|kind| self.statement(kind).is_some())
    }

    /// True if the effect names a register.
    pub(crate) fn names(&self, bits: u32, register: usize) -> bool {
        self.effect.iter().flatten().any(|word| self.register(bits, word) == Some(register))
    }

    /// True if all numbers that begin with field K are the high part of an address, or the low one with its sign, of which
    /// a linker writes all bits.
    pub(crate) fn has_part(&self, is_high: bool, low: usize) -> bool {
        let mut numbers = self.effect.iter().flat_map(|statement| statement.windows(2));
        let is_part = |pair: &[String]| match pair[1].strip_prefix('K') {
            Some(zeros) if is_high => zeros.len() == low && zeros.bytes().all(|zero| zero == b'0'),
            Some(rest) => pair[0] == "#" && rest.is_empty(),
            None => !matches!(pair[0].as_str(), "#" | "%"),
        };
        numbers.all(is_part) && self.width(b'K') == if is_high { 32 - low } else { low }
    }

    /// True if the bits that are in no field are those of the code.
    fn is_fixed(&self, bits: u32) -> bool {
        let mut all = (0..).zip(self.code.iter().rev());
        all.all(|(at, &c)| c > b'1' || bits >> at & 1 == u32::from(c - b'0'))
    }

    /// The code with these fields.
    fn encode(&self, value: impl Fn(u8) -> u32) -> u32 {
        (0..).zip(self.code.iter().rev()).fold(0, |bits, (at, &c)| {
            let below = self.code.iter().rev().take(at).filter(|&&other| other == c).count();
            let bit = if c <= b'1' { u32::from(c - b'0') } else { value(c) >> below & 1 };
            bits | bit << at
        })
    }

    /// The distance of a jump in bytes from the instruction, where rows are of words.
    pub fn jump(&self, instruction: &Instruction) -> Option<i32> {
        let found = self.effect.iter().find_map(|statement| {
            let at = statement.windows(2).position(|part| part[0] == "jump" && part[1] == "#")?;
            statement.get(at + 2..)
        })?;
        let more = match found {
            [_] => 0,
            [_, plus, number] if plus == "+" => number.parse().ok()?,
            _ => return None,
        };
        (self.number(instruction.bits, &found[0], true) as i32).checked_add(more)
    }

    /// The distance of a jump in words from the next instruction, if the code has one.
    pub fn distance(&self, instruction: &Instruction) -> Option<i32> {
        let count = self.width(b'k');
        let words = self.field(instruction.bits, b'k') as i32;
        let is_negative = count > 0 && words >> (count - 1) == 1;
        (count > 0 && self.code.len() == 16).then(|| if is_negative { words - (1 << count) } else { words })
    }

    /// True if it takes one word and one cycle, and changes nothing but registers and flags.
    pub fn is_plain(&self) -> bool {
        let is_set =
            |s: &Vec<String>| s.get(1).is_some_and(|t| t == "=") && s[0] != "SREG" && !s[0].starts_with("SP");
        self.cycles == 1 && self.code.len() == 16 && self.effect.iter().all(is_set)
    }
}

/// Words and numbers, and symbols.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut all = Vec::<String>::new();
    let mut before = ' ';
    for c in text.chars() {
        let goes_on = c.is_ascii_alphanumeric() && before.is_ascii_alphanumeric()
            || matches!(c, '<' | '>') && before == c;
        match all.last_mut() {
            Some(last) if goes_on => last.push(c),
            _ if c == ' ' => {}
            _ => all.push(c.into()),
        }
        before = c;
    }
    all
}
