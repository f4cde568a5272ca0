//! Boolean functions of eight variables as truth tables of 256 bits.

use crate::algebra::folds::Values;
use crate::algebra::matrices::Matrix;

/// A truth table: bit `x` is the value at `x`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Truth(pub [u64; 4]);

/// The truth tables of the variables.
const VARIABLES: [Truth; 8] = {
    let mut tables = [Truth([0; 4]); 8];
    let mut x = 0;
    while x < 256 {
        let mut j = 0;
        while j < 8 {
            tables[j].0[x / 64] |= (x as u64 >> j & 1) << (x % 64);
            j += 1;
        }
        x += 1;
    }
    tables
};

impl Truth {
    /// The constant false.
    pub const FALSE: Truth = Truth([0; 4]);

    /// The sum of the variables in `mask` and of `constant`.
    pub fn affine(mask: u8, constant: bool) -> Self {
        let mut sum = if constant { Truth([u64::MAX; 4]) } else { Truth::FALSE };
        for (j, variable) in VARIABLES.iter().enumerate() {
            if mask >> j & 1 == 1 {
                sum = sum.xor(*variable);
            }
        }
        sum
    }

    /// Exclusive or.
    pub fn xor(self, other: Self) -> Self {
        Truth(std::array::from_fn(|i| self.0[i] ^ other.0[i]))
    }

    /// And.
    pub fn and(self, other: Self) -> Self {
        Truth(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The value at `x`.
    pub fn at(self, x: u8) -> bool {
        self.0[usize::from(x) / 64] >> (x % 64) & 1 == 1
    }

    /// The algebraic normal form: bit `m` is the coefficient of the product of the variables in `m`.
    pub(crate) fn normal_form(self) -> Self {
        let mut form = self;
        for (j, variable) in VARIABLES.iter().enumerate().take(6) {
            for word in &mut form.0 {
                *word ^= *word << (1 << j) & variable.0[0];
            }
        }
        form.0[1] ^= form.0[0];
        form.0[3] ^= form.0[2];
        form.0[2] ^= form.0[0];
        form.0[3] ^= form.0[1];
        form
    }

    /// Splits off the affine part: its mask, its constant, and the rest.
    pub fn split(self) -> (u8, bool, Self) {
        let form = self.normal_form();
        let mask = (0..8).fold(0, |mask, j| mask | u8::from(form.at(1 << j)) << j);
        let constant = form.at(0);
        (mask, constant, self.xor(Truth::affine(mask, constant)))
    }

    /// True if the degree is seven.
    pub(crate) fn has_degree_seven(self) -> bool {
        let form = self.normal_form();
        !form.at(0xff) && (0..8).any(|j| form.at(0xff ^ 1 << j))
    }

    /// The composition with an affine map: at `x`, the value of `self` at `matrix x + constant`.
    pub(crate) fn of_affine(self, matrix: Matrix, constant: u8) -> Self {
        let mut image = [constant; 256];
        let mut moved = Truth::FALSE;
        for x in 0..256usize {
            if x > 0 {
                image[x] = image[x & (x - 1)] ^ matrix.column(x.trailing_zeros() as usize);
            }
            moved.0[x / 64] |= u64::from(self.at(image[x])) << (x % 64);
        }
        moved
    }

    /// The values as bytes, each in bit 0.
    pub fn values(self) -> Values {
        std::array::from_fn(|x| u8::from(self.at(x as u8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_forms_are_those_of_products() {
        let product = Truth::affine(1, false).and(Truth::affine(4, true)).and(Truth::affine(0x80, false));
        // a (c + 1) h = a c h + a h
        let form = product.normal_form();
        for m in 0..=255 {
            assert_eq!(form.at(m), m == 0x85 || m == 0x81, "{m:#x}");
        }
        let sum = product.xor(Truth::affine(0x42, true));
        assert_eq!(sum.split(), (0x42, true, product));
        let all = (0..7).fold(Truth::affine(0, true), |t, j| t.and(Truth::affine(1 << j, false)));
        assert!(all.has_degree_seven() && !product.has_degree_seven());
    }

    #[test]
    fn affine_arguments() {
        let truth = Truth([0x0123_4567_89ab_cdef, 0xf00d, 0x1111_2222, 7]);
        let matrix = Matrix(0x1302_0408_1020_4183);
        let moved = truth.of_affine(matrix, 0x5c);
        for x in 0..=255 {
            assert_eq!(moved.at(x), truth.at(matrix.apply(x) ^ 0x5c));
        }
    }
}
