//! Processors of 32-bit words: families, and the execution of their instructions over canonical bytes.

pub mod execute;
mod indices;
mod moves;
mod slots;

use crate::bytes::Link;
use crate::bytes::memory::{Memory, STACK, Stop, refused};
use crate::bytes::run::{Machine, Run};
use crate::bytes::terms::{Atom, ByteId, CALLER, CODE, Condition, LOWS, TABLES, Terms, VARIABLES, reduced};
use crate::linear::{AtomId, Linear};
use crate::rows::Rows;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use execute::{Domain, Move, REGISTERS};

/// The bytes of a word, the lowest first.
pub type Word = [ByteId; 4];

/// A family of processors.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name of the processor in proofs.
    pub name: &'static str,
    /// The rows of instructions.
    pub rows: &'static str,
    /// True if words and codes have their highest byte first in memory.
    pub is_big: bool,
    /// True if instructions have 2 or 4 bytes, the upper half first.
    pub has_halves: bool,
    /// The number of registers that statements name.
    pub registers: u8,
    /// Registers of arguments; the others are on the stack.
    pub arguments: &'static [u8],
    /// Registers that are the caller's.
    pub saved: &'static [u8],
    /// Registers that no instruction may name.
    pub foreign: &'static [u8],
    /// Registers that are flags: 0 or 1.
    pub flags: &'static [u8],
    /// The register that is always zero.
    pub zero: Option<u8>,
    /// The register that has the return address at entry, less a distance.
    pub link: u8,
    /// This distance.
    pub back: u32,
    /// The stack pointer.
    pub stack: u8,
    /// It is moved by multiples of this number.
    pub stack_step: i128,
    /// Bits of the low part of an address that a linker writes.
    pub low: usize,
    /// True if only an instruction behind a prefix, which has the high part, has the low one.
    pub has_prefix: bool,
    /// What an address that is jumped to is more than the place.
    pub mark: i128,
}

