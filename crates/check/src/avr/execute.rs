//! The execution of rows, over any bytes. [`crate::rows`] describes their language.

use crate::rows::{Bytes, Flow, Instruction, Registers, Row};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The letters of flags, in the order of [`Registers::flags`].
const FLAGS: &str = "cznvshti";

/// The execution of an instruction.
struct Execution<'e, D: Bytes> {
    domain: &'e mut D,
    registers: &'e mut Registers<D::Byte>,
    row: &'e Row,
    bits: u32,
    /// The value of field K, if a linker writes it.
    given: Option<D::Byte>,
    temporaries: BTreeMap<u8, [D::Byte; 2]>,
    /// The rest of the statement.
    rest: &'e [String],
}

/// The columns of a map that moves bits down, or up if `by` is negative, and keeps those of a mask.
fn moved(by: i32, mask: u8) -> [u8; 8] {
    core::array::from_fn(|bit| match bit as i32 - by {
        to @ 0..8 => (1 << to) & mask,
        _ => 0,
    })
}

/// Executes an instruction. A linker's value may stand for field K.
///
/// # Errors
/// If memory is accessed where it is not allowed.
pub fn execute<D: Bytes>(
    domain: &mut D,
    registers: &mut Registers<D::Byte>,
    row: &Row,
    instruction: &Instruction,
    given: Option<D::Byte>,
) -> Result<Flow<D::Byte>, D::Stop> {
    let bits = instruction.bits;
    let mut e = Execution { domain, registers, row, bits, given, temporaries: BTreeMap::new(), rest: &[] };
    let distance = row.distance(instruction);
    for statement in &row.effect {
        e.rest = &statement[1..];
        match statement[0].as_str() {
            "if" => return Ok(Flow::Jump(Some(e.value()?[0]), distance)),
            "jump" => return Ok(Flow::Jump(None, distance)),
            "skip" => return Ok(Flow::Skip(e.value()?[0])),
            "call" => return Ok(Flow::Call(distance)),
            "return" => return Ok(Flow::Return),
            "[" => {
                let address = e.value()?;
                e.needs("]")?;
                e.needs("=")?;
                let value = e.value()?;
                e.domain.store(address, value[0])?;
            }
            place => {
                e.needs("=")?;
                let value = e.value()?;
                e.set(place.as_bytes(), value)?;
            }
        }
        if !e.rest.is_empty() {
            return Err(e.domain.unknown());
        }
    }
    Ok(Flow::Next)
}

