//! Nonlinear bits: functions of at most eight linear forms (a basis), by truth table. A table over an S-box input that
//! is an affine image of the input and of outputs of the S-box and its inverse is folded into their atoms. So
//! bit-sliced S-boxes and table look-ups become linear.

use aesmith_cipher::block::{INV_SBOX, SBOX};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::bits::forms::{Atom, Bit, Bits, Byte, Node, ONE};
use crate::bits::memory::ObjectId;
use crate::bits::truth::{PLACES, Row, Truth, composed, eliminated, fold, plus};
use rustc_hash::FxHashMap as Map;

/// A resolved bit: a linear form plus functions over bases.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The linear part.
    pub form: Bit,
    /// Functions, at most one for each basis, by the number of the basis.
    pub parts: BTreeMap<u32, Truth>,
}

/// The result of resolving a bit; `None` if it is too complicated.
pub(crate) type Resolved = Option<Rc<Sum>>;

/// Linearly independent forms, the arguments of functions.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// The forms, with their constants.
    pub forms: Vec<Bit>,
    /// Reduced forms: their sorted atoms, and the set of forms whose sum each is. The last atom of a row, its pivot,
    /// occurs in no later row.
    pub rows: Vec<(Vec<u32>, u8)>,
    /// Outputs of the S-box and its inverse for this byte.
    pub outputs: [Option<Byte>; 2],
    /// For a byte of a counter, its successors.
    pub counter: Option<Rc<Counter>>,
}

/// A byte of a counter: its successors have names, and some of its values do not occur.
#[derive(Debug)]
pub(crate) struct Counter {
    /// Functions in the order of elimination: the remainder, its pivot, and the set of `named` bits whose sum it is.
    pub rows: Vec<Row>,
    /// The bits equal to the functions; zero for functions that only separate values that do not occur.
    pub named: Vec<Bit>,
    /// Atoms that are functions of this byte.
    pub derived: Vec<(u32, Truth)>,
}

/// All bases.
#[derive(Default)]
pub struct Functions {
    pub(crate) bases: Vec<Basis>,
    /// The preferred bases among those of one span: S-box inputs and bytes of counters.
    pub(crate) notable: Vec<u32>,
    exact: Map<Vec<Bit>, u32>,
    /// S-box inputs (bases of eight forms), by the reduced forms of their span.
    pub(crate) spans: Map<Vec<Bit>, u32>,
    pub(crate) spans_done: usize,
    /// For each S-box input, all S-box inputs of the same span, the one in [`Functions::spans`] first. They differ by a
    /// constant, as counters under one key do.
    pub(crate) alike: Map<u32, Vec<u32>>,
    /// Notable bases, by the pivots of their rows.
    pub(crate) pivots: Map<u32, Vec<u32>>,
    pub(crate) pivots_done: usize,
    pub(crate) tables: Map<Shape, Rc<Vec<Option<u64>>>>,
}

/// The key of a look-up: base address, mask of the eight index bits in the address, bytes loaded, table.
pub type Shape = (u64, u64, u8, (ObjectId, i64));

impl Bits {
    /// A basis of forms; `None` if they depend on each other.
    pub(crate) fn basis(&mut self, forms: &[Bit]) -> Option<u32> {
        if let Some(&known) = self.functions.exact.get(forms) {
            return Some(known);
        }
        let mut basis = Basis { forms: Vec::new(), rows: Vec::new(), outputs: [None; 2], counter: None };
        for &form in forms {
            let (rest, mask) = Self::reduced(&basis, self.atoms_of(form));
            if rest.is_empty() || basis.forms.len() == 8 {
                return None;
            }
            basis.rows.push((rest, mask ^ 1 << basis.forms.len()));
            basis.forms.push(form);
        }
        let number = self.functions.bases.len() as u32;
        self.functions.bases.push(basis);
        self.functions.exact.insert(forms.to_vec(), number);
        Some(number)
    }

    fn reduced(basis: &Basis, form: &[u32]) -> (Vec<u32>, u8) {
        let (mut atoms, mut mask) = (form.to_vec(), 0);
        for (row, of) in &basis.rows {
            if atoms.binary_search(&row[row.len() - 1]).is_ok() {
                atoms = difference(&atoms, row);
                mask ^= of;
            }
        }
        (atoms, mask)
    }

