//! 128-bit lanes in canonical form: a constant xored with a set of *atoms* (a round key, an input block, a counter
//! block, a round function of a lane ...), each possibly moved by a map of its bits (`crate::algebra::maps`). Two
//! lanes with the same number are equal for every key and message. For an operation on bytes, an atom holds 16
//! [`Forms`]; for one on bits, an atom holds a truth table ([`crate::lanes::bitwise`]). [`Terms::same`] expands both
//! sides to bytes before it decides that two lanes differ ([`crate::lanes::expand`]).

mod cones;
mod facts;
mod further;
mod moved;

use aesmith_isa::lanes::AesRound;

use crate::algebra::maps::{IDENTITY, MapNumber, Maps};
pub use crate::lanes::atoms::{Atom, Index, Lane, Order};
use crate::lanes::bitwise::Bitwise;
use crate::lanes::forms::{Facts, Form, Forms};
use crate::lanes::intern::{FastMap, Memo, Table, mix};
use crate::lanes::products::Products;
pub use crate::lanes::terms::cones::ConeCount;
use crate::lanes::terms::cones::Cones;
use crate::lanes::terms::further::Further;

/// The maximum nesting of rounds: 64 chained blocks need 896. Deeper values are unknown, so that bytes that are not a
/// kernel cannot exhaust the stack.
const DEEPEST: u32 = 1500;

#[derive(Clone, Copy)]
struct Sum {
    start: u32,
    atoms: u32,
    constant: u128,
    /// True if bits are moved, sliced, or of carry-less products.
    moved: bool,
    /// True if it contains a table.
    tabled: bool,
    /// True if it contains a cone.
    coned: bool,
}

/// The code of a summand: atom and map.
fn member(atom: u32, map: MapNumber) -> u64 {
    u64::from(atom) << 32 | u64::from(map)
}

/// All lanes of one or several proofs.
pub struct Terms {
    /// The byte forms that lanes expand to.
    pub forms: Forms,
    /// The maps of bits.
    pub maps: Maps,
    pub(crate) bitwise: Bitwise,
    pub(crate) cones: Cones,
    /// True to use cones, and to compare blocks at any position.
    pub(crate) short_cuts: bool,
    further: Further,
    pub(crate) products: Products,
    sums: Vec<Sum>,
    /// Atom numbers, ascending within a sum, and maps.
    members: Vec<u64>,
    sum_table: Table,
    pub(crate) atoms: Vec<Atom>,
    atom_codes: Vec<u64>,
    /// The lane of each atom.
    singles: Vec<Lane>,
    facts: Vec<Facts>,
    /// True for atoms that contain bytes, or rounds of such.
    has_bytes: Vec<bool>,
    atom_table: Table,
    pub(crate) bytes: Vec<[Form; 16]>,
    pub(crate) bytes_of: FastMap<[Form; 16], Lane>,
    /// Lanes with their rounds named: with or without last rounds, with or without moved bits.
    pub(crate) named_lanes: Memo<(Lane, bool, bool), Lane>,
    /// Atoms of bytes as sums of moved atoms, where this is possible.
    opened: Memo<u32, Option<Lane>>,
    mapped: Memo<u64, Lane>,
    pub(crate) expanded_atoms: Memo<u32, [Form; 16]>,
    pub(crate) expanded_forms: Memo<Form, Form>,
    pub(crate) expanded_lanes: Memo<Lane, [Form; 16]>,
    pub(crate) closed_lanes: Memo<Lane, [Form; 16]>,
    /// Results of operations on lanes.
    results: Memo<(Op, [u32; 3], u32), Lane>,
    scratch: Vec<u64>,
}

/// Operations on lanes whose results are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A function of three inputs.
    Ternary,
    /// A shuffle by a variable.
    Shuffle,
    /// A byte permutation of a constant table of several lanes.
    Permutation,
    /// An affine map.
    Affine,
    /// A product.
    Multiply,
    /// A selection by signs.
    Select,
}

