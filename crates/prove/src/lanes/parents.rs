//! Parents of forms: a form is a matrix times its parent plus a constant, and two forms that depend on eight bits
//! together have a common parent.

use crate::algebra::matrices::{Coefficient, Matrix};
use crate::lanes::forms::{ByteAtom, Form, Forms};

/// A form as `matrix * of + constant`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Decomposition {
    /// The parent.
    pub of: Form,
    /// The matrix that the parent is multiplied by.
    pub matrix: Matrix,
    /// The constant that is added.
    pub constant: u8,
}

/// The common parent of two forms, and the coefficient for each.
pub(crate) type Joint = (Form, [Coefficient; 2]);

/// The rows of several matrices in reduced echelon form.
struct Echelon {
    /// Row `i` has its pivot in column `i`, or is zero.
    rows: [u8; 8],
    /// The mask of the given rows that each row is the sum of.
    sums: [u16; 8],
}

impl Echelon {
    /// The echelon form of up to 16 rows.
    fn of(given: &[u8]) -> Self {
        let mut echelon = Echelon { rows: [0; 8], sums: [0; 8] };
        for (i, &row) in given.iter().enumerate() {
            let (mut row, mut sum) = (row, 1u16 << i);
            for column in 0..8 {
                if row >> column & 1 == 1 && echelon.rows[column] != 0 {
                    row ^= echelon.rows[column];
                    sum ^= echelon.sums[column];
                }
            }
            if row == 0 {
                continue;
            }
            let pivot = row.trailing_zeros() as usize;
            for other in 0..8 {
                if echelon.rows[other] >> pivot & 1 == 1 {
                    echelon.rows[other] ^= row;
                    echelon.sums[other] ^= sum;
                }
            }
            (echelon.rows[pivot], echelon.sums[pivot]) = (row, sum);
        }
        echelon
    }

    /// The columns with a pivot.
    fn pivots(&self) -> u8 {
        (0..8).fold(0, |mask, i| mask | u8::from(self.rows[i] != 0) << i)
    }

    /// The matrix by which the given rows from `first` on are multiplied to give the echelon's.
    fn factor(&self, first: usize) -> Matrix {
        let rows = self.sums.map(|sum| (sum >> first) as u8);
        Matrix(u64::from_le_bytes(rows)).transposed()
    }
}

fn rows(matrix: Matrix) -> [u8; 8] {
    matrix.transposed().0.to_le_bytes()
}

/// A matrix with only the columns of `mask`.
fn columns(matrix: Matrix, mask: u8) -> Matrix {
    matrix.after(Matrix::keep(mask))
}

impl Forms {
    /// A form by its parent: the multiple of it in which the first atom with all its bits has coefficient one.
    pub(crate) fn decompose(&mut self, form: Form) -> Decomposition {
        let constant = self.constant_part(form);
        if self.terms(form).next().is_some_and(|(_, coefficient)| coefficient == 1) {
            let of = self.without_constant(form);
            return Decomposition { of, matrix: Matrix::IDENTITY, constant };
        }
        if let Some(known) = self.decompositions.get(&form) {
            return known;
        }
        let of = self.without_constant(form);
        let coefficients: Vec<Coefficient> = self.terms(of).map(|(_, coefficient)| coefficient).collect();
        let mut found = Decomposition { of, matrix: Matrix::IDENTITY, constant };
        let invertible = coefficients.iter().find_map(|&n| Some((n, self.matrices.get(n).inverse()?)));
        if let Some((n, inverse)) = invertible {
            let inverse = self.matrices.number(inverse);
            found = Decomposition { of: self.times(inverse, of), matrix: self.matrices.get(n), constant };
        } else {
            for n in coefficients {
                let matrix = self.matrices.get(n);
                let echelon = Echelon::of(&rows(matrix));
                let factor = self.matrices.number(echelon.factor(0));
                let parent = self.times(factor, of);
                let matrix = columns(matrix, echelon.pivots());
                let number = self.matrices.number(matrix);
                if self.times(number, parent) == of {
                    found = Decomposition { of: parent, matrix, constant };
                    break;
                }
            }
        }
        self.decompositions.insert(form, found);
        found
    }

    /// The common parent of two forms, and the coefficient for each.
    pub(super) fn joint(&mut self, a: Form, b: Form) -> Option<Joint> {
        if a == b {
            return Some((a, [1, 1]));
        }
        self.work += 1;
        if let Some(known) = self.joints.get(&(a, b)) {
            return known;
        }
        let found = self.find_joint(a, b);
        self.joints.insert((a, b), found);
        found
    }

    fn find_joint(&mut self, a: Form, b: Form) -> Option<Joint> {
        let terms: Vec<(ByteAtom, Coefficient)> = self.terms(b).collect();
        let pairs = terms.len() * self.terms(a).len();
        self.work += pairs as u64;
        let pivots: Vec<(Coefficient, Coefficient)> = self
            .terms(a)
            .filter_map(|(atom, m)| Some((m, terms.iter().find(|(other, _)| *other == atom)?.1)))
            .collect();
        for (m, n) in pivots {
            let (m, n) = (self.matrices.get(m), self.matrices.get(n));
            let given: Vec<u8> = rows(m).into_iter().chain(rows(n)).collect();
            let echelon = Echelon::of(&given);
            let factors = [self.matrices.number(echelon.factor(0)), self.matrices.number(echelon.factor(8))];
            let parent = self.combine_atoms(&[(a, factors[0]), (b, factors[1])]);
            let back = [m, n].map(|matrix| columns(matrix, echelon.pivots()));
            let numbers = back.map(|matrix| self.matrices.number(matrix));
            if self.times(numbers[0], parent) == a && self.times(numbers[1], parent) == b {
                let d = self.decompose(parent);
                if d.constant != 0 {
                    return None;
                }
                return Some((d.of, back.map(|matrix| self.matrices.number(matrix.after(d.matrix)))));
            }
        }
        None
    }

    /// The matrix from a parent to a form that was joined into it.
    pub(super) fn matrix_to(&mut self, parent: Form, of: Form) -> Option<Matrix> {
        let (joint, [keep, matrix]) = self.joint(parent, of)?;
        (joint == parent && (keep == 1 || self.times(keep, parent) == parent))
            .then(|| self.matrices.get(matrix))
    }
}
