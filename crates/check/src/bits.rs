//! Lanes as 128 bits, for kernels that compute the S-box by gates, by look-ups in registers or memory, or in a field.
//!
//! A bit is a XOR sum of bits of parts, and of 1. The S-box has a part of its own for each byte that it is applied to,
//! whose eight bits may come from anywhere. Before its result is known, a value is a function of a byte: see `Group` here.

use crate::linear::Linear;
use crate::spec::{BOXES, Round};
use crate::terms::{Lane, LaneId, Mask, Part, PartId, SAME, Store, Terms, ZERO};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::array::from_fn;

/// The number of a bit.
pub type BitId = u32;
/// A byte of bits, the lowest first.
pub type Byte = [BitId; 8];
/// The numbers of the bits 0 and 1; all others are not constant.
const CONSTANT: [BitId; 2] = [0, 1];
/// The summand 1. Others are a part and the number of one of its bits.
const ONE: u64 = u64::MAX;

/// A function of a byte to a bit: a bit for each byte.
type Truth = [u64; 4];
/// A sum of the bits of the S-box of a byte (0 to 7), of given bits (8 to 15), and 1 (16), as a set.
type Sum = u32;

/// The way in which eight given bits `v` make the byte `x` that the S-box is applied to: `x` is the sum of `constant` and
/// of the columns whose bits are set in `v`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Basis {
    /// True if the given bits are in one byte of a lane, and make one byte for each of its 16. Else they are in eight
    /// lanes, and each place of these makes a byte.
    pub is_bytes: bool,
    columns: [u8; 8],
    constant: u8,
    /// `v` for each `x`.
    inverse: [u8; 256],
    /// Functions of `x` with the sums that they are: each has a first bit that those behind do not have.
    rows: Vec<(Truth, Sum)>,
}

impl Basis {
    /// A basis of columns and constant; none if `v` does not follow from `x`.
    pub fn new(is_bytes: bool, is_inverse: bool, columns: [u8; 8], constant: u8) -> Option<Basis> {
        let mut inverse = [None; 256];
        for v in 0..=255 {
            let x = (0..8).filter(|k| v >> k & 1 == 1).fold(constant, |x, k| x ^ columns[k]);
            inverse[usize::from(x)] = Some(v);
        }
        let all: Option<Vec<u8>> = inverse.into_iter().collect();
        let inverse: [u8; 256] = all?.try_into().ok()?;
        let mut basis = Basis { is_bytes, columns, constant, inverse, rows: Vec::new() };
        let sbox = if is_inverse { &BOXES.1 } else { &BOXES.0 };
        for number in 0..17 {
            let (table, bit) = if number < 8 { (sbox, number) } else { (&inverse, number - 8) };
            let own = if number == 16 { [u64::MAX; 4] } else { truth(table, bit) };
            let (rest, sum) = basis.reduced(own);
            if rest != [0; 4] {
                basis.rows.push((rest, sum ^ 1 << number));
            }
        }
        Some(basis)
    }

    /// The columns and the constant.
    pub fn map(&self) -> ([u8; 8], u8) {
        (self.columns, self.constant)
    }

    /// A function without the first bits of all rows, and the sum that was added.
    fn reduced(&self, mut function: Truth) -> (Truth, Sum) {
        let mut sum = 0;
        for (row, own) in &self.rows {
            let word = (0..4).find(|&k| row[k] != 0).unwrap_or(0);
            if function[word] >> row[word].trailing_zeros() & 1 == 1 {
                function = from_fn(|k| function[k] ^ row[k]);
                sum ^= own;
            }
        }
        (function, sum)
    }

    /// The sum that a bit of a table is on all 256 bytes, if it is one.
    fn sum(&self, table: &[u8; 256], bit: usize) -> Option<Sum> {
        let (rest, sum) = self.reduced(truth(table, bit));
        (rest == [0; 4]).then_some(sum)
    }
}

/// A bit of a table.
fn truth(table: &[u8; 256], bit: usize) -> Truth {
    let word = |k: usize| (0..64).fold(0, |all, at| all | u64::from(table[64 * k + at] >> bit & 1) << at);
    from_fn(word)
}

