//! MixColumns of a state whose words are rows: each row's image is a sum of rows, some of them doubled by an
//! instruction that treats all bytes of a word alike.

use aesmith_cipher::problem::Direction;

use super::search::{BuiltKernel, Line, Search};
use crate::form::{Form, Term, Via};
use crate::value::Value;

/// True if a form doubles each byte of one register, with or without adding another register.
pub(super) fn doubles(form: &Form) -> bool {
    let twice = |byte: usize| Term {
        via: Via::Same,
        places: std::array::from_fn(|place| if place == byte { 2 } else { 0 }),
    };
    let accumulator = form.accumulator();
    let others = form.inputs.iter().enumerate().filter(|(k, _)| Some(*k) != accumulator);
    let read: Vec<&[Term; 4]> =
        others.map(|(_, terms)| terms).filter(|terms| terms.iter().any(|t| !t.is_nothing())).collect();
    let [terms] = read[..] else { return false };
    form.constant == 0 && terms.iter().enumerate().all(|(byte, term)| *term == twice(byte))
}

impl Search<'_> {
    /// The summands of each row of a round, made from the rows after SubBytes and ShiftRows, whose values are `before`.
    pub(super) fn rows(
        &mut self,
        wanted: &[Value],
        before: &[Value],
        direction: Direction,
    ) -> Option<Vec<Vec<usize>>> {
        let doubling = self.doubling()?;
        let mut rows = Vec::new();
        for value in before {
            let (_, parts) = self.parts(&Line::default(), value, false)?;
            rows.push(match parts.as_slice() {
                [one] => *one,
                _ => self.new_node(value.clone(), BuiltKernel::Sum(parts)),
            });
        }
        if direction == Direction::Decrypt {
            // InvMixColumns is MixColumns of s + 4 (s + s two rows on), in every row (Barreto's decomposition, in
            // Daemen and Rijmen, The Design of Rijndael, 4.1.3).
            let mut fourfold = Vec::new();
            for row in 0..2 {
                let pair = self.total(&[rows[row], rows[row + 2]])?;
                let twice = self.doubled(doubling, pair)?;
                fourfold.push(self.doubled(doubling, twice)?);
            }
            rows = (0..4).map(|row| self.total(&[rows[row], fourfold[row % 2]])).collect::<Option<_>>()?;
        }
        // Each row becomes 2 (s + s a row on) + s + the sum of all four.
        let pairs: Vec<usize> =
            (0..4).map(|row| self.total(&[rows[row], rows[(row + 1) % 4]])).collect::<Option<_>>()?;
        let all = self.total(&[pairs[0], pairs[2]])?;
        let mut found = Vec::new();
        for (row, value) in wanted.iter().enumerate() {
            let parts = vec![rows[row], all, self.doubled(doubling, pairs[row])?];
            if self.sum_of(&parts)? != *value {
                return None;
            }
            found.push(parts);
        }
        Some(found)
    }

    /// A form that doubles each byte of a register, preferably one that adds the result to another.
    fn doubling(&self) -> Option<usize> {
        let all: Vec<usize> =
            (0..self.forms()).filter(|&form| doubles(self.form(form)) && !self.wired(form)).collect();
        let adds = all.iter().find(|form| self.form(**form).accumulator().is_some());
        adds.or(all.first()).copied()
    }

    /// Adds a node: a form of one operand, applied to a node.
    fn doubled(&mut self, form: usize, node: usize) -> Option<usize> {
        let mut operands = vec![None; self.form(form).inputs.len()];
        operands[self.free(form)[0]] = Some(node);
        let value = self.apply(form, &operands)?;
        Some(self.new_node(value, BuiltKernel::Custom(form, operands)))
    }

    /// Adds a node: the sum of nodes.
    fn total(&mut self, nodes: &[usize]) -> Option<usize> {
        let value = self.sum_of(nodes)?;
        Some(self.new_node(value, BuiltKernel::Sum(nodes.to_vec())))
    }

    fn sum_of(&self, nodes: &[usize]) -> Option<Value> {
        let (first, others) = nodes.split_first()?;
        others.iter().try_fold(self.value(*first).clone(), |sum, node| sum.plus(self.value(*node)))
    }
}
