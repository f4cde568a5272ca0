//! Bits of a proof. A bit is a GF(2)-linear form over atoms (bits of keys, blocks, counters and S-box outputs),
//! hash-consed so that equal forms have equal numbers; or an AND or XOR of bits that is resolved only on demand (module
//! `functions`).

use std::hash::Hasher;

use crate::bits::functions::{Functions, Resolved};
use rustc_hash::{FxHashMap as Map, FxHasher};

/// A bit: twice the number of its node, plus one for the complement.
pub type Bit = u32;
/// The constant 0.
pub const ZERO: Bit = 0;
/// The constant 1.
pub const ONE: Bit = 1;
/// A byte, lowest bit first.
pub type Byte = [Bit; 8];

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The constant 0.
    Zero,
    /// The XOR of atoms: a range of the pool of atoms.
    Linear(u32, u32),
    /// AND of two bits.
    And(Bit, Bit),
    /// XOR of two bits, not both linear.
    Xor(Bit, Bit),
    /// A function of at most eight bits, known only by its table.
    Function,
    /// An unknown bit.
    Opaque,
}

/// All bits of a proof.
pub struct Bits {
    pub(crate) nodes: Vec<Node>,
    /// True for a node that depends on a secret atom.
    secret: Vec<bool>,
    /// Sorted atoms of the linear forms.
    pool: Vec<u32>,
    /// Hash table of linear forms: half of the hash above, the node number below; 0 marks a free slot.
    forms: Vec<u64>,
    used: usize,
    gates: Map<(bool, Bit, Bit), Bit>,
    /// All atoms, by number.
    pub(crate) atoms: Vec<Atom>,
    pub(crate) functions: Functions,
    pub(crate) resolved: Vec<Option<Resolved>>,
    /// The depth of unresolved gates below each node.
    depth: Vec<u8>,
    /// The depth from which on a new gate is resolved at once.
    deepest: u8,
    scratch: Vec<u32>,
    /// Scratch space for the atoms of a sum of several bits.
    gathered: Vec<u32>,
}

/// An atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Atom {
    /// True for a secret.
    pub secret: bool,
    /// For an S-box output: the number of the basis, true for the inverse S-box, and the output bit.
    pub output: Option<(u32, bool, u8)>,
}

const DEEPEST: u8 = 48;
const OPAQUE_PUBLIC: Bit = 2;
const OPAQUE_SECRET: Bit = 4;

impl Default for Bits {
    fn default() -> Self {
        Bits::new()
    }
}

impl Bits {
    /// Bits without atoms.
    pub fn new() -> Bits {
        Bits {
            nodes: vec![Node::Zero, Node::Opaque, Node::Opaque],
            secret: vec![false, false, true],
            pool: Vec::new(),
            forms: vec![0; 1 << 14],
            used: 0,
            gates: Map::default(),
            atoms: Vec::new(),
            functions: Functions::default(),
            resolved: vec![None; 3],
            depth: vec![0; 3],
            deepest: DEEPEST,
            scratch: Vec::new(),
            gathered: Vec::new(),
        }
    }

    /// Bits without atoms, for a caller that resolves them before their depth reaches 255.
    pub(crate) fn left_alone() -> Bits {
        Bits { deepest: u8::MAX, ..Bits::new() }
    }

    /// True if too many unresolved gates lie below a bit.
    pub(crate) fn is_deep(&self, bit: Bit) -> bool {
        let node = (bit >> 1) as usize;
        self.resolved[node].is_none() && self.depth[node] >= DEEPEST
    }

    /// The gate of a bit, with `true` for AND; `None` for other nodes and resolved gates.
    pub(crate) fn open_gate(&self, bit: Bit) -> Option<(bool, Bit, Bit)> {
        let node = (bit >> 1) as usize;
        match self.nodes[node] {
            _ if self.resolved[node].is_some() => None,
            Node::And(a, b) => Some((true, a, b)),
            Node::Xor(a, b) => Some((false, a, b)),
            _ => None,
        }
    }

    /// An unknown bit.
    pub(crate) fn opaque(secret: bool) -> Bit {
        if secret { OPAQUE_SECRET } else { OPAQUE_PUBLIC }
    }

    /// True for an unknown bit.
    pub(crate) fn is_opaque(bit: Bit) -> bool {
        bit >> 1 == OPAQUE_PUBLIC >> 1 || bit >> 1 == OPAQUE_SECRET >> 1
    }

    pub(crate) fn push(&mut self, node: Node, secret: bool) -> Bit {
        self.nodes.push(node);
        self.secret.push(secret);
        self.resolved.push(None);
        self.depth.push(0);
        (self.nodes.len() as u32 - 1) << 1
    }

    /// A new atom, as a bit.
    pub fn atom(&mut self, secret: bool) -> Bit {
        self.atom_of(Atom { secret, output: None })
    }

