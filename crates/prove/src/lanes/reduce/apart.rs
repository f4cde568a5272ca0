//! Disjoint accesses: by the contract, input and output are the same memory or disjoint, and the IV overlaps neither.
//! So a load of the input may be moved across a store of the output if both distances, from the beginnings of input and
//! output, are known and the bytes differ.
//!
//! Bounds of accesses are not checked here: the kernel to which another is reduced was proved to stay within its
//! buffers, and the other one makes the same accesses, or is not reduced.

use aesmith_cipher::mode::Role;

use super::free::Value;
use super::numbers::{Made, Number, Numbers};
use crate::lanes::intern::FastMap;

/// The maximum nesting of parts that are examined.
const DEEPEST: usize = 16;

/// Facts about addresses.
#[derive(Default)]
pub struct Addresses {
    /// The pointers at entry, and the roles of their buffers.
    pub pointers: Vec<(Number, Role)>,
    /// The increment of an address that changes with a loop's iterations, for each back edge.
    strides: FastMap<Number, Vec<i64>>,
}

impl Addresses {
    /// Begins another kernel.
    pub fn clear(&mut self) {
        self.pointers.clear();
        self.strides.clear();
    }

    /// Notes the values of a name after each of its loop's back edges; true if that differs from the earlier facts.
    pub fn note(&mut self, name: Number, became: &[Value]) -> bool {
        let strides: Option<Vec<i64>> =
            became.iter().map(|value| (value.root == name).then_some(value.offset)).collect();
        match strides {
            Some(strides) => self.strides.insert(name, strides.clone()) != Some(strides),
            None => self.strides.remove(&name).is_some(),
        }
    }

    /// True if a load of `size` bytes never overlaps a store of the bytes from `from` to `until`.
    pub fn apart(
        &self,
        numbers: &Numbers,
        load: Value,
        size: i64,
        store: Number,
        (from, until): (i64, i64),
    ) -> bool {
        if load.root == store {
            return until <= load.offset || load.offset + size <= from;
        }
        match (self.object(numbers, load.root, 0), self.object(numbers, store, 0)) {
            (Some(Role::Iv), Some(Role::Input | Role::Output))
            | (Some(Role::Input | Role::Output), Some(Role::Iv)) => true,
            (Some(Role::Input), Some(Role::Output)) => {
                let Some(further) = self.further(numbers, load.root, store, 0) else { return false };
                let at = load.offset.saturating_add(further);
                until <= at || at.saturating_add(size) <= from
            }
            _ => false,
        }
    }

    /// The buffer that an address points into.
    fn object(&self, numbers: &Numbers, address: Number, depth: usize) -> Option<Role> {
        if let Some((_, role)) = self.pointers.iter().find(|(pointer, _)| *pointer == address) {
            return Some(*role);
        }
        let made = numbers.made_by(address).0;
        let mut parts = numbers.parts(address);
        let mut part = || parts.next().and_then(|part| self.object(numbers, part, depth + 1));
        match made {
            _ if depth == DEEPEST => None,
            made if made == Made::Plus as u8 => part(),
            made if made == Made::Turns as u8 && self.strides.contains_key(&address) => part(),
            made if made == Made::Indexed as u8 => match (part(), part()) {
                (Some(role), None) | (None, Some(role)) => Some(role),
                _ => None,
            },
            made if made == Made::Met as u8 => {
                let first = part()?;
                let mut others = numbers.parts(address).skip(1);
                others.all(|other| self.object(numbers, other, depth + 1) == Some(first)).then_some(first)
            }
            _ => None,
        }
    }

    /// The distance of one address from the beginning of the input, minus the distance of another from the beginning of
    /// the output, in bytes.
    fn further(&self, numbers: &Numbers, input: Number, output: Number, depth: usize) -> Option<i64> {
        if depth == DEEPEST {
            return None;
        }
        let role = |address| self.pointers.iter().find(|(pointer, _)| *pointer == address).map(|(_, r)| *r);
        if (role(input), role(output)) == (Some(Role::Input), Some(Role::Output)) {
            return Some(0);
        }
        let ((by, a), (also, b)) = (numbers.made_by(input), numbers.made_by(output));
        if by == Made::Plus as u8 {
            let part = numbers.parts(input).next()?;
            return self.further(numbers, part, output, depth + 1)?.checked_add(a[0].cast_signed());
        }
        if also == Made::Plus as u8 {
            let part = numbers.parts(output).next()?;
            return self.further(numbers, input, part, depth + 1)?.checked_sub(b[0].cast_signed());
        }
        if by != also || a[0] != b[0] {
            return None;
        }
        let (inputs, outputs): (Vec<Number>, Vec<Number>) =
            (numbers.parts(input).collect(), numbers.parts(output).collect());
        if by == Made::Turns as u8 {
            // Both grow alike on each back edge.
            let alike = self.strides.get(&input)? == self.strides.get(&output)?;
            return if alike { self.further(numbers, inputs[0], outputs[0], depth + 1) } else { None };
        }
        if by == Made::Indexed as u8 {
            let pairs = [(0, 1), (1, 0)]
                .into_iter()
                .flat_map(|(k, l)| [(0, 1), (1, 0)].into_iter().map(move |(m, n)| ((k, m), (l, n))));
            return pairs
                .filter(|&(_, (l, n))| inputs[l] == outputs[n] && (a[0] == 1 || (l, n) == (1, 1)))
                .find_map(|((k, m), _)| self.further(numbers, inputs[k], outputs[m], depth + 1));
        }
        if by == Made::Met as u8 && inputs.len() == outputs.len() {
            let first = self.further(numbers, inputs[0], outputs[0], depth + 1)?;
            let mut pairs = inputs.iter().zip(&outputs).skip(1);
            return pairs
                .all(|(a, b)| self.further(numbers, *a, *b, depth + 1) == Some(first))
                .then_some(first);
        }
        None
    }
}
