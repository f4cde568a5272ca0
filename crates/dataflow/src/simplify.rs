//! Common-subexpression and dead-code elimination.

use crate::program::{Node, Program, Value};
use std::collections::HashMap;

impl Program {
    /// The program without common subexpressions and dead code.
    pub fn simplified(&self) -> Program {
        let mut used = vec![false; self.nodes.len()];
        for output in &self.outputs {
            used[usize::from(output.0)] = true;
        }
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if used[i] {
                node.arguments().for_each(|a| used[usize::from(a.0)] = true);
            }
        }
        let mut program = Program::new(self.word, self.inputs);
        let mut known: HashMap<Node, Value> = HashMap::new();
        let mut map = Vec::with_capacity(self.nodes.len());
        for (node, used) in self.nodes.iter().zip(used) {
            map.push(match *node {
                Node::Input(i) => program.input(usize::from(i)),
                _ if !used => Value(0),
                node => {
                    let node = node.renamed(|v| map[usize::from(v.0)]);
                    *known.entry(node).or_insert_with(|| program.push(node))
                }
            });
        }
        program.outputs = self.outputs.iter().map(|v| map[usize::from(v.0)]).collect();
        program
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Word;

    #[test]
    fn equal_operations_become_one() {
        let mut p = Program::new(Word::U32, 2);
        let (a, b) = (p.input(0), p.input(1));
        let first = p.xor(a, b);
        let second = p.xor(a, b);
        p.push(Node::Not(a));
        let out = p.push(Node::And(first, second));
        p.outputs.push(out);
        let simple = p.simplified();
        assert_eq!(simple.nodes[2..], [Node::Xor(a, b), Node::And(Value(2), Value(2))]);
        assert_eq!(simple.run(&[12, 10]), p.run(&[12, 10]));
    }
}