    pub(crate) fn atom_of(&mut self, atom: Atom) -> Bit {
        self.atoms.push(atom);
        self.form(&[self.atoms.len() as u32 - 1])
    }

    /// `count` bytes of new atoms.
    pub fn bytes(&mut self, count: usize, secret: bool) -> Vec<Byte> {
        (0..count).map(|_| std::array::from_fn(|_| self.atom(secret))).collect()
    }

    /// True if a bit depends on a secret.
    pub fn is_secret(&self, bit: Bit) -> bool {
        self.secret[(bit >> 1) as usize]
    }

    /// True for a constant or a linear form.
    pub(crate) fn is_linear(&self, bit: Bit) -> bool {
        matches!(self.nodes[(bit >> 1) as usize], Node::Zero | Node::Linear(..))
    }

    /// The atoms of a linear form; empty for other bits.
    pub(crate) fn atoms_of(&self, bit: Bit) -> &[u32] {
        match self.nodes[(bit >> 1) as usize] {
            Node::Linear(from, until) => &self.pool[from as usize..until as usize],
            _ => &[],
        }
    }

    /// The XOR of sorted atoms.
    pub(crate) fn form(&mut self, atoms: &[u32]) -> Bit {
        if atoms.is_empty() {
            return ZERO;
        }
        if self.used * 2 >= self.forms.len() {
            self.grow();
        }
        let mask = self.forms.len() - 1;
        let hash = hash(atoms);
        let mut at = hash as usize & mask;
        loop {
            let slot = self.forms[at];
            if slot == 0 {
                break;
            }
            let bit = (slot as u32) << 1;
            if slot >> 32 == hash >> 32 && self.atoms_of(bit) == atoms {
                return bit;
            }
            at = (at + 1) & mask;
        }
        let from = self.pool.len() as u32;
        self.pool.extend_from_slice(atoms);
        let secret = atoms.iter().any(|&a| self.atoms[a as usize].secret);
        let bit = self.push(Node::Linear(from, from + atoms.len() as u32), secret);
        self.forms[at] = hash >> 32 << 32 | u64::from(bit >> 1);
        self.used += 1;
        bit
    }

    /// The number of atoms of all forms together, which take most of the memory.
    pub fn size(&self) -> usize {
        self.pool.len()
    }

    fn grow(&mut self) {
        let size = self.forms.len() * 2;
        let old = std::mem::replace(&mut self.forms, vec![0; size]);
        for slot in old.into_iter().filter(|&n| n != 0) {
            let mut at = hash(self.atoms_of((slot as u32) << 1)) as usize & (size - 1);
            while self.forms[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.forms[at] = slot;
        }
    }

    /// The bit, or the form that it was resolved to.
    pub(crate) fn known(&self, bit: Bit) -> Bit {
        match &self.resolved[(bit >> 1) as usize] {
            Some(Some(sum)) if sum.parts.is_empty() => sum.form ^ (bit & 1),
            Some(None) => Self::opaque(self.is_secret(bit)),
            _ => bit,
        }
    }

    /// XOR.
    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (self.known(a), self.known(b));
        if a >> 1 == 0 || b >> 1 == 0 {
            return a ^ b;
        }
        let complement = (a ^ b) & 1;
        if Self::is_opaque(a) || Self::is_opaque(b) {
            return Self::opaque(self.is_secret(a) || self.is_secret(b));
        }
        if a >> 1 == b >> 1 {
            return complement;
        }
        match (self.nodes[(a >> 1) as usize], self.nodes[(b >> 1) as usize]) {
            (Node::Linear(a0, a1), Node::Linear(b0, b1)) => {
                let mut merged = std::mem::take(&mut self.scratch);
                merged.clear();
                symmetric_difference(
                    &self.pool[a0 as usize..a1 as usize],
                    &self.pool[b0 as usize..b1 as usize],
                    &mut merged,
                );
                let bit = self.form(&merged);
                self.scratch = merged;
                bit ^ complement
            }
            _ => self.gate(false, a & !1, b & !1) ^ complement,
        }
    }

    /// XOR of several bits.
    pub fn sum(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        // Linear forms are added at once, so that no intermediate forms are stored.
        let mut atoms = std::mem::take(&mut self.gathered);
        let (mut constant, mut rest) = (ZERO, ZERO);
        for bit in bits {
            let bit = self.known(bit);
            match self.nodes[(bit >> 1) as usize] {
                Node::Zero => constant ^= bit,
                Node::Linear(from, until) => {
                    atoms.extend_from_slice(&self.pool[from as usize..until as usize]);
                    constant ^= bit & 1;
                }
                _ => rest = self.xor(rest, bit),
            }
        }
        atoms.sort_unstable();
        let mut kept = 0;
        for at in 0..atoms.len() {
            if kept > 0 && atoms[kept - 1] == atoms[at] {
                kept -= 1;
            } else {
                atoms[kept] = atoms[at];
                kept += 1;
            }
        }
        let linear = self.form(&atoms[..kept]) ^ constant;
        atoms.clear();
        self.gathered = atoms;
        self.xor(linear, rest)
    }

