//! Look-ups: loads whose address depends on a few bits.

use std::rc::Rc;

use crate::bits::forms::{Bit, Bits, Node, ONE};
use crate::bits::functions::Sum;
use crate::bits::memory::ObjectId;
use crate::bits::truth::{Truth, composed, fold};

impl Bits {
    /// A look-up: the `bytes` bytes in memory at an address that depends on at most eight independent bits. `read`
    /// reads constants of the table with this name. `None` if the address depends on more bits.
    pub fn look_up(
        &mut self,
        address: &[Bit],
        bytes: u8,
        table: (ObjectId, i64),
        mut read: impl FnMut(u64) -> Result<u128, String>,
    ) -> Result<Option<Vec<Bit>>, String> {
        let base = address.iter().enumerate().fold(0, |a, (i, &b)| a | u64::from(b == ONE) << i);
        let places = address.iter().enumerate().fold(0, |p, (i, &b)| p | u64::from(b > ONE) << i);
        let varying: Vec<Bit> = address.iter().copied().filter(|&b| b > ONE).collect();
        let linear = varying.iter().all(|&b| self.is_linear(b));
        let exact = if linear { self.basis(&varying) } else { None };
        if let Some(basis) = exact.filter(|&b| self.is_full(b)) {
            // This basis is used if it is an S-box input, if the table is known to fold, or if no S-box input has its
            // span.
            let shape = (base, places, bytes, table);
            let same = self.functions.bases[basis as usize].outputs != [None; 2]
                || self.functions.tables.contains_key(&shape)
                || self.spanning(basis) == basis;
            if same {
                let folds = match self.functions.tables.get(&shape) {
                    Some(folds) => Rc::clone(folds),
                    None => {
                        let tables = tabulate(bytes, 256, |x| read(base | spread(x as u64, places)))?;
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
        let forms = self.functions.bases[basis as usize].forms.len();
        let tables = if varying.len() < forms {
            // There are fewer addresses than values of the forms.
            let of_index =
                tabulate(bytes, 1 << varying.len(), |index| read(base | spread(index as u64, places)))?;
            of_index.iter().map(|t| composed(&places_of, t)).collect()
        } else {
            tabulate(bytes, 1 << forms, |x| {
                let index =
                    places_of.iter().enumerate().fold(0, |i, (j, t)| i | (t[x >> 6] >> (x & 63) & 1) << j);
                read(base | spread(index, places))
            })?
        };
        let out = tables.into_iter().map(|t| self.function(basis, t)).collect();
        Ok(Some(out))
    }

    /// The bit that is a function of these forms, which may depend on each other; the first form decides the lowest bit
    /// of the table's index. `None` if there are too many forms.
    pub(crate) fn function_of(&mut self, forms: &[Bit], t: &Truth) -> Option<Bit> {
        let mut independent: Vec<Bit> = Vec::new();
        let mut basis = self.basis(&independent)?;
        for &form in forms {
            if self.linear_table(basis, form).is_none() {
                independent.push(form & !1);
                basis = self.basis(&independent)?;
            }
        }
        if independent.len() == 8 {
            basis = self.spanning(basis);
        }
        let images: Option<Vec<Truth>> = forms.iter().map(|&form| self.linear_table(basis, form)).collect();
        let composed = composed(&images?, t);
        Some(self.function(basis, composed))
    }

    /// The bit given by a table over a basis.
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

/// Puts the bits of an index at the places of the address that they decide.
fn spread(index: u64, places: u64) -> u64 {
    let (mut out, mut rest, mut index) = (0, places, index);
    while rest != 0 {
        out |= (index & 1) << rest.trailing_zeros();
        index >>= 1;
        rest &= rest - 1;
    }
    out
}

/// Tabulates `numbers` numbers (a power of two up to 256) of `bytes` bytes: each bit is a function of the index. The
/// numbers repeat for larger indices.
fn tabulate(
    bytes: u8,
    numbers: usize,
    mut read: impl FnMut(usize) -> Result<u128, String>,
) -> Result<Vec<Truth>, String> {
    let mut tables: Vec<Truth> = vec![[0; 4]; usize::from(bytes) * 8];
    for x in 0..numbers {
        let value = read(x)?;
        for (k, table) in tables.iter_mut().enumerate() {
            table[x >> 6] |= ((value >> k & 1) as u64) << (x & 63);
        }
    }
    for table in &mut tables {
        let mut known = numbers;
        while known < 64 {
            table[0] |= table[0] << known;
            known *= 2;
        }
        let words = known / 64;
        for i in words..4 {
            table[i] = table[i % words];
        }
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::forms::ZERO;
    use crate::bits::truth::truth;

    #[test]
    fn all_sixteen_bytes_of_an_entry_are_looked_up() {
        let mut bits = Bits::new();
        let index: Vec<Bit> = (0..8).map(|_| bits.atom(true)).collect();
        // An entry of 16 bytes has the index as its highest byte, and its complement as its lowest.
        let address: Vec<Bit> = std::iter::repeat_n(0, 4).chain(index.iter().copied()).collect();
        let entry = |at: u64| Ok(u128::from(at >> 4) << 120 | u128::from(!(at >> 4) & 0xff));
        let found = bits.look_up(&address, 16, (0, 0), entry).unwrap().expect("is looked up");
        assert_eq!(found[120..], index);
        assert_eq!(found[..8], index.iter().map(|bit| bit ^ ONE).collect::<Vec<_>>());
        assert!(found[8..120].iter().all(|&bit| bit == 0));
    }

    /// A function of forms that depend on each other, or are constant, is a function of the independent ones.
    #[test]
    fn functions_of_dependent_forms_are_those_of_the_rest() {
        let mut bits = Bits::new();
        let [a, b] = [(); 2].map(|()| bits.atom(true));
        let sum = bits.xor(a, b);
        // The majority of a, b and their sum is a or b.
        let majority = truth(|x| (x & 7).count_ones() > 1);
        let found = bits.function_of(&[a, b, sum], &majority).expect("three forms");
        let either = bits.or(a, b);
        let difference = bits.xor(found, either);
        assert_eq!(bits.settle(difference), Some(ZERO));
        // The majority of a, b and zero is a and b.
        let found = bits.function_of(&[a, ONE ^ 1, b], &majority).expect("two forms");
        let both = bits.and(a, b);
        let difference = bits.xor(found, both);
        assert_eq!(bits.settle(difference), Some(ZERO));
    }
}
