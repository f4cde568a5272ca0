//! 128x128 matrices over GF(2), by number: linear maps on the bits of a lane. They cover shifts, masks, transpositions
//! and sums of these, which pack blocks into a bit-sliced state and permute it.

use aesmith_cipher::modes::doubled;
use aesmith_isa::lanes::{Shift, Width};

use crate::lanes::intern::{Memo, Table, mix};

/// A map, by number.
pub type MapNumber = u32;

/// Bit `p` of the result is the parity of the bits in row `p` of the argument.
pub type Rows = [u128; 128];

/// The map that takes everything to zero.
pub const NOTHING: MapNumber = 0;
/// The map that changes nothing.
pub const IDENTITY: MapNumber = 1;

/// Maps by number.
pub struct Maps {
    list: Vec<Rows>,
    /// The bits of the result that are not always zero.
    supports: Vec<u128>,
    /// A linear hash of each map.
    hashes: Vec<u64>,
    table: Table,
    products: Memo<u64, MapNumber>,
    sums: Memo<u64, MapNumber>,
    /// Maps made before, by their parameters.
    shifts: Memo<(u8, u8, u8), MapNumber>,
    kept: Memo<u128, MapNumber>,
    by_bytes: Memo<[u8; 16], MapNumber>,
    doublings: Memo<u32, MapNumber>,
    /// Work done so far, in rows built and examined.
    pub work: u64,
}

