//! Programs of techniques over words as C statements: one constant a line, in the program's order.

use super::text::Text;
use aesmith_dataflow::program::{Element, Node, Program, Value};

/// Writes the statements of a program over words of `bits` bits, with `inputs` as its inputs, and
/// returns the names of its outputs. Names of values begin with `prefix`.
///
/// # Panics
/// At an operation that has no meaning on words: those are for vectors.
pub(super) fn words(
    t: &mut Text,
    program: &Program,
    inputs: &[String],
    prefix: &str,
    bits: u32,
) -> Vec<String> {
    let ty = format!("uint{bits}_t");
    let mut names: Vec<String> = Vec::with_capacity(program.nodes.len());
    for (i, node) in program.nodes.iter().enumerate() {
        let name = match *node {
            Node::Input(n) => inputs[usize::from(n)].clone(),
            Node::Constant(bytes) => constant(bytes, bits),
            _ => {
                let name = format!("{prefix}{i}");
                let value = expression(node, bits, |v: Value| names[usize::from(v.0)].as_str());
                t.line(&format!("const {ty} {name} = {value};"));
                name
            }
        };
        names.push(name);
    }
    program.outputs.iter().map(|v| names[usize::from(v.0)].clone()).collect()
}

fn constant(bytes: [u8; 16], bits: u32) -> String {
    hexadecimal(u128::from_le_bytes(bytes) as u64, bits)
}

fn hexadecimal(value: u64, bits: u32) -> String {
    let mask = u64::MAX >> (64 - bits);
    format!("{:#0width$x}u", value & mask, width = bits as usize / 4 + 2)
}

/// The bits of every element that `of` gives for one.
fn mask(element: Element, bits: u32, of: u64) -> String {
    let size = element.bits();
    let value = (0..bits / size).fold(0, |all, i| all | of << (i * size));
    hexadecimal(value, bits)
}

fn expression<'n>(node: &Node, bits: u32, name: impl Fn(Value) -> &'n str) -> String {
    use Node::*;
    let whole = |e: Element| e.bits() == bits;
    let element = |e: Element| u64::MAX >> (64 - e.bits());
    let left = |e: Element, a: Value, n: u8| match whole(e) {
        true => format!("{} << {n}", name(a)),
        false => format!("({} << {n} & {})", name(a), mask(e, bits, element(e) << n & element(e))),
    };
    let right = |e: Element, a: Value, n: u8| match whole(e) {
        true => format!("{} >> {n}", name(a)),
        false => format!("({} >> {n} & {})", name(a), mask(e, bits, element(e) >> n)),
    };
    match *node {
        Xor(a, b) => format!("{} ^ {}", name(a), name(b)),
        And(a, b) => format!("{} & {}", name(a), name(b)),
        Or(a, b) => format!("{} | {}", name(a), name(b)),
        AndNot(a, b) => format!("~{} & {}", name(a), name(b)),
        Not(a) => format!("~{}", name(a)),
        ShiftLeft(e, a, n) => left(e, a, n),
        ShiftRight(e, a, n) => right(e, a, n),
        RotateRight(e, a, n) => format!("{} | {}", right(e, a, n), left(e, a, e.bits() as u8 - n)),
        Byte(a, n) => format!("{} >> {} & 255", name(a), 8 * n),
        Half(a, n) => format!("{} >> {} & 65535", name(a), 16 * n),
        ref other => panic!("{other:?} has no meaning on words of general registers"),
    }
}
