//! The computations of instructions as a graph with unique nodes, in a normal form in which equal computations are
//! equal nodes. Words are split into bytes, and bytes into sums of products with constants of GF(2^8), where a meaning
//! allows it.

use std::collections::HashMap;

use aesmith_cipher::block::gf_mul;
use aesmith_isa::values::{Binary, Shift};

/// The index of a value in a graph.
pub type Id = usize;

/// A set of instructions of an extension, one bit each.
pub type Set = u64;

/// The computation of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant number.
    Constant(u64),
    /// An input of the unit, by its port index.
    Register(usize),
    /// Bits of the function code from this one on.
    Selector(u8),
    /// The complement.
    Not(Id),
    /// Any operation with two operands except XOR.
    Binary(Binary, Id, Id),
    /// The XOR of values, in ascending order, without duplicates.
    Sum(Vec<Id>),
    /// A shift that is not a rotation.
    Shift(Shift, Id, Id),
    /// A 32-bit rotation of the first value towards the high bits by the second.
    Turn(Id, Id),
    /// Bits of a value from this one on.
    Slice(Id, u8),
    /// The concatenation of values, the lowest first.
    Join(Vec<Id>),
    /// The second value where the first is 1, else the third.
    Select(Id, Id, Id),
    /// The item of a list with the index in the first value.
    At(Id, Vec<Id>),
    /// The product of a byte and a constant of GF(2^8).
    Times(u8, Id),
    /// The S-box of a byte, or with `true` its inverse.
    Sbox(bool, Id),
    /// The output of a slot of an S-box.
    Slot(usize),
    /// A multiplexer: a value for each set of instructions.
    Choice(Vec<(Set, Id)>),
    /// A word whose bytes are sums of bytes times constants.
    Linear(Vec<Term>),
}

/// A byte, and its coefficients for each byte of a word, lowest first, in each set of instructions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Term {
    /// The byte.
    pub atom: Id,
    /// The coefficients.
    pub places: Vec<(Set, [u8; 4])>,
}

/// A graph of values.
#[derive(Default)]
pub struct Net {
    /// The nodes and their widths in bits.
    pub nodes: Vec<(Node, u8)>,
    known: HashMap<(Node, u8), Id>,
}

impl Net {
    /// The value of a node, added if it is new.
    pub fn make(&mut self, node: Node, width: u8) -> Id {
        if let Some(&id) = self.known.get(&(node.clone(), width)) {
            return id;
        }
        self.nodes.push((node.clone(), width));
        self.known.insert((node, width), self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// The node of a value.
    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id].0
    }

    /// The width of a value in bits.
    pub fn width(&self, id: Id) -> u8 {
        self.nodes[id].1
    }

    /// A constant.
    pub fn constant(&mut self, width: u8, value: u64) -> Id {
        self.make(Node::Constant(value & (u64::MAX >> (64 - width))), width)
    }

    /// The number of a constant value.
    pub fn number(&self, id: Id) -> Option<u64> {
        match self.node(id) {
            Node::Constant(n) => Some(*n),
            _ => None,
        }
    }

    /// The XOR of values.
    pub fn sum(&mut self, of: &[Id], width: u8) -> Id {
        let mut flat: Vec<Id> = Vec::new();
        let mut constant = 0;
        for &id in of {
            match self.node(id) {
                Node::Sum(inner) => flat.extend(inner),
                Node::Constant(n) => constant ^= n,
                _ => flat.push(id),
            }
        }
        flat.sort_unstable();
        // Pairs of equal summands cancel.
        let mut once: Vec<Id> = Vec::new();
        for id in flat {
            if once.last() == Some(&id) {
                once.pop();
            } else {
                once.push(id);
            }
        }
        // Words of bytes are added bytewise.
        let cut: Vec<Id> = once.iter().copied().filter(|&id| self.is_bytes(id)).collect();
        if cut.len() + usize::from(constant != 0) > 1 && !cut.is_empty() {
            let constant = self.constant(32, constant);
            let bytes: Vec<Id> = (0..4)
                .map(|k| {
                    let mut parts: Vec<Id> = cut.iter().map(|&id| self.slice(id, 8 * k, 8)).collect();
                    parts.push(self.slice(constant, 8 * k, 8));
                    self.sum(&parts, 8)
                })
                .collect();
            let joined = self.join(&bytes);
            once.retain(|id| !cut.contains(id));
            once.push(joined);
            once.sort_unstable();
        } else if constant != 0 {
            once.push(self.constant(width, constant));
            once.sort_unstable();
        }
        match once.as_slice() {
            [] => self.constant(width, 0),
            [one] => *one,
            _ => self.make(Node::Sum(once), width),
        }
    }

