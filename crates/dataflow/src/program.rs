//! The language of techniques: straight-line programs in static single assignment over words of one type, independent
//! of any processor. [`Program::run`] defines the meaning of each operation on numbers; tests and counts rely on it.

use crate::memory::Memory;
use aesmith_cipher::block::{INV_SBOX, SBOX, gf_mul};

/// The number of a value: the index of the node that produces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u16);

/// The type of all words of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// 128 bits, byte 0 lowest. On wider registers a program runs in every 128-bit lane.
    Lane,
    /// 64 bits.
    U64,
    /// 32 bits.
    U32,
}

impl Word {
    /// Size in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Word::Lane => 128,
            Word::U64 => 64,
            Word::U32 => 32,
        }
    }
}

/// The size of an element of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// 8 bits.
    B8,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
}

impl Element {
    /// Size in bits.
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }
}

/// An 8x8 matrix over GF(2): bit `i` of the image of `x` is the parity of `x & rows[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Matrix(pub [u8; 8]);

impl Matrix {
    /// The identity matrix.
    pub const IDENTITY: Matrix = Matrix([1, 2, 4, 8, 16, 32, 64, 128]);

    /// The image of a byte.
    pub fn apply(&self, x: u8) -> u8 {
        (0..8).fold(0, |y, i| y | ((x & self.0[i]).count_ones() as u8 & 1) << i)
    }

    /// The matrix of a linear map.
    pub fn of(map: impl Fn(u8) -> u8) -> Matrix {
        let columns: [u8; 8] = std::array::from_fn(|k| map(1 << k));
        Matrix(std::array::from_fn(|i| (0..8).fold(0, |row, k| row | (columns[k] >> i & 1) << k)))
    }

    /// The composition: `self` applied after `first`.
    pub fn after(&self, first: &Matrix) -> Matrix {
        Matrix::of(|x| self.apply(first.apply(x)))
    }
}

/// One operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// An input of the program.
    Input(u16),
    /// A constant, equal in every lane; narrower words take the low bytes.
    Constant([u8; 16]),
    /// `a ^ b`
    Xor(Value, Value),
    /// `a & b`
    And(Value, Value),
    /// `a | b`
    Or(Value, Value),
    /// `!a & b`
    AndNot(Value, Value),
    /// `!a`
    Not(Value),
    /// Shifts elements towards the high bits.
    ShiftLeft(Element, Value, u8),
    /// Shifts elements towards the low bits, zeros entering.
    ShiftRight(Element, Value, u8),
    /// Rotates elements towards the low bits.
    RotateRight(Element, Value, u8),
    /// Byte `i` is byte `control[i] & 15` of the lane, or zero where bit 7 of `control[i]` is set.
    Bytes(Value, [u8; 16]),
    /// Each byte `x` becomes `table[x & 15]`, or zero if bit 7 of `x` is set.
    Nibble([u8; 16], Value),
    /// Each byte `x` becomes `table[x]`.
    Substitute(Table, Value),
    /// Each byte becomes `0xff` where its bit 7 is set, zero elsewhere.
    Sign(Value),
    /// Each byte `x`, or with `inverse` its inverse in GF(2^8) (0 for 0), becomes
    /// `matrix x ^ constant`.
    Affine {
        /// True if the byte is inverted first.
        inverse: bool,
        /// The linear part.
        matrix: Matrix,
        /// The constant, which is added last.
        constant: u8,
        /// The argument.
        of: Value,
    },
    /// Each byte times a constant in GF(2^8).
    Multiply(u8, Value),
    /// Interleaves elements of one half of `a` and of `b`, `a`'s first: of the low halves, or of the high ones.
    Interleave {
        /// The size of the elements.
        element: Element,
        /// True for the high halves.
        high: bool,
        /// The word for the even places.
        a: Value,
        /// The word for the odd places.
        b: Value,
    },
    /// The byte with this index in a word of 32 or 64 bits, counted from the lowest; zeros above.
    Byte(Value, u8),
    /// The 16-bit half with this index in a word, counted from the lowest; zeros above.
    Half(Value, u8),
    /// Bytes of read-only memory as a little-endian integer; zeros above.
    Load {
        /// The memory.
        from: Memory,
        /// The index; the address is its product with `scale`, plus `offset`.
        index: Value,
        /// The scale factor of the index.
        scale: u8,
        /// The offset in bytes.
        offset: u16,
        /// The number of bytes: 1, 2, 4 or 8.
        bytes: u8,
    },
}

/// Byte tables for [`Node::Substitute`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// The S-box (FIPS-197, figure 7).
    Sbox,
    /// Its inverse (FIPS-197, figure 14).
    InverseSbox,
    /// The S-box with 0x1b added. After MixColumns this amount becomes the constant that doubling by a look-up of the
    /// sign leaves out (see [`crate::steps::Doubling::Lookup`]).
    SboxWith1b,
    /// The inverse S-box with 0x36 added, likewise for InvMixColumns.
    InverseSboxWith36,
}

const fn with(table: &[u8; 256], constant: u8) -> [u8; 256] {
    let mut sum = *table;
    let mut i = 0;
    while i < 256 {
        sum[i] ^= constant;
        i += 1;
    }
    sum
}

