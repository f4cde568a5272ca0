//! Recognises the S-box: finds functions of eight bits that are, up to an affine part, a matrix times the S-box (or its
//! inverse) of the argument plus a constant.
//!
//! Every component of either S-box has degree 7 (Nyberg, Eurocrypt 1993: inversion), so the eight coefficients of
//! degree 7 of a function's algebraic normal form determine the matrix. Adding a constant to the argument keeps these
//! and changes those of degree 6 linearly, which determines the constant. Every result is checked on all 256 arguments.

use std::sync::LazyLock;

use aesmith_cipher::block::{INV_SBOX, SBOX};

use crate::algebra::matrices::Matrix;

/// A function of a byte, as its 256 values.
pub type Values = [u8; 256];

/// A function that is `matrix` times the S-box of (argument plus `offset`), plus an affine part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// True for the inverse S-box.
    pub inverse: bool,
    /// The constant added to the argument.
    pub offset: u8,
    /// The matrix applied to the S-box's output.
    pub matrix: Matrix,
    /// The matrix of the affine part.
    pub linear: Matrix,
    /// The constant of the affine part.
    pub constant: u8,
}

struct Substitution {
    inverse: bool,
    values: &'static Values,
    normal_form: Values,
    /// The map from coefficients of degree 7 to the matrix applied to the S-box.
    from_top: Matrix,
}

static BOXES: LazyLock<[Substitution; 2]> = LazyLock::new(|| {
    [(false, &SBOX), (true, &INV_SBOX)].map(|(inverse, values)| {
        let normal_form = normal_form(values);
        let from_top = top(&normal_form).inverse().expect("every component has degree 7");
        Substitution { inverse, values, normal_form, from_top }
    })
});

/// The algebraic normal form: at each index, the coefficient (a bit for each output bit) of the product of the
/// argument's bits in the index.
pub(crate) fn normal_form(values: &Values) -> Values {
    let mut form = *values;
    for bit in 0..8 {
        let step = 1 << bit;
        for block in form.chunks_exact_mut(2 * step) {
            let (low, high) = block.split_at_mut(step);
            for (h, l) in high.iter_mut().zip(low) {
                *h ^= *l;
            }
        }
    }
    form
}

/// Column `j` holds the coefficients of the product of all bits but `j`.
fn top(normal_form: &Values) -> Matrix {
    Matrix::from_columns(|j| normal_form[0xff ^ 1 << j])
}

/// The affine part of a function given by its normal form: matrix and constant.
pub(crate) fn affine_part(values: &Values) -> (Matrix, u8) {
    (Matrix::from_columns(|j| values[1 << j] ^ values[0]), values[0])
}

/// True if a function's degree is seven.
pub(crate) fn has_degree_seven(values: &Values) -> bool {
    let form = normal_form(values);
    form[0xff] == 0 && top(&form) != Matrix::ZERO
}

/// The fold of a function, if it has one. Affine functions have none.
pub fn fold(values: &Values) -> Option<Fold> {
    let form = normal_form(values);
    let top = top(&form);
    if top == Matrix::ZERO || form[0xff] != 0 {
        return None;
    }
    BOXES.iter().find_map(|sbox| {
        let matrix = top.after(sbox.from_top);
        // Few constants pass this test; all arguments are checked afterwards.
        let offsets = (0..=255u8).filter(|&c| {
            (0..8).all(|i| {
                (0..i).all(|j| {
                    let m = 0xff ^ 1 << i ^ 1 << j;
                    let picked = |bit: usize, at: usize| if c >> bit & 1 == 1 { form[at] } else { 0 };
                    let moved = picked(i, m | 1 << i) ^ picked(j, m | 1 << j);
                    matrix.apply(sbox.normal_form[m]) ^ moved == form[m]
                })
            })
        });
        offsets.filter_map(|offset| sbox.fold(values, offset, matrix)).next()
    })
}

impl Substitution {
    /// The fold with this constant and this matrix, if the function is one.
    fn fold(&self, values: &Values, offset: u8, matrix: Matrix) -> Option<Fold> {
        let rest: Values =
            std::array::from_fn(|x| values[x] ^ matrix.apply(self.values[x ^ usize::from(offset)]));
        let (linear, constant) = affine_part(&rest);
        let affine = (0..=255).all(|x| rest[usize::from(x)] == linear.apply(x) ^ constant);
        affine.then_some(Fold { inverse: self.inverse, offset, matrix, linear, constant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_images_of_the_s_box_are_found() {
        let (matrix, linear) = (Matrix(0x0123_4567_89ab_cdef), Matrix(0xfedc_ba98_0000_1357));
        for inverse in [false, true] {
            let table = if inverse { &INV_SBOX } else { &SBOX };
            for matrix in [matrix, Matrix::IDENTITY, Matrix::keep(4), Matrix::multiplication(14)] {
                for offset in [0, 0x63, 0x9f] {
                    let values: Values = std::array::from_fn(|x| {
                        matrix.apply(table[x ^ usize::from(offset)]) ^ linear.apply(x as u8) ^ 0x5a
                    });
                    let found = fold(&values).expect("it is one");
                    assert_eq!((found.inverse, found.offset, found.matrix), (inverse, offset, matrix));
                    assert_eq!((found.linear, found.constant), (linear, 0x5a));
                }
            }
        }
    }

    #[test]
    fn others_are_not() {
        let mut wrong = SBOX;
        wrong[77] ^= 4;
        assert_eq!(fold(&wrong), None);
        assert_eq!(fold(&std::array::from_fn(|x| x as u8)), None);
        let swapped: Values = std::array::from_fn(|x| SBOX[x.rotate_left(1) & 0xff | x >> 7]);
        assert_eq!(fold(&swapped), None);
    }
}
