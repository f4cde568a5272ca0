//! Lowers meanings to graphs.

use std::collections::HashMap;

use aesmith_isa::Isa;
use aesmith_isa::meaning::{Expression, Place, Step};
use aesmith_isa::values::{Binary, ByteFunction, Shift};

use crate::file::Instruction;
use crate::verilog::node::{Id, Net, Node};

struct Scope<'a> {
    instruction: &'a Instruction,
    fields: Vec<String>,
    /// The port of each register of the table, by register number.
    wired: Vec<Option<usize>>,
    locals: HashMap<u8, Id>,
}

/// Lowers an instruction to its result. `wired` are the names of the ports after the `named` ones.
pub fn lower(
    net: &mut Net,
    isa: &Isa,
    instruction: &Instruction,
    named: usize,
    wired: &[&str],
) -> Result<Id, String> {
    let row = &isa.rows[usize::from(isa.row(&instruction.name))];
    let place = |(n, _): &(&str, u8)| wired.iter().position(|w| w == n).map(|k| named + k);
    let mut scope = Scope {
        instruction,
        fields: row.fields.iter().map(|f| f.name.clone()).collect(),
        wired: isa.about.registers.iter().map(place).collect(),
        locals: HashMap::new(),
    };
    let mut result = None;
    for step in &row.steps {
        match step {
            Step::Local(local, value) => {
                let id = scope.value(net, value.tree())?;
                scope.locals.insert(*local, id);
            }
            Step::Set(Place::Field(_), value) => result = Some(scope.value(net, value.tree())?),
            _ => {
                return Err(format!(
                    "{}: a unit computes one value by an expression; write the choice as 'c ? e : e'",
                    instruction.name
                ));
            }
        }
    }
    result.ok_or_else(|| format!("{}: it writes nothing", instruction.name))
}

impl Scope<'_> {
    fn value(&self, net: &mut Net, expression: &Expression) -> Result<Id, String> {
        Ok(match expression {
            Expression::Number(width, n) => net.constant(*width, *n),
            Expression::Field(f, width) => {
                let name = &self.fields[usize::from(*f)];
                let before = self.instruction.selectors.iter().take_while(|(n, _)| n != name);
                let low: u8 = before.map(|(_, bits)| bits).sum();
                net.make(Node::Selector(low), *width)
            }
            Expression::Register(Place::Field(f)) => {
                let name = &self.fields[usize::from(*f)];
                let port = self.instruction.reads.iter().position(|r| r == name);
                net.make(Node::Register(port.ok_or_else(|| format!("{name} is not read"))?), 32)
            }
            Expression::Register(Place::Fixed(r)) => {
                let port = self.wired[usize::from(*r)].ok_or("a register that the unit is not wired to")?;
                net.make(Node::Register(port), 32)
            }
            Expression::Pick(_) => {
                return Err(format!("{}: bytes of 128 bits are not picked in a unit", self.instruction.name));
            }
            Expression::Local(n) => *self.locals.get(n).ok_or("a local name without a value")?,
            Expression::Binary(Binary::Xor, width, a, b) => {
                let (a, b) = (self.value(net, a)?, self.value(net, b)?);
                net.sum(&[a, b], *width)
            }
            Expression::Binary(op, width, a, b) => {
                let (a, b) = (self.value(net, a)?, self.value(net, b)?);
                let width = match op {
                    Binary::Equal | Binary::Below | Binary::Less => 1,
                    Binary::Divide | Binary::Remainder => {
                        return Err(format!("{}: division is not built as a unit", self.instruction.name));
                    }
                    _ => *width,
                };
                net.make(Node::Binary(*op, a, b), width)
            }
            Expression::Shift(op, width, a, _, count) => {
                let (a, count) = (self.value(net, a)?, self.value(net, count)?);
                shift(net, *op, *width, a, count).ok_or_else(|| {
                    format!("{}: rotations are built for words of 32 bits only", self.instruction.name)
                })?
            }
            Expression::Not(width, a) => {
                let a = self.value(net, a)?;
                net.make(Node::Not(a), *width)
            }
            Expression::Slice(_, a, low, count) => {
                let a = self.value(net, a)?;
                net.slice(a, *low, *count)
            }
            Expression::Join(_, high, _, low) => {
                let (high, low) = (self.value(net, high)?, self.value(net, low)?);
                net.join(&[low, high])
            }
            Expression::Extend(signed, from, to, a) => {
                let a = self.value(net, a)?;
                let more = usize::from(to - from);
                if *signed {
                    let sign = net.slice(a, from - 1, 1);
                    let mut parts = vec![sign; more + 1];
                    parts[0] = a;
                    net.join(&parts)
                } else if more == 0 {
                    a
                } else {
                    let zeros = net.constant(more as u8, 0);
                    net.join(&[a, zeros])
                }
            }
            Expression::Select(_, of) => {
                let [question, yes, no] = &**of;
                let (question, yes) = (self.value(net, question)?, self.value(net, yes)?);
                let no = self.value(net, no)?;
                net.select(question, yes, no)
            }
            Expression::Function(f, a) => {
                let a = self.value(net, a)?;
                match f {
                    ByteFunction::Sbox => net.make(Node::Sbox(false, a), 8),
                    ByteFunction::InverseSbox => net.make(Node::Sbox(true, a), 8),
                    ByteFunction::Times(k) => net.times(*k, a),
                }
            }
            Expression::Undefined(..) => {
                return Err(format!(
                    "{}: a unit computes values, and none that is undefined",
                    self.instruction.name
                ));
            }
            Expression::Register(_)
            | Expression::Count(..)
            | Expression::Address(_)
            | Expression::Load(..) => {
                return Err(format!("{}: only its own registers can be read", self.instruction.name));
            }
        })
    }
}