/// Bytes `x` at all places of some lanes. [`Part::Function`] has a table of 256 bytes: with `is_bytes` each byte of the
/// lane is its value at the `x` there, else each bit is the lowest bit of the value, all bits of which are equal.
#[derive(Clone, Debug)]
struct Group {
    basis: usize,
    /// The given bits at all places, as far as they are known. A table depends on those only.
    given: [Option<Vec<BitId>>; 8],
    /// The S-box of all `x`, once it is needed.
    images: Vec<Byte>,
}

/// A declaration: the result of an instruction is, or has in each byte, given bits of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    /// The number of the group.
    pub group: usize,
    /// The number of its basis.
    pub basis: usize,
    /// The first of the given bits, and how many there are.
    pub first: usize,
    /// The number of given bits: 1 unless they are in bytes.
    pub count: usize,
    /// Other given bits that are known already and are added to the one in the result, as a set; with 8, 1 is added.
    pub others: u16,
}

/// Declarations of a certificate for terms of bits.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// The bases.
    pub bases: Vec<Basis>,
    /// Declarations by the offsets of instructions.
    pub marks: BTreeMap<usize, Mark>,
}

/// All bits and functions of a proof.
#[derive(Debug)]
pub struct Bits {
    is_inverse: bool,
    sums: Store<Vec<u64>>,
    tables: Store<[u8; 256]>,
    bases: Vec<Basis>,
    /// Bytes as they stand; and for the inverse S-box, bytes of which it is the inverse in the field.
    plain: Vec<Basis>,
    groups: Vec<Group>,
    /// The last group of each number and lane of a register.
    current: BTreeMap<(usize, usize), u32>,
    /// Lanes of functions that are sums.
    decoded: BTreeMap<PartId, Option<Vec<BitId>>>,
    /// For the rounds without the S-box, the bits that each bit is the sum of.
    linear: BTreeMap<Round, Vec<Vec<usize>>>,
}

impl Bits {
    /// No bits, with bases of the S-box or its inverse.
    pub fn new(is_inverse: bool, bases: Vec<Basis>) -> Bits {
        let mut sums = Store::new();
        sums.number(Vec::new(), |_| false);
        sums.number(Vec::from([ONE]), |_| false);
        // The S-box is `0x63` and an affine map of the inverse (FIPS-197, 5.1.1).
        let plain = [(from_fn(|k| 1 << k), 0), (from_fn(|k| 0x1f_u8.rotate_left(k as u32)), 0x63)];
        let plain = plain.into_iter().take(1 + usize::from(is_inverse));
        let plain = plain.filter_map(|(columns, constant)| Basis::new(true, is_inverse, columns, constant));
        Bits {
            is_inverse,
            sums,
            tables: Store::new(),
            bases,
            plain: plain.collect(),
            groups: Vec::new(),
            current: BTreeMap::new(),
            decoded: BTreeMap::new(),
            linear: BTreeMap::new(),
        }
    }
}

impl Terms {
    /// True if lanes are bits.
    pub fn has_bits(&self) -> bool {
        self.bits.is_some()
    }

    /// The summands of a bit: the number of a part and that of one of its bits; and true if 1 is one.
    pub fn summands(&self, bit: BitId) -> (Vec<(PartId, usize)>, bool) {
        let sum = self.bits.as_ref().map_or(&[][..], |bits| bits.sums.get(bit));
        let parts = sum.iter().filter(|&&wire| wire != ONE);
        (
            parts.map(|&wire| ((wire >> 7) as PartId, (wire & 127) as usize)).collect(),
            sum.last() == Some(&ONE),
        )
    }

    /// The sums and functions. There are some: no other function than [`Terms::has_bits`] is called without.
    fn bits(&mut self) -> &mut Bits {
        self.bits.get_or_insert_with(|| Bits::new(false, Vec::new()).into())
    }

    /// The number of a sum of sorted summands, none of which is there twice.
    fn number_sum(&mut self, wires: Vec<u64>) -> BitId {
        let is_secret = wires.iter().any(|&wire| wire != ONE && self.parts.is_secret((wire >> 7) as PartId));
        self.bits().sums.number(wires, |_| is_secret)
    }