    /// True if a word consists of whole bytes.
    pub fn is_bytes(&self, id: Id) -> bool {
        let Node::Join(parts) = self.node(id) else { return false };
        let mut at = 0;
        self.width(id) == 32
            && parts.iter().all(|&p| {
                let start = at;
                at += self.width(p);
                self.number(p).is_some() || (start % 8 == 0 && self.width(p) == 8)
            })
    }

    /// A range of bits of a value.
    pub fn slice(&mut self, id: Id, low: u8, width: u8) -> Id {
        if low == 0 && width == self.width(id) {
            return id;
        }
        match self.node(id).clone() {
            Node::Constant(n) => self.constant(width, n >> low),
            Node::Slice(of, from) => self.slice(of, from + low, width),
            Node::Join(parts) => {
                let mut found = Vec::new();
                let mut at = 0;
                for part in parts {
                    let (start, end) = (at.max(low), (at + self.width(part)).min(low + width));
                    if start < end {
                        found.push(self.slice(part, start - at, end - start));
                    }
                    at += self.width(part);
                }
                self.join(&found)
            }
            Node::Sum(of) => {
                let of: Vec<Id> = of.into_iter().map(|x| self.slice(x, low, width)).collect();
                self.sum(&of, width)
            }
            Node::Select(question, yes, no) => {
                let (yes, no) = (self.slice(yes, low, width), self.slice(no, low, width));
                self.select(question, yes, no)
            }
            Node::At(index, items) => {
                let items: Vec<Id> = items.into_iter().map(|x| self.slice(x, low, width)).collect();
                self.at(index, items)
            }
            Node::Shift(Shift::Right, of, count) if (low, width, self.width(of)) == (0, 8, 32) => {
                match self.bytes_of_count(count) {
                    Some(index) => {
                        let items = (0..4).map(|k| self.slice(of, 8 * k, 8)).collect();
                        self.at(index, items)
                    }
                    None => self.make(Node::Slice(id, low), width),
                }
            }
            Node::Selector(from) => self.make(Node::Selector(from + low), width),
            _ => self.make(Node::Slice(id, low), width),
        }
    }

    /// The number of bytes as a two-bit value, if the count of bits is 8 times such a value.
    fn bytes_of_count(&mut self, count: Id) -> Option<Id> {
        let low = self.slice(count, 0, 3);
        let index = self.slice(count, 3, 2);
        let above = self.width(count) - 5;
        let high = if above == 0 { None } else { Some(self.slice(count, 5, above)) };
        let zero = |id: Id| self.number(id) == Some(0);
        (zero(low) && high.is_none_or(zero)).then_some(index)
    }

