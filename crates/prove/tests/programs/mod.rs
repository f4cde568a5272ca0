//! Runs programs of the dataflow stage in the symbolic domain, one operation at a time: this tests that the prover
//! follows a technique before there is a kernel of it.

use aesmith_cipher::Problem;
use aesmith_dataflow::program::{Element, Node, Program, Word as Kind};
use aesmith_isa::lanes::{AesRound, Domain, Half, Logic, Shift, Width};
use aesmith_prove::lanes::symbolic::{Stop, Symbolic};
use aesmith_prove::lanes::terms::{Atom, Lane};
use aesmith_x86::instructions::SYSTEM_V;

/// A domain at the start of a problem, without a kernel.
pub fn domain(problem: &str, constants: &[u8]) -> Symbolic {
    let problem: Problem = problem.parse().expect("a problem");
    let mut symbolic = Symbolic::new(problem, &SYSTEM_V);
    symbolic.begin(problem, constants);
    symbolic
}

/// Round key `round`.
pub fn key(symbolic: &mut Symbolic, round: usize) -> Lane {
    symbolic.terms.atom(Atom::Key { stream: 0, round: round as u8 })
}

/// Input block `block`.
pub fn input(symbolic: &mut Symbolic, block: usize) -> Lane {
    symbolic.terms.atom(Atom::Input { stream: 0, block: block as i32 })
}

/// A cipher round with its key.
pub fn round(symbolic: &mut Symbolic, round: AesRound, state: Lane, key: Lane) -> Lane {
    let state = symbolic.terms.round(round, state);
    symbolic.terms.xor(state, key)
}

fn width(element: Element) -> Width {
    match element {
        Element::B8 => Width::B8,
        Element::B16 => Width::B16,
        Element::B32 => Width::B32,
        Element::B64 => Width::B64,
    }
}

/// Runs a program over lanes, and returns its outputs.
pub fn run(symbolic: &mut Symbolic, program: &Program, inputs: &[Lane]) -> Vec<Lane> {
    assert_eq!(program.word, Kind::Lane);
    let mut values: Vec<Lane> = Vec::with_capacity(program.nodes.len());
    for node in &program.nodes {
        let v = |value: aesmith_dataflow::program::Value| values[value.0 as usize];
        let d = &mut *symbolic;
        let result: Result<Lane, Stop> = match *node {
            Node::Input(i) => Ok(inputs[i as usize]),
            Node::Constant(bytes) => Ok(d.lane(bytes)),
            Node::Xor(a, b) => d.xor(v(a), v(b)),
            Node::And(a, b) => d.logic(Logic::And, v(a), v(b)),
            Node::Or(a, b) => d.logic(Logic::Or, v(a), v(b)),
            Node::AndNot(a, b) => d.logic(Logic::AndNot, v(a), v(b)),
            Node::Not(a) => {
                let ones = d.lane([0xff; 16]);
                d.xor(v(a), ones)
            }
            // As on a processor without byte shifts.
            Node::ShiftLeft(Element::B8, a, n) => {
                let mask = d.lane([0xff << n; 16]);
                d.shift_bits(Shift::Left, Width::B16, v(a), n).and_then(|s| d.logic(Logic::And, s, mask))
            }
            Node::ShiftRight(Element::B8, a, n) => {
                let mask = d.lane([0xff >> n; 16]);
                d.shift_bits(Shift::Right, Width::B64, v(a), n).and_then(|s| d.logic(Logic::And, s, mask))
            }
            Node::ShiftLeft(e, a, n) => d.shift_bits(Shift::Left, width(e), v(a), n),
            Node::ShiftRight(e, a, n) => d.shift_bits(Shift::Right, width(e), v(a), n),
            Node::RotateRight(e, a, n) => d.shift_bits(Shift::RotateRight, width(e), v(a), n),
            Node::Bytes(a, control) => {
                let control = d.lane(control);
                d.shuffle_bytes(v(a), control)
            }
            Node::Nibble(table, a) => {
                let table = d.lane(table);
                d.shuffle_bytes(table, v(a))
            }
            Node::Substitute(table, a) => substitute(d, table.bytes(), v(a)),
            Node::Sign(a) => {
                let zero = d.zero_lane();
                d.compare_greater(Width::B8, zero, v(a))
            }
            Node::Affine { inverse, matrix, constant, of } => {
                let mut rows = matrix.0;
                rows.reverse();
                let matrix = d.lane(std::array::from_fn(|i| rows[i % 8]));
                d.affine(inverse, v(of), matrix, constant)
            }
            Node::Multiply(by, a) => {
                let by = d.lane([by; 16]);
                d.multiply(v(a), by)
            }
            Node::Interleave { element, high, a, b } => {
                let half = if high { Half::High } else { Half::Low };
                d.interleave(width(element), half, v(a), v(b))
            }
            Node::Byte(..) | Node::Half(..) | Node::Load { .. } => unreachable!("a program over lanes"),
        };
        values.push(result.expect("not refused"));
    }
    program.outputs.iter().map(|v| values[v.0 as usize]).collect()
}

/// Two vpermi2b, and a blend by the index's sign.
fn substitute(d: &mut Symbolic, table: &[u8; 256], index: Lane) -> Result<Lane, Stop> {
    let lanes: Vec<Lane> = table.chunks(16).map(|c| d.lane(c.try_into().expect("16 bytes"))).collect();
    let low = d.permute_bytes(index, &lanes[..8])?;
    let high = d.permute_bytes(index, &lanes[8..])?;
    let mask = d.sign_bits(Width::B8, &[index])?;
    d.select(mask, 0, Width::B8, high, low)
}
