//! Canonical terms: equal terms have equal values, and each term has one number, so that comparing is cheap.
//!
//! A lane (128 bits) is a XOR sum of parts, each moved by a byte shuffle, and a constant. A word (64 bits) is a linear
//! form modulo 2^64 over atoms ([`crate::linear`]).

use crate::bits::{Bits, Byte};
use crate::field::matrices::{Matrices, MatrixId};
use crate::field::products::Half;
use crate::linear::{AtomId, Linear};
use crate::spec::Round;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// The number of a lane.
pub type LaneId = u32;
/// The number of a part of a lane.
pub type PartId = u32;

/// A byte shuffle: byte `i` of the result is byte `mask[i]` of the argument, or zero if that is [`ZERO`].
pub type Mask = [u8; 16];
/// The entry of a [`Mask`] that gives a zero byte.
pub const ZERO: u8 = 0x80;
/// The shuffle that moves nothing.
pub const SAME: Mask = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// The first column in all columns.
const COLUMNS: Mask = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];
/// The low half in place, the high half zero.
pub(crate) const LOW: Mask = [0, 1, 2, 3, 4, 5, 6, 7, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO];
/// The high half moved to the low half.
pub(crate) const HIGH: Mask = [8, 9, 10, 11, 12, 13, 14, 15, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO];
/// The low half moved to the high half.
const UP: Mask = [ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, 0, 1, 2, 3, 4, 5, 6, 7];
/// The low half with its bytes reversed.
const REVERSED: Mask = [7, 6, 5, 4, 3, 2, 1, 0, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO];

/// The distance of the numbers of blocks between streams.
pub const STREAM: i128 = 1 << 72;

/// The stream of a number of a block, or with `unit` 16 of a byte, and the number without it.
pub fn stream_of(number: &Linear, unit: i128) -> (usize, Linear) {
    let stream = (number.constant + unit * STREAM / 2).div_euclid(unit * STREAM);
    let rest = Linear { constant: number.constant - stream * unit * STREAM, terms: number.terms.clone() };
    (usize::try_from(stream).unwrap_or(usize::MAX), rest)
}

/// A part of memory in the contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Region {
    /// The round keys.
    Key,
    /// The IV, or counter block.
    Iv,
    /// The text.
    Input,
    /// The result.
    Output,
    /// The stack; its address is the stack pointer at entry.
    #[default]
    Stack,
    /// The stack below an aligned address; see [`crate::symbolic::Symbolic::frame`].
    Frame,
    /// The code and its constants.
    Code,
    /// The array, for several streams, of their keys (0), IVs (1), texts (2), outputs (3) or lengths (4).
    Array(u8),
}

/// An unknown integer. All are at least 0; all but the variables are below 2^64.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// The address of a region.
    Base(Region),
    /// The length of the text in bytes, below 2^63.
    Length,
    /// The address of a region of another stream than the first.
    Other(Region, u8),
    /// The length of the text of another stream than the first.
    OtherLength(u8),
    /// A half of the IV as a big-endian number of counter mode: 0 is the low half. 2 is the number that counts in GCM, the last 32
    /// bits of the first counter block.
    Counter(u8),
    /// A general register at entry.
    Entry(u8),
    /// A natural number of a certificate's statement.
    Variable(u32),
    /// A word shifted right.
    Shifted(Linear, u8),
    /// A word with its bytes reversed.
    Swapped(Linear),
    /// The number with this many ones in its low bits, at most 64.
    Ones(Linear),
    /// The low half of a lane.
    Half(LaneId),
    /// An unknown number, possibly secret.
    Unknown(u32),
    /// An unknown number that is not secret.
    Public(u32),
}