    /// The sum of bits.
    pub fn sum_of(&mut self, bits: impl IntoIterator<Item = BitId>) -> BitId {
        let mut bits = bits.into_iter().filter(|&bit| bit != CONSTANT[0]);
        let (Some(first), second) = (bits.next(), bits.next()) else { return CONSTANT[0] };
        let Some(second) = second else { return first };
        let sums = &self.bits().sums;
        let mut wires = Vec::new();
        [first, second].into_iter().chain(bits).for_each(|bit| wires.extend_from_slice(sums.get(bit)));
        wires.sort_unstable();
        // Equal summands vanish in pairs.
        let mut odd = Vec::with_capacity(wires.len());
        for wire in wires {
            if odd.last() == Some(&wire) {
                odd.pop();
            } else {
                odd.push(wire);
            }
        }
        self.number_sum(odd)
    }

    /// All bits of a part's lane, moved by a shuffle.
    pub(crate) fn moved_bits(&mut self, part: PartId, mask: &Mask) -> LaneId {
        let mut bits = vec![CONSTANT[0]; 128];
        for (at, bit) in bits.iter_mut().enumerate() {
            if mask[at / 8] != ZERO {
                let from = 8 * u64::from(mask[at / 8]) + at as u64 % 8;
                *bit = self.number_sum(Vec::from([u64::from(part) << 7 | from]));
            }
        }
        self.lane_of(bits)
    }

    /// The lane of some bits.
    pub(crate) fn lane_of(&mut self, bits: Vec<BitId>) -> LaneId {
        let is_secret = bits.iter().any(|&bit| self.bits().sums.is_secret(bit));
        self.lanes.number(Lane { bits, ..Lane::default() }, |_| is_secret)
    }

    /// A constant as bits.
    pub(crate) fn constant_bits(&mut self, constant: u128) -> LaneId {
        self.lane_of((0..128).map(|at| CONSTANT[(constant >> at & 1) as usize]).collect())
    }

    /// The bits of a lane; none if it is a function of bytes that is no sum of known bits.
    pub fn bits_of(&mut self, lane: LaneId) -> Option<Vec<BitId>> {
        let Lane { parts, bits, .. } = self.lanes.get(lane).clone();
        if !bits.is_empty() {
            return Some(bits);
        }
        let mut sum = vec![CONSTANT[0]; 128];
        for (part, mask) in parts {
            let (bits, mask) = (self.decoded(part)?, *self.masks.get(mask));
            for (at, bit) in sum.iter_mut().enumerate() {
                if mask[at / 8] != ZERO {
                    *bit = self.sum_of([*bit, bits[8 * usize::from(mask[at / 8]) + at % 8]]);
                }
            }
        }
        Some(sum)
    }

    /// The lane as bits if it has some.
    pub fn plain(&mut self, lane: LaneId) -> LaneId {
        match self.has_bits().then(|| self.bits_of(lane)) {
            Some(Some(bits)) => self.lane_of(bits),
            _ => lane,
        }
    }

    /// The lane with a byte shuffle.
    pub(crate) fn shuffled_bits(&mut self, bits: &[BitId], mask: &Mask) -> LaneId {
        let moved = |at: usize| match mask[at / 8] {
            ZERO => CONSTANT[0],
            from => bits[8 * usize::from(from) + at % 8],
        };
        self.lane_of((0..128).map(moved).collect())
    }

    /// The lane whose bit `at` is bit `from[at]` of a lane, or zero if there is none.
    pub fn moved_to(&mut self, lane: LaneId, from: &[u8; 128]) -> Option<LaneId> {
        let bits = self.bits_of(lane)?;
        let moved = from.iter().map(|&from| bits.get(usize::from(from)).copied().unwrap_or(CONSTANT[0]));
        let moved = moved.collect();
        Some(self.lane_of(moved))
    }

    /// The part of a word that 64 bits just are, and true if its bytes are reversed.
    pub(crate) fn word_of(&self, bits: &[BitId]) -> Option<(PartId, bool)> {
        let sums = &self.bits.as_ref()?.sums;
        let [first] = sums.get(bits[0])[..] else { return None };
        let (part, is_reversed) = ((first >> 7) as PartId, first & 127 == 56);
        let from = |at: usize| if is_reversed { at ^ 56 } else { at } as u64;
        let is_bit = |at: usize| sums.get(bits[at])[..] == [u64::from(part) << 7 | from(at)];
        (first != ONE && (0..64).all(is_bit)).then_some((part, is_reversed))
    }

