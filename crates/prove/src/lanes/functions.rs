//! Functions of eight bits as byte atoms: what table look-ups leave until they are S-boxes.
//!
//! A form is a matrix times a *parent* plus a constant: the parent of `x & 15` and of `x >> 4` is
//! `x`. So look-ups by the nibbles of a byte are functions of the same parent, and their sum is
//! one. The affine part of a function is kept as a sum over the parent's own atoms, and what is an
//! affine image of the S-box ([`crate::algebra::folds`]) becomes one: a function that is an atom is neither.

use aesmith_cipher::block::{INV_SBOX, SBOX};

use crate::algebra::folds::{Fold, Values, affine_part, fold, has_degree_seven};
use crate::algebra::matrices::{Coefficient, Matrix};
use crate::lanes::forms::{ByteAtom, Form, Forms};
use crate::lanes::intern::mix;

/// A function of a form.
#[derive(Clone)]
pub struct Function {
    /// The argument, a parent.
    pub of: Form,
    /// Its values, of which the affine part is zero.
    pub values: Values,
}

/// Functions of which it is remembered what they are.
const MOST_ANALYSES: usize = 1 << 13;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Degree {
    One,
    Seven,
    Other,
}

/// A function taken apart.
pub(crate) struct Analysis {
    values: Values,
    linear: Matrix,
    constant: u8,
    /// Without the affine part.
    rest: Values,
    /// Of the rest.
    degree: Degree,
    /// Of the rest.
    fold: Option<Fold>,
}

impl Analysis {
    fn of(values: Values) -> Self {
        let (linear, constant) = affine_part(&values);
        let rest: Values = std::array::from_fn(|x| values[x] ^ linear.apply(x as u8) ^ constant);
        let degree = match rest == [0; 256] {
            true => Degree::One,
            false if has_degree_seven(&rest) => Degree::Seven,
            false => Degree::Other,
        };
        let fold = if degree == Degree::Seven { fold(&rest) } else { None };
        Analysis { values, linear, constant, rest, degree, fold }
    }
}

fn hash(seed: u64, values: &Values) -> u64 {
    values.as_chunks::<8>().0.iter().fold(mix(5, seed), |h, &w| mix(h, u64::from_le_bytes(w)))
}

/// A form as `matrix * of + constant`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decomposition {
    /// The parent.
    pub of: Form,
    /// What it is multiplied by.
    pub matrix: Matrix,
    /// What is added.
    pub constant: u8,
}

/// One parent of two forms, and what it is multiplied by for each.
pub type Joint = (Form, [Coefficient; 2]);

/// A summand of a form, beside its parent.
#[derive(Clone, Copy)]
enum Part {
    Affine(Decomposition),
    Function(u32, Coefficient),
}

/// The rows of several matrices brought to reduced echelon form.
struct Echelon {
    /// Row `i` has its pivot in column `i`, or is zero.
    rows: [u8; 8],
    /// Which of the given rows each is the sum of.
    sums: [u16; 8],
}

impl Echelon {
    /// Of up to 16 rows.
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

    /// What the given rows from `first` on are multiplied by to give the echelon's.
    fn factor(&self, first: usize) -> Matrix {
        let rows = self.sums.map(|sum| (sum >> first) as u8);
        Matrix(u64::from_le_bytes(rows)).transposed()
    }
}

fn rows(matrix: Matrix) -> [u8; 8] {
    matrix.transposed().0.to_le_bytes()
}

/// Only the columns of `mask`.
fn columns(matrix: Matrix, mask: u8) -> Matrix {
    matrix.after(Matrix::keep(mask))
}

