//! 8x8 matrices over GF(2), by number: linear maps on a byte. Numbers 0 to 255 are the multiplications by that element
//! of GF(2^8), and 1 is the identity; other matrices are numbered in the order of their appearance.

use aesmith_cipher::block::gf_mul;

use crate::lanes::intern::{FastMap, Memo};

/// A matrix, by number.
pub type Coefficient = u32;

/// An 8x8 matrix over GF(2): byte `j` is the image of bit `j`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Matrix(pub u64);

impl Matrix {
    /// The zero matrix.
    pub const ZERO: Matrix = Matrix(0);
    /// The identity.
    pub const IDENTITY: Matrix = Matrix(0x8040_2010_0804_0201);

    /// The matrix that keeps the bits of `mask`.
    pub const fn keep(mask: u8) -> Self {
        Matrix(Self::IDENTITY.0 & spread(mask))
    }

    /// Bit `i` of the result is bit `i - by` of the argument; bits shifted out are lost.
    pub fn shifted(by: i32) -> Self {
        Matrix::from_columns(|j| match (1u32 << j, by) {
            (bit, 0..=7) => (bit << by) as u8,
            (bit, -7..=-1) => (bit >> -by) as u8,
            _ => 0,
        })
    }

    /// The multiplication by an element of GF(2^8).
    pub fn multiplication(by: u8) -> Self {
        Matrix::from_columns(|j| gf_mul(by, 1 << j))
    }

    /// The matrix with the given columns.
    pub(crate) fn from_columns(column: impl Fn(usize) -> u8) -> Self {
        Matrix(u64::from_le_bytes(std::array::from_fn(column)))
    }

    /// The image of bit `j`.
    pub fn column(self, j: usize) -> u8 {
        (self.0 >> (8 * j)) as u8
    }

    /// The product with a byte.
    pub fn apply(self, x: u8) -> u8 {
        let chosen = self.0 & spread(x);
        let half = chosen ^ chosen >> 32;
        let quarter = half ^ half >> 16;
        (quarter ^ quarter >> 8) as u8
    }

    /// The matrix that applies `first`, then `self`.
    pub fn after(self, first: Matrix) -> Self {
        Matrix::from_columns(|j| self.apply(first.column(j)))
    }

    /// The transposed matrix.
    pub fn transposed(self) -> Self {
        // Three exchanges of halves (Warren, Hacker's Delight, 7-3).
        let mut x = self.0;
        for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0xf0f0_f0f0)] {
            let t = (x ^ x >> shift) & mask;
            x ^= t ^ t << shift;
        }
        Matrix(x)
    }

    /// The bits of the result that are not always zero.
    pub fn support(self) -> u8 {
        self.0.to_le_bytes().iter().fold(0, |mask, column| mask | column)
    }

    /// The inverse, if there is one.
    pub fn inverse(self) -> Option<Self> {
        // Gaussian elimination on the rows; the identity gets the same row operations.
        let mut rows = self.transposed().0.to_le_bytes();
        let mut done = Self::IDENTITY.0.to_le_bytes();
        for column in 0..8 {
            let pivot = (column..8).find(|&r| rows[r] >> column & 1 == 1)?;
            rows.swap(column, pivot);
            done.swap(column, pivot);
            for r in 0..8 {
                if r != column && rows[r] >> column & 1 == 1 {
                    rows[r] ^= rows[column];
                    done[r] ^= done[column];
                }
            }
        }
        Some(Matrix(u64::from_le_bytes(done)).transposed())
    }
}

/// A word whose byte `j` is all ones if bit `j` of `x` is set, else zero.
const fn spread(x: u8) -> u64 {
    let bits = (x as u64).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    let ones = (bits.wrapping_add(0x7f7f_7f7f_7f7f_7f7f) | bits) >> 7 & 0x0101_0101_0101_0101;
    ones.wrapping_mul(0xff)
}

/// Matrices by number.
pub struct Matrices {
    list: Vec<Matrix>,
    numbers: FastMap<u64, u32>,
    products: Memo<u64, u32>,
    sums: Memo<u64, u32>,
}

