//! Bytes as sums over GF(2): a constant, plus matrices times *byte atoms*, where an atom is a byte of an opaque lane,
//! the S-box (or its inverse) of another sum, or another function of one. The matrices are usually multiplications in
//! GF(2^8). ShiftRows, MixColumns, shuffles, shifts of bits and XOR are linear, so every value of AES has one such
//! form, and equal forms are equal bytes.

use aesmith_cipher::block::{INV_SBOX, SBOX};

use crate::algebra::folds::Fold;
use crate::algebra::matrices::{Coefficient, Matrices, Matrix};
use crate::lanes::functions::{Analysis, Function};
use crate::lanes::intern::{Memo, Table, mix};
use crate::lanes::parents::{Decomposition, Joint};

/// A byte's canonical form, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Form(pub u32);

/// A byte atom, the summand of forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ByteAtom {
    /// Byte `index` of a lane atom.
    Lane {
        /// The lane atom's number.
        atom: u32,
        /// The index of the byte, 0 to 15.
        index: u8,
    },
    /// The S-box, or with `inverse` its inverse, of a form.
    Sbox {
        /// True for the inverse S-box.
        inverse: bool,
        /// The argument.
        of: Form,
    },
    /// A function of a form that is neither affine nor an S-box, by number ([`Forms::function`]).
    Function {
        /// Number.
        number: u32,
    },
}

const SBOX_FLAG: u32 = 1 << 31;
const FUNCTION_FLAG: u32 = 1 << 30;

impl ByteAtom {
    fn code(self) -> u32 {
        match self {
            ByteAtom::Lane { atom, index } => atom << 4 | u32::from(index),
            ByteAtom::Sbox { inverse, of } => SBOX_FLAG | of.0 << 1 | u32::from(inverse),
            ByteAtom::Function { number } => FUNCTION_FLAG | number,
        }
    }

    fn decode(code: u32) -> Self {
        if code & SBOX_FLAG != 0 {
            ByteAtom::Sbox { inverse: code & 1 == 1, of: Form((code & !SBOX_FLAG) >> 1) }
        } else if code & FUNCTION_FLAG != 0 {
            ByteAtom::Function { number: code & !FUNCTION_FLAG }
        } else {
            ByteAtom::Lane { atom: code >> 4, index: (code & 15) as u8 }
        }
    }
}

#[derive(Clone, Copy)]
struct Sum {
    start: u32,
    terms: u32,
    constant: u8,
    /// True if a function is among the atoms.
    functional: bool,
    facts: Facts,
}

/// Facts about a value, derived from its parts when the value is made. No walk is needed later: values share parts, so
/// walking all parts could take exponential time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// True if the value may depend on a key or message byte.
    pub secret: bool,
    /// True if the value is the same at every position of the message.
    pub fixed: bool,
    /// The nesting depth of rounds, S-boxes and functions.
    pub depth: u32,
    /// True if it contains the argument of functions: then it is not a value of a kernel.
    pub argument: bool,
    /// True if it contains the rest of a counter table's state.
    pub rest: bool,
    /// True if it depends on more than blocks at fixed distances from each other: a chain or a counter table.
    pub bound: bool,
    /// The first block that it depends on; [`i32::MAX`] if none.
    pub first: i32,
}

impl Facts {
    /// The facts about a constant.
    pub const NONE: Facts = Facts {
        secret: false,
        fixed: true,
        depth: 0,
        argument: false,
        rest: false,
        bound: false,
        first: i32::MAX,
    };

    /// The facts about a value made of both.
    pub fn and(self, other: Facts) -> Facts {
        Facts {
            secret: self.secret || other.secret,
            fixed: self.fixed && other.fixed,
            depth: self.depth.max(other.depth),
            argument: self.argument || other.argument,
            rest: self.rest || other.rest,
            bound: self.bound || other.bound,
            first: self.first.min(other.first),
        }
    }

    /// The facts about a value that nests this one.
    pub fn within(self) -> Facts {
        Facts { depth: self.depth.saturating_add(1), ..self }
    }
}

/// All forms of one or several proofs.
pub struct Forms {
    /// The matrices that are coefficients.
    pub matrices: Matrices,
    sums: Vec<Sum>,
    /// `atom code << 32 | coefficient`, ascending within a sum, with nonzero coefficients.
    terms: Vec<u64>,
    table: Table,
    scratch: Vec<u64>,
    /// Facts about the atoms of lanes, by number.
    lane_facts: Vec<Facts>,
    /// Work so far, in terms examined.
    pub(crate) work: u64,
    /// The functions that are atoms.
    pub(crate) functions: Vec<Function>,
    pub(crate) function_table: Table,
    pub(crate) analyses: Vec<Analysis>,
    pub(crate) analysis_table: Table,
    /// Folds in the coordinates of other atoms.
    pub(crate) other_folds: Memo<(usize, Matrix), Option<Fold>>,
    pub(crate) decompositions: Memo<Form, Decomposition>,
    pub(crate) joints: Memo<(Form, Form), Option<Joint>>,
}