/// Lowers a shift, to a rotation or to wires where possible.
fn shift(net: &mut Net, op: Shift, width: u8, a: Id, count: Id) -> Option<Id> {
    match (op, net.number(count)) {
        (Shift::Rotate, _) if width != 32 => None,
        (Shift::Rotate, number) => {
            let left = match (number, net.node(count).clone()) {
                (Some(n), _) => net.constant(5, 32 - n % 32),
                (_, Node::Binary(Binary::Subtract, from, by))
                    if net.number(from).is_some_and(|n| n % 32 == 0) =>
                {
                    by
                }
                _ => {
                    let zero = net.constant(5, 0);
                    let low =
                        if net.width(count) > 5 { net.slice(count, 0, 5) } else { widened(net, count, 5) };
                    net.make(Node::Binary(Binary::Subtract, zero, low), 5)
                }
            };
            let left = widened(net, left, 5);
            Some(net.turn(a, left))
        }
        (Shift::Left, Some(n)) if n < u64::from(width) => {
            let zeros = net.constant((n as u8).max(1), 0);
            let kept = net.slice(a, 0, width - n as u8);
            Some(if n == 0 { a } else { net.join(&[zeros, kept]) })
        }
        (Shift::Right, Some(n)) if n < u64::from(width) => {
            let zeros = net.constant((n as u8).max(1), 0);
            let kept = net.slice(a, n as u8, width - n as u8);
            Some(if n == 0 { a } else { net.join(&[kept, zeros]) })
        }
        (Shift::Left, None) if width == 32 && stays(net, a, count) => {
            let count = widened(net, count, 5);
            Some(net.turn(a, count))
        }
        _ => Some(net.make(Node::Shift(op, a, count), width)),
    }
}

fn widened(net: &mut Net, id: Id, width: u8) -> Id {
    let has = net.width(id);
    if has >= width {
        return id;
    }
    let zeros = net.constant(width - has, 0);
    net.join(&[id, zeros])
}

/// True if a shift by a count never drops a bit at a word's high end, because enough zeros are there.
fn stays(net: &mut Net, a: Id, count: Id) -> bool {
    let Node::Join(parts) = net.node(a).clone() else { return false };
    let zeros = parts.last().filter(|&&p| net.number(p) == Some(0)).map_or(0, |&p| net.width(p));
    // The largest count has a one in every bit that is no known zero.
    let most = match net.node(count).clone() {
        Node::Join(parts) => {
            let mut at = 0;
            parts.iter().fold(0u64, |sum, &p| {
                let width = net.width(p);
                let value = net.number(p).unwrap_or(u64::MAX >> (64 - width));
                at += width;
                sum | value << (at - width)
            })
        }
        _ => u64::MAX >> (64 - net.width(count)),
    };
    most <= u64::from(zeros)
}