impl Forms {
    /// A form by its parent: the multiple of it in which the first atom that has all its bits
    /// stands by itself.
    pub fn decompose(&mut self, form: Form) -> Decomposition {
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

    /// One parent of two, and what it is multiplied by for each.
    fn joint(&mut self, a: Form, b: Form) -> Option<Joint> {
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

    /// One parent of several forms, and each of them as a function of it; `None` if they depend on
    /// more than eight bits.
    pub fn as_functions<const N: usize>(&mut self, forms: [Form; N]) -> Option<(Form, Box<[Values; N]>)> {
        // Each form is a sum of an affine part and functions, all by their parents.
        let mut parts: Vec<(usize, Form, Part)> = Vec::new();
        let mut constants = [0; N];
        for (i, &form) in forms.iter().enumerate() {
            if let Some(value) = self.as_constant(form) {
                constants[i] = value;
                continue;
            }
            let (linear, functions) = self.split_functions(form);
            constants[i] = self.constant_part(linear);
            if self.as_constant(linear).is_none() {
                let d = self.decompose(linear);
                parts.push((i, d.of, Part::Affine(d)));
            }
            for (number, coefficient) in functions {
                parts.push((i, self.functions[number as usize].of, Part::Function(number, coefficient)));
            }
        }
        let mut parent: Option<Form> = None;
        for &(_, of, _) in &parts {
            parent = match parent {
                None => Some(of),
                Some(so_far) => Some(self.joint(so_far, of)?.0),
            };
        }
        let mut values: Box<[Values; N]> = Box::new(constants.map(|c| [c; 256]));
        let Some(parent) = parent else { return Some((Form(0), values)) };
        self.work += 8 * parts.len() as u64;
        for (i, of, part) in parts {
            let from_parent = self.matrix_to(parent, of)?;
            match part {
                Part::Affine(d) => {
                    let matrix = d.matrix.after(from_parent);
                    for (x, value) in values[i].iter_mut().enumerate() {
                        *value ^= matrix.apply(x as u8);
                    }
                }
                Part::Function(number, coefficient) => {
                    let after = self.matrices.get(coefficient);
                    let function = &self.functions[number as usize].values;
                    for (x, value) in values[i].iter_mut().enumerate() {
                        *value ^= after.apply(function[from_parent.apply(x as u8) as usize]);
                    }
                }
            }
        }
        Some((parent, values))
    }

    /// The matrix that takes a parent to one that was joined into it.
    fn matrix_to(&mut self, parent: Form, of: Form) -> Option<Matrix> {
        let (joint, [keep, matrix]) = self.joint(parent, of)?;
        (joint == parent && (keep == 1 || self.times(keep, parent) == parent))
            .then(|| self.matrices.get(matrix))
    }

    /// A form as a function of its parent.
    pub fn as_function(&mut self, form: Form) -> Option<(Form, Values)> {
        let (of, values) = self.as_functions([form])?;
        Some((of, values[0]))
    }

    /// The form of a function of a form.
    pub fn function(&mut self, of: Form, values: &Values) -> Form {
        if let Some(value) = self.as_constant(of) {
            return Form(u32::from(values[value as usize]));
        }
        if self.is_functional(of) {
            let Some((parent, inner)) = self.as_function(of) else {
                return self.new_function(of, *values);
            };
            return self.function_of_parent(parent, &inner.map(|x| values[x as usize]));
        }
        let d = self.decompose(of);
        let values = std::array::from_fn(|x| values[(d.matrix.apply(x as u8) ^ d.constant) as usize]);
        self.function_of_parent(d.of, &values)
    }

    fn function_of_parent(&mut self, of: Form, values: &Values) -> Form {
        // Bits that the parent does not have do not matter. What has functions in it may have
        // another parent than itself.
        let d = self.decompose(of);
        let bits = if d.of == of && d.constant == 0 { d.matrix } else { Matrix::IDENTITY };
        let known = match bits {
            Matrix::IDENTITY => self.analysed(values),
            _ => self.analysed(&std::array::from_fn(|x| values[bits.apply(x as u8) as usize])),
        };
        let Analysis { linear, constant, degree, fold, .. } = self.analyses[known];
        let linear = self.matrices.number(linear);
        let affine = [(of, linear), (Form(u32::from(constant)), 1)];
        let part = match (degree, fold) {
            (Degree::One, _) => return self.combine_atoms(&affine),
            (_, Some(fold)) => self.folded(of, &fold),
            (Degree::Seven, None) => match self.folded_in_other_coordinates(of, known) {
                Some(folded) => folded,
                None => self.new_function(of, self.analyses[known].rest),
            },
            (Degree::Other, None) => self.new_function(of, self.analyses[known].rest),
        };
        self.combine_atoms(&[affine[0], affine[1], (part, 1)])
    }

    /// What is known of a function whatever its argument is.
    fn analysed(&mut self, values: &Values) -> usize {
        if self.analyses.len() >= MOST_ANALYSES {
            self.analyses.clear();
            self.analysis_table.clear();
            self.other_folds.clear();
        }
        let analyses = &self.analyses;
        let (number, fresh) =
            self.analysis_table.find_or_insert(hash(7, values), analyses.len() as u32, |n| {
                analyses[n as usize].values == *values
            });
        if fresh {
            self.analyses.push(Analysis::of(*values));
        }
        number as usize
    }

    fn folded(&mut self, argument: Form, fold: &Fold) -> Form {
        let shifted = self.add(argument, Form(u32::from(fold.offset)));
        let sbox = self.sbox_atom(fold.inverse, shifted);
        let (matrix, linear) = (self.matrices.number(fold.matrix), self.matrices.number(fold.linear));
        let constant = Form(u32::from(fold.constant));
        self.combine_atoms(&[(sbox, matrix), (argument, linear), (constant, 1)])
    }

    /// A function as an image of the S-box of its argument as another of its atoms has it.
    fn folded_in_other_coordinates(&mut self, of: Form, analysis: usize) -> Option<Form> {
        let coefficients: Vec<Coefficient> = self.terms(of).map(|(_, n)| n).filter(|&n| n != 1).collect();
        for n in coefficients {
            let basis = self.matrices.get(n);
            let Some(inverse) = basis.inverse() else { continue };
            let known = self.other_folds.get(&(analysis, basis));
            let fold = match known {
                Some(known) => known,
                None => {
                    let rest = &self.analyses[analysis].rest;
                    let found = fold(&std::array::from_fn(|x| rest[basis.apply(x as u8) as usize]));
                    self.other_folds.insert((analysis, basis), found);
                    found
                }
            };
            let Some(fold) = fold else { continue };
            let inverse = self.matrices.number(inverse);
            let argument = self.times(inverse, of);
            return Some(self.folded(argument, &fold));
        }
        None
    }

    /// The S-box of a form that is already in the coordinates of its parent.
    fn sbox_atom(&mut self, inverse: bool, of: Form) -> Form {
        if self.constant_part(of) == 0 {
            let mut terms = self.terms(of);
            if let (Some((ByteAtom::Sbox { inverse: inner, of }, 1)), 0) = (terms.next(), terms.len())
                && inner != inverse
            {
                return of;
            }
        }
        self.atom(ByteAtom::Sbox { inverse, of })
    }

    /// The S-box of a form that is not in the coordinates of its parent, or that is a function.
    pub(crate) fn sbox_of_other(&mut self, inverse: bool, of: Form) -> Form {
        self.function(of, if inverse { &INV_SBOX } else { &SBOX })
    }

    /// A function of a form as an atom. Arguments are without constants, or joining them would
    /// lose those.
    fn new_function(&mut self, of: Form, values: Values) -> Form {
        let offset = self.constant_part(of);
        let of = self.without_constant(of);
        // What that leaves may be no function.
        let left = self.constant_part(of);
        let values = std::array::from_fn(|x| values[x ^ usize::from(offset ^ left)]);
        let hash = hash(u64::from(of.0), &values);
        let functions = &self.functions;
        let (number, fresh) = self.function_table.find_or_insert(hash, functions.len() as u32, |n| {
            let known = &functions[n as usize];
            known.of == of && known.values == values
        });
        if fresh {
            self.functions.push(Function { of, values });
        }
        self.atom(ByteAtom::Function { number })
    }

    /// A linear combination of which parts have functions: those with a common parent become one.
    pub(crate) fn combine_functions(&mut self, parts: &[(Form, Coefficient)]) -> Form {
        let mut linear: Vec<(Form, Coefficient)> = Vec::with_capacity(parts.len() + 1);
        let mut groups: Vec<(Form, Values)> = Vec::new();
        for &(form, coefficient) in parts.iter().filter(|part| part.1 != 0) {
            let (rest, functions) = self.split_functions(form);
            linear.push((rest, coefficient));
            for (number, inner) in functions {
                let matrix = self.matrices.product(coefficient, inner);
                let matrix = self.matrices.get(matrix);
                let Function { of, values } = self.functions[number as usize].clone();
                self.add_to_group(&mut groups, of, values.map(|v| matrix.apply(v)));
            }
        }
        for (of, values) in groups {
            linear.push((self.function_of_parent(of, &values), 1));
        }
        self.combine_atoms(&linear)
    }

    fn add_to_group(&mut self, groups: &mut Vec<(Form, Values)>, of: Form, values: Values) {
        for (parent, sum) in groups.iter_mut() {
            let Some((joint, [a, b])) = self.joint(*parent, of) else { continue };
            self.work += 8;
            let (a, b) = (self.matrices.get(a), self.matrices.get(b));
            *sum =
                std::array::from_fn(|x| sum[a.apply(x as u8) as usize] ^ values[b.apply(x as u8) as usize]);
            *parent = joint;
            return;
        }
        groups.push((of, values));
    }

    /// The bits of a form that may be set.
    pub fn support(&self, form: Form) -> u8 {
        let mut support = self.constant_part(form);
        for (atom, coefficient) in self.terms(form) {
            support |= match atom {
                ByteAtom::Function { number } => {
                    let values = &self.functions[number as usize].values;
                    let bits = values.iter().fold(0, |bits, value| bits | value);
                    // A matrix on a function is rare: all of its rows.
                    if coefficient == 1 { bits } else { self.matrices.get(coefficient).support() }
                }
                _ if coefficient == 1 => return 0xff,
                _ => self.matrices.get(coefficient).support(),
            };
        }
        support
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::block::gf_mul;

    fn byte(forms: &mut Forms, index: u8) -> Form {
        forms.atom(ByteAtom::Lane { atom: 3, index })
    }

    /// `values` of `x` by two look-ups, of the nibbles.
    fn by_nibbles(forms: &mut Forms, x: Form, low: &Values, high: &Values) -> Form {
        let keep = forms.matrices.number(Matrix::keep(15));
        let down = forms.matrices.number(Matrix::shifted(-4));
        let (a, b) = (forms.times(keep, x), forms.times(down, x));
        let (a, b) = (forms.function(a, low), forms.function(b, high));
        forms.add(a, b)
    }

    #[test]
    fn nibbles_of_a_byte_have_one_parent() {
        let mut forms = Forms::new();
        let (x, y) = (byte(&mut forms, 0), byte(&mut forms, 1));
        let x = forms.combine(&[(x, 1), (y, 7), (Form(0x1d), 1)]);
        // A linear map, split.
        let times =
            |by: u8, shift: usize| -> Values { std::array::from_fn(|v| gf_mul(by, (v << shift) as u8)) };
        let product = by_nibbles(&mut forms, x, &times(0x8e, 0), &times(0x8e, 4));
        assert_eq!(product, forms.times(0x8e, x));
        // Squares of nibbles as integers: no linear map, but a function of x.
        let square: Values = std::array::from_fn(|v| (v * v) as u8);
        let sum = by_nibbles(&mut forms, x, &square, &square);
        let direct: Values = std::array::from_fn(|v| square[v & 15] ^ square[v >> 4]);
        assert_eq!(sum, forms.function(x, &direct));
        // And the same function of it cancels.
        assert_eq!(forms.add(sum, sum), Form(0));
        let more = forms.add(sum, y);
        assert_eq!(forms.add(more, sum), y);
        assert!(forms.is_functional(sum) && !forms.is_functional(y));
    }

    #[test]
    fn a_table_of_the_s_box_is_the_s_box() {
        let mut forms = Forms::new();
        let (x, y) = (byte(&mut forms, 0), byte(&mut forms, 1));
        let x = forms.combine(&[(x, 1), (y, 2), (Form(0x35), 1)]);
        for inverse in [false, true] {
            let table = if inverse { &INV_SBOX } else { &SBOX };
            let s = forms.sbox(inverse, x);
            assert_eq!(forms.function(x, table), s);
            let twice = forms.function(x, &table.map(|v| gf_mul(2, v) ^ 5));
            assert_eq!(twice, forms.combine(&[(s, 2), (Form(5), 1)]));
            // Through another basis of the argument and of the result.
            let basis = Matrix(0x8040_2010_0804_0203);
            let back = basis.inverse().unwrap();
            let number = forms.matrices.number(basis);
            let moved = forms.times(number, x);
            let inside: Values = std::array::from_fn(|v| table[back.apply(v as u8) as usize]);
            assert_eq!(forms.function(moved, &inside), s);
            // The other S-box of it is the byte itself, and a wrong entry is no S-box.
            assert_eq!(forms.function(s, if inverse { &SBOX } else { &INV_SBOX }), x);
            let mut wrong = *table;
            wrong[200] ^= 1;
            let other = forms.function(x, &wrong);
            assert!(forms.is_functional(other));
            let difference = forms.add(other, s);
            assert!(forms.is_functional(difference));
        }
    }

    #[test]
    fn inversion_is_the_s_box_in_every_basis_that_is_a_multiple() {
        let mut forms = Forms::new();
        let x = byte(&mut forms, 0);
        let y = byte(&mut forms, 1);
        let x = forms.combine(&[(x, 3), (y, 1), (Form(9), 1)]);
        let s = forms.sbox(false, x);
        assert!(!forms.is_functional(s));
        assert_eq!(forms.function(x, &SBOX), s);
        assert_eq!(forms.sbox(true, s), x);
    }

    #[test]
    fn functions_of_functions_compose() {
        let mut forms = Forms::new();
        let x = byte(&mut forms, 5);
        let (f, g): (Values, Values) =
            (std::array::from_fn(|v| (v * 7 % 251) as u8), std::array::from_fn(|v| ((v * v) >> 3) as u8));
        let inner = forms.function(x, &f);
        let outer = forms.function(inner, &g);
        let direct = std::array::from_fn(|v| g[f[v] as usize]);
        assert_eq!(outer, forms.function(x, &direct));
        let other = byte(&mut forms, 6);
        assert!(forms.as_functions([inner, other]).is_none());
        let both = forms.combine(&[(inner, 1), (x, 3)]);
        let (parent, values) = forms.as_functions([both, inner]).unwrap();
        assert_eq!(parent, x);
        assert!((0..256).all(|v| values[0][v] == f[v] ^ gf_mul(3, v as u8) && values[1] == f));
    }

    /// A form's value where the lanes' bytes are given, by number of the lane.
    fn value(forms: &Forms, form: Form, bytes: [u8; 3]) -> u8 {
        forms.terms(form).fold(forms.constant_part(form), |sum, (atom, coefficient)| {
            let x = match atom {
                ByteAtom::Lane { atom, .. } => bytes[atom as usize],
                ByteAtom::Sbox { inverse: false, of } => SBOX[usize::from(value(forms, of, bytes))],
                ByteAtom::Sbox { inverse: true, of } => INV_SBOX[usize::from(value(forms, of, bytes))],
                ByteAtom::Function { number } => {
                    let Function { of, values } = &forms.functions[number as usize];
                    values[usize::from(value(forms, *of, bytes))]
                }
            };
            sum ^ forms.matrices.get(coefficient).apply(x)
        })
    }

    /// Sums and functions at random, of functions of several bytes too, have the values that they
    /// should: of those, parents are none that stand by themselves.
    #[test]
    fn forms_have_the_values_of_what_they_stand_for() {
        let mut state = 1u64;
        let mut random = move || {
            state = mix(state, 0x9e37_79b9_7f4a_7c15);
            state >> 17 ^ state << 40
        };
        for _ in 0..1500 {
            let mut forms = Forms::new();
            let points: [[u8; 3]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| random() as u8));
            let mut made: Vec<(Form, [u8; 6])> = (0..3)
                .map(|k| (forms.atom(ByteAtom::Lane { atom: k, index: 0 }), points.map(|p| p[k as usize])))
                .collect();
            for _ in 0..12 {
                let mut one = || made[random() as usize % made.len()];
                let ((a, x), (b, y)) = (one(), one());
                let mut matrix = || match random() % 5 {
                    0 => Matrix(random()),
                    1 => Matrix::keep(random() as u8),
                    2 => Matrix::shifted((random() % 15) as i32 - 7),
                    _ => Matrix::IDENTITY,
                };
                let (m, n) = (matrix(), matrix());
                let (kind, constant) = (random() % 4, random() as u8 & random() as u8);
                let (form, expected) = match kind {
                    0 | 1 => {
                        let numbers = [m, n].map(|matrix| forms.matrices.number(matrix));
                        let parts = [(a, numbers[0]), (b, numbers[1]), (Form(constant.into()), 1)];
                        let sum = |q: usize| m.apply(x[q]) ^ n.apply(y[q]) ^ constant;
                        (forms.combine(&parts), std::array::from_fn(sum))
                    }
                    2 => {
                        let few = if constant & 1 == 1 { 15 } else { 255 };
                        let table: Values = match random() % 4 {
                            0 => SBOX.map(|v| m.apply(v)),
                            1 => INV_SBOX,
                            _ => {
                                let seed = random();
                                std::array::from_fn(|v| (mix(seed, v as u64 & few) >> 30) as u8)
                            }
                        };
                        (forms.function(a, &table), x.map(|v| table[usize::from(v)]))
                    }
                    _ => {
                        let Some((of, values)) = forms.as_functions([a, b]) else { continue };
                        let both: Values = std::array::from_fn(|v| values[0][v] & values[1][v]);
                        (forms.function(of, &both), std::array::from_fn(|q| x[q] & y[q]))
                    }
                };
                assert_eq!(points.map(|point| value(&forms, form, point)), expected);
                made.push((form, expected));
            }
        }
    }
}
