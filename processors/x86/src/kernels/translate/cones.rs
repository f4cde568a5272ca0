//! Logic of up to three arguments in one function: merges operations of a program into their only user.

use aesmith_dataflow::program::{Node, Program, Value};

/// A function of up to three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cone {
    values: [Value; 3],
    count: u8,
    /// Its truth table; leaf 0 is the lowest bit of the index. It does not depend on the bits of missing
    /// leaves.
    pub(super) table: u8,
}

impl Cone {
    pub(super) fn leaves(&self) -> &[Value] {
        &self.values[..usize::from(self.count)]
    }

    /// One value.
    fn leaf(value: Value) -> Cone {
        Cone { values: [value; 3], count: 1, table: 0b1010_1010 }
    }

    /// `function` of two cones, if they have three leaves or fewer together.
    fn join(a: &Cone, b: &Cone, function: impl Fn(u8, u8) -> u8) -> Option<Cone> {
        let mut values = a.values;
        let mut count = a.count;
        let mut place = [0usize; 3];
        for (place, &value) in place.iter_mut().zip(b.leaves()) {
            let known = values[..usize::from(count)].iter().position(|v| *v == value);
            *place = match known {
                Some(at) => at,
                None if count == 3 => return None,
                None => {
                    values[usize::from(count)] = value;
                    count += 1;
                    usize::from(count) - 1
                }
            };
        }
        let mut table = 0;
        for index in 0..8u8 {
            let of_b = b.leaves().iter().enumerate().fold(0, |i, (k, _)| i | (index >> place[k] & 1) << k);
            // The bits of leaves that `a` lacks do not affect it.
            table |= (function(a.table >> index & 1, b.table >> of_b & 1) & 1) << index;
        }
        Some(Cone { values, count, table })
    }
}

/// For each logic operation of a program, the function to compute for it.
pub(super) fn cones(program: &Program) -> Vec<Option<Cone>> {
    let mut uses = vec![0usize; program.nodes.len()];
    for node in &program.nodes {
        node.arguments().for_each(|v| uses[v.0 as usize] += 1);
    }
    for output in &program.outputs {
        uses[output.0 as usize] += 2;
    }
    let mut cones: Vec<Option<Cone>> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        // An argument whose only use is here is merged; the argument of a negation is free in any case.
        let inner = |v: Value| -> Option<Cone> {
            let cone = cones[v.0 as usize]?;
            (uses[v.0 as usize] == 1 || cone.count == 1).then_some(cone)
        };
        let two = |a: Value, b: Value, f: fn(u8, u8) -> u8| -> Option<Cone> {
            let (plain_a, plain_b) = (Cone::leaf(a), Cone::leaf(b));
            let options = [
                (inner(a), inner(b)),
                (inner(a), Some(plain_b)),
                (Some(plain_a), inner(b)),
                (Some(plain_a), Some(plain_b)),
            ];
            options.into_iter().find_map(|pair| match pair {
                (Some(a), Some(b)) => Cone::join(&a, &b, f),
                _ => None,
            })
        };
        cones.push(match *node {
            Node::Xor(a, b) => two(a, b, |a, b| a ^ b),
            Node::And(a, b) => two(a, b, |a, b| a & b),
            Node::Or(a, b) => two(a, b, |a, b| a | b),
            Node::AndNot(a, b) => two(a, b, |a, b| !a & b),
            Node::Not(a) => {
                let cone = inner(a).unwrap_or(Cone::leaf(a));
                Some(Cone { table: !cone.table, ..cone })
            }
            _ => None,
        });
    }
    cones
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_dataflow::program::Word;

    #[test]
    fn three_arguments_meet_in_one_function() {
        let mut p = Program::new(Word::Lane, 4);
        let [a, b, c, d] = std::array::from_fn(|i| p.input(i));
        let and = p.push(Node::And(a, b));
        let not = p.push(Node::Not(c));
        let inner = p.push(Node::Xor(and, not));
        let out = p.push(Node::AndNot(inner, d));
        p.outputs.push(out);
        let cones = cones(&p);
        let inner_cone = cones[inner.0 as usize].unwrap();
        assert_eq!(inner_cone.leaves(), [a, b, c]);
        for index in 0..8u8 {
            let (a, b, c) = (index & 1, index >> 1 & 1, index >> 2);
            assert_eq!(inner_cone.table >> index & 1, (a & b) ^ (c ^ 1));
        }
        assert_eq!(cones[out.0 as usize].unwrap().leaves(), [inner, d]);
    }
}