impl Maps {
    /// Calls [`Memo::check`] (to begin) or [`Memo::check_again`] on all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.products.check_if(begin);
        self.sums.check_if(begin);
        self.shifts.check_if(begin);
        self.kept.check_if(begin);
        self.by_bytes.check_if(begin);
        self.doublings.check_if(begin);
    }

    /// The table with only zero and the identity.
    pub fn new() -> Self {
        let mut maps = Maps {
            list: Vec::new(),
            supports: Vec::new(),
            hashes: Vec::new(),
            table: Table::new(1 << 6),
            products: Memo::default(),
            sums: Memo::default(),
            shifts: Memo::default(),
            kept: Memo::default(),
            by_bytes: Memo::default(),
            doublings: Memo::default(),
            work: 0,
        };
        maps.clear();
        maps
    }

    /// Forgets all but zero and the identity.
    pub fn clear(&mut self) {
        self.list.clear();
        self.supports.clear();
        self.hashes.clear();
        self.table.clear();
        self.products.clear();
        self.sums.clear();
        self.shifts.clear();
        self.kept.clear();
        self.by_bytes.clear();
        self.doublings.clear();
        self.number([0; 128]);
        self.number(from_sources(Some));
    }

    /// Number of maps.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The number of a map.
    pub fn number(&mut self, rows: Rows) -> MapNumber {
        self.work += rows.len() as u64;
        let hash = rows.iter().fold(9, |h, &row| mix(mix(h, row as u64), (row >> 64) as u64));
        let list = &self.list;
        let (number, fresh) =
            self.table.find_or_insert(hash, list.len() as u32, |n| list[n as usize] == rows);
        if fresh {
            let support = (0..128).fold(0, |mask, p| mask | u128::from(rows[p] != 0) << p);
            self.supports.push(support);
            self.hashes.push(linear_hash(&rows));
            self.list.push(rows);
        }
        number
    }

    /// The map of a shift or rotation of elements.
    pub(crate) fn of_shift(&mut self, op: Shift, element: Width, count: u8) -> MapNumber {
        let key = (op as u8, element as u8, count);
        if let Some(known) = self.shifts.get(&key) {
            return known;
        }
        let number = self.number(shift(op, element, count));
        self.shifts.insert(key, number);
        number
    }

    /// The map that keeps the bits of a mask.
    pub(crate) fn keeping(&mut self, mask: u128) -> MapNumber {
        if let Some(known) = self.kept.get(&mask) {
            return known;
        }
        let number = self.number(from_sources(|p| (mask >> p & 1 == 1).then_some(p)));
        self.kept.insert(mask, number);
        number
    }

    /// The map that takes byte `i` from byte `source(i)`, or makes it zero.
    pub fn of_bytes(&mut self, source: impl Fn(usize) -> Option<usize>) -> MapNumber {
        let sources: [u8; 16] = std::array::from_fn(|i| source(i).map_or(0xff, |byte| byte as u8));
        if let Some(known) = self.by_bytes.get(&sources) {
            return known;
        }
        let number = self.number(bytes(source));
        self.by_bytes.insert(sources, number);
        number
    }

    /// The map that takes the tweak of a block of XTS to that of a block further on.
    pub(crate) fn of_doublings(&mut self, count: u32) -> MapNumber {
        if let Some(known) = self.doublings.get(&count) {
            return known;
        }
        let images: [u128; 128] = std::array::from_fn(|q| {
            let tweak = (1u128 << q).to_le_bytes();
            u128::from_le_bytes((0..count).fold(tweak, |tweak, _| doubled(tweak)))
        });
        let image = |p: usize| (0..128).fold(0, |row, q| row | (images[q] >> p & 1) << q);
        let number = self.number(std::array::from_fn(image));
        self.work += u64::from(count) * 128;
        self.doublings.insert(count, number);
        number
    }

    /// The map that fills each element with its highest bit.
    pub(crate) fn of_signs(&mut self, element: Width) -> MapNumber {
        let size = element.bits() as usize;
        self.number(from_sources(|p| Some(p / size * size + size - 1)))
    }

    /// The rows of a map.
    pub fn rows(&self, number: MapNumber) -> &Rows {
        &self.list[number as usize]
    }

    /// The bits of its results that may be set.
    pub fn support(&self, number: MapNumber) -> u128 {
        self.supports[number as usize]
    }

    /// A linear hash of a map: the hash of a sum of maps is the XOR of their hashes.
    pub fn hash(&self, number: MapNumber) -> u64 {
        self.hashes[number as usize]
    }

    /// The map that applies `b`, then `a`.
    pub fn product(&mut self, a: MapNumber, b: MapNumber) -> MapNumber {
        match (a, b) {
            (IDENTITY, other) | (other, IDENTITY) => other,
            (NOTHING, _) | (_, NOTHING) => NOTHING,
            _ => {
                let key = u64::from(a) << 32 | u64::from(b);
                if let Some(known) = self.products.get(&key) {
                    return known;
                }
                let (outer, inner) = (&self.list[a as usize], &self.list[b as usize]);
                let product = std::array::from_fn(|p| bits(outer[p]).fold(0, |row, q| row ^ inner[q]));
                let number = self.number(product);
                self.products.insert(key, number);
                number
            }
        }
    }

    /// The sum `a + b`.
    pub fn sum(&mut self, a: MapNumber, b: MapNumber) -> MapNumber {
        if a == b {
            return NOTHING;
        }
        let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        if let Some(known) = self.sums.get(&key) {
            return known;
        }
        let (x, y) = (&self.list[a as usize], &self.list[b as usize]);
        let sum = std::array::from_fn(|p| x[p] ^ y[p]);
        let number = self.number(sum);
        self.sums.insert(key, number);
        number
    }

    /// The product with a constant vector.
    pub fn apply(&self, number: MapNumber, value: u128) -> u128 {
        if value == 0 || number == IDENTITY {
            return value;
        }
        let rows = &self.list[number as usize];
        (0..128).fold(0, |result, p| result | u128::from((rows[p] & value).count_ones() & 1) << p)
    }
}

impl Default for Maps {
    fn default() -> Self {
        Self::new()
    }
}

/// The positions of the set bits, ascending.
pub fn bits(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let place = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(place)
    })
}

/// The map that takes bit `p` from bit `source(p)`, or makes it zero.
fn from_sources(source: impl Fn(usize) -> Option<usize>) -> Rows {
    std::array::from_fn(|p| source(p).map_or(0, |q| 1 << q))
}

