//! Carry-less products: by a constant a map of bits; of halves of blocks and of stored powers of the hash key atoms, which
//! become products in GHASH's field where their sums are complete ([`crate::algebra::field`]).

use aesmith_isa::lanes::Half;

use crate::algebra::field;
use crate::algebra::maps::{IDENTITY, MapNumber, NOTHING};
use crate::lanes::atoms::{Atom, Lane};
use crate::lanes::intern::{FastMap, Memo};
use crate::lanes::symbolic::Symbolic;
use crate::lanes::terms::Terms;

/// Memos of products.
#[derive(Default)]
pub(crate) struct Products {
    /// Maps of the field's product, by those of the products of halves.
    outer: Memo<[MapNumber; 4], Option<MapNumber>>,
    /// Maps of products by a constant.
    times: Memo<(u64, bool), MapNumber>,
    folded: Memo<Lane, Option<Lane>>,
}

impl Products {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.outer.check_if(begin);
        self.times.check_if(begin);
        self.folded.check_if(begin);
    }

    pub(crate) fn clear(&mut self) {
        self.outer.clear();
        self.times.clear();
        self.folded.clear();
    }
}

/// True for the number of the upper half.
fn is_high(half: Half) -> bool {
    half == Half::High
}

/// A half of a number.
fn half_of(value: u128, half: Half) -> u64 {
    (value >> if is_high(half) { 64 } else { 0 }) as u64
}

impl Terms {
    /// The product of a block, or of a sum of blocks, each with its bits moved by a map or not, and a power of the hash key, as a
    /// block in memory; `None` for others.
    pub(crate) fn times_power(&mut self, lane: Lane, power: u16) -> Option<Lane> {
        if lane.is_unknown() || self.is_too_deep(lane) || self.constant_part(lane) != 0 {
            return None;
        }
        let mut sum = Lane::ZERO;
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            let of = self.summand(number, map);
            let part = self.power_of(of, power)?;
            sum = self.xor(sum, part);
        }
        Some(sum)
    }

    /// The product of a lane of one atom, whose bits a map may move, and a power of the hash key.
    fn power_of(&mut self, of: Lane, power: u16) -> Option<Lane> {
        let (number, map) = self.member(of, 0);
        match self.atoms[number as usize] {
            Atom::Product { .. } | Atom::HashKey { .. } => None,
            Atom::Power { of, power: before } if map == IDENTITY => {
                Some(self.atom(Atom::Power { of, power: before.checked_add(power)? }))
            }
            _ => Some(self.atom(Atom::Power { of, power })),
        }
    }

    /// True if products of halves are in a lane.
    pub(crate) fn has_products(&self, lane: Lane) -> bool {
        self.atoms(lane).any(|atom| matches!(atom, Atom::Product { .. }))
    }

    /// A lane with its products of halves as products in the field; `None` if they are no such products.
    pub(crate) fn in_field(&mut self, lane: Lane) -> Option<Lane> {
        if lane.is_unknown() || !self.has_products(lane) {
            return Some(lane);
        }
        if let Some(known) = self.products.folded.get(&lane) {
            return known;
        }
        let folded = self.fold(lane);
        self.products.folded.insert(lane, folded);
        folded
    }

    fn fold(&mut self, lane: Lane) -> Option<Lane> {
        if self.is_too_deep(lane) {
            return None;
        }
        let lane = self.opened_lane(lane);
        let mut groups: FastMap<(Lane, u16), [MapNumber; 4]> = FastMap::default();
        let mut order = Vec::new();
        let mut sum = self.constant(self.constant_part(lane));
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            match self.atoms[number as usize] {
                Atom::Product { of, power, halves } => {
                    let group = groups.entry((of, power)).or_insert_with(|| {
                        order.push((of, power));
                        [NOTHING; 4]
                    });
                    group[usize::from(halves)] = map;
                }
                _ => {
                    let part = self.single(number);
                    let part = self.moved(map, part);
                    sum = self.xor(sum, part);
                }
            }
        }
        for (of, power) in order {
            let map = self.outer(groups[&(of, power)])?;
            let part = self.power_of(of, power)?;
            let part = self.moved(map, part);
            sum = self.xor(sum, part);
        }
        Some(sum)
    }

    fn outer(&mut self, of: [MapNumber; 4]) -> Option<MapNumber> {
        if let Some(known) = self.products.outer.get(&of) {
            return known;
        }
        self.forms.work += 4 * 128;
        let found = field::outer(of.map(|map| self.maps.rows(map)));
        let found = found.map(|rows| self.maps.number(rows));
        self.products.outer.insert(of, found);
        found
    }

    /// The blocks with their bytes reversed whose halves' sum a half of a lane is, without its constant, each as a lane of one
    /// atom with the number of the half.
    fn halves_of_blocks(&mut self, lane: Lane, half: Half) -> Vec<(Lane, u8)> {
        let mut all = Vec::new();
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            let masks = [0, 1].map(|half| field::halves(self.maps.rows(map), half, &field::REVERSED));
            match masks {
                [Some(low @ 1..), Some(high @ 1..)] => {
                    let (block, mask) = (self.single(number), if is_high(half) { high } else { low });
                    all.extend((0..2).filter(|j| mask >> j & 1 == 1).map(|j| (block, j)));
                }
                _ => {
                    // Any lane is a block with its bytes reversed: an atom whose bits are moved, such as the first bytes of one.
                    let reversed = self.maps.number(*field::REVERSED);
                    let map = self.maps.product(reversed, map);
                    all.push((self.summand(number, map), u8::from(is_high(half))));
                }
            }
        }
        all
    }

    /// Halves of entries of powers of the hash key instead of blocks, each by its exponent.
    fn halves_of_entries(&mut self, lane: Lane, half: Half) -> Option<Vec<(u16, u8)>> {
        let hash_key = self.atom(Atom::HashBlock);
        let mut all = Vec::new();
        for k in 0..self.summands(lane) {
            let (number, map) = self.member(lane, k);
            let (power, view) = match self.atoms[number as usize] {
                Atom::HashKey { power } => (power, self.maps.rows(IDENTITY)),
                Atom::HashBlock => (1, &*field::ENTRY),
                Atom::Power { of, power } if of == hash_key => (power.checked_add(1)?, &*field::ENTRY),
                _ => return None,
            };
            let mask = field::halves(self.maps.rows(map), usize::from(is_high(half)), view)?;
            all.extend((0..2).filter(|j| mask >> j & 1 == 1).map(|j| (power, j)));
        }
        Some(all)
    }

    fn times_constant(&mut self, constant: u64, lane: Lane, half: bool) -> Lane {
        let map = match self.products.times.get(&(constant, half)) {
            Some(known) => known,
            None => {
                let map = self.maps.number(field::times(constant, usize::from(half)));
                self.products.times.insert((constant, half), map);
                map
            }
        };
        self.moved(map, lane)
    }
}