impl Terms {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.forms.check_memos(begin);
        self.maps.check_memos(begin);
        self.bitwise.check_memos(begin);
        self.cones.check_memos(begin);
        self.further.check_memos(begin);
        self.products.check_memos(begin);
        self.named_lanes.check_if(begin);
        self.opened.check_if(begin);
        self.mapped.check_if(begin);
        self.expanded_atoms.check_if(begin);
        self.expanded_forms.check_if(begin);
        self.expanded_lanes.check_if(begin);
        self.closed_lanes.check_if(begin);
        self.results.check_if(begin);
    }

    /// Creates terms with only zero and the two unknowns.
    pub fn new() -> Self {
        let mut terms = Terms {
            forms: Forms::new(),
            maps: Maps::new(),
            bitwise: Bitwise::default(),
            cones: Cones::default(),
            short_cuts: true,
            further: Further::default(),
            products: Products::default(),
            sums: Vec::new(),
            members: Vec::new(),
            sum_table: Table::new(1 << 12),
            atoms: Vec::new(),
            atom_codes: Vec::new(),
            singles: Vec::new(),
            facts: Vec::new(),
            has_bytes: Vec::new(),
            atom_table: Table::new(1 << 12),
            bytes: Vec::new(),
            bytes_of: FastMap::default(),
            named_lanes: Memo::default(),
            opened: Memo::default(),
            mapped: Memo::default(),
            expanded_atoms: Memo::default(),
            expanded_forms: Memo::default(),
            expanded_lanes: Memo::default(),
            closed_lanes: Memo::default(),
            results: Memo::default(),
            scratch: Vec::new(),
        };
        terms.clear();
        terms
    }

    /// Forgets everything but zero and the unknowns.
    pub fn clear(&mut self) {
        self.forms.clear();
        self.maps.clear();
        self.bitwise.clear();
        self.cones.clear();
        self.further.clear();
        self.products.clear();
        self.sums.clear();
        self.members.clear();
        self.sum_table.clear();
        self.atoms.clear();
        self.atom_codes.clear();
        self.singles.clear();
        self.facts.clear();
        self.has_bytes.clear();
        self.atom_table.clear();
        self.bytes.clear();
        self.bytes_of.clear();
        self.named_lanes.clear();
        self.opened.clear();
        self.mapped.clear();
        self.expanded_atoms.clear();
        self.expanded_forms.clear();
        self.expanded_lanes.clear();
        self.closed_lanes.clear();
        self.results.clear();
        self.scratch.clear();
        self.intern(0);
        // The unknowns are not sums; their entries are reserved so that no sum gets their numbers.
        for _ in 0..2 {
            self.sums.push(Sum {
                start: 0,
                atoms: u32::MAX,
                constant: 0,
                moved: false,
                tabled: false,
                coned: false,
            });
        }
    }

    /// Work so far, in terms made and examined.
    pub fn work(&self) -> u64 {
        self.forms.work + self.maps.work
    }

    /// The counts of cones so far.
    pub fn cones(&self) -> ConeCount {
        self.cones.count
    }

    /// A measure of the memory in use: terms of all kinds.
    pub fn size(&self) -> usize {
        self.sums.len() + self.atoms.len() + self.forms.count() + 32 * self.maps.count()
    }

    /// The remembered result of an operation.
    pub fn remembered(&mut self, op: Op, of: [u32; 3], by: u32) -> Option<Lane> {
        self.results.get(&(op, of, by))
    }

    /// Remembers the result of an operation.
    pub fn remember(&mut self, op: Op, of: [u32; 3], by: u32, result: Lane) {
        self.results.insert((op, of, by), result);
    }

    /// The lane of a constant, byte 0 lowest.
    pub fn constant(&mut self, value: u128) -> Lane {
        self.scratch.clear();
        self.intern(value)
    }

    /// The value of a constant lane.
    pub fn as_constant(&self, lane: Lane) -> Option<u128> {
        let sum = self.sums[lane.0 as usize];
        (sum.atoms == 0).then_some(sum.constant)
    }

    /// The lane of one atom.
    pub fn atom(&mut self, atom: Atom) -> Lane {
        let code = atom.code();
        let fresh = self.atoms.len() as u32;
        let codes = &self.atom_codes;
        let (number, new) =
            self.atom_table.find_or_insert(mix(7, code), fresh, |n| codes[n as usize] == code);
        if new {
            let facts = self.facts_of(atom);
            self.facts.push(facts);
            self.forms.note_lane(facts);
            self.has_bytes.push(match atom {
                Atom::Bytes { .. } | Atom::InvMix { .. } | Atom::Cone { .. } => true,
                Atom::Round { of, .. } => self.holds_bytes(of),
                _ => false,
            });
            self.atoms.push(atom);
            self.atom_codes.push(code);
            self.scratch.clear();
            self.scratch.push(member(number, IDENTITY));
            let single = self.intern(0);
            self.singles.push(single);
        }
        self.singles[number as usize]
    }

    /// The atom, if a lane is exactly one.
    pub(crate) fn as_atom(&self, lane: Lane) -> Option<Atom> {
        let sum = self.sums[lane.0 as usize];
        if sum.atoms != 1 || sum.constant != 0 {
            return None;
        }
        let only = self.members[sum.start as usize];
        (only as u32 == IDENTITY).then(|| self.atoms[(only >> 32) as usize])
    }

    /// The lane of the atom with this number.
    pub fn single(&self, atom: u32) -> Lane {
        self.singles[atom as usize]
    }

    /// The constant of a lane; zero for the unknowns.
    pub fn constant_part(&self, lane: Lane) -> u128 {
        self.sums[lane.0 as usize].constant
    }

    fn raw_members(&self, lane: Lane) -> &[u64] {
        let sum = self.sums[lane.0 as usize];
        if sum.atoms == u32::MAX {
            return &[];
        }
        &self.members[sum.start as usize..(sum.start + sum.atoms) as usize]
    }

    /// The numbers of a lane's atoms, each with its map of bits.
    pub(crate) fn members(&self, lane: Lane) -> impl ExactSizeIterator<Item = (u32, MapNumber)> + '_ {
        self.raw_members(lane).iter().map(|&m| ((m >> 32) as u32, m as u32))
    }

    /// The number of summands of a lane.
    pub(crate) fn summands(&self, lane: Lane) -> usize {
        self.raw_members(lane).len()
    }

    /// A lane's summand `k`.
    pub(crate) fn member(&self, lane: Lane, k: usize) -> (u32, MapNumber) {
        let m = self.raw_members(lane)[k];
        ((m >> 32) as u32, m as u32)
    }

    /// The atoms of a lane, moved or not.
    pub fn atoms(&self, lane: Lane) -> impl ExactSizeIterator<Item = Atom> + '_ {
        self.members(lane).map(|(n, _)| self.atoms[n as usize])
    }

    /// True if bits of a lane are moved, sliced, or functions of bits.
    pub(crate) fn is_by_bits(&self, lane: Lane) -> bool {
        let sum = self.sums[lane.0 as usize];
        sum.moved || sum.tabled
    }

    pub(crate) fn is_tabled(&self, lane: Lane) -> bool {
        self.sums[lane.0 as usize].tabled
    }

    /// `a ^ b`
    #[inline]
    pub fn xor(&mut self, a: Lane, b: Lane) -> Lane {
        if a.0 < 3 || b.0 < 3 {
            return self.xor_special(a, b);
        }
        if self.sums[a.0 as usize].tabled && self.sums[b.0 as usize].tabled {
            return self.xor_tables(a, b);
        }
        let sum = self.xor_atoms(a, b);
        // Cones of one lane are joined.
        match self.sums[a.0 as usize].coned && self.sums[b.0 as usize].coned {
            true => self.joined_cones(sum),
            false => sum,
        }
    }

    /// `a ^ b`, with tables treated like other atoms.
    #[inline]
    pub(crate) fn xor_atoms(&mut self, a: Lane, b: Lane) -> Lane {
        let (x, y) = (self.sums[a.0 as usize], self.sums[b.0 as usize]);
        let (mut i, mut j) = (x.start as usize, y.start as usize);
        let (i_end, j_end) = (i + x.atoms as usize, j + y.atoms as usize);
        self.scratch.clear();
        while i < i_end && j < j_end {
            let (m, n) = (self.members[i], self.members[j]);
            if m >> 32 != n >> 32 {
                self.scratch.push(m.min(n));
            } else if m != n {
                // The same atom, moved in two ways.
                let map = self.maps.sum(m as u32, n as u32);
                self.scratch.push(m >> 32 << 32 | u64::from(map));
            }
            i += usize::from(m >> 32 <= n >> 32);
            j += usize::from(n >> 32 <= m >> 32);
        }
        self.scratch.extend_from_slice(&self.members[i..i_end]);
        self.scratch.extend_from_slice(&self.members[j..j_end]);
        self.intern(x.constant ^ y.constant)
    }

    fn xor_special(&self, a: Lane, b: Lane) -> Lane {
        match (a, b) {
            (Lane::ZERO, other) | (other, Lane::ZERO) => other,
            (Lane::UNKNOWN, _) | (_, Lane::UNKNOWN) => Lane::UNKNOWN,
            (Lane::PUBLIC, other) | (other, _) if self.is_secret(other) => Lane::UNKNOWN,
            _ => Lane::PUBLIC,
        }
    }

    /// A round function without its key addition.
    #[inline]
    pub fn round(&mut self, round: AesRound, of: Lane) -> Lane {
        if of.is_unknown() {
            return of;
        }
        if self.depth(of) >= DEEPEST {
            return self.unknown(&[of]);
        }
        self.atom(Atom::Round { round, of })
    }

    /// The lane whose atoms are in `scratch`.
    #[inline]
    fn intern(&mut self, constant: u128) -> Lane {
        self.forms.work += 1 + self.scratch.len() as u64;
        let seed = mix(mix(3, constant as u64), (constant >> 64) as u64);
        let hash = self.scratch.iter().fold(seed, |h, &n| mix(h, n));
        let (sums, members, scratch) = (&self.sums, &self.members, &self.scratch);
        let (number, fresh) = self.sum_table.find_or_insert(hash, sums.len() as u32, |n| {
            let sum = sums[n as usize];
            sum.constant == constant
                && sum.atoms as usize == scratch.len()
                // Sums are short: comparing in place is faster than a call.
                && members[sum.start as usize..].iter().zip(scratch).all(|(m, n)| m == n)
        });
        if fresh {
            let (start, atoms) = (self.members.len() as u32, self.scratch.len() as u32);
            let kind = |m: &u64| (self.atoms[(m >> 32) as usize], *m as u32);
            let moved = self.scratch.iter().map(kind).any(|(atom, map)| {
                map != IDENTITY || matches!(atom, Atom::Sliced { .. } | Atom::Product { .. })
            });
            let tabled = self
                .scratch
                .iter()
                .map(kind)
                .any(|(atom, map)| map == IDENTITY && matches!(atom, Atom::Table { .. }));
            let coned = self.scratch.iter().map(kind).any(|(atom, _)| matches!(atom, Atom::Cone { .. }));
            self.sums.push(Sum { start, atoms, constant, moved, tabled, coned });
            self.members.extend_from_slice(&self.scratch);
        }
        Lane(number)
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::block::SHIFT_ROWS;

    #[test]
    fn xor_is_a_symmetric_difference() {
        let mut terms = Terms::new();
        let (a, b) = (terms.atom(Atom::CipherKey { part: 0 }), terms.atom(Atom::CipherKey { part: 1 }));
        let ab = terms.xor(a, b);
        assert_eq!(terms.xor(ab, a), b);
        assert_eq!(terms.xor(ab, ab), Lane::ZERO);
        assert_eq!(terms.xor(Lane::PUBLIC, Lane::PUBLIC), Lane::PUBLIC);
        assert_eq!(terms.xor(Lane::PUBLIC, a), Lane::UNKNOWN);
    }

    #[test]
    fn bytes_collapse_to_the_lane_they_came_from() {
        let mut terms = Terms::new();
        let a = terms.atom(Atom::CipherKey { part: 0 });
        let c = terms.constant(77);
        let counter = terms.atom(Atom::Counter { index: Index::At(2), order: Order::REVERSED });
        for lane in [a, c, counter, terms.xor(a, c)] {
            let bytes = terms.bytes(lane).unwrap();
            assert_eq!(terms.lane_of_bytes(bytes), lane);
        }
        let mut bytes = terms.bytes(counter).unwrap();
        bytes.reverse();
        let memory = terms.atom(Atom::Counter { index: Index::At(2), order: Order::MEMORY });
        assert_eq!(terms.lane_of_bytes(bytes), memory);
    }

    #[test]
    fn a_round_opens_to_its_bytes() {
        let mut terms = Terms::new();
        let a = terms.atom(Atom::CipherKey { part: 0 });
        let round = terms.round(AesRound::EncryptLast, a);
        let bytes = terms.bytes(a).unwrap();
        let by_hand = std::array::from_fn(|i| terms.forms.sbox(false, bytes[SHIFT_ROWS[i]]));
        let by_hand = terms.lane_of_bytes(by_hand);
        assert_ne!(round, by_hand);
        assert!(terms.same(round, by_hand));
        let twisted = terms.xor(by_hand, a);
        assert!(!terms.same(round, twisted));
    }
}