/// An unknown lane, or a function of lanes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// A block of the text, by its number. Bytes behind the end of the text are zero. The blocks of stream `s` are
    /// numbered from `s` times [`STREAM`] on, and so are chain values.
    Text(Linear),
    /// The chain value before a block of the text, by its number.
    Chain(Linear),
    /// A round key; those of stream `s` are numbered from `16 s` on.
    Key(u16),
    /// A word in the low half.
    Word(Linear),
    /// A round of the cipher. InverseMix has one part as its argument.
    Round(Round, LaneId),
    /// A part of a vector register at entry: register and lane.
    Entry(u8, u8),
    /// The first counter block of GCM, of which the first 12 bytes are public.
    Nonce,
    /// The value of GHASH before a block of text, by its number.
    Hash(Linear),
    /// The entry of a power of the hash key: the power divided by x, with its bytes reversed.
    Power(u8),
    /// The carry-less product of two times eight bytes.
    Product(Half, Half),
    /// Eight bytes of a block, in the order of their halves (the high one with true) of a reversed block, times a power of the hash key.
    Multiple(Half, bool, u8),
    /// A shuffled part as a block of text with this number, with zeros behind the end of the text.
    Begin(Half, Linear),
    /// The S-box of a byte, or with true its inverse; see [`crate::bits`].
    Box(bool, Byte),
    /// A table of the bytes of a group: the numbers of both; see [`crate::bits`].
    Function(u32, u32),
    /// An unknown lane, possibly secret.
    Unknown(u32),
}

/// A lane: constant, and parts with their shuffles or matrices, in order. Where terms are of bits, it is 128 bits, or just
/// shuffled parts.
#[derive(Clone, Eq, Debug, Default)]
pub struct Lane {
    /// The constant; byte 0 is the lowest.
    pub constant: u128,
    /// Parts, each with the number of its shuffle.
    pub parts: Vec<(PartId, u32)>,
    /// Parts, each with the number of its matrix: tweaks of XTS, and products.
    pub maps: Vec<(PartId, MatrixId)>,
    /// The bits, the lowest first; see [`crate::bits`].
    pub bits: Vec<u32>,
}

impl PartialEq for Lane {
    fn eq(&self, other: &Lane) -> bool {
        // Most lanes have no bits. The C library compares nothing by masked loads from the address of nothing, which takes
        // CPUs with AVX-512 longer than all else here.
        let without = self.bits.is_empty() && other.bits.is_empty();
        (self.constant, &self.parts) == (other.constant, &other.parts)
            && (self.maps.is_empty() && other.maps.is_empty() || self.maps == other.maps)
            && (without || self.bits == other.bits)
    }
}

impl Hash for Lane {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.constant, &self.parts, &self.maps, &self.bits).hash(state);
    }
}

/// All terms of a proof.
#[derive(Debug)]
pub struct Terms {
    atoms: Store<Atom>,
    pub(crate) parts: Store<Part>,
    pub(crate) lanes: Store<Lane>,
    pub(crate) masks: Store<Mask>,
    pub(crate) bits: Option<Box<Bits>>,
    pub(crate) matrices: Matrices,
    /// The words that quotients by 256 are of, with the atoms of these.
    quotients: Vec<(Linear, AtomId)>,
    unknowns: u32,
}

/// Values and their numbers: a hash table with linear probing.
#[derive(Debug)]
pub(crate) struct Store<T> {
    all: Vec<(T, bool)>,
    /// Numbers plus one at the places of their hashes, with the hashes; 0 is a free place. The length is a power of two.
    table: Vec<(u32, u32)>,
}

/// The mixing of hashes: a rotation, a XOR and a product for each number. Bad luck costs time only.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let number = word.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
            self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
}

impl<T: Hash + Eq> Store<T> {
    pub(crate) fn new() -> Store<T> {
        Store { all: Vec::new(), table: vec![(0, 0); 64] }
    }

    /// The place of a value in the table, or the free place where it belongs, and its hash.
    fn place(&self, value: &T) -> (usize, u32) {
        let mut mixer = Mixer::default();
        value.hash(&mut mixer);
        let hash = (mixer.finish() >> 32) as u32;
        let last = self.table.len() - 1;
        let mut place = hash as usize & last;
        while let (Some(number), other) = (self.table[place].0.checked_sub(1), self.table[place].1) {
            if other == hash && self.all[number as usize].0 == *value {
                break;
            }
            place = (place + 1) & last;
        }
        (place, hash)
    }

