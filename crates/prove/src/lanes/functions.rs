//! Functions of eight bits as byte atoms: the results of table look-ups until they are recognised as S-boxes.
//!
//! A form is a matrix times a *parent* plus a constant: the parent of `x & 15` and of `x >> 4` is `x`. So look-ups by
//! the nibbles of a byte are functions of the same parent, and their sum is one. The affine part of a function is kept
//! as a sum over the parent's own atoms, and an affine image of the S-box (`crate::algebra::folds`) becomes one: a
//! function that is an atom is neither.

use aesmith_cipher::block::{INV_SBOX, SBOX};

use crate::algebra::folds::{Fold, Values, affine_part, fold, has_degree_seven};
use crate::algebra::matrices::{Coefficient, Matrix};
use crate::lanes::forms::{ByteAtom, Form, Forms};
use crate::lanes::intern::mix;
use crate::lanes::parents::Decomposition;

/// A function of a form.
#[derive(Clone)]
pub struct Function {
    /// The argument, a parent.
    pub of: Form,
    /// Its values; their affine part is zero.
    pub values: Values,
}

/// Cost of a pass over the values of a function, in terms examined.
pub(crate) const VALUES: u64 = 32;
/// Cost of analysing a function: its affine part and its degree.
const ANALYSIS: u64 = 4 * VALUES;
/// Cost of comparing a function of degree seven with both S-boxes at all offsets.
pub(crate) const FOLD: u64 = 16 * VALUES;

/// The most functions whose analysis is remembered.
const MOST_ANALYSES: usize = 1 << 13;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Degree {
    One,
    Seven,
    Other,
}

/// The analysis of a function.
pub(crate) struct Analysis {
    values: Values,
    linear: Matrix,
    constant: u8,
    /// The values without the affine part.
    rest: Values,
    /// The degree of the rest.
    degree: Degree,
    /// The fold of the rest.
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

/// A summand of a form, besides its parent.
#[derive(Clone, Copy)]
enum Part {
    Affine(Decomposition),
    Function(u32, Coefficient),
}

impl Forms {
    /// The common parent of several forms, and each of them as a function of it; `None` if they depend on more than
    /// eight bits.
    pub(crate) fn as_functions<const N: usize>(
        &mut self,
        forms: [Form; N],
    ) -> Option<(Form, Box<[Values; N]>)> {
        // Each form is a sum of an affine part and functions, each with its parent.
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
        self.work += VALUES * parts.len() as u64;
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
        // Bits that the parent does not have do not matter. A form that contains functions may have a parent other than
        // itself.
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

    /// The analysis of a function, independent of its argument.
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
        self.work += VALUES;
        if fresh {
            let analysis = Analysis::of(*values);
            let tried = analysis.degree == Degree::Seven;
            self.work += if tried { ANALYSIS + FOLD } else { ANALYSIS };
            self.analyses.push(analysis);
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

    /// A function as an image of the S-box, with the argument in the coordinates of another of its atoms.
    fn folded_in_other_coordinates(&mut self, of: Form, analysis: usize) -> Option<Form> {
        let coefficients: Vec<Coefficient> = self.terms(of).map(|(_, n)| n).filter(|&n| n != 1).collect();
        for n in coefficients {
            let basis = self.matrices.get(n);
            let Some(inverse) = basis.inverse() else { continue };
            let known = self.other_folds.get(&(analysis, basis));
            let fold = match known {
                Some(known) => known,
                None => {
                    self.work += FOLD;
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

    /// A function of a form as an atom. Arguments have no constants, because joining them would lose the constants.
    fn new_function(&mut self, of: Form, values: Values) -> Form {
        let offset = self.constant_part(of);
        let of = self.without_constant(of);
        // Without the constant, the argument may have no functions left.
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

    /// A linear combination with functions in its parts; functions with a common parent are merged.
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
            self.work += VALUES;
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
                    // A matrix on a function is rare: all of its rows count.
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
mod tests;