impl Forms {
    /// Calls [`Memo::check`], or [`Memo::check_again`], of all memos.
    pub(crate) fn check_memos(&mut self, begin: bool) {
        self.matrices.check_memos(begin);
        self.other_folds.check_if(begin);
        self.decompositions.check_if(begin);
        self.joints.check_if(begin);
    }

    /// Creates forms with only the 256 constants; the form of constant `c` has number `c`.
    pub fn new() -> Self {
        let mut forms = Forms {
            matrices: Matrices::new(),
            sums: Vec::new(),
            terms: Vec::new(),
            table: Table::new(1 << 10),
            scratch: Vec::new(),
            lane_facts: Vec::new(),
            work: 0,
            functions: Vec::new(),
            function_table: Table::new(1 << 4),
            analyses: Vec::new(),
            analysis_table: Table::new(1 << 4),
            other_folds: Memo::default(),
            decompositions: Memo::default(),
            joints: Memo::default(),
        };
        forms.clear();
        forms
    }

    /// Forgets all but the constants.
    pub fn clear(&mut self) {
        self.matrices.clear();
        self.sums.clear();
        self.terms.clear();
        self.table.clear();
        self.lane_facts.clear();
        self.functions.clear();
        self.function_table.clear();
        self.decompositions.clear();
        self.joints.clear();
        for constant in 0..=255 {
            self.scratch.clear();
            self.intern(constant);
        }
    }

    /// Records the facts about the next atom of lanes.
    pub(crate) fn note_lane(&mut self, facts: Facts) {
        self.lane_facts.push(facts);
    }

    /// The facts about a form.
    pub fn facts(&self, form: Form) -> Facts {
        self.sums[form.0 as usize].facts
    }

    fn atom_facts(&self, atom: ByteAtom) -> Facts {
        match atom {
            // An atom without recorded facts may be anything.
            ByteAtom::Lane { atom, .. } => {
                let anything = Facts { secret: true, fixed: false, bound: true, ..Facts::NONE };
                self.lane_facts.get(atom as usize).copied().unwrap_or(anything)
            }
            ByteAtom::Sbox { of, .. } => self.facts(of).within(),
            ByteAtom::Function { number } => self.facts(self.functions[number as usize].of).within(),
        }
    }

    /// The number of forms.
    pub fn count(&self) -> usize {
        self.sums.len()
    }

    /// The form of a constant.
    pub fn constant(&self, value: u8) -> Form {
        Form(u32::from(value))
    }

    /// The value of a constant form.
    pub fn as_constant(&self, form: Form) -> Option<u8> {
        (form.0 < 256).then_some(form.0 as u8)
    }

    /// The form of one byte atom.
    pub fn atom(&mut self, atom: ByteAtom) -> Form {
        self.scratch.clear();
        self.scratch.push(u64::from(atom.code()) << 32 | 1);
        self.intern(0)
    }

    /// The constant of a form.
    pub fn constant_part(&self, form: Form) -> u8 {
        self.sums[form.0 as usize].constant
    }

    /// True if a function other than an S-box is among the atoms.
    pub(crate) fn is_functional(&self, form: Form) -> bool {
        self.sums[form.0 as usize].functional
    }