    fn gate(&mut self, and: bool, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&bit) = self.gates.get(&(and, a, b)) {
            return bit;
        }
        let secret = self.is_secret(a) || self.is_secret(b);
        let node = if and { Node::And(a, b) } else { Node::Xor(a, b) };
        let bit = self.push(node, secret);
        self.gates.insert((and, a, b), bit);
        let below = |bit: Bit| match self.resolved[(bit >> 1) as usize] {
            Some(_) => 0,
            None => self.depth[(bit >> 1) as usize],
        };
        let depth = below(a).max(below(b)) + 1;
        self.depth[(bit >> 1) as usize] = depth;
        // Resolved now and then, so that gates do not grow deep.
        if depth >= self.deepest {
            self.resolve(bit);
            return self.known(bit);
        }
        bit
    }

    /// AND.
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (self.known(a), self.known(b));
        if a == ZERO || b == ZERO {
            return ZERO;
        }
        if a == ONE {
            return b;
        }
        if b == ONE {
            return a;
        }
        if Self::is_opaque(a) || Self::is_opaque(b) {
            return Self::opaque(self.is_secret(a) || self.is_secret(b));
        }
        if a >> 1 == b >> 1 {
            return if a == b { a } else { ZERO };
        }
        for (p, q) in [(a, b), (b, a)] {
            if let Node::And(r, s) = self.nodes[(q >> 1) as usize] {
                for (r, x) in [(r, s), (s, r)] {
                    match (q & 1, r ^ p) {
                        // p & (p & x), p & (!p & x), p & !(p & x), p & !(!p & x).
                        (0, 0) => return q,
                        (0, 1) => return ZERO,
                        (1, 0) => return self.and(p, x ^ 1),
                        (1, 1) => return p,
                        _ => {}
                    }
                }
            }
        }
        self.gate(true, a, b)
    }

    /// OR.
    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        self.and(a ^ 1, b ^ 1) ^ 1
    }

    /// The two operands of a bit that is an AND, or the complement of one.
    pub(crate) fn gate_of(&self, bit: Bit) -> Option<(Bit, Bit)> {
        match self.nodes[(bit >> 1) as usize] {
            Node::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    /// `yes` if `condition`, else `no`.
    pub fn select(&mut self, condition: Bit, yes: Bit, no: Bit) -> Bit {
        let difference = self.xor(yes, no);
        let chosen = self.and(condition, difference);
        self.xor(no, chosen)
    }

    /// The sum (with `subtract`, the difference) of two numbers and a carry (or borrow) in, lowest bit first, and the
    /// carry (or borrow) out.
    pub fn add(&mut self, a: &[Bit], b: &[Bit], carry: Bit, subtract: bool) -> (Vec<Bit>, Bit) {
        let mut carry = carry;
        let flip = u32::from(subtract);
        let sum = a.iter().zip(b).enumerate().map(|(place, (&x, &y))| {
            // The carry out of a counter byte is known, however many bytes are added at once.
            if place % 8 == 0 && !self.is_secret(carry) {
                carry = self.settle(carry).unwrap_or(carry);
            }
            let different = self.xor(x, y);
            let sum = self.xor(different, carry);
            // Carry: x & y | (x ^ y) & c; borrow: !x & y | !(x ^ y) & b. The two never both hold.
            carry = if y == ZERO && carry == ZERO {
                ZERO
            } else {
                let made = self.and(x ^ flip, y);
                let passed = self.and(different ^ flip, carry);
                self.xor(made, passed)
            };
            sum
        });
        let sum = sum.collect();
        (sum, carry)
    }

    /// Resolves a bit, and returns its linear form or constant if it is one.
    pub fn settle(&mut self, bit: Bit) -> Option<Bit> {
        if self.is_linear(bit) {
            return Some(bit);
        }
        if Self::is_opaque(bit) {
            return None;
        }
        match self.resolve(bit) {
            Some(sum) if sum.parts.is_empty() => Some(sum.form),
            _ => None,
        }
    }
}

fn hash(atoms: &[u32]) -> u64 {
    let mut mixer = FxHasher::default();
    mixer.write_usize(atoms.len());
    for &a in atoms {
        mixer.write_u32(a);
    }
    // So far, the hashes of consecutive numbers differ little.
    let mixed = (mixer.finish() ^ mixer.finish() >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

fn symmetric_difference(a: &[u32], b: &[u32], out: &mut Vec<u32>) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}
