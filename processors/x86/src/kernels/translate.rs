//! Translation of a technique's program to vector instructions on virtual registers: each operation becomes the
//! instructions that an encoding has for it; on EVEX, logic becomes functions of three bits.

use crate::features;
use crate::kernels::asm::{Assembler, Constant};
use crate::kernels::target::Encoding;
use crate::kernels::vector::{Operation, Src, Vector};
use aesmith_dataflow::program::{Element, Node, Program, Value};
use aesmith_order::Reg;
use aesmith_processor::measured::Target;
use cones::{Cone, cones};

mod cones;
mod shuffles;

/// Instructions for a program, on its own virtual registers: the inputs come first.
#[derive(Clone, Debug)]
pub struct Template {
    /// The instructions, without loads of the constants.
    pub code: Vec<Vector>,
    /// Number of virtual registers.
    pub virtuals: u16,
    /// The registers that hold constants, with their numbers of lanes.
    pub constants: Vec<(u16, Constant, usize)>,
    /// The registers that hold the results.
    pub outputs: Vec<u16>,
}

/// The instructions for `program` on registers with this number of lanes.
pub fn translate(
    program: &Program,
    asm: &mut Assembler,
    lanes: usize,
    encoding: Encoding,
    target: &Target,
) -> Template {
    let mut t = Translator {
        asm,
        lanes,
        encoding,
        shuffles: target.has(features::SSSE3),
        code: Vec::new(),
        virtuals: program.inputs,
        constants: Vec::new(),
    };
    let cones = if encoding == Encoding::Evex { cones(program) } else { Vec::new() };
    let mut needed = vec![false; program.nodes.len()];
    for output in &program.outputs {
        needed[output.0 as usize] = true;
    }
    for (i, node) in program.nodes.iter().enumerate().rev() {
        if !needed[i] {
            continue;
        }
        match cones.get(i) {
            Some(Some(cone)) => cone.leaves().iter().for_each(|v| needed[v.0 as usize] = true),
            _ => node.arguments().for_each(|v| needed[v.0 as usize] = true),
        }
    }
    let mut values: Vec<Option<Reg>> = vec![None; program.nodes.len()];
    for (i, node) in program.nodes.iter().enumerate().filter(|(i, _)| needed[*i]) {
        let at = |v: Value| match program.nodes[v.0 as usize] {
            Node::Constant(bytes) => Given::Constant(bytes),
            _ => Given::Register(values[v.0 as usize].expect("a node follows its arguments")),
        };
        values[i] = Some(match (cones.get(i), *node) {
            (Some(Some(cone)), _) => t.cone(cone, at),
            (_, Node::Input(n)) => Reg::Virtual(n),
            (_, Node::Constant(_)) => continue,
            (_, node) => t.node(node, at),
        });
    }
    let outputs = program
        .outputs
        .iter()
        .map(|v| match values[v.0 as usize] {
            Some(Reg::Virtual(n)) => n,
            _ => panic!("a result of a program is computed"),
        })
        .collect();
    Template { code: t.code, virtuals: t.virtuals, constants: t.constants, outputs }
}

/// The location of an argument.
#[derive(Clone, Copy)]
enum Given {
    Register(Reg),
    Constant([u8; 16]),
}

struct Translator<'a> {
    asm: &'a mut Assembler,
    lanes: usize,
    encoding: Encoding,
    /// True if byte shuffles exist.
    shuffles: bool,
    code: Vec<Vector>,
    virtuals: u16,
    constants: Vec<(u16, Constant, usize)>,
}