    /// How many values there are.
    pub(crate) fn count(&self) -> u32 {
        self.all.len() as u32
    }

    /// The number of a value that is there.
    pub(crate) fn find(&self, value: &T) -> Option<u32> {
        self.table[self.place(value).0].0.checked_sub(1)
    }

    /// The number of a value, which is secret or not if it is new.
    pub(crate) fn number(&mut self, value: T, is_secret: impl FnOnce(&T) -> bool) -> u32 {
        let (place, hash) = self.place(&value);
        if let Some(number) = self.table[place].0.checked_sub(1) {
            return number;
        }
        let is_secret = is_secret(&value);
        self.all.push((value, is_secret));
        let number = self.all.len() as u32;
        self.table[place] = (number, hash);
        // Half of the places stay free.
        if 2 * self.all.len() > self.table.len() {
            let last = 2 * self.table.len() - 1;
            for entry in core::mem::replace(&mut self.table, vec![(0, 0); last + 1]) {
                let mut place = entry.1 as usize & last;
                while entry.0 != 0 && self.table[place].0 != 0 {
                    place = (place + 1) & last;
                }
                if entry.0 != 0 {
                    self.table[place] = entry;
                }
            }
        }
        number - 1
    }

    /// The number of a value that is not there yet, and that nothing looks for.
    fn fresh(&mut self, value: T) -> u32 {
        self.all.push((value, true));
        self.all.len() as u32 - 1
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.all[number as usize].0
    }

    pub(crate) fn is_secret(&self, number: u32) -> bool {
        self.all[number as usize].1
    }
}

impl Default for Terms {
    fn default() -> Terms {
        let mut masks = Store::new();
        masks.number(SAME, |_| false);
        let (atoms, parts, lanes) = (Store::new(), Store::new(), Store::new());
        Terms {
            atoms,
            parts,
            lanes,
            masks,
            bits: None,
            matrices: Matrices::default(),
            quotients: Vec::new(),
            unknowns: 0,
        }
    }
}

impl Terms {
    /// Terms of bits.
    pub fn of_bits(bits: Bits) -> Terms {
        Terms { bits: Some(bits.into()), ..Terms::default() }
    }

    /// The number of an atom.
    pub fn atom(&mut self, atom: Atom) -> AtomId {
        let is_secret = match &atom {
            Atom::Base(_) | Atom::Length | Atom::Counter(_) | Atom::Variable(_) | Atom::Public(_) => false,
            Atom::Other(..) | Atom::OtherLength(_) => false,
            Atom::Entry(_) | Atom::Unknown(_) => true,
            Atom::Shifted(word, _) | Atom::Swapped(word) | Atom::Ones(word) => self.is_secret(word),
            Atom::Half(lane) => self.is_secret_lane(*lane),
        };
        let byte = if let Atom::Shifted(word, 8) = &atom { Some(word.clone()) } else { None };
        let count = self.atoms.count();
        let number = self.atoms.number(atom, |_| is_secret);
        self.quotients.extend(byte.filter(|_| number == count).map(|word| (word, number)));
        number
    }