/// All families.
pub const FAMILIES: [Family; 7] = [
    // RISC-V ELF psABI, integer calling convention, where gp and tp are never changed.
    Family {
        name: "rv32",
        rows: include_str!("rv32.txt"),
        arguments: &[10, 11, 12, 13, 14],
        saved: &[2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27],
        zero: Some(0),
        link: 1,
        stack: 2,
        stack_step: 16,
        ..PLAIN
    },
    // Procedure Call Standard for the Arm Architecture, 6.1 and 6.2, little-endian. A function of `arm` returns by `bx`, so
    // that its caller may be Thumb code; `armv4` has no Thumb.
    Family { name: "arm", rows: concat!(include_str!("arm.txt"), include_str!("armv4t.txt")), ..ARM },
    Family { name: "armv4", rows: concat!(include_str!("arm.txt"), include_str!("armv4.txt")), ..ARM },
    Family { name: "thumb", rows: include_str!("thumb.txt"), has_halves: true, mark: 1, ..ARM },
    Family {
        name: "thumb2",
        rows: concat!(include_str!("thumb.txt"), include_str!("thumb2.txt")),
        has_halves: true,
        mark: 1,
        ..ARM
    },
    // System V ABI, PowerPC Processor Supplement: r2 and r13 are the system's, and r32 is the link register.
    Family {
        name: "ppc",
        rows: include_str!("ppc.txt"),
        is_big: true,
        registers: 39,
        arguments: &[3, 4, 5, 6, 7],
        saved: &[1, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
        foreign: &[2, 13],
        link: 32,
        stack: 1,
        stack_step: 16,
        low: 16,
        ..PLAIN
    },
    // MicroBlaze Processor Reference Guide (UG984), Application Binary Interface: r2 and r13 are anchors of data areas, and
    // the processor writes r14, r16 and r17 at any time.
    Family {
        name: "microblaze",
        rows: include_str!("microblaze.txt"),
        registers: 33,
        arguments: &[5, 6, 7, 8, 9],
        saved: &[1, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31],
        foreign: &[2, 13, 14, 16, 17],
        zero: Some(0),
        link: 15,
        back: 8,
        stack: 1,
        low: 16,
        has_prefix: true,
        ..PLAIN
    },
];

/// A family without what only some have.
const PLAIN: Family = Family {
    name: "",
    rows: "",
    is_big: false,
    has_halves: false,
    registers: 32,
    arguments: &[],
    saved: &[],
    foreign: &[],
    flags: &[],
    zero: None,
    link: 0,
    back: 0,
    stack: 0,
    stack_step: 4,
    low: 12,
    has_prefix: false,
    mark: 0,
};

/// What families of ARM share. Registers 16 to 19 are the flags N, Z, C and V.
const ARM: Family = Family {
    registers: 20,
    arguments: &[0, 1, 2, 3],
    saved: &[4, 5, 6, 7, 8, 9, 10, 11, 13],
    flags: &[16, 17, 18, 19],
    link: 14,
    stack: 13,
    ..PLAIN
};

/// A processor of a family.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub &'static Family);

impl Machine for Words {
    type Registers = [Word; REGISTERS];
    const UNIT: usize = 4;
    const WIDTH: u8 = 4;
    const STACK_BYTES: i128 = 4096;
    const FREE: i128 = 0;

    fn registers(self) -> u8 {
        self.0.registers
    }

    fn code_step(self) -> usize {
        if self.0.has_halves { 2 } else { 4 }
    }

    fn above(self, terms: &mut Terms, arguments: &[AtomId]) -> Vec<ByteId> {
        let others = arguments.get(self.0.arguments.len()..).unwrap_or_default();
        others.iter().flat_map(|&argument| word(terms, &Linear::atom(argument))).collect()
    }

    fn stack_step(self) -> i128 {
        self.0.stack_step
    }

    fn is_big(self) -> bool {
        self.0.is_big
    }

    fn rows(self) -> Result<Rows, String> {
        if self.0.has_halves { Rows::read(self.0.rows) } else { Rows::read_words(self.0.rows, self.0.is_big) }
    }

    fn entry(self, terms: &mut Terms, arguments: &[AtomId]) -> [Word; REGISTERS] {
        let mut all: [Word; REGISTERS] = core::array::from_fn(|register| {
            core::array::from_fn(|k| terms.atom(Atom::Entry((4 * register + k) as u8)))
        });
        let given = self.0.arguments.iter().zip(arguments).chain([(&self.0.stack, &STACK)]);
        for (&register, &argument) in given {
            all[usize::from(register)] = word(terms, &Linear::atom(argument));
        }
        if self.0.back > 0 {
            all[usize::from(self.0.link)] = word(terms, &Linear::atom(CALLER));
        }
        self.settled(terms, all)
    }

    fn unknown(self, terms: &mut Terms, _: &[Word; REGISTERS]) -> [Word; REGISTERS] {
        let all = core::array::from_fn(|_| core::array::from_fn(|_| terms.unknown(true)));
        self.settled(terms, all)
    }

    fn general(self, registers: &mut [Word; REGISTERS], number: usize) -> &mut [ByteId] {
        &mut registers[number]
    }

    fn pointer(self, registers: &mut [Word; REGISTERS]) -> &mut [ByteId] {
        &mut registers[usize::from(self.0.stack)]
    }

    fn kept(self, _: &[Word; REGISTERS], _: &[Word; REGISTERS]) -> Result<(), &'static str> {
        Ok(())
    }

    fn returned(self, own: &[Word; REGISTERS], old: &[Word; REGISTERS]) -> Result<(), Stop> {
        let mut saved = self.0.saved.iter().map(|&register| usize::from(register));
        if saved.all(|register| own[register] == old[register]) {
            return Ok(());
        }
        refused("a register is not that of the caller at the return")
    }

    fn step(
        run: &mut Run<'_, Words>,
        registers: &mut [Word; REGISTERS],
        at: usize,
    ) -> Result<Option<usize>, Stop> {
        let before = *registers;
        let result = slots::step(run, registers, at);
        if let Err(Stop::Split(_)) = result {
            *registers = before;
        }
        result
    }
}