impl Translator<'_> {
    fn fresh(&mut self) -> Reg {
        self.virtuals += 1;
        Reg::Virtual(self.virtuals - 1)
    }

    /// The register that holds a constant for all its uses.
    fn pooled(&mut self, bytes: &[u8]) -> Reg {
        let constant = self.asm.constant(bytes);
        if let Some((v, ..)) = self.constants.iter().find(|(_, c, _)| *c == constant) {
            return Reg::Virtual(*v);
        }
        let Reg::Virtual(v) = self.fresh() else { unreachable!("fresh registers are virtual") };
        self.constants.push((v, constant, bytes.len() / 16));
        Reg::Virtual(v)
    }

    fn constant(&mut self, lane: [u8; 16]) -> Reg {
        self.pooled(&lane.repeat(self.lanes))
    }

    fn register(&mut self, given: Given) -> Reg {
        match given {
            Given::Register(r) => r,
            Given::Constant(bytes) => self.constant(bytes),
        }
    }

    /// A register for a first operand: if instructions overwrite it, a constant is loaded for each use, which
    /// takes no more instructions than a copy.
    fn first(&mut self, given: Given) -> Reg {
        match given {
            Given::Constant(bytes) if self.encoding == Encoding::Legacy => {
                let constant = self.asm.constant(&bytes.repeat(self.lanes));
                let dst = self.fresh();
                self.code.push(Vector::from(Operation::Load, self.lanes, dst, Src::Constant(constant)));
                dst
            }
            _ => self.register(given),
        }
    }

    fn push(&mut self, operation: Operation, a: Option<Reg>, b: Option<Reg>) -> Reg {
        let dst = self.fresh();
        let (lanes, b) = (self.lanes as u8, b.map(Src::Reg));
        self.code.push(Vector { operation, lanes, dst: Some(dst), a, b, c: None });
        dst
    }

    /// `operation(a, b)`, with a constant as the last operand if the operation allows it.
    fn two(&mut self, operation: Operation, a: Given, b: Given) -> Reg {
        let swap = crate::kernels::forms::commutes(operation) && matches!(a, Given::Constant(_));
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let (a, b) = (self.first(a), self.register(b));
        self.push(operation, Some(a), Some(b))
    }

    /// `operation(a)`.
    fn one(&mut self, operation: Operation, a: Reg) -> Reg {
        self.push(operation, Some(a), None)
    }

    /// `operation(b)` of an operation whose source may be memory.
    fn unary(&mut self, operation: Operation, b: Reg) -> Reg {
        self.push(operation, None, Some(b))
    }

    fn masked(&mut self, x: Reg, byte: u8) -> Reg {
        self.two(Operation::And, Given::Register(x), Given::Constant([byte; 16]))
    }

    fn node(&mut self, node: Node, at: impl Fn(Value) -> Given) -> Reg {
        let one = |t: &mut Self, v: Value| t.register(at(v));
        match node {
            Node::Input(_) | Node::Constant(_) => panic!("leaves of a program are no instructions"),
            Node::Xor(a, b) => self.two(Operation::Xor, at(a), at(b)),
            Node::And(a, b) => self.two(Operation::And, at(a), at(b)),
            Node::Or(a, b) => self.two(Operation::Or, at(a), at(b)),
            Node::AndNot(a, b) => self.two(Operation::AndNot, at(a), at(b)),
            Node::Not(a) => self.two(Operation::Xor, at(a), Given::Constant([0xff; 16])),
            Node::ShiftLeft(element, a, n) => {
                let a = one(self, a);
                self.shift(element, a, n, true)
            }
            Node::ShiftRight(element, a, n) => {
                let a = one(self, a);
                self.shift(element, a, n, false)
            }
            Node::RotateRight(element, a, n) => {
                let a = one(self, a);
                self.rotate(element, a, n)
            }
            Node::Bytes(a, control) => {
                let a = one(self, a);
                self.bytes(a, control)
            }
            Node::Nibble(table, a) => {
                let table = self.first(Given::Constant(table));
                let a = one(self, a);
                self.push(Operation::Shuffle, Some(table), Some(a))
            }
            Node::Sign(a) if self.encoding == Encoding::Evex => {
                let a = one(self, a);
                self.unary(Operation::Sign, a)
            }
            Node::Sign(a) => self.two(Operation::GreaterBytes, Given::Constant([0; 16]), at(a)),
            Node::Substitute(table, a) => {
                let a = one(self, a);
                self.substitute(table.bytes(), a)
            }
            Node::Affine { inverse, matrix, constant, of } => {
                // The instruction takes the row of bit 0 from the highest byte.
                let mut rows = matrix.0;
                rows.reverse();
                let operation = Operation::Affine { inverse, constant };
                let lane: [u8; 16] = std::array::from_fn(|i| rows[i % 8]);
                self.two(operation, at(of), Given::Constant(lane))
            }
            Node::Multiply(by, a) => self.two(Operation::Multiply, at(a), Given::Constant([by; 16])),
            Node::Interleave { element, high, a, b } => {
                self.two(Operation::Interleave(element, high), at(a), at(b))
            }
            Node::Byte(..) | Node::Half(..) | Node::Load { .. } => {
                panic!("programs on lanes have no operations of general registers")
            }
        }
    }

    fn shift(&mut self, element: Element, x: Reg, n: u8, left: bool) -> Reg {
        let operation = |element| match left {
            true => Operation::ShiftLeft(element, n),
            false => Operation::ShiftRight(element, n),
        };
        match element {
            Element::B8 if left && n == 1 => {
                let x = Given::Register(x);
                self.two(Operation::AddBytes, x, x)
            }
            // There are no byte shifts: shifts words, and masks off the bits of the neighboring byte.
            Element::B8 => {
                let shifted = self.one(operation(Element::B16), x);
                self.masked(shifted, if left { 0xff << n } else { 0xff >> n })
            }
            _ => self.one(operation(element), x),
        }
    }

    fn rotate(&mut self, element: Element, x: Reg, n: u8) -> Reg {
        let bits = element.bits() as u8;
        let whole_bytes = n.is_multiple_of(8);
        if self.encoding == Encoding::Evex && matches!(element, Element::B32 | Element::B64) {
            return self.unary(Operation::Rotate(element, n), x);
        }
        if whole_bytes && (self.shuffles || n == 16 || element == Element::B64 && n == 32) {
            let size = bits / 8;
            let control = std::array::from_fn(|i| {
                let i = i as u8;
                i / size * size + (i % size + n / 8) % size
            });
            return self.bytes(x, control);
        }
        let right = self.shift(element, x, n, false);
        let left = self.shift(element, x, bits - n, true);
        self.two(Operation::Or, Given::Register(right), Given::Register(left))
    }

    /// Looks up each byte in a table of 256, half by half; the sign bit selects the half. A half is two
    /// registers of the widest kind, for every width of the indices.
    fn substitute(&mut self, table: &[u8; 256], x: Reg) -> Reg {
        const WIDEST: u8 = 4;
        let halves = [0, 128].map(|half| {
            let [a, b] = [half, half + 64].map(|at| self.pooled(&table[at..at + 64]));
            let dst = self.fresh();
            let (lanes, b) = (WIDEST, Some(Src::Reg(b)));
            let operation = Operation::PermuteTwo;
            self.code.push(Vector { operation, lanes, dst: Some(dst), a: Some(a), b, c: Some(x) });
            dst
        });
        let dst = self.fresh();
        let (lanes, b) = (WIDEST, Some(Src::Reg(halves[1])));
        let operation = Operation::Select;
        self.code.push(Vector { operation, lanes, dst: Some(dst), a: Some(halves[0]), b, c: Some(x) });
        dst
    }

    /// The function of up to three values that a cone computes.
    fn cone(&mut self, cone: &Cone, at: impl Fn(Value) -> Given) -> Reg {
        let plain = match (cone.leaves().len(), cone.table & 0xf) {
            (2, 0x6) => Some((Operation::Xor, false)),
            (2, 0x8) => Some((Operation::And, false)),
            (2, 0xe) => Some((Operation::Or, false)),
            // Leaf 0 is the lowest bit of the index: 2 is `0 & !1`, 4 is `!0 & 1`.
            (2, 0x2) => Some((Operation::AndNot, true)),
            (2, 0x4) => Some((Operation::AndNot, false)),
            _ => None,
        };
        let leaves = cone.leaves();
        if let Some((operation, swap)) = plain {
            let (a, b) = if swap { (leaves[1], leaves[0]) } else { (leaves[0], leaves[1]) };
            return self.two(operation, at(a), at(b));
        }
        // A constant is best as the last operand, which can be memory: the lowest bit of the index.
        let mut order: Vec<usize> = (0..leaves.len()).collect();
        order.sort_by_key(|&i| !matches!(at(leaves[i]), Given::Constant(_)));
        let mut from = [0, 1, 2];
        from[..order.len()].copy_from_slice(&order);
        let table = crate::kernels::forms::renamed(cone.table, from);
        let mut regs = order.iter().map(|&i| at(leaves[i])).collect::<Vec<_>>().into_iter();
        let mut next = |t: &mut Self| regs.next().map(|given| t.register(given));
        let (b, a, c) = (next(self), next(self), next(self));
        let b = b.expect("a function of bits has an argument");
        let dst = self.fresh();
        self.code.push(Vector {
            operation: Operation::Ternary(table),
            lanes: self.lanes as u8,
            dst: Some(dst),
            a: Some(a.unwrap_or(b)),
            b: Some(Src::Reg(b)),
            c,
        });
        dst
    }
}