    /// True if bits are those of a part in their places.
    pub(crate) fn is_part(&self, bits: &[BitId], part: PartId) -> bool {
        let wire = |at: usize| u64::from(part) << 7 | at as u64;
        let sums = self.bits.as_ref().map(|bits| &bits.sums);
        sums.is_some_and(|sums| bits.iter().enumerate().all(|(at, &bit)| sums.get(bit)[..] == [wire(at)]))
    }

    /// The word whose lowest byte, XORed with a number, a byte of some bits is, and this number; none if a bit of that byte
    /// is in another sum.
    pub(crate) fn lowest_byte_of(&self, bits: &[BitId], at: usize) -> Option<(Linear, u8)> {
        let &[(part, 0)] = &self.summands(bits[8 * at]).0[..] else { return None };
        let Part::Word(word) = self.parts.get(part) else { return None };
        let mut number = 0;
        for (at, &bit) in bits.iter().enumerate().map(|(k, bit)| (k.wrapping_sub(8 * at), bit)) {
            match self.summands(bit) {
                (own, is_one) if at < 8 && own[..] == [(part, at)] => number |= u8::from(is_one) << at,
                (own, _) if at < 8 || own.iter().any(|&(own, from)| own == part && from < 8) => return None,
                _ => {}
            }
        }
        Some((word.clone(), number))
    }

    /// The lane with the bits of a word in place of those of another.
    pub(crate) fn with_word(&mut self, lane: LaneId, old: &Linear, new: &Linear) -> LaneId {
        let is_secret = self.is_secret(new);
        let new = self.parts.number(Part::Word(new.clone()), |_| is_secret);
        let old = self.parts.find(&Part::Word(old.clone()));
        let mut bits = self.lanes.get(lane).bits.clone();
        for bit in &mut bits {
            let (mut summands, is_one) = self.summands(*bit);
            for summand in summands.iter_mut().filter(|summand| Some(summand.0) == old) {
                summand.0 = new;
            }
            let single = summands
                .into_iter()
                .map(|(part, at)| self.number_sum(Vec::from([u64::from(part) << 7 | at as u64])));
            let all: Vec<BitId> = single.chain([CONSTANT[usize::from(is_one)]]).collect();
            *bit = self.sum_of(all);
        }
        self.lane_of(bits)
    }

    /// The constant that bits are.
    pub(crate) fn constant_of(bits: &[BitId]) -> Option<u128> {
        let is_constant = bits.iter().all(|bit| CONSTANT.contains(bit));
        is_constant.then(|| bits.iter().rev().fold(0, |all, &bit| all << 1 | u128::from(bit)))
    }

    /// The S-box of a byte, or its inverse.
    fn substituted(&mut self, is_inverse: bool, byte: Byte) -> Byte {
        if let Some(constant) = Terms::constant_of(&byte) {
            let table = if is_inverse { &BOXES.1 } else { &BOXES.0 };
            return from_fn(|k| CONSTANT[usize::from(table[constant as usize] >> k & 1)]);
        }
        let is_secret = byte.iter().any(|&bit| self.bits().sums.is_secret(bit));
        let part = self.parts.number(Part::Box(is_inverse, byte), |_| is_secret);
        from_fn(|k| self.number_sum(Vec::from([u64::from(part) << 7 | k as u64])))
    }

    /// A round of the cipher: the S-box of each byte, and the linear rest, which is known by its values on a basis.
    pub(crate) fn round_bits(&mut self, round: Round, bits: &[BitId]) -> LaneId {
        let mut all = Vec::with_capacity(128);
        for byte in bits.chunks_exact(8) {
            let byte = from_fn(|k| byte[k]);
            all.extend(match round {
                Round::Encrypt | Round::EncryptLast => self.substituted(false, byte),
                Round::Decrypt | Round::DecryptLast => self.substituted(true, byte),
                Round::InverseMix => byte,
            });
        }
        let sources = self.bits().linear.entry(round).or_insert_with(|| {
            let columns: Vec<u128> = (0..128).map(|at| round.linear(1 << at)).collect();
            (0..128).map(|at| (0..128).filter(|&from| columns[from] >> at & 1 == 1).collect()).collect()
        });
        let sources = core::mem::take(sources);
        let bits = sources.iter().map(|from| self.sum_of(from.iter().map(|&at| all[at]))).collect();
        self.bits().linear.insert(round, sources);
        self.lane_of(bits)
    }