impl<D: Bytes> Execution<'_, D> {
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

    /// A number, or the number of a field.
    fn place(&mut self) -> i32 {
        let (row, bits, word) = (self.row, self.bits, self.next());
        crate::certificate::number(word)
            .map_or_else(|| row.field(bits, word.as_bytes()[0]) as i32, |n| n as i32)
    }

    /// The first general register of a place, and how many it has.
    fn register(&self, name: &[u8]) -> Option<(usize, usize)> {
        let field = |field: u8| if field == b'0' { 0 } else { self.row.field(self.bits, field) as usize };
        match *name {
            [letter @ b'X'..=b'Z'] => Some((26 + 2 * usize::from(letter - b'X'), 2)),
            [b'R', f] => Some((field(f), 1)),
            [b'H', f] => Some((field(f) + 16, 1)),
            [b'P', f] => Some((2 * field(f), 2)),
            [b'W', f] => Some((2 * field(f) + 24, 2)),
            _ => None,
        }
    }

    fn flag(&self, letter: u8) -> usize {
        FLAGS.find(char::from(letter)).unwrap_or_else(|| self.row.field(self.bits, letter) as usize)
    }

    fn get(&mut self, name: &[u8]) -> Result<[D::Byte; 2], D::Stop> {
        let zero = self.domain.number(0);
        if let Some((at, count)) = self.register(name) {
            let all = &self.registers.general;
            return Ok([all[at], if count == 2 { all[at + 1] } else { zero }]);
        }
        Ok(match name {
            b"SP" => self.registers.pointer,
            b"SPL" => [self.registers.pointer[0], zero],
            b"SPH" => [self.registers.pointer[1], zero],
            b"SREG" => {
                let mut all = zero;
                for (bit, flag) in (0..).zip(self.registers.flags) {
                    let flag = self.domain.mapped(flag, moved(-bit, 0xff));
                    all = self.domain.xor(all, flag);
                }
                [all, zero]
            }
            [b'f', letter] => [self.registers.flags[self.flag(*letter)], zero],
            [letter @ b'a'..=b'z'] => *self.temporaries.get(letter).ok_or_else(|| self.domain.unknown())?,
            [b'K'] if let Some(given) = self.given => [given, zero],
            [field @ b'A'..=b'Z'] => [self.domain.number(self.row.field(self.bits, *field) as u8), zero],
            _ => return Err(self.domain.unknown()),
        })
    }

    fn set(&mut self, name: &[u8], value: [D::Byte; 2]) -> Result<(), D::Stop> {
        if let Some((at, count)) = self.register(name) {
            self.registers.general[at..at + count].copy_from_slice(&value[..count]);
            return Ok(());
        }
        match name {
            b"SP" => self.registers.pointer = value,
            b"SPL" => self.registers.pointer[0] = value[0],
            b"SPH" => self.registers.pointer[1] = value[0],
            b"SREG" => {
                for bit in 0..8 {
                    self.registers.flags[bit] = self.domain.mapped(value[0], moved(bit as i32, 1));
                }
            }
            [b'f', letter] => self.registers.flags[self.flag(*letter)] = value[0],
            [letter @ b'a'..=b'z'] => _ = self.temporaries.insert(*letter, value),
            _ => return Err(self.domain.unknown()),
        }
        Ok(())
    }

    /// The value of terms with operations between them, from the left.
    fn value(&mut self) -> Result<[D::Byte; 2], D::Stop> {
        let mut left = self.term()?;
        loop {
            let Some(symbol) = ["<<", "+", "-", "&", "|", "^", ":"].into_iter().find(|s| self.takes(s))
            else {
                return Ok(left);
            };
            if symbol == "<<" {
                let by = self.place();
                left[0] = self.domain.mapped(left[0], moved(-by, 0xff));
                continue;
            }
            let right = self.term()?;
            let zero = self.domain.number(0);
            left = match symbol {
                ":" => [right[0], left[0]],
                "+" => self.word_sum(left, right, zero),
                // Minus a number is plus its complement and one.
                "-" => {
                    let right = [self.inverted(right[0], 255), self.inverted(right[1], 255)];
                    let one = self.domain.number(1);
                    self.word_sum(left, right, one)
                }
                "^" => [self.domain.xor(left[0], right[0]), zero],
                "&" => [self.domain.and(left[0], right[0]), zero],
                // Bits of either are those of one of them, and of both.
                _ => {
                    let both = self.domain.and(left[0], right[0]);
                    let one = self.domain.xor(left[0], right[0]);
                    [self.domain.xor(one, both), zero]
                }
            };
        }
    }

    fn word_sum(&mut self, a: [D::Byte; 2], b: [D::Byte; 2], c: D::Byte) -> [D::Byte; 2] {
        let carry = self.domain.carry(a[0], b[0], c, 8);
        [self.domain.sum(a[0], b[0], c), self.domain.sum(a[1], b[1], carry)]
    }

    fn inverted(&mut self, a: D::Byte, ones: u8) -> D::Byte {
        let ones = self.domain.number(ones);
        self.domain.xor(a, ones)
    }

    fn term(&mut self) -> Result<[D::Byte; 2], D::Stop> {
        let zero = self.domain.number(0);
        let word = self.next().to_string();
        let mut term = match word.as_str() {
            "~" | "!" => {
                let value = self.term()?[0];
                return Ok([self.inverted(value, if word == "~" { 255 } else { 1 }), zero]);
            }
            "(" => self.value()?,
            "[" => self.value()?,
            "flash" => {
                self.needs("[")?;
                self.value()?
            }
            _ if self.takes("(") => self.call(&word)?,
            _ => match crate::certificate::number(&word) {
                Some(number) => [self.domain.number(number as u8), zero],
                None => self.get(word.as_bytes())?,
            },
        };
        match word.as_str() {
            "(" => self.needs(")")?,
            "[" | "flash" => {
                self.needs("]")?;
                term = [self.domain.load(term, word == "flash")?, zero];
            }
            _ => {}
        }
        while self.takes("[") {
            let high = self.place();
            let low = if self.takes(":") { self.place() } else { high };
            self.needs("]")?;
            term = [self.domain.mapped(term[0], moved(low, ((2 << (high - low)) - 1) as u8)), zero];
        }
        Ok(term)
    }

    /// Differences are sums: a - b - c is a + ~b + (1 - c), and its borrow is no carry of that.
    fn call(&mut self, name: &str) -> Result<[D::Byte; 2], D::Stop> {
        let mut all = Vec::from([self.value()?]);
        while self.takes(",") {
            all.push(self.value()?);
        }
        self.needs(")")?;
        let (bits, is_less) =
            (if name.ends_with('3') { 4 } else { 8 }, matches!(name, "sub" | "borrow" | "borrow3"));
        let byte = match (name, &all[..]) {
            ("lo", [a]) => a[0],
            ("hi", [a]) => a[1],
            ("zero", [a]) => self.domain.is_zero(a[0]),
            (_, &[[a, _], [b, _], [c, _]]) => {
                let (b, c) = if is_less { (self.inverted(b, 255), self.inverted(c, 1)) } else { (b, c) };
                match name {
                    "add" | "sub" => self.domain.sum(a, b, c),
                    "carry" | "carry3" => self.domain.carry(a, b, c, bits),
                    _ => {
                        let carry = self.domain.carry(a, b, c, bits);
                        self.inverted(carry, 1)
                    }
                }
            }
            _ => return Err(self.domain.unknown()),
        };
        Ok([byte, self.domain.number(0)])
    }
}