impl Words {
    /// Registers of which those that are flags are bits, and that which is always zero is.
    fn settled(self, terms: &mut Terms, mut registers: [Word; REGISTERS]) -> [Word; REGISTERS] {
        let zero = terms.constant(0);
        for &flag in self.0.flags {
            let bit = terms.lowest(registers[usize::from(flag)][0]);
            registers[usize::from(flag)] = [bit, zero, zero, zero];
        }
        self.with_zero(terms, registers)
    }

    /// Registers of which that which is always zero is.
    fn with_zero(self, terms: &mut Terms, mut registers: [Word; REGISTERS]) -> [Word; REGISTERS] {
        if let Some(zero) = self.0.zero {
            registers[usize::from(zero)] = word(terms, &Linear::default());
        }
        registers
    }
}

/// A part of the address of a table plus a number: the low part is a number of its own, the same wherever the same address
/// is meant, and the high part is the rest.
fn part(
    memory: &mut Memory<'_>,
    at: usize,
    (table, is_high, add): (usize, bool, i128),
) -> Result<Word, Stop> {
    // The first link that means this address has the number of its low part.
    let is_same = |link: &Link| matches!(link, Link::Part(t, _, a) if (*t, *a) == (table, add));
    let first = memory.proof.links.values().position(is_same).unwrap_or(at);
    let low = Linear::atom(LOWS + first as AtomId);
    if first >= (VARIABLES - LOWS) as usize {
        return refused("a linker writes into too many instructions");
    }
    if !is_high {
        return Ok(word(&mut memory.terms, &low));
    }
    let whole = Linear { constant: add, terms: [(TABLES + table as AtomId, 1)].into() };
    match whole.checked(&low, -1) {
        Some(rest) => Ok(word(&mut memory.terms, &rest)),
        None => refused("a linker adds a number that is too large"),
    }
}

/// The word of a form.
fn word(terms: &mut Terms, form: &Linear) -> Word {
    [0, 1, 2, 3].map(|k| terms.half(form, k))
}

/// True if all coefficients of a form are multiples of a number. Objects, tables and the stack begin at multiples of 4.
fn is_aligned(form: &Linear, bytes: usize) -> bool {
    let by = bytes as i128;
    form.constant % by == 0 && form.terms.iter().all(|term| term.1 % by == 0)
}

/// True if a form has the address of a table, or of the code.
fn has_constants(form: &Linear) -> bool {
    form.terms.iter().any(|t| t.0 == CODE || (TABLES..VARIABLES).contains(&t.0))
}

impl Terms {
    /// The address of a table and the word of bytes of which bytes are the sum.
    pub fn as_indexed(&self, bytes: Word) -> Option<(Linear, Word)> {
        let Some(Atom::Indexed(form, index, 0)) = self.as_atom(bytes[0]) else { return None };
        let is_part = |(k, &byte): (u8, &ByteId)| matches!(self.as_atom(byte), Some(Atom::Indexed(f, i, own)) if (f, i, *own) == (form, index, k));
        (0..).zip(&bytes).all(is_part).then(|| (form.clone(), *index))
    }

    /// The sum of an address of a table and a word of bytes.
    fn indexed(&mut self, form: &Linear, index: Word) -> Word {
        let form = reduced(form, self.modulus());
        [0, 1, 2, 3].map(|k| self.atom(Atom::Indexed(form.clone(), index, k)))
    }

    /// The sum of two words that are not both public, and a bit, and its carry.
    fn chained(&mut self, a: Word, b: Word, mut carry: ByteId) -> (Word, ByteId) {
        let sum = core::array::from_fn(|k| {
            let sum = self.sum(a[k], b[k], carry);
            carry = self.carry(a[k], b[k], carry, 8);
            sum
        });
        (sum, carry)
    }
}

