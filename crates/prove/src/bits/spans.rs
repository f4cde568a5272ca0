//! Finds the S-box input that a form, or eight forms, belong to.

use crate::bits::forms::{Bit, Bits};
use crate::bits::functions::difference;

impl Bits {
    /// Notable bases that may span a form: a form in the span of some rows has the pivot of one of them.
    pub(crate) fn candidates(&mut self, form: Bit) -> Vec<u32> {
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

    /// Groups new S-box inputs by their spans.
    pub(crate) fn note_spans(&mut self) {
        while let Some(&number) = self.functions.notable.get(self.functions.spans_done) {
            self.functions.spans_done += 1;
            let key = self.span(number);
            let first = *self.functions.spans.entry(key).or_insert(number);
            if first != number {
                let mut group = self.functions.alike.remove(&first).unwrap_or_else(|| vec![first]);
                group.push(number);
                for &member in &group {
                    self.functions.alike.insert(member, group.clone());
                }
            }
        }
    }

    /// The S-box input with the same span as this basis, or the basis itself.
    pub(crate) fn spanning(&mut self, basis: u32) -> u32 {
        self.note_spans();
        let key = self.span(basis);
        self.functions.spans.get(&key).copied().unwrap_or(basis)
    }

    /// The reduced echelon form of a basis, which all bases of one span share.
    pub(crate) fn span(&mut self, basis: u32) -> Vec<Bit> {
        let mut rows: Vec<Vec<u32>> =
            self.functions.bases[basis as usize].rows.iter().map(|(atoms, _)| atoms.clone()).collect();
        // Each pivot becomes the first atom of its row and occurs in no other row.
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
}
