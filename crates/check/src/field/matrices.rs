//! Linear maps of 128 bits over GF(2), and those of the fields of GCM and XTS.

use crate::terms::{LaneId, Mask, Part, PartId, SAME, Store, Terms};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// The number of a matrix.
pub type MatrixId = u32;
/// The numbers of the matrix that changes nothing, of the one whose images are all zero, and of a product of 64 bits by 64 bits as
/// it stands, which has no bit 127.
pub(crate) const IDENTITY: MatrixId = 0;
const NOTHING: MatrixId = 1;
pub(crate) const PRODUCT: MatrixId = 2;

/// The bytes of a block in reverse order.
pub const REVERSED_BLOCK: Mask = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

/// A linear map: the images of the bits of a lane, the lowest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Matrix([u128; 128]);

impl Matrix {
    /// The map with these images.
    pub fn new(image: impl FnMut(usize) -> u128) -> Matrix {
        Matrix(core::array::from_fn(image))
    }

    /// The map of a byte shuffle.
    fn shuffle(mask: &Mask) -> Matrix {
        let bit = |from: usize, to: usize| {
            if usize::from(mask[to / 8]) == from / 8 && to % 8 == from % 8 { 1 << to } else { 0 }
        };
        Matrix::new(|from| (0..128).fold(0, |all, to| all | bit(from, to)))
    }

    /// The map of a move of bits: bit `i` is bit `from[i]`, or zero if that is 128.
    fn moves(from: &[u8; 128]) -> Matrix {
        let is_from = |bit: usize, to: usize| u128::from(usize::from(from[to]) == bit);
        Matrix::new(|bit| (0..128).fold(0, |all, to| all | is_from(bit, to) << to))
    }

    /// The carry-less product of the low half with a number.
    fn times(factor: u64) -> Matrix {
        Matrix::new(|bit| if bit < 64 { u128::from(factor) << bit } else { 0 })
    }

    /// Twice a tweak of XTS (IEEE 1619, 5.2): the first byte is the lowest.
    fn doubling() -> Matrix {
        Matrix::new(|bit| if bit < 127 { 1 << (bit + 1) } else { 0x87 })
    }

    /// The block that a carry-less product of 64 bits by 64 bits stands for, as a part of the product of a reversed block and an
    /// entry of a power of the hash key from the bit `first` on: bit k of that product is the coefficient of x^(255 - k).
    /// Bit 0 of a block, the highest of its first byte, is that of x^0, and x^128 = x^7 + x^2 + x + 1 (SP 800-38D, 6.3).
    fn reduced(first: usize) -> Matrix {
        const R: u128 = 0xe1 << 120;
        let power = |exponent: usize| {
            (0..exponent).fold(1 << 127, |power: u128, _| power >> 1 ^ if power & 1 == 1 { R } else { 0 })
        };
        Matrix::new(|bit| if bit < 127 { power(255 - first - bit).swap_bytes() } else { 0 })
    }

