//! Expressions in the order of their evaluation.
//!
//! A tree is walked once, when a row is compiled: executing an instruction goes along a list of operations, which takes
//! a third of the time of the walk over numbers. Equal parts are computed once.

use super::{Expression, Place};
use crate::values::{Binary, ByteFunction, Shift, Space};

/// The place of an operand: the number of the operation that computes it.
pub(crate) type Slot = u16;

/// An operation; its operands are results of operations before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Number(u8, u64),
    Field(u8, u8),
    Count(u8, u8),
    Register(Place),
    Local(u8),
    Address(bool),
    Load(Space, u8, u8, Slot),
    Binary(Binary, u8, Slot, Slot),
    /// A difference of two registers, bitwise or of numbers: zero where both are the same register, so that the result
    /// does not depend on its value. The idiom clears a register.
    Difference(Binary, u8, (Place, Slot), (Place, Slot)),
    Shift(Shift, u8, Slot, u8, Slot),
    Not(u8, Slot),
    Slice(u8, Slot, u8, u8),
    Join(u8, Slot, u8, Slot),
    Extend(bool, u8, u8, Slot),
    Select(u8, Slot, Slot, Slot),
    Undefined(u8, Slot),
    Function(ByteFunction, Slot),
    Pick(Slot, Slot, Slot),
}

impl Op {
    /// True if the operation may give another result, or do something, each time it is executed.
    fn is_singular(self) -> bool {
        matches!(self, Op::Load(..) | Op::Undefined(..))
    }
}

/// An expression and its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula {
    tree: Expression,
    ops: Box<[Op]>,
}

impl Formula {
    /// The expression.
    pub fn tree(&self) -> &Expression {
        &self.tree
    }

    /// The operations; the last one computes the value.
    pub(crate) fn ops(&self) -> &[Op] {
        &self.ops
    }
}

impl From<Expression> for Formula {
    fn from(tree: Expression) -> Formula {
        let mut ops = Vec::new();
        add(&mut ops, &tree);
        // An equal part may stand before the last operation, but the whole contains its parts.
        Formula { tree, ops: ops.into() }
    }
}

/// Adds the operations of an expression, the last of which computes its value.
fn add(ops: &mut Vec<Op>, tree: &Expression) -> Slot {
    use Expression as E;
    let op = match tree {
        E::Number(width, n) => Op::Number(*width, *n),
        E::Field(f, width) => Op::Field(*f, *width),
        E::Count(f, width) => Op::Count(*f, *width),
        E::Register(place) => Op::Register(*place),
        E::Local(n) => Op::Local(*n),
        E::Address(next) => Op::Address(*next),
        E::Load(space, bytes, width, address) => Op::Load(*space, *bytes, *width, add(ops, address)),
        E::Binary(op @ (Binary::Xor | Binary::Subtract), width, a, b)
            if let (E::Register(p), E::Register(q)) = (&**a, &**b) =>
        {
            Op::Difference(*op, *width, (*p, add(ops, a)), (*q, add(ops, b)))
        }
        E::Binary(op, width, a, b) => Op::Binary(*op, *width, add(ops, a), add(ops, b)),
        E::Shift(op, width, a, count_width, count) => {
            Op::Shift(*op, *width, add(ops, a), *count_width, add(ops, count))
        }
        E::Not(width, a) => Op::Not(*width, add(ops, a)),
        E::Slice(width, a, low, count) => Op::Slice(*width, add(ops, a), *low, *count),
        E::Join(high_width, high, low_width, low) => {
            Op::Join(*high_width, add(ops, high), *low_width, add(ops, low))
        }
        E::Extend(signed, from, to, a) => Op::Extend(*signed, *from, *to, add(ops, a)),
        E::Select(width, of) => {
            let [condition, yes, no] = &**of;
            Op::Select(*width, add(ops, condition), add(ops, yes), add(ops, no))
        }
        E::Undefined(width, of) => Op::Undefined(*width, add(ops, of)),
        E::Function(f, a) => Op::Function(*f, add(ops, a)),
        E::Pick(of) => {
            let [high, low, index] = &**of;
            Op::Pick(add(ops, high), add(ops, low), add(ops, index))
        }
    };
    let known = if op.is_singular() { None } else { ops.iter().position(|other| *other == op) };
    let slot = known.unwrap_or_else(|| {
        ops.push(op);
        ops.len() - 1
    });
    Slot::try_from(slot).expect("a row's text has fewer than 65,536 operations")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_parts_are_computed_once_and_the_whole_last() {
        let register = || Box::new(Expression::Register(Place::Fixed(1)));
        let half = |low| Expression::Slice(16, Box::new(Expression::Not(16, register())), low, 8);
        let whole = Formula::from(Expression::Join(8, Box::new(half(0)), 8, Box::new(half(8))));
        let expected = [
            Op::Register(Place::Fixed(1)),
            Op::Not(16, 0),
            Op::Slice(16, 1, 0, 8),
            Op::Slice(16, 1, 8, 8),
            Op::Join(8, 2, 8, 3),
        ];
        assert_eq!(whole.ops(), expected);
    }

    #[test]
    fn undefined_values_and_loads_are_no_equal_parts() {
        let of = || Box::new(Expression::Undefined(8, Box::new(Expression::Number(8, 0))));
        let two = Formula::from(Expression::Binary(Binary::Add, 8, of(), of()));
        assert_eq!(two.ops().len(), 4);
        let load = || Box::new(Expression::Load(Space::Data, 1, 8, Box::new(Expression::Number(8, 0))));
        let two = Formula::from(Expression::Binary(Binary::Add, 8, load(), load()));
        assert_eq!(two.ops().len(), 4);
    }
}