    /// The atoms of a form with their coefficients.
    pub fn terms(&self, form: Form) -> impl ExactSizeIterator<Item = (ByteAtom, Coefficient)> + '_ {
        self.raw_terms(form).iter().map(|&t| (ByteAtom::decode((t >> 32) as u32), t as u32))
    }

    fn raw_terms(&self, form: Form) -> &[u64] {
        let sum = self.sums[form.0 as usize];
        &self.terms[sum.start as usize..][..sum.terms as usize]
    }

    /// `a + b`
    pub fn add(&mut self, a: Form, b: Form) -> Form {
        if a.0 == 0 {
            return b;
        }
        if b.0 == 0 {
            return a;
        }
        self.combine(&[(a, 1), (b, 1)])
    }

    /// The product of a matrix and a form.
    pub fn times(&mut self, coefficient: Coefficient, form: Form) -> Form {
        if coefficient == 1 { form } else { self.combine(&[(form, coefficient)]) }
    }

    /// A linear combination.
    pub fn combine(&mut self, parts: &[(Form, Coefficient)]) -> Form {
        if parts.iter().any(|&(form, coefficient)| coefficient != 0 && self.is_functional(form)) {
            return self.combine_functions(parts);
        }
        self.combine_atoms(parts)
    }

    /// A linear combination that treats functions like other atoms.
    pub(crate) fn combine_atoms(&mut self, parts: &[(Form, Coefficient)]) -> Form {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let mut constant = 0;
        for &(form, coefficient) in parts.iter().filter(|p| p.1 != 0) {
            let sum = self.sums[form.0 as usize];
            constant ^= self.matrices.apply(coefficient, sum.constant);
            let terms = sum.start as usize..(sum.start + sum.terms) as usize;
            if coefficient == 1 {
                scratch.extend_from_slice(&self.terms[terms]);
                continue;
            }
            for at in terms {
                let term = self.terms[at];
                let product = self.matrices.product(coefficient, term as u32);
                if product != 0 {
                    scratch.push(term >> 32 << 32 | u64::from(product));
                }
            }
        }
        scratch.sort_unstable();
        // Coefficients of one atom are added; an atom with coefficient zero is dropped.
        let mut kept = 0;
        for i in 0..scratch.len() {
            let term = scratch[i];
            if kept > 0 && scratch[kept - 1] >> 32 == term >> 32 {
                let sum = self.matrices.sum(scratch[kept - 1] as u32, term as u32);
                scratch[kept - 1] = term >> 32 << 32 | u64::from(sum);
            } else {
                if kept > 0 && scratch[kept - 1] as u32 == 0 {
                    kept -= 1;
                }
                scratch[kept] = term;
                kept += 1;
            }
        }
        if kept > 0 && scratch[kept - 1] as u32 == 0 {
            kept -= 1;
        }
        scratch.truncate(kept);
        self.scratch = scratch;
        self.intern(constant)
    }

    /// A form without its constant.
    pub(crate) fn without_constant(&mut self, form: Form) -> Form {
        match self.constant_part(form) {
            0 => form,
            constant => self.add(form, Form(u32::from(constant))),
        }
    }

    /// Splits a form into the form of its other terms, and its terms that are functions.
    pub(crate) fn split_functions(&mut self, form: Form) -> (Form, Vec<(u32, Coefficient)>) {
        if !self.is_functional(form) {
            return (form, Vec::new());
        }
        let mut functions = Vec::new();
        let (raw, constant) = (self.raw_terms(form).to_vec(), self.constant_part(form));
        self.scratch.clear();
        for term in raw {
            match ByteAtom::decode((term >> 32) as u32) {
                ByteAtom::Function { number } => functions.push((number, term as u32)),
                _ => self.scratch.push(term),
            }
        }
        (self.intern(constant), functions)
    }

    /// The S-box, or its inverse, of a form.
    pub fn sbox(&mut self, inverse: bool, of: Form) -> Form {
        let table = if inverse { &INV_SBOX } else { &SBOX };
        if let Some(value) = self.as_constant(of) {
            return Form(u32::from(table[value as usize]));
        }
        let constant = self.constant_part(of);
        let mut terms = self.terms(of);
        let first = terms.next().expect("not a constant");
        if constant == 0
            && terms.len() == 0
            && let (ByteAtom::Sbox { inverse: inner, of }, 1) = first
            && inner != inverse
        {
            return of;
        }
        if first.1 != 1 || self.is_functional(of) {
            drop(terms);
            return self.sbox_of_other(inverse, of);
        }
        drop(terms);
        self.atom(ByteAtom::Sbox { inverse, of })
    }

    /// The form whose terms are in `scratch`.
    fn intern(&mut self, constant: u8) -> Form {
        self.work += 1 + self.scratch.len() as u64;
        let hash = self.scratch.iter().fold(mix(1, u64::from(constant)), |h, &t| mix(h, t));
        let (sums, terms, scratch) = (&self.sums, &self.terms, &self.scratch);
        let (number, fresh) = self.table.find_or_insert(hash, sums.len() as u32, |n| {
            let sum = sums[n as usize];
            let start = sum.start as usize;
            sum.constant == constant
                && sum.terms as usize == scratch.len()
                && terms[start..].iter().zip(scratch).all(|(m, n)| m == n)
        });
        if fresh {
            let functional = |term: &u64| {
                let code = (term >> 32) as u32;
                code & SBOX_FLAG == 0 && code & FUNCTION_FLAG != 0
            };
            let atoms = self.scratch.iter().map(|&term| ByteAtom::decode((term >> 32) as u32));
            let facts = atoms.fold(Facts::NONE, |facts, atom| facts.and(self.atom_facts(atom)));
            self.sums.push(Sum {
                start: self.terms.len() as u32,
                terms: self.scratch.len() as u32,
                constant,
                functional: self.scratch.iter().any(functional),
                facts,
            });
            self.terms.extend_from_slice(&self.scratch);
        }
        Form(number)
    }
}

impl Default for Forms {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_canonical() {
        let mut forms = Forms::new();
        let x = forms.atom(ByteAtom::Lane { atom: 3, index: 0 });
        let y = forms.atom(ByteAtom::Lane { atom: 3, index: 1 });
        let two_x = forms.combine(&[(x, 2)]);
        let left = forms.combine(&[(two_x, 1), (y, 7), (Form(9), 1)]);
        let right = forms.combine(&[(y, 4), (x, 3), (y, 3), (x, 1), (Form(9), 1)]);
        assert_eq!(left, right);
        assert_eq!(forms.add(left, right), Form(0));
        let s = forms.sbox(false, left);
        assert_eq!(forms.sbox(true, s), left);
        assert_eq!(forms.sbox(false, Form(0)), Form(0x63));
    }
}