impl Table {
    /// The entries.
    pub fn bytes(self) -> &'static [u8; 256] {
        const SBOX_WITH_1B: [u8; 256] = with(&SBOX, 0x1b);
        const INV_SBOX_WITH_36: [u8; 256] = with(&INV_SBOX, 0x36);
        match self {
            Table::Sbox => &SBOX,
            Table::InverseSbox => &INV_SBOX,
            Table::SboxWith1b => &SBOX_WITH_1B,
            Table::InverseSboxWith36 => &INV_SBOX_WITH_36,
        }
    }
}

impl Node {
    /// The values that it reads.
    pub fn arguments(&self) -> impl Iterator<Item = Value> {
        use Node::*;
        match *self {
            Input(_) | Constant(_) => [None, None],
            Xor(a, b) | And(a, b) | Or(a, b) | AndNot(a, b) | Interleave { a, b, .. } => [Some(a), Some(b)],
            Not(a)
            | ShiftLeft(_, a, _)
            | ShiftRight(_, a, _)
            | RotateRight(_, a, _)
            | Bytes(a, _)
            | Nibble(_, a)
            | Substitute(_, a)
            | Sign(a)
            | Affine { of: a, .. }
            | Byte(a, _)
            | Half(a, _)
            | Load { index: a, .. }
            | Multiply(_, a) => [Some(a), None],
        }
        .into_iter()
        .flatten()
    }
}

/// A straight-line program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The type of its words.
    pub word: Word,
    /// The number of inputs.
    pub inputs: u16,
    /// The operations; node `i` produces [`Value`] `i` and reads only earlier values.
    pub nodes: Vec<Node>,
    /// The results, in order.
    pub outputs: Vec<Value>,
}

impl Program {
    /// An empty program with these inputs, which are values `0 .. inputs`.
    pub fn new(word: Word, inputs: u16) -> Program {
        Program { word, inputs, nodes: (0..inputs).map(Node::Input).collect(), outputs: Vec::new() }
    }

    /// Input `i`.
    pub fn input(&self, i: usize) -> Value {
        assert!(i < usize::from(self.inputs), "the program has {} inputs", self.inputs);
        Value(i as u16)
    }

    /// Appends an operation and returns the value that it produces.
    pub fn push(&mut self, node: Node) -> Value {
        self.nodes.push(node);
        Value(self.nodes.len() as u16 - 1)
    }

    /// `a ^ b`
    pub fn xor(&mut self, a: Value, b: Value) -> Value {
        self.push(Node::Xor(a, b))
    }

    /// Appends the sum of one or more values, added from the first to the last.
    pub fn sum(&mut self, values: &[Value]) -> Value {
        values[1..].iter().fold(values[0], |sum, &v| self.xor(sum, v))
    }

    /// Appends `other` with `inputs` as its inputs and returns its outputs.
    pub fn append(&mut self, other: &Program, inputs: &[Value]) -> Vec<Value> {
        let mut map: Vec<Value> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let value = match *node {
                Node::Input(i) => inputs[i as usize],
                node => self.push(node.renamed(|v| map[v.0 as usize])),
            };
            map.push(value);
        }
        other.outputs.iter().map(|v| map[v.0 as usize]).collect()
    }

    /// Runs the program on these inputs and returns its results, in 128 bits of which narrower words use the low ones.
    pub fn run(&self, inputs: &[u128]) -> Vec<u128> {
        let mask = u128::MAX >> (128 - self.word.bits());
        let mut values: Vec<u128> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = node.compute(inputs, |v| values[v.0 as usize]) & mask;
            values.push(value);
        }
        self.outputs.iter().map(|v| values[v.0 as usize]).collect()
    }
}

fn each_byte(x: u128, f: impl Fn(u8) -> u8) -> u128 {
    u128::from_le_bytes(x.to_le_bytes().map(f))
}

fn each_element(x: u128, element: Element, f: impl Fn(u128) -> u128) -> u128 {
    let bits = element.bits();
    let mask = u128::MAX >> (128 - bits);
    (0..128 / bits).fold(0, |y, i| y | (f(x >> (i * bits) & mask) & mask) << (i * bits))
}

/// The inverse in GF(2^8), 0 for 0: the 254th power.
pub fn inverse(x: u8) -> u8 {
    const INVERSES: [u8; 256] = {
        let mut table = [0; 256];
        let mut x = 0;
        while x < 256 {
            // The exponent is 254 = 2 + 4 + ... + 128.
            let (mut power, mut product, mut bit) = (x as u8, 1, 1);
            while bit < 8 {
                power = gf_mul(power, power);
                product = gf_mul(product, power);
                bit += 1;
            }
            table[x] = product;
            x += 1;
        }
        table
    };
    INVERSES[usize::from(x)]
}

