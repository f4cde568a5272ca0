//! Functions of three bits as two-input operations, with the minimum number for trees without sharing.

use crate::program::{Node, Program, Value};
use std::sync::OnceLock;

/// The last operation of a function; its operands are the truth tables of other functions.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// An argument itself.
    Argument(usize),
    Not(u8),
    And(u8, u8),
    Or(u8, u8),
    Xor(u8, u8),
    AndNot(u8, u8),
}

/// The truth tables of the three arguments.
const ARGUMENTS: [u8; 3] = [0xaa, 0xcc, 0xf0];

/// For each truth table the last of its operations; `None` for the two constants.
fn operations() -> &'static [Option<Last>; 256] {
    static OPERATIONS: OnceLock<[Option<Last>; 256]> = OnceLock::new();
    OPERATIONS.get_or_init(|| {
        // The cost is the number of two-input operations, then the number of negations; targets that fuse them into one
        // three-input operation need no negations.
        let mut known: Vec<Option<((u32, u32), Last)>> = vec![None; 256];
        for (i, table) in ARGUMENTS.into_iter().enumerate() {
            known[usize::from(table)] = Some(((0, 0), Last::Argument(i)));
        }
        let mut changed = true;
        while changed {
            changed = false;
            let have: Vec<(u8, (u32, u32))> =
                (0..=255u8).filter_map(|t| known[usize::from(t)].map(|(cost, _)| (t, cost))).collect();
            let mut offer = |table: u8, cost: (u32, u32), last: Last| {
                let better = known[usize::from(table)].is_none_or(|(known, _)| cost < known);
                if better && table != 0 && table != 0xff {
                    known[usize::from(table)] = Some((cost, last));
                    changed = true;
                }
            };
            for &(a, of_a) in &have {
                offer(!a, (of_a.0, of_a.1 + 1), Last::Not(a));
                for &(b, of_b) in &have {
                    let cost = (of_a.0 + of_b.0 + 1, of_a.1 + of_b.1);
                    offer(a & b, cost, Last::And(a, b));
                    offer(a | b, cost, Last::Or(a, b));
                    offer(a ^ b, cost, Last::Xor(a, b));
                    offer(!a & b, cost, Last::AndNot(a, b));
                }
            }
        }
        std::array::from_fn(|table| known[table].map(|(_, last)| last))
    })
}

/// Appends the function of three values with this truth table (bit `a + 2 b + 4 c` is its value).
///
/// # Panics
/// If the function is constant.
pub fn append(p: &mut Program, table: u8, arguments: [Value; 3]) -> Value {
    let of = |p: &mut Program, table| append(p, table, arguments);
    match operations()[usize::from(table)].expect("a function that is no constant") {
        Last::Argument(i) => arguments[i],
        Last::Not(a) => {
            let a = of(p, a);
            p.push(Node::Not(a))
        }
        Last::And(a, b) => {
            let (a, b) = (of(p, a), of(p, b));
            p.push(Node::And(a, b))
        }
        Last::Or(a, b) => {
            let (a, b) = (of(p, a), of(p, b));
            p.push(Node::Or(a, b))
        }
        Last::Xor(a, b) => {
            let (a, b) = (of(p, a), of(p, b));
            p.push(Node::Xor(a, b))
        }
        Last::AndNot(a, b) => {
            let (a, b) = (of(p, a), of(p, b));
            p.push(Node::AndNot(a, b))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Word;

    #[test]
    fn every_function_is_its_table() {
        for table in 1..=254 {
            let mut p = Program::new(Word::U32, 3);
            let arguments = [0, 1, 2].map(|i| p.input(i));
            let out = append(&mut p, table, arguments);
            p.outputs.push(out);
            let found = p.run(&ARGUMENTS.map(u128::from))[0] as u8;
            assert_eq!(found, table);
        }
    }

    #[test]
    fn simple_functions_are_one_operation() {
        for (table, node) in [
            (0x88, Node::And(Value(0), Value(1))),
            (0x66, Node::Xor(Value(0), Value(1))),
            (0xee, Node::Or(Value(0), Value(1))),
        ] {
            let mut p = Program::new(Word::U32, 3);
            append(&mut p, table, [Value(0), Value(1), Value(2)]);
            assert_eq!(p.nodes[3..], [node]);
        }
    }
}