    /// The image of a value.
    pub fn apply(&self, value: u128) -> u128 {
        let (mut image, mut rest) = (0, value);
        while rest != 0 {
            image ^= self.0[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        image
    }

    /// This map after another one.
    fn after(&self, first: &Matrix) -> Matrix {
        Matrix(first.0.map(|image| self.apply(image)))
    }

    fn plus(&self, other: &Matrix) -> Matrix {
        Matrix::new(|bit| self.0[bit] ^ other.0[bit])
    }
}

/// All matrices of a proof, and results that are known.
#[derive(Debug)]
pub(crate) struct Matrices {
    all: Store<Matrix>,
    after: BTreeMap<(MatrixId, MatrixId), MatrixId>,
    sums: BTreeMap<(MatrixId, MatrixId), MatrixId>,
    shuffles: BTreeMap<Mask, MatrixId>,
    /// Powers of the doubling, from the first one on.
    doublings: Vec<MatrixId>,
    /// For the low and the high half of a reversed block, and for a block and a reversed one as the result: the matrices of the
    /// products with both halves of an entry.
    pub(crate) reduced: Vec<[MatrixId; 2]>,
}

impl Default for Matrices {
    fn default() -> Matrices {
        let mut all = Store::new();
        all.number(Matrix::new(|bit| 1 << bit), |_| false);
        all.number(Matrix::new(|_| 0), |_| false);
        all.number(Matrix::new(|bit| if bit < 127 { 1 << bit } else { 0 }), |_| false);
        Matrices {
            all,
            after: BTreeMap::new(),
            sums: BTreeMap::new(),
            shuffles: BTreeMap::new(),
            doublings: Vec::new(),
            reduced: Vec::new(),
        }
    }
}

impl Matrices {
    fn number(&mut self, matrix: Matrix) -> MatrixId {
        self.all.number(matrix, |_| false)
    }

    fn compose(&mut self, last: MatrixId, first: MatrixId) -> MatrixId {
        if last == IDENTITY || first == IDENTITY {
            return last.max(first);
        }
        if let Some(&known) = self.after.get(&(last, first)) {
            return known;
        }
        let both = self.all.get(last).after(self.all.get(first));
        let both = self.number(both);
        self.after.insert((last, first), both);
        both
    }

    /// The number of the sum of two maps; none if that is zero.
    fn sum(&mut self, a: MatrixId, b: MatrixId) -> Option<MatrixId> {
        if a == b {
            return None;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&known) = self.sums.get(&pair) {
            return Some(known);
        }
        let sum = self.all.get(a).plus(self.all.get(b));
        let sum = self.number(sum);
        self.sums.insert(pair, sum);
        Some(sum)
    }

    fn shuffle(&mut self, mask: &Mask) -> MatrixId {
        if *mask == SAME {
            return IDENTITY;
        }
        if let Some(&known) = self.shuffles.get(mask) {
            return known;
        }
        let matrix = self.number(Matrix::shuffle(mask));
        self.shuffles.insert(*mask, matrix);
        matrix
    }

    /// Fills [`Matrices::reduced`].
    pub(crate) fn reductions(&mut self) {
        let reversal = self.shuffle(&REVERSED_BLOCK);
        for result in [IDENTITY, reversal] {
            for own in [0, 64] {
                let both = [0, 64].map(|half| {
                    let product = self.number(Matrix::reduced(own + half));
                    self.compose(result, product)
                });
                self.reduced.push(both);
            }
        }
    }
}

impl Terms {
    /// A matrix by its number.
    pub fn get_matrix(&self, matrix: MatrixId) -> &Matrix {
        self.matrices.all.get(matrix)
    }

    /// The power of the doubling of tweaks with an exponent.
    pub fn doubling(&mut self, exponent: usize) -> MatrixId {
        if self.matrices.doublings.is_empty() {
            self.matrices.doublings.push(IDENTITY);
        }
        let once = self.matrices.number(Matrix::doubling());
        while self.matrices.doublings.len() <= exponent {
            let last = self.matrices.doublings[self.matrices.doublings.len() - 1];
            let next = self.matrices.compose(once, last);
            self.matrices.doublings.push(next);
        }
        self.matrices.doublings[exponent]
    }

    /// The exponent of the doubling that a matrix is, if it is known.
    pub fn exponent(&self, matrix: MatrixId) -> Option<usize> {
        self.matrices.doublings.iter().position(|&own| own == matrix)
    }

    /// A part under a matrix.
    pub fn mapped(&mut self, part: Part, matrix: MatrixId) -> LaneId {
        let part = self.number_part(part);
        self.sum(0, Vec::new(), Vec::from([(part, matrix)]))
    }

    /// Parts under matrices, under another one behind.
    fn behind(&mut self, maps: &[(PartId, MatrixId)], matrix: MatrixId) -> Vec<(PartId, MatrixId)> {
        let mut all = Vec::with_capacity(maps.len());
        for &(part, first) in maps {
            let both = self.matrices.compose(matrix, first);
            if both != NOTHING {
                all.push((part, both));
            }
        }
        all
    }

    /// Parts under matrices, shuffled.
    pub(crate) fn shuffled_maps(
        &mut self,
        maps: &[(PartId, MatrixId)],
        mask: &Mask,
    ) -> Vec<(PartId, MatrixId)> {
        if maps.is_empty() {
            return Vec::new();
        }
        let matrix = self.matrices.shuffle(mask);
        self.behind(maps, matrix)
    }

    /// The sum of parts under matrices, which are in order.
    pub(crate) fn sum_of_maps(
        &mut self,
        a: &[(PartId, MatrixId)],
        b: &[(PartId, MatrixId)],
    ) -> Vec<(PartId, MatrixId)> {
        let (mut left, mut right) = (a, b);
        let mut sum = Vec::with_capacity(a.len() + b.len());
        while let (Some(x), Some(y)) = (left.first(), right.first()) {
            let (is_left, is_right) = (x.0 <= y.0, y.0 <= x.0);
            sum.extend(match (is_left, is_right) {
                (true, true) => self.matrices.sum(x.1, y.1).map(|both| (x.0, both)),
                (true, false) => Some(*x),
                _ => Some(*y),
            });
            left = &left[usize::from(is_left)..];
            right = &right[usize::from(is_right)..];
        }
        sum.extend(left.iter().chain(right));
        sum
    }

    /// A lane under a matrix; none if parts of it are under shuffles, which have no matrices.
    fn linear(&mut self, lane: LaneId, matrix: Matrix) -> Option<LaneId> {
        let lane = self.get_lane(lane).clone();
        if !lane.parts.is_empty() || !lane.bits.is_empty() {
            return None;
        }
        let constant = matrix.apply(lane.constant);
        let matrix = self.matrices.number(matrix);
        let maps = self.behind(&lane.maps, matrix);
        Some(self.sum(constant, Vec::new(), maps))
    }

    /// A lane whose bit `i` is bit `from[i]`, or zero if that is 128.
    pub(crate) fn with_moved_bits(&mut self, lane: LaneId, from: &[u8; 128]) -> Option<LaneId> {
        self.linear(lane, Matrix::moves(from))
    }

    /// The carry-less product of the low half of a lane with a number.
    pub(crate) fn times(&mut self, lane: LaneId, factor: u64) -> Option<LaneId> {
        if factor == 0 { Some(self.constant(0)) } else { self.linear(lane, Matrix::times(factor)) }
    }

    /// The image of parts under a round that is linear.
    pub(crate) fn mixed_maps(
        &mut self,
        maps: &[(PartId, MatrixId)],
        image: impl Fn(u128) -> u128,
    ) -> Vec<(PartId, MatrixId)> {
        if maps.is_empty() {
            return Vec::new();
        }
        let matrix = self.matrices.number(Matrix::new(|bit| image(1 << bit)));
        self.behind(maps, matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product of blocks as numbers, by algorithm 1 of SP 800-38D.
    fn product(x: u128, y: u128) -> u128 {
        let (x, mut v, mut z) = (x.swap_bytes(), y.swap_bytes(), 0);
        for bit in (0..128).rev() {
            z ^= if x >> bit & 1 == 1 { v } else { 0 };
            v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
        }
        z.swap_bytes()
    }

    /// Both sides are bilinear, so that pairs of single bits suffice: the entry of a block is the block divided by x with its
    /// bytes reversed.
    #[test]
    fn products_with_an_entry_are_products_of_blocks() {
        let x = (1_u128 << 126).swap_bytes();
        let halves = [0, 64, 128].map(Matrix::reduced);
        for own in 0..128 {
            for other in 0..128 {
                let block = (1_u128 << own).swap_bytes();
                // The block that this entry is the one of.
                let power = product((1_u128 << other).swap_bytes(), x);
                let reduced = halves[own / 64 + other / 64].apply(1 << (own % 64 + other % 64));
                assert_eq!(reduced, product(block, power), "{own} {other}");
            }
        }
    }

    #[test]
    fn matrices_are_what_they_stand_for() {
        let value = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978_u128;
        assert_eq!(Matrix::shuffle(&REVERSED_BLOCK).apply(value), value.swap_bytes());
        let moved = Matrix::moves(&core::array::from_fn(|bit| if bit < 3 { 128 } else { bit as u8 - 3 }));
        assert_eq!(moved.apply(value), value << 3);
        assert_eq!(Matrix::times(0x87).apply(0b101 | 1 << 70), 0x87 ^ 0x87 << 2);
        let doubled = Matrix::doubling();
        assert_eq!(doubled.apply(1 << 127 | 1), 0x85);
        let mut terms = Terms::default();
        let four = terms.doubling(2);
        assert_eq!(terms.get_matrix(four).apply(value), doubled.apply(doubled.apply(value)));
        assert_eq!((terms.exponent(four), terms.exponent(IDENTITY)), (Some(2), Some(0)));
    }

    #[test]
    fn sums_of_parts_under_matrices_cancel() {
        let mut t = Terms::default();
        let chain = || Part::Chain(crate::linear::Linear::number(0));
        let matrices = [1, 2].map(|exponent| t.doubling(exponent));
        let [a, b] = matrices.map(|matrix| t.mapped(chain(), matrix));
        let both = t.xor(a, b);
        assert_eq!(t.xor(both, a), b);
        assert_eq!(t.as_constant(both), None);
        let zero = t.xor(a, a);
        assert_eq!(t.as_constant(zero), Some(0));
        // Halves make the lane again.
        let (low, high) = (t.half(both, 0), t.half(both, 1));
        assert_eq!(t.words(&low, &high), both);
        // Twice by shifts: up by one, and the bit that leaves times 0x87.
        let up = t.with_moved_bits(a, &core::array::from_fn(|bit| (bit as u8).checked_sub(1).unwrap_or(128)));
        let left = t.with_moved_bits(a, &core::array::from_fn(|bit| if bit == 0 { 127 } else { 128 }));
        let (up, left) = (up.expect("a lane"), left.expect("a lane"));
        let left = t.times(left, 0x87).expect("a lane");
        assert_eq!(t.xor(up, left), b);
    }
}
