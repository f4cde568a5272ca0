//! Bits that are not linear: functions of at most eight linear forms (a basis), by truth table.
//! A table over an S-box input that is an affine image of input and outputs of the S-box and its
//! inverse is folded into their atoms. So bit-sliced S-boxes and table look-ups become linear.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

use aesmith_cipher::block::{INV_SBOX, SBOX};

use crate::bits::{Atom, Bit, Bits, Byte, Map, Node, ONE, ZERO};

/// A function of eight bits: the bit for each argument.
pub type Truth = [u64; 4];

/// What a bit is: a linear form plus functions over bases.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// The linear part.
    pub form: Bit,
    /// Functions, each over another basis, by the basis' number.
    pub parts: BTreeMap<u32, Truth>,
}

/// What is known after looking into a bit; nothing if it is too complicated.
pub type Resolved = Option<Rc<Sum>>;

/// Linearly independent forms that functions are over.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    /// The forms, with their constants.
    pub forms: Vec<Bit>,
    /// Sorted atoms of reduced forms, and which forms they are the sum of; each row's last atom, its
    /// pivot, occurs in no later row.
    rows: Vec<(Vec<u32>, u8)>,
    /// Outputs of the S-box and its inverse on this byte.
    outputs: [Option<Byte>; 2],
    /// What is said of a byte of a counter.
    counter: Option<Rc<Counter>>,
}

/// A byte of a counter: its successors have names, and some values do not occur.
#[derive(Debug)]
struct Counter {
    /// Functions in the order of elimination: what remains, its pivot, which of `named` it is.
    rows: Vec<(Truth, usize, u64)>,
    /// The bits that the functions are; zero for what tells values apart that do not occur.
    named: Vec<Bit>,
    /// Atoms that are functions of this byte.
    derived: Vec<(u32, Truth)>,
}

/// All bases.
#[derive(Default)]
pub struct Functions {
    pub(crate) bases: Vec<Basis>,
    /// Those that functions over other bases of the same span are taken over: S-box inputs, and
    /// bytes of counters.
    notable: Vec<u32>,
    exact: Map<Vec<Bit>, u32>,
    /// The basis of eight forms, an S-box input, that spans this; by reduced forms.
    spans: Map<Vec<Bit>, u32>,
    spans_done: usize,
    /// Notable bases by the pivots of their rows.
    pivots: Map<u32, Vec<u32>>,
    pivots_done: usize,
    tables: Map<Shape, Rc<Vec<Option<u64>>>>,
}

/// Which look-up: base address, the eight places of the index in it, bytes, space.
pub type Shape = (u64, u64, u8, bool);

/// `1`, the eight bits of `x`, of `S(x)` and of its inverse, eliminated in this order: table, pivot,
/// which of the 25 it is the sum of.
static ROWS: LazyLock<Vec<(Truth, usize, u64)>> = LazyLock::new(|| {
    let function = |k: usize| -> Truth {
        truth(|x| match k {
            0 => true,
            1..=8 => x >> (k - 1) & 1 == 1,
            9..=16 => SBOX[x] >> (k - 9) & 1 == 1,
            _ => INV_SBOX[x] >> (k - 17) & 1 == 1,
        })
    };
    let mut rows: Vec<(Truth, usize, u64)> = Vec::new();
    for k in 0..25 {
        let (rest, of) = eliminated(&rows, function(k));
        let pivot = first(&rest).expect("the S-box, its inverse and affine functions are independent");
        rows.push((rest, pivot, of ^ 1 << k));
    }
    rows
});

/// The eight bits of the argument.
const PLACES: [Truth; 8] = {
    let mut places = [[0u64; 4]; 8];
    let mut x = 0;
    while x < 256 {
        let mut j = 0;
        while j < 8 {
            places[j][x >> 6] |= ((x >> j & 1) as u64) << (x & 63);
            j += 1;
        }
        x += 1;
    }
    places
};

fn truth(f: impl Fn(usize) -> bool) -> Truth {
    let mut t = [0; 4];
    for x in 0..256 {
        t[x >> 6] |= u64::from(f(x)) << (x & 63);
    }
    t
}