impl Matrices {
    /// Calls [`Memo::check`] (to begin) or [`Memo::check_again`] on all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.products.check_if(begin);
        self.sums.check_if(begin);
    }

    /// The table with only the multiplications.
    pub fn new() -> Self {
        let mut matrices = Matrices {
            list: Vec::new(),
            numbers: FastMap::default(),
            products: Memo::default(),
            sums: Memo::default(),
        };
        for by in 0..=255 {
            matrices.number(Matrix::multiplication(by));
        }
        matrices
    }

    /// Forgets all matrices but the multiplications.
    pub fn clear(&mut self) {
        if self.list.len() > 256 {
            self.list.truncate(256);
            self.numbers.retain(|_, &mut number| number < 256);
            self.products.clear();
            self.sums.clear();
        }
    }

    /// The number of a matrix.
    pub fn number(&mut self, matrix: Matrix) -> Coefficient {
        let fresh = self.list.len() as u32;
        let number = *self.numbers.entry(matrix.0).or_insert(fresh);
        if number == fresh {
            self.list.push(matrix);
        }
        number
    }

    /// The matrix of a number.
    pub fn get(&self, number: Coefficient) -> Matrix {
        self.list[number as usize]
    }

    /// The product `a b`: `b` is applied first.
    pub fn product(&mut self, a: Coefficient, b: Coefficient) -> Coefficient {
        match (a, b) {
            (1, other) | (other, 1) => other,
            (0..=255, 0..=255) => u32::from(gf_mul(a as u8, b as u8)),
            _ => {
                let key = u64::from(a) << 32 | u64::from(b);
                if let Some(known) = self.products.get(&key) {
                    return known;
                }
                let product = self.number(self.get(a).after(self.get(b)));
                self.products.insert(key, product);
                product
            }
        }
    }

    /// The sum `a + b`.
    pub fn sum(&mut self, a: Coefficient, b: Coefficient) -> Coefficient {
        if a < 256 && b < 256 {
            return a ^ b;
        }
        if a == b {
            return 0;
        }
        let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        if let Some(known) = self.sums.get(&key) {
            return known;
        }
        let sum = self.number(Matrix(self.get(a).0 ^ self.get(b).0));
        self.sums.insert(key, sum);
        sum
    }

    /// The product with a constant byte.
    pub fn apply(&self, a: Coefficient, x: u8) -> u8 {
        match (a, x) {
            (1, _) => x,
            (_, 0) => 0,
            _ => self.get(a).apply(x),
        }
    }
}

impl Default for Matrices {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_up_to_255_are_elements_of_the_field() {
        let mut matrices = Matrices::new();
        for (a, b) in [(2u8, 3u8), (0x57, 0x83), (0, 9), (255, 254)] {
            let (x, y) = (Matrix::multiplication(a), Matrix::multiplication(b));
            assert_eq!(matrices.number(x.after(y)), u32::from(gf_mul(a, b)));
            assert_eq!(matrices.number(Matrix(x.0 ^ y.0)), u32::from(a ^ b));
            assert_eq!(x.apply(b), gf_mul(a, b));
            if a != 0 {
                assert_eq!(x.inverse().unwrap().after(x), Matrix::IDENTITY);
            }
        }
        assert_eq!(Matrix::ZERO.inverse(), None);
        assert_eq!(matrices.number(Matrix::IDENTITY), 1);
    }

    #[test]
    fn shifts_and_masks_are_those_of_bytes() {
        for x in [0u8, 1, 0x5a, 0xff, 0x80] {
            assert_eq!(Matrix::shifted(3).apply(x), x << 3);
            assert_eq!(Matrix::shifted(-5).apply(x), x >> 5);
            assert_eq!(Matrix::shifted(8).apply(x), 0);
            assert_eq!(Matrix::keep(0x3c).apply(x), x & 0x3c);
            let m = Matrix(0x0123_4567_89ab_cdef);
            let by_rows =
                (0..8).fold(0, |y, r| y | ((m.transposed().column(r) & x).count_ones() as u8 & 1) << r);
            assert_eq!(m.apply(x), by_rows);
        }
        assert_eq!(Matrix::shifted(-4).support(), 0x0f);
    }
}
