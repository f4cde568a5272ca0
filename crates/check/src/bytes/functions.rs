//! Bits that are functions of a byte to which the S-box is applied: an AND of two such bits is one, too. A function that is
//! an affine one of the byte and of its S-box is that sum, so that equal functions are equal terms.

use crate::bytes::terms::{Atom, Byte, ByteId, Terms};
use crate::spec::BOXES;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The values of a bit for all values of a byte.
pub type Table = [u128; 2];

fn sum(a: Table, b: Table) -> Table {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// The table of a function.
fn table(function: impl Fn(u8) -> bool) -> Table {
    [0, 128].map(|from| (0..128).fold(0, |all, v| all | u128::from(function(from + v)) << v))
}

fn parity(value: u8) -> bool {
    value.count_ones() % 2 == 1
}

/// Known functions and their bases.
#[derive(Debug, Default)]
pub struct Functions {
    /// Sums of bits of a byte, without their constant: the byte, which bits, and the constant.
    known: BTreeMap<ByteId, (ByteId, u8, bool)>,
    /// The number of atoms of which S-boxes were looked for.
    seen: u32,
    /// True if the inverse S-box is applied.
    pub is_inverse: bool,
    /// Sums of affine functions of a byte and of its S-box, each with its first one at another place: the sum, the bits of
    /// the byte and of the S-box, and the constant.
    basis: Vec<(Table, (u8, u8, bool))>,
}

impl Functions {
    /// An empty list for one of both S-boxes.
    pub fn new(is_inverse: bool) -> Functions {
        let mut all = Functions { is_inverse, ..Functions::default() };
        let boxes = if is_inverse { &BOXES.1 } else { &BOXES.0 };
        let bits = (0..8).map(|bit| 1 << bit);
        let own = bits.clone().map(|mask| (table(|v| v & mask != 0), (mask, 0, false)));
        let of_box = bits.map(|mask| (table(|v| boxes[usize::from(v)] & mask != 0), (0, mask, false)));
        for (function, name) in own.chain(of_box).chain([(table(|_| true), (0, 0, true))]) {
            let (rest, (a, b, c)) = all.reduced(function);
            if rest != [0; 2] {
                all.basis.push((rest, (a ^ name.0, b ^ name.1, c ^ name.2)));
            }
        }
        all
    }

    /// The rest of a function without a sum of the basis, and this sum.
    fn reduced(&self, mut function: Table) -> (Table, (u8, u8, bool)) {
        let mut name = (0, 0, false);
        for (own, (a, b, c)) in &self.basis {
            let half = usize::from(own[0] == 0);
            if function[half] & own[half] & own[half].wrapping_neg() != 0 {
                function = sum(function, *own);
                name = (name.0 ^ a, name.1 ^ b, name.2 ^ c);
            }
        }
        (function, name)
    }
}

impl Terms {
    /// The bit of a byte, as a byte 0 or 1.
    fn bit(&mut self, byte: ByteId, bit: usize) -> ByteId {
        self.mapped(byte, core::array::from_fn(|k| u8::from(k == bit)))
    }

    /// A bit moved up.
    fn moved_up(&mut self, bit: ByteId, by: usize) -> ByteId {
        self.mapped(bit, [1 << by, 0, 0, 0, 0, 0, 0, 0])
    }

    /// The bit that is a function of a byte.
    fn function(&mut self, of: ByteId, values: Table) -> ByteId {
        let (rest, (own, of_box, constant)) = self.functions.reduced(values);
        let mut all = self.constant(constant.into());
        for (mask, byte) in [(own, Some(of)), (of_box, None)] {
            if mask != 0 {
                let byte = byte.unwrap_or_else(|| self.sbox(self.functions.is_inverse, of));
                let share = self.mapped(byte, core::array::from_fn(|k| mask >> k & 1));
                all = self.added_bits(all, share);
            }
        }
        if rest != [0; 2] {
            let share = self.atom(Atom::Function(of, rest));
            all = self.added_bits(all, share);
        }
        all
    }

    /// The sum of two bytes whose functions of one byte are one.
    pub(crate) fn with_one_function(&mut self, sum: ByteId) -> ByteId {
        let is_function = |part: &(u32, [u8; 8])| matches!(self.get_atom(part.0), Atom::Function(..));
        if self.get(sum).parts.iter().filter(|part| is_function(part)).nth(1).is_none() {
            return sum;
        }
        let mut all = sum;
        for bit in 0..8 {
            let mut functions = BTreeMap::<ByteId, Vec<Table>>::new();
            for (atom, columns) in &self.get(sum).parts {
                if let Atom::Function(of, values) = self.get_atom(*atom)
                    && columns[0] >> bit & 1 == 1
                {
                    functions.entry(*of).or_default().push(*values);
                }
            }
            for (of, tables) in functions.into_iter().filter(|(_, tables)| tables.len() > 1) {
                let mut whole = [0; 2];
                for values in tables {
                    whole = crate::bytes::functions::sum(whole, values);
                    let old = self.atom(Atom::Function(of, values));
                    let old = self.moved_up(old, bit);
                    all = self.added_bits(all, old);
                }
                let new = self.function(of, whole);
                let new = self.moved_up(new, bit);
                all = self.added_bits(all, new);
            }
        }
        all
    }

    /// The AND of two bytes bit by bit, if all are functions.
    pub(crate) fn and_of_functions(&mut self, a: ByteId, b: ByteId) -> Option<ByteId> {
        let mut all = self.constant(0);
        for bit in 0..8 {
            let (x, y) = (self.bit(a, bit), self.bit(b, bit));
            let one = match (self.as_constant(x), self.as_constant(y)) {
                (Some(0), _) | (_, Some(0)) => continue,
                (Some(_), _) => y,
                (_, Some(_)) => x,
                _ => {
                    let (of, left) = self.as_function(x, None)?;
                    let (_, right) = self.as_function(y, Some(of))?;
                    self.function(of, [left[0] & right[0], left[1] & right[1]])
                }
            };
            let one = self.moved_up(one, bit);
            all = self.xor(all, one);
        }
        Some(all)
    }

    /// The byte of which a bit is a function, and its values.
    fn as_function(&mut self, bit: ByteId, of: Option<ByteId>) -> Option<(ByteId, Table)> {
        loop {
            let Byte { constant, parts } = self.get(bit).clone();
            let whole = self.without_constant(&parts);
            let known = self.functions.known.get(&whole).map(|known| known.0);
            // A function names its byte, and so may an S-box.
            let named = parts.iter().filter_map(|part| match self.get_atom(part.0) {
                Atom::Function(of, _) => Some(*of),
                _ => None,
            });
            let boxes = parts.iter().filter_map(|part| match self.get_atom(part.0) {
                Atom::Sbox(is_inverse, of) if *is_inverse == self.functions.is_inverse => Some(*of),
                _ => None,
            });
            let candidates: Vec<ByteId> = named.chain(known).chain(boxes).collect();
            for candidate in candidates.into_iter().filter(|&own| of.is_none_or(|of| of == own)) {
                if let Some(values) = self.values(candidate, constant, &parts) {
                    return Some((candidate, values));
                }
            }
            if !self.learn() {
                return None;
            }
        }
    }

    fn without_constant(&mut self, parts: &[(u32, [u8; 8])]) -> ByteId {
        self.normal(0, parts.to_vec())
    }

    /// The values of a bit as a function of a byte.
    fn values(&mut self, of: ByteId, constant: u8, parts: &[(u32, [u8; 8])]) -> Option<Table> {
        let boxes = if self.functions.is_inverse { &BOXES.1 } else { &BOXES.0 };
        let (mut all, mut rest) = (table(|_| constant & 1 == 1), Vec::new());
        for &(atom, columns) in parts {
            match self.get_atom(atom) {
                Atom::Function(own, values) if *own == of => all = sum(all, *values),
                Atom::Sbox(is_inverse, own) if *own == of && *is_inverse == self.functions.is_inverse => {
                    let mask = (0..8).fold(0, |mask, bit| mask | (columns[bit] & 1) << bit);
                    all = sum(all, table(|v| parity(boxes[usize::from(v)] & mask)));
                }
                _ => rest.push((atom, columns)),
            }
        }
        if rest.is_empty() {
            return Some(all);
        }
        let rest = self.without_constant(&rest);
        let &(_, mask, constant) = self.functions.known.get(&rest).filter(|known| known.0 == of)?;
        Some(sum(all, table(|v| parity(v & mask) ^ constant)))
    }

    /// Learns the sums of the bits of more bytes to which the S-box is applied; false if there are no more.
    fn learn(&mut self) -> bool {
        const AT_ONCE: usize = 32;
        let mut found = Vec::new();
        while found.len() < AT_ONCE && self.functions.seen < self.atoms.count() {
            if let Atom::Sbox(is_inverse, of) = self.get_atom(self.functions.seen)
                && *is_inverse == self.functions.is_inverse
            {
                found.push(*of);
            }
            self.functions.seen += 1;
        }
        for &of in &found {
            for mask in 1..=255 {
                let bit = self.mapped(of, core::array::from_fn(|k| mask >> k & 1));
                let Byte { constant, parts } = self.get(bit).clone();
                let bit = self.without_constant(&parts);
                self.functions.known.entry(bit).or_insert((of, mask, constant == 1));
            }
        }
        !found.is_empty()
    }
}
