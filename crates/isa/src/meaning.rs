//! Compiles syntax to meaning: resolves names, checks widths, collects effects.

mod compiler;
mod formula;

use crate::language::{Line, Macros, Mistake, parse};
use crate::table::{Effects, Field, Isa};
use crate::values::{Binary, ByteFunction, Shift, Space};
use compiler::Compiler;
pub use formula::Formula;
pub(crate) use formula::Op;

/// A register operand of a read or a write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The register that a field names.
    Field(u8),
    /// The register after the one that a field names.
    Next(u8),
    /// The register with this number.
    Fixed(u8),
}

/// An expression with its widths in bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A number.
    Number(u8, u64),
    /// The number in a field.
    Field(u8, u8),
    /// The number of set bits of a field, in this width.
    Count(u8, u8),
    /// A register.
    Register(Place),
    /// A local name.
    Local(u8),
    /// The instruction's address, or with `true` that of the next one.
    Address(bool),
    /// Memory: space, bytes, width of the address, address.
    Load(Space, u8, u8, Box<Expression>),
    /// Two operands of one width.
    Binary(Binary, u8, Box<Expression>, Box<Expression>),
    /// Width, value, width of the count, count.
    Shift(Shift, u8, Box<Expression>, u8, Box<Expression>),
    /// The complement.
    Not(u8, Box<Expression>),
    /// Width of the value, value, lowest bit, number of bits.
    Slice(u8, Box<Expression>, u8, u8),
    /// Concatenation: the high part and the low part, each with its width.
    Join(u8, Box<Expression>, u8, Box<Expression>),
    /// Extension: signed or not, from this width, to this width.
    Extend(bool, u8, u8, Box<Expression>),
    /// Width, condition, yes, no.
    Select(u8, Box<[Expression; 3]>),
    /// A value of this width that the manual leaves undefined, with the value that it may depend on.
    Undefined(u8, Box<Expression>),
    /// A function of a byte.
    Function(ByteFunction, Box<Expression>),
    /// The byte of two 16-byte values that a byte index selects.
    Pick(Box<[Expression; 3]>),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// An assignment to a local.
    Local(u8, Formula),
    /// A write to a register.
    Set(Place, Formula),
    /// Space, bytes, width of the address, address, value.
    Store(Space, u8, u8, Formula, Formula),
    /// Condition, then, else.
    If(Formula, Vec<Step>, Vec<Step>),
    /// The target, and true if the jump takes effect after the delay slot.
    Jump(Formula, bool),
    /// A skip of the next instruction.
    Skip,
    /// A load or store of several registers: the field of the list, the address, and true for a store.
    Multiple(u8, Formula, bool),
}

/// The compiled text of a row.
pub struct Meaning {
    /// The statements.
    pub steps: Vec<Step>,
    /// The number of locals.
    pub locals: u8,
    /// The reads and writes.
    pub effects: Effects,
}

/// Compiles statements over a row's fields.
pub fn compile(isa: &Isa, fields: &[Field], lines: &[Line]) -> Result<Meaning, String> {
    let mut compiler = Compiler { isa, fields, locals: Vec::new(), count: 0, effects: Effects::default() };
    let steps = compiler.steps(lines, false)?;
    Ok(Meaning { steps, locals: compiler.count, effects: compiler.effects })
}

/// Compiles a one-bit expression over registers.
pub fn condition(isa: &Isa, text: &str) -> Result<Formula, Mistake> {
    let macros = Macros::new(isa.about.macros);
    let lines = parse(&format!("c := {text}"), &macros)?;
    let mut compiler =
        Compiler { isa, fields: &[], locals: Vec::new(), count: 0, effects: Effects::default() };
    let found = match lines.as_slice() {
        [Line::Local(_, ast)] => compiler.value(ast, Some(1)),
        _ => Err("it is not one expression".into()),
    };
    match found {
        Ok((expression, 1)) => Ok(expression.into()),
        Ok((_, width)) => Err(Mistake { at: 0, what: format!("it has {width} bits, a condition has one") }),
        Err(what) => Err(Mistake { at: 0, what }),
    }
}