impl Memory<'_> {
    /// The offset in the code of which a word is the address.
    fn as_place(&mut self, address: Word, mark: i128) -> Option<usize> {
        let form = self.terms.as_word(address)?;
        let at = (form.terms == [(CODE, 1)]).then(|| self.signed(form.constant))?;
        usize::try_from(at - mark).ok()
    }

    fn has_secret(&self, word: Word) -> bool {
        word.iter().any(|&byte| self.terms.is_secret(byte))
    }

    /// The bits of a word that are not known to be zero.
    fn possible(&self, word: Word) -> u32 {
        u32::from_le_bytes(word.map(|byte| self.terms.possible(byte)))
    }

    fn bit(&mut self, condition: Condition) -> Word {
        self.low(|terms| terms.atom(Atom::Is(condition)))
    }

    /// The word whose lowest byte is this, and whose others are zero.
    fn low(&mut self, make: impl FnOnce(&mut Terms) -> ByteId) -> Word {
        let zero = self.terms.constant(0);
        [make(&mut self.terms), zero, zero, zero]
    }

    fn all_moved(&mut self, a: Word, by: usize, how: Move) -> Word {
        core::array::from_fn(|to| {
            let mut sum = self.terms.constant(0);
            for (from, &byte) in a.iter().enumerate() {
                let mut columns = [0; 8];
                for bit in 0..8 {
                    if let Some(source) = how.source(by, 8 * to + bit)
                        && source / 8 == from
                    {
                        columns[source % 8] |= 1 << bit;
                    }
                }
                let share = self.terms.mapped(byte, columns);
                sum = self.terms.xor(sum, share);
            }
            sum
        })
    }

    /// The sum of an address of a table and of a word of bytes, if these are that.
    fn table_sum(&mut self, a: Word, b: Word) -> Option<Word> {
        let form = self.terms.as_word(a)?;
        let (table, index) = match self.terms.as_indexed(b) {
            Some((table, index)) => (table.checked(&form, 1)?, index),
            None if has_constants(&form) => {
                // Bits that are always 1 belong to the number.
                let ones = b.map(|byte| self.terms.ones(byte));
                let number = i128::from(u32::from_le_bytes(ones));
                let ones = ones.map(|byte| self.terms.constant(byte));
                (form.offset_checked(number)?, self.xor(b, ones))
            }
            None => return None,
        };
        Some(self.terms.indexed(&table, index))
    }

    /// The address that a linker writes into a word of the code, which is zero there.
    fn linked_word(&mut self, form: &Linear, bytes: usize) -> Result<Option<Word>, Stop> {
        let at = usize::try_from(form.constant).ok().filter(|_| form.terms == [(CODE, 1)]);
        let is_zero = at.and_then(|at| self.proof.code.get(at..at + 4)) == Some(&[0; 4]);
        match at.and_then(|at| self.proof.links.get(&at)) {
            Some(&Link::Word(table, add)) if bytes == 4 && form.constant % 4 == 0 && is_zero => {
                let whole = Linear { constant: add, terms: [(TABLES + table as AtomId, 1)].into() };
                Ok(Some(word(&mut self.terms, &whole)))
            }
            _ => Ok(None),
        }
    }

    /// Bytes of a table at an index that is a byte, moved up.
    fn look_up(&mut self, table: &Linear, index: Word, bytes: usize) -> Result<Word, Stop> {
        let [(id, 1)] = table.terms[..] else { return refused("an address is in no table") };
        let (name, entries) = match self.proof.tables.get(id.wrapping_sub(TABLES) as usize) {
            Some(table) => (table.name.as_str(), &table.bytes),
            None if id == CODE => ("the code", &self.proof.code),
            None => return refused("an address is in no table"),
        };
        if self.has_secret(index) && !self.proof.lookups {
            return refused("the address of a load depends on a secret");
        }
        let possible = self.possible(index);
        let by = possible.trailing_zeros() as usize % 32;
        let (used, begin) = ((possible >> by) as usize, self.signed(table.constant));
        if used > 255 || begin % bytes as i128 != 0 || !(1_usize << by).is_multiple_of(bytes) && used > 0 {
            return refused("an index is no byte, or a word of a table is not aligned");
        }
        let byte = self.all_moved(index, by, Move::Down)[0];
        let zero = self.terms.constant(0);
        let mut value = [zero; 4];
        for (k, byte_of_value) in value.iter_mut().enumerate().take(bytes) {
            let entry = |v: usize| {
                let at = begin + ((v & used) << by) as i128 + k as i128;
                let at = usize::try_from(at).ok().filter(|&at| id != CODE || !self.proof.is_linked(at))?;
                entries.get(at).copied()
            };
            let mut all = [0; 256];
            for (v, own) in all.iter_mut().enumerate() {
                let Some(entry) = entry(v) else {
                    return refused(format!("an access is outside {name}"));
                };
                *own = entry;
            }
            let found = self.terms.entry(&all, byte).or_else(|| {
                // From the end of a table, all bits of the index are inverted.
                let inverted = self.terms.constant(used as u8);
                let inverted = self.terms.xor(byte, inverted);
                self.terms.entry(&core::array::from_fn(|v| all[v ^ used]), inverted)
            });
            let Some(found) = found else {
                return refused(format!("{name} is no S-box and no linear map"));
            };
            *byte_of_value = found;
        }
        Ok(value)
    }
}

