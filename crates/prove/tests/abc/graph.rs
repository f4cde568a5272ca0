//! And-inverter graphs: built with constant folding and structural hashing, evaluated on 64 assignments at a time, and
//! written as binary AIGER.

use std::collections::HashMap;

/// Twice the number of a node, plus one for the complement (as in AIGER).
pub type Literal = u32;
/// Constant 0.
pub const FALSE: Literal = 0;
/// Constant 1.
pub const TRUE: Literal = 1;

#[derive(Clone, Copy)]
enum Node {
    Constant,
    /// A free input, by its index.
    Input(usize),
    /// A bit that nothing may depend on.
    Unknown,
    And(Literal, Literal),
}

/// A graph; each node is made after those that it reads.
pub struct Graph {
    nodes: Vec<Node>,
    gates: HashMap<(Literal, Literal), Literal>,
    /// The operands of each sum that is not complemented.
    sums: HashMap<Literal, (Literal, Literal)>,
    inputs: usize,
}

impl Graph {
    /// The graph of the constants.
    pub fn new() -> Graph {
        Graph { nodes: vec![Node::Constant], gates: HashMap::new(), sums: HashMap::new(), inputs: 0 }
    }

    fn push(&mut self, node: Node) -> Literal {
        self.nodes.push(node);
        2 * (self.nodes.len() as Literal - 1)
    }

    /// The next input.
    pub fn input(&mut self) -> Literal {
        self.inputs += 1;
        self.push(Node::Input(self.inputs - 1))
    }

    /// A bit that nothing may depend on: the initial contents of registers and of the stack.
    pub fn unknown(&mut self) -> Literal {
        self.push(Node::Unknown)
    }

    /// The gate `a & b`.
    pub fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = (a.min(b), a.max(b));
        if a == FALSE || a == b ^ 1 {
            return FALSE;
        }
        if a == TRUE || a == b {
            return b;
        }
        if let Some(gate) = self.gates.get(&(a, b)) {
            return *gate;
        }
        let gate = self.push(Node::And(a, b));
        self.gates.insert((a, b), gate);
        gate
    }

    /// The gate `a | b`.
    pub fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// The gate `a ^ b`. If `b` is `a ^ c`, the result is `c`, so bits that are exchanged by three XORs stay the same.
    pub fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let inverted = (a ^ b) & 1;
        let (a, b) = (a & !1, b & !1);
        for (sum, part) in [(a, b), (b, a)] {
            match self.sums.get(&sum) {
                Some((x, y)) if *x == part => return y ^ inverted,
                Some((x, y)) if *y == part => return x ^ inverted,
                _ => {}
            }
        }
        let (both, neither) = (self.and(a, b), self.and(a ^ 1, b ^ 1));
        let sum = self.and(both ^ 1, neither ^ 1);
        // The sum is neither a constant nor one of its operands.
        if sum > a.max(b) {
            self.sums.insert(sum, (a, b));
        }
        sum ^ inverted
    }

    /// `yes` if `choice` is 1, else `no`.
    pub fn choose(&mut self, choice: Literal, yes: Literal, no: Literal) -> Literal {
        if yes == no {
            return yes;
        }
        if yes == no ^ 1 {
            return self.xor(choice, no);
        }
        let (yes, no) = (self.and(choice, yes), self.and(choice ^ 1, no));
        self.or(yes, no)
    }

    /// Marks the nodes that these literals depend on.
    fn cone(&self, outputs: &[Literal]) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        for output in outputs {
            marked[*output as usize / 2] = true;
        }
        for i in (0..self.nodes.len()).rev() {
            if let (true, Node::And(a, b)) = (marked[i], self.nodes[i]) {
                marked[a as usize / 2] = true;
                marked[b as usize / 2] = true;
            }
        }
        marked
    }

    /// Values of these literals under 64 assignments of the inputs, one in each bit position.
    pub fn evaluate(&self, inputs: &[u64], outputs: &[Literal]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.nodes.len());
        let of = |values: &[u64], literal: Literal| {
            values[literal as usize / 2] ^ if literal & 1 == 1 { u64::MAX } else { 0 }
        };
        for (i, node) in self.nodes.iter().enumerate() {
            let value = match *node {
                Node::Constant => 0,
                Node::Input(place) => inputs[place],
                Node::Unknown => (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
                Node::And(a, b) => of(&values, a) & of(&values, b),
            };
            values.push(value);
        }
        outputs.iter().map(|output| of(&values, *output)).collect()
    }

    /// Binary AIGER of all inputs and of the gates that these outputs depend on, and the number of these gates (Biere,
    /// Heljanko, Wieringa: AIGER 1.9 and beyond, 2011).
    ///
    /// # Errors
    /// An output depends on an unknown bit.
    pub fn aiger(&self, outputs: &[Literal]) -> Result<(Vec<u8>, usize), String> {
        let marked = self.cone(outputs);
        let gates: Vec<(usize, Literal, Literal)> = (0..self.nodes.len())
            .filter_map(|i| match self.nodes[i] {
                Node::And(a, b) if marked[i] => Some((i, a, b)),
                _ => None,
            })
            .collect();
        let mut numbers = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            match node {
                Node::Input(place) => numbers[i] = *place as Literal + 1,
                Node::Unknown if marked[i] => {
                    return Err("an output depends on what the kernel found in a register or on its \
                                stack: give it that value, or mend the kernel"
                        .to_owned());
                }
                _ => {}
            }
        }
        for (k, (node, ..)) in gates.iter().enumerate() {
            numbers[*node] = (self.inputs + 1 + k) as Literal;
        }
        let number = |literal: Literal| 2 * numbers[literal as usize / 2] + (literal & 1);
        let header =
            [self.inputs + gates.len(), self.inputs, 0, outputs.len(), gates.len()].map(|n| n.to_string());
        let mut text = format!("aig {}\n", header.join(" "));
        for output in outputs {
            text += &format!("{}\n", number(*output));
        }
        let mut file = text.into_bytes();
        for (node, a, b) in &gates {
            let (a, b) = (number(*a), number(*b));
            let (high, low) = (a.max(b), a.min(b));
            for mut difference in [2 * numbers[*node] - high, high - low] {
                while difference >= 0x80 {
                    file.push(difference as u8 | 0x80);
                    difference >>= 7;
                }
                file.push(difference as u8);
            }
        }
        Ok((file, gates.len()))
    }
}