    /// The coordinates of a form in a basis: a mask of its forms and a constant.
    fn coordinates(&self, basis: u32, form: &[u32], constant: Bit) -> Option<(u8, bool)> {
        let basis = &self.functions.bases[basis as usize];
        let (rest, mask) = Self::reduced(basis, form);
        if !rest.is_empty() {
            return None;
        }
        let constant =
            basis.forms.iter().enumerate().fold(constant, |c, (j, f)| c ^ (f & 1 & u32::from(mask >> j & 1)));
        Some((mask, constant == 1))
    }

    /// The S-box, or its inverse, of a byte of linear forms; `None` if they depend on each other.
    pub fn sbox(&mut self, x: Byte, inverse: bool) -> Option<Byte> {
        if x.iter().all(|b| *b <= ONE) {
            let value = x.iter().rev().fold(0, |v, b| v << 1 | *b as usize);
            let image = if inverse { INV_SBOX[value] } else { SBOX[value] };
            return Some(std::array::from_fn(|j| u32::from(image >> j & 1)));
        }
        let mut forms = x;
        for bit in &mut forms {
            *bit = self.settle(*bit)?;
        }
        let basis = self.basis(&forms)?;
        Some(self.outputs(basis, inverse))
    }

    /// The forms of a basis.
    pub(crate) fn forms_of(&self, basis: u32) -> Vec<Bit> {
        self.functions.bases[basis as usize].forms.clone()
    }

    /// The input byte of an S-box output.
    pub(crate) fn input_of(&self, basis: u32) -> Byte {
        std::array::from_fn(|j| self.functions.bases[basis as usize].forms[j])
    }

    /// The forms that a resolved bit depends on: itself, or those of its functions.
    pub(crate) fn forms_in(&self, bit: Bit) -> Vec<Bit> {
        match &self.resolved[(bit >> 1) as usize] {
            Some(Some(sum)) => {
                let bases = sum.parts.keys();
                let forms = bases.flat_map(|&basis| &self.functions.bases[basis as usize].forms);
                forms.copied().chain([sum.form]).collect()
            }
            _ if self.is_linear(bit) => vec![bit],
            _ => Vec::new(),
        }
    }

    /// True if both sums are in the span of a basis.
    pub(crate) fn spans_both(&self, basis: u32, a: Bit, b: Bit) -> bool {
        [a, b].iter().all(|&sum| self.linear_table(basis, sum).is_some())
    }

    /// True if the outputs of the S-box, or its inverse, of a basis have names.
    pub(crate) fn has_outputs(&self, basis: u32, inverse: bool) -> bool {
        self.functions.bases[basis as usize].outputs[usize::from(inverse)].is_some()
    }

    /// The S-box, or its inverse, of a basis of eight forms.
    pub(crate) fn outputs(&mut self, basis: u32, inverse: bool) -> Byte {
        if let Some(known) = self.functions.bases[basis as usize].outputs[usize::from(inverse)] {
            return known;
        }
        // The inverse S-box of an S-box output is its input.
        let forms: Byte = std::array::from_fn(|j| self.functions.bases[basis as usize].forms[j]);
        let of = |bit: Bit| match self.atoms_of(bit) {
            [atom] if bit & 1 == 0 => self.atoms[*atom as usize].output,
            _ => None,
        };
        let undone = of(forms[0])
            .map(|(origin, _, _)| origin)
            .filter(|&origin| (0..8).all(|j| of(forms[j as usize]) == Some((origin, !inverse, j))));
        let outputs = match undone {
            Some(origin) => std::array::from_fn(|j| self.functions.bases[origin as usize].forms[j]),
            None => {
                let secret = forms.iter().any(|&f| self.is_secret(f));
                std::array::from_fn(|j| {
                    self.atom_of(Atom { secret, output: Some((basis, inverse, j as u8)) })
                })
            }
        };
        if self.functions.bases[basis as usize].outputs == [None; 2] {
            self.functions.notable.push(basis);
        }
        self.functions.bases[basis as usize].outputs[usize::from(inverse)] = Some(outputs);
        outputs
    }