impl Node {
    /// The operation with each argument replaced by its image under `map`.
    pub fn renamed(self, map: impl Fn(Value) -> Value) -> Node {
        use Node::*;
        match self {
            Input(_) | Constant(_) => self,
            Xor(a, b) => Xor(map(a), map(b)),
            And(a, b) => And(map(a), map(b)),
            Or(a, b) => Or(map(a), map(b)),
            AndNot(a, b) => AndNot(map(a), map(b)),
            Not(a) => Not(map(a)),
            ShiftLeft(e, a, n) => ShiftLeft(e, map(a), n),
            ShiftRight(e, a, n) => ShiftRight(e, map(a), n),
            RotateRight(e, a, n) => RotateRight(e, map(a), n),
            Bytes(a, control) => Bytes(map(a), control),
            Nibble(table, a) => Nibble(table, map(a)),
            Substitute(table, a) => Substitute(table, map(a)),
            Sign(a) => Sign(map(a)),
            Affine { inverse, matrix, constant, of } => Affine { inverse, matrix, constant, of: map(of) },
            Multiply(by, a) => Multiply(by, map(a)),
            Byte(a, k) => Byte(map(a), k),
            Half(a, k) => Half(map(a), k),
            Load { from, index, scale, offset, bytes } => {
                Load { from, index: map(index), scale, offset, bytes }
            }
            Interleave { element, high, a, b } => Interleave { element, high, a: map(a), b: map(b) },
        }
    }

    /// The value of the operation, given the values of its arguments.
    fn compute(&self, inputs: &[u128], value: impl Fn(Value) -> u128) -> u128 {
        use Node::*;
        match *self {
            Input(i) => inputs[i as usize],
            Constant(bytes) => u128::from_le_bytes(bytes),
            Xor(a, b) => value(a) ^ value(b),
            And(a, b) => value(a) & value(b),
            Or(a, b) => value(a) | value(b),
            AndNot(a, b) => !value(a) & value(b),
            Not(a) => !value(a),
            ShiftLeft(e, a, n) => each_element(value(a), e, |x| x << n),
            ShiftRight(e, a, n) => each_element(value(a), e, |x| x >> n),
            RotateRight(e, a, n) => {
                let bits = e.bits();
                each_element(value(a), e, |x| x >> n | x << (bits - u32::from(n)))
            }
            Bytes(a, control) => {
                let bytes = value(a).to_le_bytes();
                let pick = |c: u8| if c & 0x80 == 0 { bytes[usize::from(c & 15)] } else { 0 };
                u128::from_le_bytes(control.map(pick))
            }
            Nibble(table, a) => {
                each_byte(value(a), |x| if x & 0x80 == 0 { table[usize::from(x & 15)] } else { 0 })
            }
            Sign(a) => each_byte(value(a), |x| 0u8.wrapping_sub(x >> 7)),
            Substitute(table, a) => each_byte(value(a), |x| table.bytes()[usize::from(x)]),
            Affine { inverse: first, matrix, constant, of } => {
                each_byte(value(of), |x| matrix.apply(if first { inverse(x) } else { x }) ^ constant)
            }
            Multiply(by, a) => each_byte(value(a), |x| gf_mul(x, by)),
            Byte(a, k) => value(a) >> (8 * k) & 0xff,
            Half(a, k) => value(a) >> (16 * k) & 0xffff,
            Load { from, index, scale, offset, bytes } => {
                let at = value(index) as usize * usize::from(scale) + usize::from(offset);
                (0..usize::from(bytes)).fold(0, |word, i| word | u128::from(from.byte(at + i)) << (8 * i))
            }
            Interleave { element, high, a, b } => {
                let bits = element.bits();
                let mask = u128::MAX >> (128 - bits);
                let places = 64 / bits;
                let half = if high { 64 } else { 0 };
                (0..places).fold(0, |y, i| {
                    let at = |x: u128| x >> (half + i * bits) & mask;
                    y | at(value(a)) << (2 * i * bits) | at(value(b)) << ((2 * i + 1) * bits)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sbox_is_affine_in_the_inverse() {
        // FIPS-197, 5.1.1: bit i is the sum of bits i, i+4 .. i+7 (modulo 8) of the inverse.
        let matrix = Matrix(std::array::from_fn(|i| 0xf1u8.rotate_left(i as u32)));
        let mut p = Program::new(Word::Lane, 1);
        let x = p.input(0);
        let y = p.push(Node::Affine { inverse: true, matrix, constant: 0x63, of: x });
        p.outputs.push(y);
        for x in 0..=255u8 {
            let out = p.run(&[u128::from(x)])[0].to_le_bytes();
            assert_eq!(out[0], SBOX[usize::from(x)]);
            assert_eq!(out[1], 0x63);
        }
    }

    #[test]
    fn appended_programs_compute_the_same() {
        let mut first = Program::new(Word::Lane, 2);
        let (a, b) = (first.input(0), first.input(1));
        let low = first.push(Node::Interleave { element: Element::B8, high: false, a, b });
        first.outputs.push(low);
        let mut p = Program::new(Word::Lane, 2);
        let swapped = [p.input(1), p.input(0)];
        let out = p.append(&first, &swapped);
        p.outputs = out;
        assert_eq!(p.run(&[0x1100, 0x3322])[0], first.run(&[0x3322, 0x1100])[0]);
        assert_eq!(first.run(&[0x1100, 0x3322])[0], 0x3311_2200);
    }
}
