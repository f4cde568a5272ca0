//! Lowers a program of the dataflow stage to operations of a machine.

use aesmith_dataflow::program::{Element, Node, Program, Value};

use crate::machine::Machine;

/// The constants of a function, and the registers that hold them after their first use.
#[derive(Clone, Default)]
pub struct Constants {
    /// The contents, in memory order.
    pub all: Vec<[u8; 16]>,
    /// The number of loads of each.
    pub loads: Vec<usize>,
    /// The constants that are in a register throughout the function.
    pub kept: Vec<(usize, u8)>,
    registers: Vec<Option<i32>>,
}

impl Constants {
    /// The register of a constant.
    pub fn get(&mut self, w: &mut dyn Machine, constant: [u8; 16]) -> i32 {
        let place = self.all.iter().position(|one| *one == constant).unwrap_or(self.all.len());
        if place == self.all.len() {
            self.all.push(constant);
            self.loads.push(0);
            self.registers.push(None);
        }
        if let Some(&(_, register)) = self.kept.iter().find(|(kept, _)| *kept == place) {
            return i32::from(register);
        }
        *self.registers[place].get_or_insert_with(|| {
            self.loads[place] += 1;
            w.constant(place)
        })
    }

    /// The register of a constant that repeats a byte.
    pub fn byte(&mut self, w: &mut dyn Machine, byte: u8) -> i32 {
        self.get(w, [byte; 16])
    }

    /// Drops the constants that are not kept, so that the next use loads them again: at the start of a block, and
    /// wherever their registers are needed in between.
    pub fn forget(&mut self) {
        self.registers.fill(None);
    }
}

/// The byte that a constant repeats.
fn repeated(program: &Program, value: Value) -> Option<u8> {
    match program.nodes[usize::from(value.0)] {
        Node::Constant(bytes) if bytes.iter().all(|b| *b == bytes[0]) => Some(bytes[0]),
        _ => None,
    }
}

/// For each value, true if it is used only as an index of look-ups, or as a summand of such an index.
fn indices(program: &Program) -> Vec<bool> {
    let mut all = vec![true; program.nodes.len()];
    for output in &program.outputs {
        all[usize::from(output.0)] = false;
    }
    for (at, node) in program.nodes.iter().enumerate().rev() {
        let stays = match node {
            Node::Nibble(..) => true,
            Node::Xor(..) => all[at],
            _ => false,
        };
        if !stays {
            node.arguments().for_each(|a| all[usize::from(a.0)] = false);
        }
    }
    all
}

/// True if a value is the upper half of each byte, shifted down.
fn is_upper_nibbles(program: &Program, value: Value) -> bool {
    matches!(program.nodes[usize::from(value.0)], Node::ShiftRight(_, _, 4))
}

/// Lowers a program; returns the registers of its outputs.
///
/// # Errors
/// The program has an operation that no such machine has.
pub fn lowered(
    w: &mut dyn Machine,
    constants: &mut Constants,
    program: &Program,
    inputs: &[i32],
) -> Result<Vec<i32>, String> {
    let is_index = indices(program);
    let mut registers: Vec<Option<i32>> = Vec::with_capacity(program.nodes.len());
    let mut next = inputs.iter();
    for (number, node) in program.nodes.iter().enumerate() {
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
                Some((of, byte)) => w.xor_byte(constants, at(&of)?, byte),
                None => w.xor(at(a)?, at(b)?),
            }),
            Node::And(a, b) => match with_byte(a, b) {
                Some((of, 0x0f)) if is_upper_nibbles(program, of) && w.clears_above_nibbles() => {
                    Some(at(&of)?)
                }
                Some((of, byte)) => Some(w.and_byte(constants, at(&of)?, byte)),
                None => return Err(format!("{node:?} is no operation of these kernels")),
            },
            Node::ShiftRight(_, a, 4) => Some(w.upper_nibbles(constants, at(a)?)),
            Node::RotateRight(Element::B32, a, by) if by % 8 == 0 => {
                Some(w.rotate_words(constants, at(a)?, by / 8))
            }
            Node::Bytes(a, control) => {
                let a = at(a)?;
                let control = constants.get(w, *control);
                Some(w.shuffle(a, a, control))
            }
            Node::ShiftLeft(Element::B8, a, 1) => Some(w.twice(constants, at(a)?)),
            // The look-up depends only on the sign of the byte.
            Node::Nibble(table, index) if table.iter().all(|entry| *entry == table[0]) => {
                Some(w.where_positive(constants, table[0], at(index)?))
            }
            Node::Nibble(table, index) => {
                let index = at(index)?;
                let nowhere = if is_index[number] { w.nowhere() } else { 0x80 };
                let table = table.map(|entry| if entry == 0x80 { nowhere } else { entry });
                let table = constants.get(w, table);
                Some(w.look_up(constants, table, index))
            }
            other => return Err(format!("{other:?} is no operation of these kernels")),
        };
        registers.push(register);
    }
    let found = program.outputs.iter().map(|v| registers[usize::from(v.0)].ok_or("an output is a constant"));
    Ok(found.collect::<Result<_, _>>()?)
}