fn shift(op: Shift, element: Width, count: u8) -> Rows {
    let (size, count) = (element.bits() as usize, usize::from(count));
    from_sources(|p| {
        let (first, bit) = (p / size * size, p % size);
        match op {
            Shift::Left => bit.checked_sub(count),
            Shift::Right => Some(bit + count).filter(|&b| b < size),
            Shift::RotateRight => Some((bit + count) % size),
        }
        .map(|b| first + b)
    })
}

/// The rows of [`Maps::of_bytes`].
pub fn bytes(source: impl Fn(usize) -> Option<usize>) -> Rows {
    from_sources(|p| source(p / 8).map(|byte| 8 * byte + p % 8))
}

fn linear_hash(rows: &Rows) -> u64 {
    let mut hash = 0;
    for (p, &row) in rows.iter().enumerate() {
        for q in bits(row) {
            let entry = mix(mix(13, (p * 128 + q) as u64), 1);
            hash ^= entry ^ entry >> 29;
        }
    }
    hash
}

/// A linear permutation of hashes, chosen by `seed`.
pub(crate) fn stir(mut hash: u64, seed: u64) -> u64 {
    let mut amounts = mix(mix(17, seed), seed >> 3);
    amounts ^= amounts >> 31;
    for _ in 0..3 {
        hash ^= hash << (amounts % 61 + 1);
        hash ^= hash >> ((amounts >> 8) % 61 + 1);
        hash = hash.rotate_left((amounts >> 16) as u32 & 63);
        amounts = amounts.rotate_right(21);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_do_what_the_operations_do() {
        let mut maps = Maps::new();
        let value = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978u128;
        let left = maps.number(shift(Shift::Left, Width::B64, 3));
        let expected = ((value >> 64) as u64) << 3;
        assert_eq!((maps.apply(left, value) >> 64) as u64, expected);
        let rotated = maps.number(shift(Shift::RotateRight, Width::B32, 8));
        assert_eq!(maps.apply(rotated, value) as u32, (value as u32).rotate_right(8));
        let right = maps.number(shift(Shift::Right, Width::B16, 4));
        assert_eq!(maps.apply(right, value) as u16, value as u16 >> 4);
        assert_eq!(maps.support(right) as u16, 0x0fff);
        let kept = maps.keeping(0xff00);
        assert_eq!(maps.apply(kept, value), value & 0xff00);
    }

    #[test]
    fn tweaks_further_on_are_doubled_as_often() {
        let mut maps = Maps::new();
        let mut tweak = 0x80f0_0000_0000_0000_0123_4567_89ab_cdefu128.to_le_bytes();
        let (first, once) = (u128::from_le_bytes(tweak), maps.of_doublings(1));
        let mut map = IDENTITY;
        for count in 0..200 {
            let of = maps.of_doublings(count);
            assert_eq!((of, maps.apply(of, first).to_le_bytes()), (map, tweak), "{count}");
            map = maps.product(once, map);
            tweak = doubled(tweak);
        }
    }

    #[test]
    fn products_and_sums_are_those_of_matrices() {
        let mut maps = Maps::new();
        let a = maps.number(shift(Shift::Left, Width::B64, 9));
        let b = maps.number(bytes(|i| Some(15 - i)));
        let value = 0xfedc_ba98_7654_3210_0011_2233_4455_6677u128;
        let ab = maps.product(a, b);
        assert_eq!(maps.apply(ab, value), maps.apply(a, maps.apply(b, value)));
        assert_eq!(maps.product(b, b), IDENTITY);
        let both = maps.sum(a, b);
        assert_eq!(maps.apply(both, value), maps.apply(a, value) ^ maps.apply(b, value));
        assert_eq!(maps.sum(both, b), a);
        assert_eq!(maps.hash(both), maps.hash(a) ^ maps.hash(b));
        assert_eq!(stir(maps.hash(a), 5) ^ stir(maps.hash(b), 5), stir(maps.hash(both), 5));
    }
}
