//! Prints programs of techniques over words as C statements: one constant a line, in the program's order, or with
//! values that are used once nested.

use aesmith_dataflow::memory::{Layout, Memory};
use aesmith_dataflow::program::{Element, Node, Program, Value};
use aesmith_processor::c::Text;

/// Writes the statements of a program over words of `bits` bits, with `inputs` as its inputs, and returns the names of
/// its outputs. Names of values begin with `prefix`.
///
/// # Panics
/// At a vector operation that has no meaning on words.
pub(super) fn words(
    t: &mut Text,
    program: &Program,
    inputs: &[String],
    prefix: &str,
    bits: u32,
) -> Vec<String> {
    written(t, program, inputs, prefix, bits, |_| false)
}

/// Like [`words`], for programs in which few values are used twice: the other values are written where they are used.
pub(super) fn nested(
    t: &mut Text,
    program: &Program,
    inputs: &[String],
    prefix: &str,
    bits: u32,
) -> Vec<String> {
    let mut uses = vec![0; program.nodes.len()];
    let read = program.nodes.iter().flat_map(Node::arguments).chain(program.outputs.iter().copied());
    read.for_each(|v| uses[usize::from(v.0)] += 1);
    written(t, program, inputs, prefix, bits, |i| uses[i] == 1)
}

fn written(
    t: &mut Text,
    program: &Program,
    inputs: &[String],
    prefix: &str,
    bits: u32,
    nests: impl Fn(usize) -> bool,
) -> Vec<String> {
    let ty = format!("uint{bits}_t");
    let mut names: Vec<String> = Vec::with_capacity(program.nodes.len());
    for (i, node) in program.nodes.iter().enumerate() {
        let name = match *node {
            Node::Input(n) => inputs[usize::from(n)].clone(),
            Node::Constant(bytes) => constant(bytes, bits),
            _ => {
                let name = format!("{prefix}{i}");
                // Nested XORs need no parentheses.
                let bare = |v: &Value| matches!(program.nodes[usize::from(v.0)], Node::Xor(..));
                let sum = matches!(node, Node::Xor(..));
                let value = expression(node, bits, |v: Value| {
                    let name = names[usize::from(v.0)].as_str();
                    let single = atomic(name) || sum && bare(&v) || matches!(node, Node::Load { .. });
                    if single { name.to_owned() } else { format!("({name})") }
                });
                if nests(i) {
                    value
                } else {
                    t.line(&format!("const {ty} {name} = {value};"));
                    name
                }
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

/// Repeats the bits `of` in every element of a word.
fn mask(element: Element, bits: u32, of: u64) -> String {
    let size = element.bits();
    let value = (0..bits / size).fold(0, |all, i| all | of << (i * size));
    hexadecimal(value, bits)
}

/// The array for a table: its name, and the size of its words in bytes.
pub(super) fn array(memory: Memory) -> (&'static str, usize) {
    let word = |layout| if matches!(layout, Layout::Unaligned | Layout::Padded) { 8 } else { 4 };
    match memory {
        Memory::Mixed(layout, _) => ("table", word(layout)),
        Memory::Masked(layout, _) => ("masked", word(layout)),
        Memory::Substitution(_) => ("sbox", 1),
        Memory::Products(_) => ("products", 1),
    }
}

/// Prints a load as a part of an array's word. A scaled index is a multiple of the word's size.
fn load(from: Memory, index: &str, scale: u8, offset: u16, bytes: u8, bits: u32) -> String {
    let (name, word) = array(from);
    let (scale, offset, bytes) = (usize::from(scale), usize::from(offset), usize::from(bytes));
    let (first, within) = (offset / word, offset % word);
    assert!(within + bytes <= word, "{from:?}: {bytes} bytes at {offset} are of two words");
    let place = match (scale == word, scale > word) {
        (true, _) => index.to_owned(),
        (_, true) => format!("({index}) * {}", scale / word),
        _ => format!("({index}) / {}", word / scale),
    };
    let place = match (first, scale == word) {
        (0, _) => place,
        (_, true) => format!("({place}) + {first}"),
        _ => format!("{place} + {first}"),
    };
    let entry = format!("{name}[{place}]");
    let part = if within > 0 { format!("{entry} >> {}", 8 * within) } else { entry };
    let rest = 8 * (word - within);
    let typed = match (8 * word == bits as usize, within > 0) {
        (true, _) => part,
        (_, true) => format!("(uint{bits}_t)({part})"),
        _ => format!("(uint{bits}_t){part}"),
    };
    if 8 * bytes < rest.min(bits as usize) {
        format!("{typed} & {}", hexadecimal(u64::MAX >> (64 - 8 * bytes), bits))
    } else {
        typed
    }
}

fn expression(node: &Node, bits: u32, name: impl Fn(Value) -> String) -> String {
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
        RotateRight(e, a, n) if whole(e) && bits == 32 => format!("rotate({}, {n})", name(a)),
        RotateRight(e, a, n) => format!("{} | {}", right(e, a, n), left(e, a, e.bits() as u8 - n)),
        Byte(a, n) => part(&name(a), 8 * u32::from(n), 8, bits),
        Half(a, n) => part(&name(a), 16 * u32::from(n), 16, bits),
        Load { from, index, scale, offset, bytes } => load(from, &name(index), scale, offset, bytes, bits),
        ref other => panic!("{other:?} has no meaning on words of general registers"),
    }
}

/// True if an expression needs no parentheses as an operand.
fn atomic(expression: &str) -> bool {
    let mut depth = 0;
    !expression.chars().any(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ' ' && depth == 0
    })
}

/// Extracts `size` bits of a word.
fn part(word: &str, at: u32, size: u32, bits: u32) -> String {
    let mask = (1 << size) - 1;
    match (at, at + size == bits) {
        (0, _) => format!("{word} & {mask}"),
        (_, true) => format!("{word} >> {at}"),
        _ => format!("{word} >> {at} & {mask}"),
    }
}