    /// The bit that is a sum of the 25 functions over a basis (see `truth::fold`).
    pub(crate) fn folded(&mut self, basis: u32, of: u64) -> Bit {
        let mut bit = (of & 1) as Bit;
        for j in 0..self.functions.bases[basis as usize].forms.len() {
            if of >> (1 + j) & 1 == 1 {
                let form = self.functions.bases[basis as usize].forms[j];
                bit = self.xor(bit, form);
            }
        }
        for (inverse, shift) in [(false, 9), (true, 17)] {
            if of >> shift & 0xff != 0 {
                let outputs = self.outputs(basis, inverse);
                for (j, output) in outputs.into_iter().enumerate() {
                    if of >> (shift + j) & 1 == 1 {
                        bit = self.xor(bit, output);
                    }
                }
            }
        }
        bit
    }

    pub(crate) fn is_full(&self, basis: u32) -> bool {
        self.functions.bases[basis as usize].forms.len() == 8
    }

    /// Adds a function to a sum. The first of the bases of one span replaces the others, as the gates of one circuit
    /// may be over any of them.
    pub(crate) fn add_part(&mut self, sum: &mut Sum, basis: u32, t: Truth) {
        self.note_spans();
        let alike = self.functions.alike.get(&basis).cloned().unwrap_or_default();
        let first = alike.first().copied().unwrap_or(basis);
        let (basis, t) = match self.moved(basis, &t, first) {
            Some(moved) => (first, moved),
            None => (basis, t),
        };
        let t = match sum.parts.remove(&basis) {
            Some(old) => plus(&old, &t),
            None => t,
        };
        let folded = match self.functions.bases[basis as usize].counter.clone() {
            Some(counter) => {
                let (rest, of) = eliminated(&counter.rows, t);
                (rest == [0; 4]).then(|| {
                    let named = counter.named.iter().enumerate();
                    self.sum(named.filter(|(k, _)| of >> k & 1 == 1).map(|(_, &bit)| bit))
                })
            }
            None => {
                let others = alike.iter().filter(|&&other| other != basis);
                let found = fold(t, self.is_full(basis)).map(|of| (basis, of)).or_else(|| {
                    others.copied().find_map(|other| {
                        let of = fold(self.moved(basis, &t, other)?, true)?;
                        Some((other, of))
                    })
                });
                found.map(|(basis, of)| self.folded(basis, of))
            }
        };
        match folded {
            Some(form) => sum.form = self.xor(sum.form, form),
            None => {
                sum.parts.insert(basis, t);
            }
        }
    }

    /// Resolves a bit to a sum.
    pub(crate) fn resolve(&mut self, bit: Bit) -> Option<Sum> {
        let node = (bit >> 1) as usize;
        if self.is_linear(bit) {
            return Some(Sum { form: bit, parts: BTreeMap::new() });
        }
        if self.resolved[node].is_none() {
            let found = match self.nodes[node] {
                Node::Xor(a, b) => self.resolve_xor(a, b),
                Node::And(a, b) => self.resolve_and(a, b),
                Node::Zero | Node::Linear(..) | Node::Function | Node::Opaque => None,
            };
            self.resolved[node] = Some(found.map(Rc::new));
        }
        let known = self.resolved[node].clone().flatten()?;
        let mut sum = (*known).clone();
        sum.form ^= bit & 1;
        Some(sum)
    }

    fn resolve_xor(&mut self, a: Bit, b: Bit) -> Option<Sum> {
        let (mut sum, other) = (self.resolve(a)?, self.resolve(b)?);
        sum.form = self.xor(sum.form, other.form);
        for (basis, t) in other.parts {
            self.add_part(&mut sum, basis, t);
        }
        Some(sum)
    }

    fn resolve_and(&mut self, a: Bit, b: Bit) -> Option<Sum> {
        let (x, y) = (self.resolve(a)?, self.resolve(b)?);
        let mut sum = Sum::default();
        if x.parts.is_empty() && y.parts.is_empty() {
            let (f, g) = (x.form, y.form);
            if f <= ONE || g <= ONE || f >> 1 == g >> 1 {
                sum.form = self.and(f, g);
                return Some(sum);
            }
        }
        let basis = self.common(&[&x, &y])?;
        let (s, t) = (self.table(basis, &x)?, self.table(basis, &y)?);
        self.add_part(&mut sum, basis, std::array::from_fn(|i| s[i] & t[i]));
        Some(sum)
    }