impl Domain for Memory<'_> {
    type Word = Word;
    type Stop = Stop;

    fn number(&mut self, value: u32) -> Word {
        value.to_le_bytes().map(|byte| self.terms.constant(byte))
    }

    fn sum(&mut self, a: Word, b: Word) -> Word {
        if let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b))
            && let Some(sum) = x.checked(&y, 1)
        {
            return word(&mut self.terms, &sum);
        }
        if let Some(sum) = self.table_sum(a, b).or_else(|| self.table_sum(b, a)) {
            return sum;
        }
        if a.iter().zip(&b).all(|(&a, &b)| self.terms.possible(a) & self.terms.possible(b) == 0) {
            return self.xor(a, b);
        }
        // Words that end with zeros are moved down before.
        let by = (self.possible(a) | self.possible(b)).trailing_zeros() as usize;
        let (a, b) = (self.all_moved(a, by, Move::Down), self.all_moved(b, by, Move::Down));
        let zero = self.terms.constant(0);
        let (sum, _) = self.terms.chained(a, b, zero);
        self.all_moved(sum, by, Move::Up)
    }

    /// The carry of the sum of two words and the lowest bit of a third.
    fn carry(&mut self, a: Word, b: Word, c: Word) -> Word {
        let carry = self.terms.lowest(c[0]);
        if self.terms.as_constant(carry) == Some(0)
            && let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b))
            && let Some(sum) = x.checked(&y, 1)
        {
            let sum = word(&mut self.terms, &sum);
            return self.is_less(sum, a, false);
        }
        self.low(|terms| terms.chained(a, b, carry).1)
    }

    fn difference(&mut self, a: Word, b: Word) -> Word {
        if let Some(y) = self.terms.as_word(b)
            && let Some(negative) = Linear::default().checked(&y, -1)
            && (!y.terms.is_empty() || self.terms.as_word(a).is_some())
        {
            let negative = word(&mut self.terms, &negative);
            return self.sum(a, negative);
        }
        // A word is a number, with ones where the word may have them, less the inverted word.
        if let Some(x) = self.terms.as_word(a).filter(has_constants)
            && let Some(begin) = x.offset_checked(-i128::from(self.possible(b)))
        {
            let (begin, most) = (word(&mut self.terms, &begin), Domain::number(self, self.possible(b)));
            let rest = self.xor(b, most);
            return self.sum(begin, rest);
        }
        let (ones, one) = (self.terms.constant(255), self.terms.constant(1));
        let b = b.map(|byte| self.terms.xor(byte, ones));
        self.terms.chained(a, b, one).0
    }

    fn product(&mut self, a: Word, b: Word) -> Word {
        let number = |terms: &mut Terms, word: Word| terms.as_word(word).and_then(|form| form.as_number());
        let (by, of) = match (number(&mut self.terms, a), number(&mut self.terms, b)) {
            (_, Some(by)) => (by, a),
            (Some(by), _) => (by, b),
            _ => {
                let is_secret = self.has_secret(a) || self.has_secret(b);
                return [(); 4].map(|()| self.terms.unknown(is_secret));
            }
        };
        let mut sum = Domain::number(self, 0);
        for bit in (0..32).filter(|bit| by >> bit & 1 == 1) {
            let moved = self.all_moved(of, bit, Move::Up);
            sum = Domain::sum(self, sum, moved);
        }
        sum
    }

    fn xor(&mut self, a: Word, b: Word) -> Word {
        core::array::from_fn(|k| self.terms.xor(a[k], b[k]))
    }

    fn and(&mut self, a: Word, b: Word) -> Word {
        core::array::from_fn(|k| self.terms.and(a[k], b[k]))
    }

    fn moved(&mut self, a: Word, by: Word, how: Move) -> Result<Word, Stop> {
        let by = self.terms.as_word(by).and_then(|form| form.as_number()).filter(|by| (0..32).contains(by));
        let Some(by) = by else { return refused("bits are moved by a number that is not known") };
        // A public word that moves up is a product.
        let scaled = self.terms.as_word(a).filter(|form| how == Move::Up && !form.terms.is_empty());
        Ok(match scaled.and_then(|form| Linear::default().checked(&form, 1 << by)) {
            Some(form) => word(&mut self.terms, &form),
            None => self.all_moved(a, by as usize, how),
        })
    }

    fn decided(&mut self, bit: Word) -> Result<bool, Stop> {
        self.decided_bit(bit[0])
    }

    fn count(&mut self, a: Word, in_circle: bool) -> Result<u32, Stop> {
        if let Some(low) = self.terms.as_constant(a[0]) {
            return Ok(low.into());
        }
        let form = self.terms.as_word(a).map(|form| self.proof.modulo(&form, 32)).filter(|_| in_circle);
        match form.and_then(|form| form.as_number()) {
            Some(number @ 1..) => Ok(number as u32),
            _ => refused("bits are moved by a number that is not known"),
        }
    }

    fn needs_public(&mut self, a: Word) -> Result<(), Stop> {
        if self.has_secret(a) { refused("the time of an instruction depends on a secret") } else { Ok(()) }
    }

    fn inserted(&mut self, into: Word, bits: Word, mask: Word) -> Word {
        let bits = Domain::and(self, bits, mask);
        if let Some(form) = self.without_index(into, mask) {
            let address = word(&mut self.terms, &form);
            return Domain::sum(self, address, bits);
        }
        let ones = Domain::number(self, u32::MAX);
        let others = self.xor(mask, ones);
        let others = Domain::and(self, into, others);
        self.xor(others, bits)
    }

    fn is_less(&mut self, a: Word, b: Word, is_signed: bool) -> Word {
        let (x, y) = (self.terms.as_word(a), self.terms.as_word(b));
        let [m, n] = [&x, &y].map(|form| form.as_ref().and_then(Linear::as_number));
        let zero = Domain::number(self, 0);
        match (m, n) {
            (Some(m), Some(n)) => {
                let is_less = if is_signed { self.signed(m) < self.signed(n) } else { m < n };
                Domain::number(self, is_less.into())
            }
            (None, Some(0)) if is_signed => self.all_moved(a, 31, Move::Down),
            (None, Some(1)) if !is_signed => self.is_equal(a, zero),
            (Some(0), None) if !is_signed => {
                let (is_zero, one) = (self.is_equal(b, zero), Domain::number(self, 1));
                self.xor(is_zero, one)
            }
            _ => match (x, y) {
                (Some(x), Some(y)) if !is_signed => {
                    let modulus = self.terms.modulus();
                    self.bit(Condition::Less(reduced(&x, modulus), reduced(&y, modulus)))
                }
                _ => {
                    let is_secret = self.has_secret(a) || self.has_secret(b);
                    self.low(|terms| terms.unknown_bit(is_secret))
                }
            },
        }
    }

    fn is_equal(&mut self, a: Word, b: Word) -> Word {
        if let (Some(x), Some(y)) = (self.terms.as_word(a), self.terms.as_word(b)) {
            let modulus = self.terms.modulus();
            // A difference and its negative are zero together.
            let both =
                [(&x, &y), (&y, &x)].map(|(x, y)| x.checked(y, -1).map(|form| reduced(&form, modulus)));
            let [Some(one), Some(other)] = both else { return self.low(|terms| terms.unknown_bit(true)) };
            let least = if one.terms <= other.terms { one } else { other };
            return match least.as_number() {
                Some(number) => Domain::number(self, (number == 0).into()),
                None => self.bit(Condition::ZeroWord(least)),
            };
        }
        let difference = self.xor(a, b);
        let by = self.possible(difference).trailing_zeros() as usize % 32;
        let difference = self.all_moved(difference, by, Move::Down);
        let is_number =
            |byte: ByteId, number: fn(u8) -> bool| self.terms.as_constant(byte).is_some_and(number);
        if difference.iter().any(|&byte| is_number(byte, |number| number != 0)) {
            return Domain::number(self, 0);
        }
        let open = difference.into_iter().filter(|&byte| !is_number(byte, |number| number == 0));
        let open: Vec<ByteId> = open.collect();
        if open.is_empty() {
            return Domain::number(self, 1);
        }
        let one = self.terms.constant(1);
        if let [byte] = open[..] {
            let is_bit = self.terms.possible(byte) == 1;
            return self.low(|terms| if is_bit { terms.xor(byte, one) } else { terms.zero(byte) });
        }
        // One byte is zero, and so are all others where it is.
        for (number, &byte) in open.iter().enumerate() {
            let is_zero = self.terms.zero(byte);
            let mut rest = open.iter().enumerate().filter(|other| other.0 != number);
            let is_function = rest.all(|(_, &other)| {
                let found = self.terms.of_one_bit([other]);
                found.is_some_and(|(bit, values)| bit == is_zero && values[0][1] == 0)
            });
            if is_function {
                return self.low(|_| is_zero);
            }
        }
        let is_secret = self.has_secret(a) || self.has_secret(b);
        self.low(|terms| terms.unknown_bit(is_secret))
    }

    fn code(&mut self, at: usize) -> Word {
        word(&mut self.terms, &Linear { constant: at as i128, terms: [(CODE, 1)].into() })
    }

    fn load(&mut self, address: Word, bytes: usize) -> Result<Word, Stop> {
        if let Some((table, index)) = self.terms.as_indexed(address) {
            return self.look_up(&table, index, bytes);
        }
        let zero = Domain::number(self, 0);
        if let Some(form) = self.terms.as_word(address)
            && has_constants(&form)
        {
            return match self.linked_word(&form, bytes)? {
                Some(word) => Ok(word),
                None => self.look_up(&form, zero, bytes),
            };
        }
        let (base, offset) = self.place(address)?;
        if !is_aligned(&offset, bytes) {
            return refused("an access is not aligned");
        }
        let mut value = zero;
        for (k, byte) in value.iter_mut().enumerate().take(bytes) {
            let Some(at) = offset.offset_checked(k as i128) else {
                return refused("an address is too large");
            };
            *byte = self.load_at(base, &at)?;
        }
        Ok(value)
    }

    fn store(&mut self, address: Word, bytes: usize, value: Word) -> Result<(), Stop> {
        let (base, offset) = self.place(address)?;
        if !is_aligned(&offset, bytes) {
            return refused("an access is not aligned");
        }
        for (k, &byte) in value.iter().enumerate().take(bytes) {
            let Some(at) = offset.offset_checked(k as i128) else {
                return refused("an address is too large");
            };
            self.store_at(base, &at, byte)?;
        }
        Ok(())
    }

    fn unknown(&self) -> Stop {
        Stop::Refused("a row of the table has no meaning".into())
    }
}