    /// The concatenation of values, the lowest first.
    pub fn join(&mut self, parts: &[Id]) -> Id {
        let mut flat: Vec<Id> = Vec::new();
        for &part in parts {
            match self.node(part).clone() {
                Node::Join(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        let mut merged: Vec<Id> = Vec::new();
        for part in flat {
            let width = self.width(part);
            let together = match merged.last().map(|&l| (self.node(l).clone(), self.width(l))) {
                Some((Node::Constant(low), w)) if w + width <= 64 => {
                    self.number(part).map(|high| self.constant(w + width, high << w | low))
                }
                Some((Node::Slice(of, from), w)) => match *self.node(part) {
                    Node::Slice(other, next) if other == of && next == from + w => {
                        Some(self.slice(of, from, w + width))
                    }
                    _ => None,
                },
                _ => None,
            };
            match together {
                // Bytes of a word stay separate unless they are the whole word.
                Some(id) if self.number(id).is_some() || !matches!(self.node(id), Node::Slice(..)) => {
                    merged.pop();
                    merged.push(id);
                }
                _ => merged.push(part),
            }
        }
        if let [one] = merged[..] {
            return one;
        }
        let width = merged.iter().map(|&p| self.width(p)).sum();
        if let Some(&Node::Slice(of, 0)) = merged.first().map(|&p| self.node(p))
            && self.width(of) == width
        {
            let mut at = 0;
            let whole = merged.iter().all(|&p| {
                let here = *self.node(p) == Node::Slice(of, at);
                at += self.width(p);
                here
            });
            if whole {
                return of;
            }
        }
        self.make(Node::Join(merged), width)
    }

    /// A word rotated towards the high bits.
    pub fn turn(&mut self, of: Id, count: Id) -> Id {
        let count = if self.width(count) > 5 { self.slice(count, 0, 5) } else { count };
        match self.number(count) {
            Some(0) => of,
            Some(n) => {
                let n = n as u8;
                let (high, low) = (self.slice(of, 32 - n, n), self.slice(of, 0, 32 - n));
                self.join(&[high, low])
            }
            None => self.make(Node::Turn(of, count), 32),
        }
    }

    /// The second value where the first is 1, else the third. Comparisons of a number with a constant become look-ups.
    pub fn select(&mut self, question: Id, yes: Id, no: Id) -> Id {
        if yes == no {
            return yes;
        }
        let width = self.width(yes);
        if let Node::Binary(Binary::Equal, a, b) = *self.node(question) {
            let (index, number) =
                if self.number(a).is_some() { (b, self.number(a)) } else { (a, self.number(b)) };
            let bits = self.width(index);
            if let Some(number) = number
                && (1..=2).contains(&bits)
            {
                let mut items = match self.node(no).clone() {
                    Node::At(other, items) if other == index => items,
                    _ => vec![no; 1 << bits],
                };
                items[number as usize] = yes;
                return self.at(index, items);
            }
        }
        self.make(Node::Select(question, yes, no), width)
    }

    /// The item with this index.
    pub fn at(&mut self, index: Id, items: Vec<Id>) -> Id {
        if let Some(n) = self.number(index) {
            return items[n as usize];
        }
        if items.iter().all(|&i| i == items[0]) {
            return items[0];
        }
        let width = self.width(items[0]);
        self.make(Node::At(index, items), width)
    }

    /// A look-up whose items are rotated into ascending order, with a corresponding offset of the index.
    pub fn in_order(&mut self, id: Id) -> Id {
        let Node::At(index, mut items) = self.node(id).clone() else { return id };
        let Some(first) = (0..items.len()).min_by_key(|&k| items[k]) else { return id };
        if first == 0 || items.len() != 4 {
            return id;
        }
        items.rotate_left(first);
        let by = self.constant(2, (4 - first) as u64);
        let index = self.make(Node::Binary(Binary::Add, index, by), 2);
        self.at(index, items)
    }

    /// The product of a byte and a constant.
    pub fn times(&mut self, k: u8, id: Id) -> Id {
        match self.node(id).clone() {
            _ if k == 0 => self.constant(8, 0),
            _ if k == 1 => id,
            Node::Constant(n) => self.constant(8, u64::from(gf_mul(k, n as u8))),
            Node::Times(other, of) => self.times(gf_mul(k, other), of),
            Node::Sum(of) => {
                let of: Vec<Id> = of.into_iter().map(|x| self.times(k, x)).collect();
                self.sum(&of, 8)
            }
            _ => self.make(Node::Times(k, id), 8),
        }
    }

    /// A byte as a sum of values times constants.
    pub fn terms(&mut self, id: Id) -> Vec<(u8, Id)> {
        match self.node(id).clone() {
            Node::Constant(0) => Vec::new(),
            Node::Constant(n) => vec![(n as u8, self.constant(8, 1))],
            Node::Sum(of) => of.into_iter().flat_map(|x| self.terms(x)).collect(),
            Node::Times(k, of) => vec![(k, of)],
            _ => vec![(1, id)],
        }
    }
}