    /// A basis that spans all these sums.
    pub(crate) fn common(&mut self, sums: &[&Sum]) -> Option<u32> {
        let mut bases: Vec<u32> = sums.iter().flat_map(|s| s.parts.keys().copied()).collect();
        bases.sort_by_key(|&b| std::cmp::Reverse(self.functions.bases[b as usize].forms.len()));
        bases.dedup();
        let forms: Vec<Bit> = sums.iter().map(|s| s.form).filter(|&f| f > ONE).collect();
        if bases.is_empty()
            && let Some(&first) = forms.first()
        {
            for basis in self.candidates(first) {
                if forms.iter().all(|&f| self.linear_table(basis, f).is_some()) {
                    return Some(basis);
                }
            }
        }
        let mut all: Vec<Bit> = Vec::new();
        let start = bases.first().copied();
        if let Some(start) = start {
            all.clone_from(&self.functions.bases[start as usize].forms);
        }
        let more = bases.iter().skip(1).flat_map(|&b| self.functions.bases[b as usize].forms.clone());
        let more: Vec<Bit> = more.chain(forms).collect();
        let mut basis = start;
        for form in more {
            if basis.is_some_and(|b| self.linear_table(b, form).is_some()) {
                continue;
            }
            if all.len() == 8 {
                return None;
            }
            all.push(form & !1);
            basis = Some(self.basis(&all)?);
        }
        // Eight forms may be an S-box input in other coordinates.
        match basis {
            Some(b) if self.is_full(b) && Some(b) != start => Some(self.spanning(b)),
            other => other,
        }
    }

    /// The table of a sum over a basis that spans it.
    pub(crate) fn table(&self, basis: u32, sum: &Sum) -> Option<Truth> {
        let mut t = self.linear_table(basis, sum.form)?;
        for (&from, part) in &sum.parts {
            t = plus(&t, &self.moved(from, part, basis)?);
        }
        Some(t)
    }

    /// A function over one basis, as a function over another that spans it.
    fn moved(&self, from: u32, t: &Truth, to: u32) -> Option<Truth> {
        if from == to {
            return Some(*t);
        }
        let forms = &self.functions.bases[from as usize].forms;
        let images: Option<Vec<Truth>> = forms.iter().map(|&f| self.linear_table(to, f)).collect();
        let images = images?;
        Some(composed(&images, t))
    }

    pub(crate) fn linear_table(&self, basis: u32, form: Bit) -> Option<Truth> {
        if let Some(counter) = &self.functions.bases[basis as usize].counter {
            let atoms = self.atoms_of(form);
            let derived = counter.derived.iter().filter(|(atom, _)| atoms.binary_search(atom).is_ok());
            let named: Vec<_> = derived.collect();
            if !named.is_empty() {
                let rest: Vec<u32> =
                    atoms.iter().copied().filter(|a| named.iter().all(|(atom, _)| atom != a)).collect();
                let others: Vec<u32> = named.iter().map(|(atom, _)| *atom).collect();
                assert_eq!(rest.len() + others.len(), atoms.len());
                let plain = self.plain_table(basis, &rest, form & 1)?;
                return Some(named.iter().fold(plain, |t, (_, table)| plus(&t, table)));
            }
        }
        self.plain_table(basis, self.atoms_of(form), form & 1)
    }

    fn plain_table(&self, basis: u32, atoms: &[u32], constant: Bit) -> Option<Truth> {
        let (mask, constant) = self.coordinates(basis, atoms, constant)?;
        let start = [if constant { u64::MAX } else { 0 }; 4];
        Some((0..8).filter(|j| mask >> j & 1 == 1).fold(start, |t, j| plus(&t, &PLACES[j])))
    }
}

/// The symmetric difference of two sorted lists.
pub(crate) fn difference<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => {
                i += 1;
                j += 1;
            }
            (Some(x), Some(y)) if x < y => {
                out.push(*x);
                i += 1;
            }
            (Some(x), None) => {
                out.push(*x);
                i += 1;
            }
            (_, Some(y)) => {
                out.push(*y);
                j += 1;
            }
            (None, None) => break,
        }
    }
    out
}
