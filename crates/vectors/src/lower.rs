//! A program of the dataflow stage as operations of a machine.

use aesmith_dataflow::program::{Element, Node, Program, Value};

use crate::machine::Machine;

/// Constants of a function, and the registers that they are in once they were asked for.
#[derive(Default)]
pub struct Constants {
    /// Their contents, in their order in memory.
    pub all: Vec<[u8; 16]>,
    registers: Vec<i32>,
}

impl Constants {
    /// The register of one.
    pub fn get(&mut self, w: &mut dyn Machine, constant: [u8; 16]) -> i32 {
        if let Some(place) = self.all.iter().position(|one| *one == constant) {
            return self.registers[place];
        }
        let register = w.constant(self.all.len());
        self.all.push(constant);
        self.registers.push(register);
        register
    }
}

/// The byte that a constant repeats.
fn repeated(program: &Program, value: Value) -> Option<u8> {
    match program.nodes[usize::from(value.0)] {
        Node::Constant(bytes) if bytes.iter().all(|b| *b == bytes[0]) => Some(bytes[0]),
        _ => None,
    }
}

/// Each word with its bytes so many places on towards its first.
pub fn rotated(w: &mut dyn Machine, constants: &mut Constants, a: i32, bytes: u8) -> i32 {
    w.rotate_words(a, bytes).unwrap_or_else(|| {
        let control = constants.get(w, std::array::from_fn(|i| (i as u8 & 12) + (i as u8 + bytes) % 4));
        w.shuffle(a, a, control)
    })
}

/// Writes a program: the registers of its outputs.
///
/// # Errors
/// It has an operation that no such machine has.
pub fn lowered(
    w: &mut dyn Machine,
    constants: &mut Constants,
    program: &Program,
    inputs: &[i32],
) -> Result<Vec<i32>, String> {
    let mut registers: Vec<Option<i32>> = Vec::with_capacity(program.nodes.len());
    let mut next = inputs.iter();
    for node in &program.nodes {
        let at = |v: &Value| registers[usize::from(v.0)].ok_or("a repeated byte is wanted in a register");
        let with_byte = |a: &Value, b: &Value| match (repeated(program, *a), repeated(program, *b)) {
            (Some(byte), _) => Some((*b, byte)),
            (_, Some(byte)) => Some((*a, byte)),
            _ => None,
        };
        let register = match node {
            Node::Input(_) => Some(*next.next().ok_or("the program has more inputs")?),
            Node::Constant(bytes) if bytes.iter().all(|b| *b == bytes[0]) => None,
            Node::Constant(bytes) => Some(constants.get(w, *bytes)),
            Node::Xor(a, b) => Some(match with_byte(a, b) {
                Some((of, byte)) => w.xor_byte(at(&of)?, byte),
                None => w.xor(at(a)?, at(b)?),
            }),
            Node::And(a, b) => match with_byte(a, b) {
                Some((of, byte)) => Some(w.and_byte(at(&of)?, byte)),
                None => return Err(format!("{node:?} is no operation of these kernels")),
            },
            Node::ShiftRight(_, a, 4) => Some(w.upper_nibbles(at(a)?)),
            Node::RotateRight(Element::B32, a, by) if by % 8 == 0 => {
                Some(rotated(w, constants, at(a)?, by / 8))
            }
            Node::Bytes(a, control) => {
                let a = at(a)?;
                let control = constants.get(w, *control);
                Some(w.shuffle(a, a, control))
            }
            Node::ShiftLeft(Element::B8, a, 1) => Some(w.twice(at(a)?)),
            Node::Nibble(table, index) => {
                let mut index = at(index)?;
                // Where a byte is looked up by its sign alone, all of it is the index.
                if table.iter().all(|entry| *entry == table[0]) {
                    index = w.and_byte(index, 0x8f);
                }
                let table = constants.get(w, *table);
                Some(w.look_up(table, index))
            }
            other => return Err(format!("{other:?} is no operation of these kernels")),
        };
        registers.push(register);
    }
    let found = program.outputs.iter().map(|v| registers[usize::from(v.0)].ok_or("an output is a constant"));
    Ok(found.collect::<Result<_, _>>()?)
}