    /// The value of a sum over a basis, for given bits and the S-box of their byte.
    fn value_of(&mut self, sum: Sum, given: &[Option<BitId>; 8], image: &Byte) -> Option<BitId> {
        let mut all = Vec::new();
        for k in (0..8).filter(|k| sum >> (8 + k) & 1 == 1) {
            all.push(given[k]?);
        }
        all.extend((0..8).filter(|k| sum >> k & 1 == 1).map(|k| image[k]));
        all.extend((sum >> 16 & 1 == 1).then_some(CONSTANT[1]));
        Some(self.sum_of(all))
    }

    /// The S-box of the byte that given bits make.
    fn image_of(&mut self, basis: &Basis, given: &[Option<BitId>; 8]) -> Option<Byte> {
        let mut byte = [CONSTANT[0]; 8];
        for (k, bit) in byte.iter_mut().enumerate() {
            let mut all = Vec::from([CONSTANT[usize::from(basis.constant >> k & 1)]]);
            for (column, given) in basis.columns.iter().zip(given) {
                if column >> k & 1 == 1 {
                    all.push((*given)?);
                }
            }
            *bit = self.sum_of(all);
        }
        let is_inverse = self.bits().is_inverse;
        Some(self.substituted(is_inverse, byte))
    }

    /// The bits of a function, if all of its bits are sums.
    fn decoded(&mut self, part: PartId) -> Option<Vec<BitId>> {
        if let Some(known) = self.bits().decoded.get(&part) {
            return known.clone();
        }
        let &Part::Function(group, table) = self.parts.get(part) else { return None };
        let bits = self.bits();
        let Group { basis, given, mut images } = bits.groups[group as usize].clone();
        let (basis, table) = (bits.bases[basis].clone(), *bits.tables.get(table));
        let count = if basis.is_bytes { 8 } else { 1 };
        let sums: Option<Vec<Sum>> = (0..count).map(|bit| basis.sum(&table, bit)).collect();
        let sums = sums?;
        let at = |place: usize| -> [Option<BitId>; 8] { from_fn(|k| Some(given[k].as_ref()?[place])) };
        let needs_images = sums.iter().any(|sum| sum & 0xff != 0);
        if images.is_empty() && needs_images {
            for place in 0..128 / count {
                images.push(self.image_of(&basis, &at(place))?);
            }
            self.bits().groups[group as usize].images = images.clone();
        }
        let mut all = Vec::with_capacity(128);
        for place in 0..128 / count {
            let image = images.get(place).copied().unwrap_or_default();
            for &sum in &sums {
                all.push(self.value_of(sum, &at(place), &image)?);
            }
        }
        self.bits().decoded.insert(part, Some(all.clone()));
        Some(all)
    }

