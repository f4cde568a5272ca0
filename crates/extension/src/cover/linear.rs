//! MixColumns and its inverse by linear instructions, such as xtime of packed bytes: a column's image is the sum of a
//! few of its rotations, with and without such an instruction.

use std::collections::HashMap;

use aesmith_cipher::problem::Direction;

use super::search::{BuiltKernel, Line, Search};
use crate::form::{Via, matrix};
use crate::value::Value;

/// The maximum number of words to consider for one image. Pairs of pairs of them are compared.
const MOST: usize = 200;

/// The matrix of s + 4 (s + s turned by two bytes), in every row: MixColumns after it is InvMixColumns (Barreto's
/// decomposition, in Daemen and Rijmen, The Design of Rijndael, 4.1.3).
const BEFORE: [[u8; 4]; 4] = [[5, 0, 4, 0], [0, 5, 0, 4], [4, 0, 5, 0], [0, 4, 0, 5]];

impl Search<'_> {
    /// The nodes whose sums are a column times the matrix of a direction, each made from the column by linear
    /// instructions.
    pub(super) fn by_linear(&mut self, line: &Line, column: usize, direction: Direction) -> Vec<BuiltKernel> {
        let forms = self.linear();
        if forms.is_empty() {
            return Vec::new();
        }
        let value = self.value(column).mixed(&matrix(direction));
        let mut found: Vec<BuiltKernel> =
            self.cheapest(line, column, &value, &forms).map(BuiltKernel::Sum).into_iter().collect();
        if direction == Direction::Decrypt {
            let middle = self.value(column).mixed(&BEFORE);
            if let Some(parts) = self.cheapest(line, column, &middle, &forms) {
                let middle = self.push(middle, BuiltKernel::Sum(parts));
                found.extend(self.cheapest(line, middle, &value, &forms).map(BuiltKernel::Sum));
                found.push(BuiltKernel::Mix(middle, Direction::Encrypt));
            }
        }
        found
    }

    /// The forms that read one register and use its bytes without an S-box.
    fn linear(&self) -> Vec<usize> {
        let one = |&form: &usize| {
            let sum = &self.form(form);
            self.free(form).len() == 1
                && !self.wired(form)
                && sum.accumulator().is_none()
                && sum.constant == 0
                && sum.inputs.iter().flatten().all(|t| t.is_nothing() || t.via == Via::Same)
        };
        (0..self.forms()).filter(one).collect()
    }

    /// The cheapest sum of at most four words, made from a column, that equals `value`.
    fn cheapest(&mut self, line: &Line, column: usize, value: &Value, forms: &[usize]) -> Option<Vec<usize>> {
        let made = self.images(column, forms);
        let key = |node: usize| flat(self.value(node));
        let keys: Vec<Vec<u8>> = made.iter().map(|&node| key(node)).collect();
        let wanted = flat(value);
        let mut sums: HashMap<Vec<u8>, Vec<Vec<usize>>> = HashMap::new();
        sums.entry(vec![0; wanted.len()]).or_default().push(Vec::new());
        for (i, first) in keys.iter().enumerate() {
            sums.entry(first.clone()).or_default().push(vec![made[i]]);
            for (j, second) in keys.iter().enumerate().skip(i + 1) {
                sums.entry(added(first, second)).or_default().push(vec![made[i], made[j]]);
            }
        }
        let mut best: Option<(f64, Vec<usize>)> = None;
        for (sum, some) in &sums {
            let Some(others) = sums.get(&added(sum, &wanted)) else { continue };
            for (few, more) in some.iter().flat_map(|few| others.iter().map(move |more| (few, more))) {
                let parts: Vec<usize> = few.iter().chain(more).copied().collect();
                if few <= more && !parts.is_empty() {
                    let cost = self.joined(line, &parts, false);
                    // Ties are broken by the lowest node numbers, so that the result is deterministic.
                    let rank = (cost, &parts);
                    if best.as_ref().is_none_or(|(c, p)| rank < (*c, p)) {
                        best = Some((cost, parts));
                    }
                }
            }
        }
        best.map(|(_, parts)| parts)
    }

    /// Candidates for summands: a column and its sums with one of its rotations; the results of linear instructions on
    /// these, applied once and twice; and all rotations of the candidates.
    fn images(&mut self, column: usize, forms: &[usize]) -> Vec<usize> {
        let mut words = vec![column];
        for turn in 1..4 {
            let turned = self.new_node(self.value(column).turned(turn), BuiltKernel::Turn(column, turn));
            let sum = self.value(column).plus(self.value(turned));
            words.extend(sum.map(|sum| self.new_node(sum, BuiltKernel::Sum(vec![column, turned]))));
        }
        for once in 0..words.len() {
            for &form in forms {
                let mut word = words[once];
                for _ in 0..2 {
                    let mut operands = vec![None; self.form(form).inputs.len()];
                    operands[self.free(form)[0]] = Some(word);
                    let Some(value) = self.apply(form, &operands) else { break };
                    word = self.new_node(value, BuiltKernel::Custom(form, operands));
                    words.push(word);
                }
            }
        }
        words.truncate(MOST / 4);
        let mut all = words.clone();
        for word in words {
            for turn in 1..4 {
                all.push(self.new_node(self.value(word).turned(turn), BuiltKernel::Turn(word, turn)));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// The bytes of a value as one list.
fn flat(value: &Value) -> Vec<u8> {
    let places = value.terms.iter().flatten().flat_map(|term| term.places);
    places.chain(value.constant.to_le_bytes()).collect()
}

fn added(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}