    /// The atoms of quotients by 256 of words that are at a known distance from a word, with these words and distances.
    pub(crate) fn quotients<'t>(
        &'t self,
        word: &'t Linear,
    ) -> impl Iterator<Item = (&'t Linear, i128, AtomId)> {
        let near = self.quotients.iter().filter(|(other, _)| other.terms == word.terms);
        near.map(|(other, atom)| (other, word.constant - other.constant, *atom))
    }

    /// The atom of a number.
    pub fn get_atom(&self, atom: AtomId) -> &Atom {
        self.atoms.get(atom)
    }

    /// The number of an atom that is there already.
    pub fn find(&self, atom: &Atom) -> Option<AtomId> {
        self.atoms.find(atom)
    }

    /// True if a lane is what a vector register's lane held at entry.
    pub fn is_entry(&self, lane: LaneId, register: usize, number: usize) -> bool {
        let Lane { constant, parts, maps, bits } = self.lanes.get(lane);
        let entry = Part::Entry(register as u8, number as u8);
        if !bits.is_empty() {
            return self.parts.find(&entry).is_some_and(|part| self.is_part(bits, part));
        }
        *constant == 0
            && maps.is_empty()
            && matches!(parts[..], [(part, 0)] if *self.parts.get(part) == entry)
    }

    /// The word that is just this atom.
    pub fn word(&mut self, atom: Atom) -> Linear {
        Linear::atom(self.atom(atom))
    }

    /// An element of the array of a kind, see [`Region::Array`].
    pub fn element(&mut self, kind: u8, stream: u8) -> Linear {
        let region = match kind {
            0 => Region::Key,
            1 => Region::Iv,
            2 => Region::Input,
            3 => Region::Output,
            _ => return self.word(if stream == 0 { Atom::Length } else { Atom::OtherLength(stream) }),
        };
        self.word(if stream == 0 { Atom::Base(region) } else { Atom::Other(region, stream) })
    }

    /// A new unknown word.
    pub fn unknown(&mut self) -> Linear {
        self.unknowns += 1;
        self.word(Atom::Unknown(self.unknowns))
    }

    /// A new unknown word that is not secret.
    pub fn public(&mut self) -> Linear {
        self.unknowns += 1;
        self.word(Atom::Public(self.unknowns))
    }

    /// A new unknown lane, which is secret.
    pub fn unknown_lane(&mut self) -> LaneId {
        self.unknowns += 1;
        let part = self.parts.fresh(Part::Unknown(self.unknowns));
        if self.has_bits() {
            return self.moved_bits(part, &SAME);
        }
        self.lanes.fresh(Lane { parts: [(part, 0)].into(), ..Lane::default() })
    }

    /// True if an atom of the form is secret.
    pub fn is_secret(&self, form: &Linear) -> bool {
        form.terms.iter().any(|&(atom, _)| self.atoms.is_secret(atom))
    }

    /// True if a part of the lane is secret.
    pub fn is_secret_lane(&self, lane: LaneId) -> bool {
        self.lanes.is_secret(lane)
    }

    /// The greatest value of an atom, if it is bounded. The least is 0.
    pub fn highest(&self, atom: AtomId) -> Option<i128> {
        let high = match self.atoms.get(atom) {
            Atom::Variable(_) => return None,
            Atom::Length | Atom::OtherLength(_) => (1 << 63) - 1,
            Atom::Shifted(_, by) => (1 << (64 - by)) - 1,
            Atom::Counter(2) => (1 << 32) - 1,
            _ => (1 << 64) - 1,
        };
        Some(high)
    }

    /// A word with its bytes reversed.
    pub fn swapped(&mut self, word: &Linear) -> Linear {
        if let Some(number) = word.as_number() {
            return Linear::number(i128::from((number as u64).swap_bytes())).word();
        }
        match word.as_atom().map(|atom| self.atoms.get(atom)) {
            Some(Atom::Swapped(word)) => word.clone(),
            Some(&Atom::Half(lane)) => {
                let lane = self.shuffled(lane, &REVERSED);
                self.half(lane, 0)
            }
            _ => self.word(Atom::Swapped(word.clone())),
        }
    }

    /// The sum of one part. Rounds keep columns equal: only the bytes of the first are then named.
    pub fn part(&mut self, part: Part) -> LaneId {
        let mask = match &part {
            Part::Word(_) => LOW,
            Part::Round(round, lane) if *round != Round::InverseMix && self.has_equal_columns(*lane) => {
                COLUMNS
            }
            _ => SAME,
        };
        self.moved(part, mask)
    }

    /// True if the four columns of a lane are plainly equal.
    fn has_equal_columns(&self, lane: LaneId) -> bool {
        let Lane { constant, parts, maps, .. } = self.lanes.get(lane);
        let is_periodic = |bytes: &[u8; 16]| (4..16).all(|k| bytes[k] == bytes[k - 4]);
        is_periodic(&constant.to_le_bytes())
            && parts.iter().all(|part| is_periodic(self.masks.get(part.1)))
            && maps.is_empty()
    }

    /// The sum of one moved part.
    fn moved(&mut self, part: Part, mask: Mask) -> LaneId {
        let part = self.number_part(part);
        if self.has_bits() {
            return self.moved_bits(part, &mask);
        }
        let mask = self.number_mask(mask);
        self.sum(0, [(part, mask)].into(), Vec::new())
    }

    /// The number of a part.
    pub(crate) fn number_part(&mut self, part: Part) -> PartId {
        let is_secret = match &part {
            Part::Word(word) => self.is_secret(word),
            Part::Round(_, lane) => self.is_secret_lane(*lane),
            Part::Nonce => false,
            Part::Begin((part, _), _) => self.parts.is_secret(*part),
            _ => true,
        };
        self.parts.number(part, |_| is_secret)
    }

    /// The number of a shuffle.
    pub(crate) fn number_mask(&mut self, mask: Mask) -> u32 {
        self.masks.number(mask, |_| false)
    }

    /// The part of a number.
    pub fn get_part(&self, part: PartId) -> &Part {
        self.parts.get(part)
    }

    /// A shuffle of a number.
    pub fn get_mask(&self, mask: u32) -> &Mask {
        self.masks.get(mask)
    }

    /// The lane of a number.
    pub fn get_lane(&self, lane: LaneId) -> &Lane {
        self.lanes.get(lane)
    }

    /// A constant lane.
    pub fn constant(&mut self, constant: u128) -> LaneId {
        if self.has_bits() {
            return self.constant_bits(constant);
        }
        self.sum(constant, Vec::new(), Vec::new())
    }

    /// The constant, if the lane is one.
    pub fn as_constant(&self, lane: LaneId) -> Option<u128> {
        let lane = self.lanes.get(lane);
        if !lane.bits.is_empty() {
            return Terms::constant_of(&lane.bits);
        }
        (lane.parts.is_empty() && lane.maps.is_empty()).then_some(lane.constant)
    }

    /// The number of a sum in canonical form.
    pub(crate) fn sum(
        &mut self,
        constant: u128,
        parts: Vec<(PartId, u32)>,
        maps: Vec<(PartId, MatrixId)>,
    ) -> LaneId {
        let is_secret = parts.iter().chain(&maps).any(|&(part, _)| self.parts.is_secret(part));
        self.lanes.number(Lane { constant, parts, maps, bits: Vec::new() }, |_| is_secret)
    }

    /// The number of a sum of moved parts in any order, and of parts under matrices in order. Each byte of the result has a set of bytes of each part; the
    /// masks of a part are made again from these sets, so that equal sums have equal masks.
    pub(crate) fn normal(
        &mut self,
        constant: u128,
        mut parts: Vec<(PartId, u32)>,
        maps: Vec<(PartId, MatrixId)>,
    ) -> LaneId {
        parts.sort_unstable();
        let mut sum: Vec<(PartId, u32)> = Vec::with_capacity(parts.len());
        let mut rest = &parts[..];
        while let Some(&(part, mask)) = rest.first() {
            let end = rest.iter().position(|other| other.0 != part).unwrap_or(rest.len());
            let (same, others) = rest.split_at(end);
            rest = others;
            if let [_] = same {
                if self.masks.get(mask).iter().any(|&from| from != ZERO) {
                    sum.push((part, mask));
                }
                continue;
            }
            let mut odd = [0u16; 16];
            for &(_, mask) in same {
                for (set, &from) in odd.iter_mut().zip(self.masks.get(mask)) {
                    *set ^= if from == ZERO { 0 } else { 1 << from };
                }
            }
            while odd != [0; 16] {
                let mask = odd.map(|set| if set == 0 { ZERO } else { set.trailing_zeros() as u8 });
                odd = odd.map(|set| set & set.wrapping_sub(1));
                sum.push((part, self.masks.number(mask, |_| false)));
            }
        }
        self.sum(constant, sum, maps)
    }

    /// The XOR of two lanes.
    pub fn xor(&mut self, a: LaneId, b: LaneId) -> LaneId {
        if self.has_bits() {
            return self.xor_bits(a, b);
        }
        self.xor_parts(a, b)
    }

    pub(crate) fn xor_parts(&mut self, a: LaneId, b: LaneId) -> LaneId {
        let maps = match [a, b].map(|lane| &self.lanes.get(lane).maps[..]) {
            [[], []] => Vec::new(),
            [x, y] => {
                let (x, y) = (x.to_vec(), y.to_vec());
                self.sum_of_maps(&x, &y)
            }
        };
        let (a, b) = (self.lanes.get(a), self.lanes.get(b));
        let constant = a.constant ^ b.constant;
        let mut sum = Vec::with_capacity(a.parts.len() + b.parts.len());
        let (mut left, mut right) = (&a.parts[..], &b.parts[..]);
        // Both are in order. A part of both has to be made again from its bytes.
        while let (Some(x), Some(y)) = (left.first(), right.first()) {
            if x.0 == y.0 {
                let parts = sum.iter().chain(left).chain(right).copied().collect();
                return self.normal(constant, parts, maps);
            }
            let from = if x.0 < y.0 { &mut left } else { &mut right };
            sum.push(from[0]);
            *from = &from[1..];
        }
        sum.extend(left.iter().chain(right));
        self.sum(constant, sum, maps)
    }

    /// A lane with its bytes moved.
    pub fn shuffled(&mut self, lane: LaneId, mask: &Mask) -> LaneId {
        if *mask == SAME {
            return lane;
        }
        let lane = self.lanes.get(lane).clone();
        if !lane.bits.is_empty() {
            return self.shuffled_bits(&lane.bits, mask);
        }
        let bytes = lane.constant.to_le_bytes();
        let constant = mask.map(|from| if from == ZERO { 0 } else { bytes[usize::from(from)] });
        let parts = lane.parts.iter().map(|&(part, old)| {
            let old = *self.masks.get(old);
            let both = mask.map(|from| if from == ZERO { ZERO } else { old[usize::from(from)] });
            (part, self.masks.number(both, |_| false))
        });
        let parts = parts.collect();
        let maps = self.shuffled_maps(&lane.maps, mask);
        self.normal(u128::from_le_bytes(constant), parts, maps)
    }

    /// A round of the cipher on a lane. InvMixColumns is linear, so it is applied to each part.
    pub fn round(&mut self, round: Round, lane: LaneId) -> LaneId {
        if self.has_bits() {
            return match self.bits_of(lane) {
                Some(bits) => self.round_bits(round, &bits),
                None => self.unknown_lane(),
            };
        }
        if let Some(constant) = self.as_constant(lane) {
            return self.constant(round.apply(constant));
        }
        if round != Round::InverseMix {
            return self.part(Part::Round(round, lane));
        }
        let Lane { constant, parts, maps, .. } = self.lanes.get(lane).clone();
        let maps = self.mixed_maps(&maps, |value| round.apply(value));
        let mut result = self.sum(round.apply(constant), Vec::new(), maps);
        for part in parts {
            let single = self.sum(0, [part].into(), Vec::new());
            let mixed = self.part(Part::Round(round, single));
            result = self.xor(result, mixed);
        }
        result
    }

    /// The lane with a word in its low half, and zero above.
    fn low_word(&mut self, word: &Linear) -> LaneId {
        if let Some(number) = word.as_number() {
            return self.constant(u128::from(number as u64));
        }
        match word.as_atom().map(|atom| self.atoms.get(atom)) {
            Some(&Atom::Half(lane)) => lane,
            Some(Atom::Swapped(word)) => {
                let word = word.clone();
                self.moved(Part::Word(word), REVERSED)
            }
            _ => self.part(Part::Word(word.clone())),
        }
    }

    /// The lane of two words.
    pub fn words(&mut self, low: &Linear, high: &Linear) -> LaneId {
        let (low, high) = (self.low_word(low), self.low_word(high));
        let high = self.shuffled(high, &UP);
        self.xor(low, high)
    }

    /// The low (0) or high (1) half of a lane.
    pub fn half(&mut self, lane: LaneId, which: u8) -> Linear {
        let half = self.shuffled(lane, if which == 0 { &LOW } else { &HIGH });
        if let Some(number) = self.as_constant(half) {
            return Linear::number(i128::from(number as u64)).word();
        }
        let Lane { constant, parts, maps, bits } = self.lanes.get(half);
        // The part of a word, and true if its bytes are reversed.
        let found = match parts[..] {
            _ if !maps.is_empty() => None,
            [] => self.word_of(bits),
            [(part, mask)] if *constant == 0 && *self.masks.get(mask) == LOW => Some((part, false)),
            [(part, mask)] if *constant == 0 && *self.masks.get(mask) == REVERSED => Some((part, true)),
            _ => None,
        };
        match found.map(|(part, is_reversed)| (self.parts.get(part).clone(), is_reversed)) {
            Some((Part::Word(word), false)) => word,
            Some((Part::Word(word), true)) => self.swapped(&word),
            _ => self.word(Atom::Half(half)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_shuffles_have_one_form() {
        let mut t = Terms::default();
        let (a, b) = (t.part(Part::Key(1)), t.part(Part::Text(Linear::number(0))));
        let both = t.xor(a, b);
        assert_eq!(t.xor(both, a), b);
        let zero = t.constant(0);
        assert_eq!(t.xor(both, both), zero);
        // The halves of a lane make it again.
        let (low, high) = (t.half(both, 0), t.half(both, 1));
        assert_eq!(t.words(&low, &high), both);
        let swapped = t.swapped(&low);
        assert_ne!(swapped, low);
        assert_eq!(t.swapped(&swapped), low);
        // Two shuffles are one, and the sum of one part under several is the same however it was made.
        let reverse: Mask = core::array::from_fn(|i| 15 - i as u8);
        let moved = t.shuffled(both, &reverse);
        assert_eq!(t.shuffled(moved, &reverse), both);
        let up: Mask = core::array::from_fn(|i| if i < 4 { ZERO } else { i as u8 - 4 });
        let (x, y) = (t.shuffled(a, &up), t.shuffled(a, &reverse));
        let (one, two) = (t.xor(x, a), t.xor(y, a));
        let (one, two) = (t.xor(one, y), t.xor(two, x));
        assert_eq!(one, two);
    }

    #[test]
    fn counters_are_words() {
        let mut t = Terms::default();
        let (low, high) = (t.word(Atom::Counter(0)), t.word(Atom::Counter(1)));
        let (a, b) = (t.swapped(&high), t.swapped(&low));
        let block = t.words(&a, &b);
        let reverse: Mask = core::array::from_fn(|i| 15 - i as u8);
        let number = t.shuffled(block, &reverse);
        assert_eq!((t.half(number, 0), t.half(number, 1)), (low.clone(), high));
        assert_eq!(t.half(block, 1), b);
        assert!(!t.is_secret_lane(block));
        let next = low.offset(1);
        assert_eq!(t.half(number, 0).offset(1), next);
    }

    #[test]
    fn inverse_mix_is_linear() {
        let mut t = Terms::default();
        let (a, b) = (t.part(Part::Key(1)), t.part(Part::Key(2)));
        let sum = t.xor(a, b);
        let (x, y) = (t.round(Round::InverseMix, a), t.round(Round::InverseMix, b));
        assert_eq!(t.round(Round::InverseMix, sum), t.xor(x, y));
        let constant = t.constant(5);
        assert_eq!(t.round(Round::Encrypt, constant), t.constant(Round::Encrypt.apply(5)));
    }
}