    /// The group and the table of a lane that just is a function.
    fn as_function(&self, lane: LaneId) -> Option<(u32, u32)> {
        match self.lanes.get(lane).parts[..] {
            [(part, 0)] => match self.parts.get(part) {
                &Part::Function(group, table) => Some((group, table)),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_of_bytes(&mut self, group: u32) -> bool {
        let bits = self.bits();
        bits.bases[bits.groups[group as usize].basis].is_bytes
    }

    /// The lane that a function is. If it has one value, that is a constant.
    fn function(&mut self, group: u32, table: [u8; 256]) -> LaneId {
        if table.iter().all(|value| *value == table[0]) {
            return self.constant_bits(u128::from_le_bytes([table[0]; 16]));
        }
        let table = self.bits().tables.number(table, |_| true);
        let part = self.parts.number(Part::Function(group, table), |_| true);
        debug_assert_eq!(*self.masks.get(0), SAME);
        self.lanes.number(Lane { parts: [(part, 0)].into(), ..Lane::default() }, |_| true)
    }

    /// The result of an instruction that has a mark, as a function of the bytes of its group. A group in which other
    /// bits are given already is left as it is, and a new one begins.
    pub fn marked(&mut self, mark: &Mark, number: usize, lane: LaneId) -> Option<LaneId> {
        let mut bits = self.bits_of(lane)?;
        let place = (mark.group, number);
        let basis = self.bits().bases.get(mark.basis)?.clone();
        if mark.others != 0 {
            let group = *self.bits().current.get(&place)?;
            let given = self.bits().groups[group as usize].given.clone();
            for (at, bit) in bits.iter_mut().enumerate() {
                let mut all = Vec::from([*bit, CONSTANT[usize::from(mark.others >> 8 & 1)]]);
                for k in (0..8).filter(|k| mark.others >> k & 1 == 1) {
                    all.push(given[k].as_ref()?[at]);
                }
                *bit = self.sum_of(all);
            }
        }
        let given: Vec<Vec<BitId>> = match basis.is_bytes {
            true => (0..mark.count).map(|k| bits.iter().skip(k).step_by(8).copied().collect()).collect(),
            false => Vec::from([bits.clone()]),
        };
        let is_rest = |at: usize| basis.is_bytes && at % 8 >= mark.count;
        if (0..128).any(|at| is_rest(at) && bits[at] != CONSTANT[0]) {
            return None;
        }
        let all = self.bits();
        let takes = |group: &u32| {
            let old = all.groups[*group as usize].given.iter().skip(mark.first);
            old.zip(&given).all(|(old, new)| old.as_ref().is_none_or(|old| old == new))
        };
        let known = all.current.get(&place).copied().filter(takes);
        let group = known.unwrap_or(all.groups.len() as u32);
        if known.is_none() {
            // A new group does not know the others.
            (mark.others & 0xff == 0).then_some(())?;
            all.groups.push(Group { basis: mark.basis, given: Default::default(), images: Vec::new() });
        }
        all.current.insert(place, group);
        for (slot, bits) in all.groups[group as usize].given.iter_mut().skip(mark.first).zip(given) {
            *slot = Some(bits);
        }
        let table = match basis.is_bytes {
            true => basis.inverse.map(|v| v >> mark.first & (0xff >> (8 - mark.count))),
            false => basis.inverse.map(|v| summed(v, mark)),
        };
        Some(self.function(group, table))
    }

    /// The table that a lane is in a group, if it is a function of its bytes, or a constant that is the same for all.
    fn table_in(&mut self, group: u32, lane: LaneId) -> Option<[u8; 256]> {
        if let Some((own, table)) = self.as_function(lane) {
            return (own == group).then(|| *self.bits().tables.get(table));
        }
        let bytes = self.as_constant(lane)?.to_le_bytes();
        let is_whole = self.is_of_bytes(group) || matches!(bytes[0], 0 | 0xff);
        (is_whole && bytes == [bytes[0]; 16]).then_some([bytes[0]; 256])
    }

    /// The sum of two lanes; an unknown lane unless both are bits or functions of one group.
    pub(crate) fn xor_bits(&mut self, a: LaneId, b: LaneId) -> LaneId {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(0), _) => return b,
            (_, Some(0)) => return a,
            _ => {}
        }
        let is_parts = |lane: LaneId| self.lanes.get(lane).bits.is_empty();
        if is_parts(a) && is_parts(b) && (self.as_function(a).is_none() || self.as_function(b).is_none()) {
            // Halves of functions meet again.
            return self.xor_parts(a, b);
        }
        match self.logic(XOR, [a, b, b]) {
            Some(lane) => lane,
            None => self.unknown_lane(),
        }
    }

    /// A function of three bits at each place: bit `4 a + 2 b + c` of the table is its value.
    pub fn logic(&mut self, table: u8, lanes: [LaneId; 3]) -> Option<LaneId> {
        // The lanes that matter, and of those the ones that are just added.
        let flips = |k: usize| table ^ (0..8).fold(0, |all, at| all | (table >> (at ^ 4 >> k) & 1) << at);
        let matters = |k: &usize| flips(*k) != 0;
        let group = (0..3).filter(matters).find_map(|k| self.as_function(lanes[k])).map(|found| found.0);
        if let Some(group) = group {
            let tables: Option<Vec<[u8; 256]>> = (0..3)
                .map(|k| if matters(&k) { self.table_in(group, lanes[k]) } else { Some([0; 256]) })
                .collect();
            if let Some(tables) = tables {
                return Some(self.function(group, from_fn(|x| by_table(table, from_fn(|k| tables[k][x])))));
            }
            // Functions are added first, and lanes of bits then.
            let is_added = |k: &usize| flips(*k) == 0xff && self.as_function(lanes[*k]).is_none();
            if let Some(k) = (0..3).find(is_added) {
                let without = (0..8).fold(0, |all, at: u8| all | (table >> (at & !(4 >> k)) & 1) << at);
                let rest = self.logic(without, lanes)?;
                let (rest, bits) = (self.bits_of(rest)?, self.bits_of(lanes[k])?);
                let sum = rest.into_iter().zip(bits).map(|(a, b)| self.sum_of([a, b])).collect();
                return Some(self.lane_of(sum));
            }
        }
        let constants = (0..3).filter(|k| group.is_some() && matters(k));
        let mask = constants.filter_map(|k| Some((k, self.as_constant(lanes[k])?))).next();
        if let Some((k, mask)) = mask {
            // Where the constant is 0, and where it is 1.
            let fixed = |bit: u8| {
                let index = |at: u8| if bit == 1 { at | 4 >> k } else { at & !(4 >> k) };
                (0..8).fold(0, |all, at| all | (table >> index(at) & 1) << at)
            };
            let (zero, one) = (self.logic(fixed(0), lanes)?, self.logic(fixed(1), lanes)?);
            let (zero, one) = (self.bits_of(zero)?, self.bits_of(one)?);
            let chosen = |at: usize| if mask >> at & 1 == 1 { one[at] } else { zero[at] };
            return Some(self.lane_of((0..128).map(chosen).collect()));
        }
        let mut bits: [Vec<BitId>; 3] = Default::default();
        for k in (0..3).filter(matters) {
            bits[k] = self.bits_of(lanes[k])?;
        }
        let mut all = Vec::with_capacity(128);
        // A function that every bit flips is the sum of its bits, and of its value where they are all 0.
        let is_sum = (0..3).filter(matters).all(|k| flips(k) == 0xff);
        for at in 0..128 {
            if is_sum {
                let own = bits.iter().filter_map(|bits| bits.get(at).copied());
                all.push(self.sum_of(own.chain([CONSTANT[usize::from(table & 1)]])));
                continue;
            }
            let three: [BitId; 3] = from_fn(|k| bits[2 - k].get(at).copied().unwrap_or(CONSTANT[0]));
            all.extend(self.affine(&three, &|index| usize::from(table) >> index & 1, 1)?);
        }
        Some(self.lane_of(all))
    }

    /// The bits of a function of some bits, as sums; none unless it is affine for all values of those that are not constant.
    fn affine(&mut self, bits: &[BitId], value: &dyn Fn(usize) -> usize, count: usize) -> Option<Vec<BitId>> {
        let free = free(bits);
        let value = |set: usize| value(number(bits, &free, set) as usize);
        let first = value(0);
        let columns: Vec<usize> = (0..free.len()).map(|k| value(1 << k) ^ first).collect();
        let sum = |set: usize| {
            let set = (0..free.len()).filter(|k| set >> k & 1 == 1);
            set.fold(first, |all, k| all ^ columns[k])
        };
        if (0..1 << free.len()).any(|set| value(set) != sum(set)) {
            return None;
        }
        let bits = (0..count).map(|bit| {
            let own = (0..free.len()).filter(|&k| columns[k] >> bit & 1 == 1).map(|k| free[k]);
            self.sum_of(own.chain([CONSTANT[first >> bit & 1]]))
        });
        Some(bits.collect())
    }

    /// A table of bytes at each byte of a lane: of a function of bytes, or of bits if it is affine, or if each of its bits
    /// is a sum of bits of the byte and of its S-box.
    pub fn applied(&mut self, lane: LaneId, table: &[u8; 256]) -> Option<LaneId> {
        if let Some((group, own)) = self.as_function(lane).filter(|found| self.is_of_bytes(found.0)) {
            let own = *self.bits().tables.get(own);
            return Some(self.function(group, own.map(|value| table[usize::from(value)])));
        }
        let bits = self.bits_of(lane)?;
        let mut all = Vec::with_capacity(128);
        for byte in bits.chunks_exact(8) {
            let byte: Byte = from_fn(|k| byte[k]);
            all.extend(self.applied_to(byte, table)?);
        }
        Some(self.lane_of(all))
    }

    /// The bits of the low half of a lane that are not constant, and the word there for each of their values; none if
    /// there are more than eight.
    pub fn index(&mut self, lane: LaneId) -> Option<(Byte, [u64; 256])> {
        let bits = self.bits_of(lane)?;
        let free = free(&bits[..64]);
        let index = from_fn(|k| free.get(k).copied().unwrap_or(CONSTANT[0]));
        (free.len() <= 8).then(|| (index, from_fn(|set| number(&bits[..64], &free, set))))
    }

    /// The bytes that tables have for the value of a byte, in a lane.
    pub fn entries(&mut self, index: Byte, tables: &[[u8; 256]]) -> Option<LaneId> {
        let mut all = Vec::with_capacity(128);
        for table in tables {
            all.extend(self.applied_to(index, table)?);
        }
        all.resize(128, CONSTANT[0]);
        Some(self.lane_of(all))
    }

    fn applied_to(&mut self, byte: Byte, table: &[u8; 256]) -> Option<Vec<BitId>> {
        if let Some(bits) = self.affine(&byte, &|byte| usize::from(table[byte]), 8) {
            return Some(bits);
        }
        // A table of the S-box of a byte is another one of that byte.
        if let &[(part, 0)] = &self.summands(byte[0]).0[..]
            && self.is_part(&byte, part)
            && let &Part::Box(is_inverse, inner) = self.parts.get(part)
        {
            let own = if is_inverse { &BOXES.1 } else { &BOXES.0 };
            return self.applied_to(inner, &own.map(|value| table[usize::from(value)]));
        }
        let given = byte.map(Some);
        for number in 0..self.bits().plain.len() {
            let basis = self.bits().plain[number].clone();
            // As a table of the byte that the S-box is applied to.
            let own = basis.inverse.map(|v| table[usize::from(v)]);
            let sums: Option<Vec<Sum>> = (0..8).map(|bit| basis.sum(&own, bit)).collect();
            let Some(sums) = sums else { continue };
            let image = self.image_of(&basis, &given)?;
            return sums.into_iter().map(|sum| self.value_of(sum, &given, &image)).collect();
        }
        None
    }
}

/// Bits that are not constant, each once.
fn free(bits: &[BitId]) -> Vec<BitId> {
    let is_free = |k: &usize| bits[*k] > 1 && !bits[..*k].contains(&bits[*k]);
    (0..bits.len()).filter(is_free).map(|k| bits[k]).collect()
}

/// The number that bits are if these free ones of them are 1.
fn number(bits: &[BitId], free: &[BitId], set: usize) -> u64 {
    let bit = |bit: BitId| match free.iter().position(|&other| other == bit) {
        Some(place) => (set >> place & 1) as u64,
        None => u64::from(bit),
    };
    bits.iter().rev().fold(0, |all, &own| all << 1 | bit(own))
}

/// The function of two bits that is their sum, of the first two of three.
const XOR: u8 = 0x3c;

/// The given bit of a mark and those that are added, eight times.
fn summed(v: u8, mark: &Mark) -> u8 {
    let all = v & (mark.others as u8 | 1 << mark.first);
    0_u8.wrapping_sub((all.count_ones() as u8 ^ (mark.others >> 8) as u8) & 1)
}

/// A function of three bits, at each bit of bytes.
fn by_table(table: u8, bytes: [u8; 3]) -> u8 {
    let index = |k: u8| bytes.iter().fold(0, |all, byte| all << 1 | byte >> k & 1);
    (0..8).fold(0, |all, k| all | (table >> index(k) & 1) << k)
}