fn first(t: &Truth) -> Option<usize> {
    t.iter().position(|&w| w != 0).map(|i| 64 * i + t[i].trailing_zeros() as usize)
}

fn eliminated(rows: &[(Truth, usize, u64)], mut t: Truth) -> (Truth, u64) {
    let mut of = 0;
    for (row, pivot, sum) in rows {
        if t[pivot >> 6] >> (pivot & 63) & 1 == 1 {
            t = plus(&t, row);
            of ^= sum;
        }
    }
    (t, of)
}

fn plus(a: &Truth, b: &Truth) -> Truth {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// Of which of the 25 functions a table is the sum: of the affine ones alone, or of all.
fn fold(t: Truth, all: bool) -> Option<u64> {
    let (rest, of) = eliminated(&ROWS[..if all { 25 } else { 9 }], t);
    (rest == [0; 4]).then_some(of)
}

impl Bits {
    /// A basis for forms; nothing if they depend on each other.
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

    /// A form as a sum of a basis' forms, with a constant.
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

    /// The S-box, or its inverse, of a byte of linear forms; nothing if they depend on each other.
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

    /// The byte that an S-box output is of.
    pub(crate) fn input_of(&self, basis: u32) -> Byte {
        std::array::from_fn(|j| self.functions.bases[basis as usize].forms[j])
    }

    fn outputs(&mut self, basis: u32, inverse: bool) -> Byte {
        if let Some(known) = self.functions.bases[basis as usize].outputs[usize::from(inverse)] {
            return known;
        }
        // The inverse of an output is the input.
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

    /// Says of a byte of atoms that it is a counter's: names for so many successors, and the highest
    /// so many values do not occur. The successors, the next first.
    pub fn successors(&mut self, byte: Byte, count: u8) -> Option<Vec<Byte>> {
        let basis = self.basis(&byte)?;
        let (mut rows, mut named) = (Vec::new(), Vec::new());
        let mut derived: Vec<(u32, Truth)> = Vec::new();
        let mut enter = |t: Truth, bit: Bit| {
            let (rest, of) = eliminated(&rows, t);
            let pivot = first(&rest)?;
            rows.push((rest, pivot, of ^ 1 << named.len()));
            named.push(bit);
            Some(())
        };
        enter([u64::MAX; 4], ONE)?;
        for j in 0..8 {
            enter(PLACES[j], byte[j])?;
        }
        for k in 0..count {
            enter(truth(|x| x == 255 - usize::from(k)), ZERO)?;
        }
        let mut successors = Vec::new();
        for k in 1..=count {
            let mut next = [ZERO; 8];
            for (j, place) in next.iter_mut().enumerate() {
                let t = truth(|x| (x + usize::from(k)) >> j & 1 == 1);
                let (rest, of) = eliminated(&rows, t);
                *place = if rest == [0; 4] {
                    let sum = named.iter().enumerate().filter(|(i, _)| of >> i & 1 == 1).map(|(_, &b)| b);
                    let bits: Vec<Bit> = sum.collect();
                    self.sum(bits)
                } else {
                    let bit = self.atom(byte.iter().any(|&b| self.is_secret(b)));
                    derived.push((self.atoms_of(bit)[0], t));
                    let pivot = first(&rest)?;
                    rows.push((rest, pivot, of ^ 1 << named.len()));
                    named.push(bit);
                    bit
                };
            }
            successors.push(next);
        }
        self.functions.notable.push(basis);
        self.functions.bases[basis as usize].counter = Some(Rc::new(Counter { rows, named, derived }));
        Some(successors)
    }

    /// The bit that a sum of the 25 functions over a basis is.
    fn folded(&mut self, basis: u32, of: u64) -> Bit {
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

    fn is_full(&self, basis: u32) -> bool {
        self.functions.bases[basis as usize].forms.len() == 8
    }

    fn add_part(&mut self, sum: &mut Sum, basis: u32, t: Truth) {
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
            None => fold(t, self.is_full(basis)).map(|of| self.folded(basis, of)),
        };
        match folded {
            Some(form) => sum.form = self.xor(sum.form, form),
            None => {
                sum.parts.insert(basis, t);
            }
        }
    }

    /// What a bit is.
    pub fn resolve(&mut self, bit: Bit) -> Option<Sum> {
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

    /// A basis that all these are functions over.
    fn common(&mut self, sums: &[&Sum]) -> Option<u32> {
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

    /// Notable bases that may span a form: a form in the span of rows has the pivot of one of them.
    fn candidates(&mut self, form: Bit) -> Vec<u32> {
        while let Some(&number) = self.functions.notable.get(self.functions.pivots_done) {
            self.functions.pivots_done += 1;
            let basis = &self.functions.bases[number as usize];
            let derived = basis.counter.iter().flat_map(|c| c.derived.iter().map(|(atom, _)| *atom));
            let pivots = basis.rows.iter().map(|(row, _)| row[row.len() - 1]);
            for atom in pivots.chain(derived).collect::<Vec<_>>() {
                self.functions.pivots.entry(atom).or_default().push(number);
            }
        }
        let mut found: Vec<u32> = Vec::new();
        for atom in self.atoms_of(form) {
            found.extend(self.functions.pivots.get(atom).into_iter().flatten());
        }
        // Latest first: S-boxes are computed round by round.
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.dedup();
        found
    }

    /// The S-box input that has the same span as this basis, or it itself.
    fn spanning(&mut self, basis: u32) -> u32 {
        while let Some(&number) = self.functions.notable.get(self.functions.spans_done) {
            self.functions.spans_done += 1;
            let key = self.span(number);
            self.functions.spans.entry(key).or_insert(number);
        }
        let key = self.span(basis);
        self.functions.spans.get(&key).copied().unwrap_or(basis)
    }

    /// The reduced echelon form of a basis: the same for all bases of one span.
    fn span(&mut self, basis: u32) -> Vec<Bit> {
        let mut rows: Vec<Vec<u32>> =
            self.functions.bases[basis as usize].rows.iter().map(|(atoms, _)| atoms.clone()).collect();
        // Pivots are made first atoms of their rows and of no other row.
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                if i != j && rows[j].binary_search(&rows[i][0]).is_ok() {
                    rows[j] = difference(&rows[j], &rows[i]);
                }
            }
        }
        loop {
            let clash = (0..rows.len())
                .flat_map(|i| (0..rows.len()).map(move |j| (i, j)))
                .find(|&(i, j)| i != j && rows[j].binary_search(&rows[i][0]).is_ok());
            let Some((i, j)) = clash else { break };
            rows[j] = difference(&rows[j], &rows[i]);
        }
        rows.sort();
        rows.iter().map(|r| self.form(r)).collect()
    }

    /// A sum as a table over a basis that spans it.
    fn table(&self, basis: u32, sum: &Sum) -> Option<Truth> {
        let mut t = self.linear_table(basis, sum.form)?;
        for (&from, part) in &sum.parts {
            if from == basis {
                t = plus(&t, part);
                continue;
            }
            let forms = &self.functions.bases[from as usize].forms;
            let images: Option<Vec<Truth>> = forms.iter().map(|&f| self.linear_table(basis, f)).collect();
            let images = images?;
            let moved = truth(|x| {
                let index = images
                    .iter()
                    .enumerate()
                    .fold(0, |i, (j, t)| i | ((t[x >> 6] >> (x & 63) & 1) as usize) << j);
                part[index >> 6] >> (index & 63) & 1 == 1
            });
            t = plus(&t, &moved);
        }
        Some(t)
    }

    fn linear_table(&self, basis: u32, form: Bit) -> Option<Truth> {
        if let Some(counter) = &self.functions.bases[basis as usize].counter {
            let atoms = self.atoms_of(form);
            let derived = counter.derived.iter().filter(|(atom, _)| atoms.binary_search(atom).is_ok());
            let named: Vec<_> = derived.collect();
            if !named.is_empty() {
                let rest: Vec<u32> =
                    atoms.iter().copied().filter(|a| named.iter().all(|(atom, _)| atom != a)).collect();
                let others: Vec<u32> = named.iter().map(|(atom, _)| *atom).collect();
                debug_assert_eq!(rest.len() + others.len(), atoms.len());
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

    /// A look-up: what memory holds at an address that at most eight independent bits decide, as
    /// `bytes` bytes. `read` reads constants. Nothing if more bits decide the address.
    pub fn look_up(
        &mut self,
        address: &[Bit],
        bytes: u8,
        program: bool,
        mut read: impl FnMut(u64) -> Result<u64, String>,
    ) -> Result<Option<Vec<Bit>>, String> {
        let base = address.iter().enumerate().fold(0, |a, (i, &b)| a | u64::from(b == ONE) << i);
        let places = address.iter().enumerate().fold(0, |p, (i, &b)| p | u64::from(b > ONE) << i);
        let varying: Vec<Bit> = address.iter().copied().filter(|&b| b > ONE).collect();
        let linear = varying.iter().all(|&b| self.is_linear(b));
        let exact = if linear { self.basis(&varying) } else { None };
        if let Some(basis) = exact.filter(|&b| self.is_full(b)) {
            // If the S-box is applied to it, it is an S-box input; else one may have its span.
            let same =
                self.functions.bases[basis as usize].outputs != [None; 2] || self.spanning(basis) == basis;
            if same {
                let shape = (base, places, bytes, program);
                let folds = match self.functions.tables.get(&shape) {
                    Some(folds) => Rc::clone(folds),
                    None => {
                        let tables = tabulate(bytes, |x| read(base | spread(x as u64, places)))?;
                        let folds = Rc::new(tables.iter().map(|&t| fold(t, true)).collect::<Vec<_>>());
                        if folds.iter().all(Option::is_some) {
                            self.functions.tables.insert(shape, Rc::clone(&folds));
                        }
                        folds
                    }
                };
                if let Some(folds) = folds.iter().copied().collect::<Option<Vec<u64>>>() {
                    return Ok(Some(folds.into_iter().map(|of| self.folded(basis, of)).collect()));
                }
            }
        }
        let mut sums = Vec::new();
        for &bit in &varying {
            match self.resolve(bit) {
                Some(sum) => sums.push(sum),
                None => return Ok(None),
            }
        }
        let Some(basis) = self.common(&sums.iter().collect::<Vec<_>>()) else { return Ok(None) };
        let tables: Option<Vec<Truth>> = sums.iter().map(|s| self.table(basis, s)).collect();
        let Some(places_of) = tables else { return Ok(None) };
        let size = 1 << self.functions.bases[basis as usize].forms.len();
        let tables = tabulate(bytes, |x| {
            let x = x % size;
            let index =
                places_of.iter().enumerate().fold(0, |i, (j, t)| i | (t[x >> 6] >> (x & 63) & 1) << j);
            read(base | spread(index, places))
        })?;
        let out = tables.into_iter().map(|t| self.function(basis, t)).collect();
        Ok(Some(out))
    }

    /// The bit that a table over a basis is.
    fn function(&mut self, basis: u32, t: Truth) -> Bit {
        let mut sum = Sum::default();
        self.add_part(&mut sum, basis, t);
        if sum.parts.is_empty() {
            return sum.form;
        }
        let secret = self.functions.bases[basis as usize].forms.iter().any(|&f| self.is_secret(f));
        let bit = self.push(Node::Function, secret);
        self.resolved[(bit >> 1) as usize] = Some(Some(Rc::new(sum)));
        bit
    }
}

/// Bits of an index at the places of an address that they decide.
fn spread(index: u64, places: u64) -> u64 {
    let (mut out, mut rest, mut index) = (0, places, index);
    while rest != 0 {
        out |= (index & 1) << rest.trailing_zeros();
        index >>= 1;
        rest &= rest - 1;
    }
    out
}

/// The bits of 256 numbers of so many bytes, each as a function of the index.
fn tabulate(bytes: u8, mut read: impl FnMut(usize) -> Result<u64, String>) -> Result<Vec<Truth>, String> {
    let mut tables = vec![[0; 4]; usize::from(bytes) * 8];
    for x in 0..256 {
        let value = read(x)?;
        for (k, table) in tables.iter_mut().enumerate() {
            table[x >> 6] |= (value >> k & 1) << (x & 63);
        }
    }
    Ok(tables)
}

fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
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