impl Symbolic {
    /// The carry-less product of two halves.
    pub(crate) fn carryless(&mut self, a: (Lane, Half), b: (Lane, Half)) -> Lane {
        if a.0 == Lane::ZERO || b.0 == Lane::ZERO {
            return Lane::ZERO;
        }
        if a.0.is_unknown() || b.0.is_unknown() {
            return self.terms.unknown(&[a.0, b.0]);
        }
        let [a, b] = [a, b].map(|(lane, half)| (self.terms.opened_lane(lane), half));
        for ((constant, half), (other, other_half)) in [(a, b), (b, a)] {
            if let Some(value) = self.terms.as_constant(constant) {
                return self.terms.times_constant(half_of(value, half), other, is_high(other_half));
            }
        }
        let found = self.product_with_key(a, b);
        let found = found.or_else(|| self.product_with_key(b, a));
        found.unwrap_or_else(|| {
            self.blurred("a carry-less product without powers of the hash key");
            self.terms.unknown(&[a.0, b.0])
        })
    }

    fn product_with_key(
        &mut self,
        (data, half): (Lane, Half),
        (key, key_half): (Lane, Half),
    ) -> Option<Lane> {
        let data = self.named(data)?;
        let key = self.named(key)?;
        let is_beyond = |lane: Lane| lane.is_unknown() || self.terms.is_too_deep(lane);
        if is_beyond(data) || is_beyond(key) {
            return None;
        }
        let powers = self.terms.halves_of_entries(key, key_half)?;
        let blocks = self.terms.halves_of_blocks(data, half);
        let mut sum = Lane::ZERO;
        for &(power, j) in &powers {
            for &(of, i) in &blocks {
                let product = self.terms.atom(Atom::Product { of, power, halves: i << 1 | j });
                sum = self.terms.xor(sum, product);
            }
        }
        // Constants within the operands.
        let own = half_of(self.terms.constant_part(data), half);
        let part = self.terms.times_constant(own, key, is_high(key_half));
        sum = self.terms.xor(sum, part);
        let constant = self.terms.constant(self.terms.constant_part(data));
        let rest = self.terms.xor(data, constant);
        let other = half_of(self.terms.constant_part(key), key_half);
        let part = self.terms.times_constant(other, rest, is_high(half));
        Some(self.terms.xor(sum, part))
    }

    /// A lane with its products in the field, output blocks and the hash key by their names.
    pub(crate) fn named(&mut self, lane: Lane) -> Option<Lane> {
        let lane = self.terms.in_field(lane)?;
        let lane = self.with_cipher(lane);
        Some(self.with_hash_key(lane))
    }

    /// A block whose bytes beyond the end of the message are zero, if it is the last, partial one.
    pub(crate) fn partial(&mut self, lane: Lane) -> Lane {
        if lane.is_unknown() {
            return lane;
        }
        if self.terms.is_too_deep(lane) {
            return self.terms.unknown(&[lane]);
        }
        self.terms.atom(Atom::Partial { of: lane })
    }
}
