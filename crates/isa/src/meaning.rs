//! From syntax to meaning: names resolved, widths checked, effects collected.

mod compiler;

use crate::language::{Line, Macros, Mistake, parse};
use crate::table::{Effects, Field, Isa};
use crate::values::{Binary, ByteFunction, Shift, Space};
use compiler::Compiler;

/// A register that is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// The one that a field names.
    Field(u8),
    /// The one after it.
    Next(u8),
    /// This one.
    Fixed(u8),
}

/// An expression with its widths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A number.
    Number(u8, u64),
    /// The number that a field holds.
    Field(u8, u8),
    /// How many bits of a field are set, as so many bits.
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
    /// High above low, each with its width.
    Join(u8, Box<Expression>, u8, Box<Expression>),
    /// Signed, from, to.
    Extend(bool, u8, u8, Box<Expression>),
    /// Width, condition, yes, no.
    Select(u8, Box<[Expression; 3]>),
    /// So many bits that the manual leaves open, by what they may depend on.
    Undefined(u8, Box<Expression>),
    /// A function of a byte.
    Function(ByteFunction, Box<Expression>),
    /// Two values of 16 bytes, and the number of a byte of them.
    Pick(Box<[Expression; 3]>),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A local name gets its value.
    Local(u8, Expression),
    /// A register is written.
    Set(Place, Expression),
    /// Space, bytes, width of the address, address, value.
    Store(Space, u8, u8, Expression, Expression),
    /// Condition, then, else.
    If(Expression, Vec<Step>, Vec<Step>),
    /// Target, and whether after the instruction in the delay slot.
    Jump(Expression, bool),
    /// Over the next instruction.
    Skip,
    /// Field of the list, address, whether to memory.
    Multiple(u8, Expression, bool),
}

/// What a row's text compiles to.
pub struct Meaning {
    /// The statements.
    pub steps: Vec<Step>,
    /// How many local names.
    pub locals: u8,
    /// What is read and written.
    pub effects: Effects,
}

/// The meaning of statements over a row's fields.
pub fn compile(isa: &Isa, fields: &[Field], lines: &[Line]) -> Result<Meaning, String> {
    let mut compiler = Compiler { isa, fields, locals: Vec::new(), count: 0, effects: Effects::default() };
    let steps = compiler.steps(lines, false)?;
    Ok(Meaning { steps, locals: compiler.count, effects: compiler.effects })
}

/// A one-bit expression over registers.
pub fn condition(isa: &Isa, text: &str) -> Result<Expression, Mistake> {
    let macros = Macros::new(isa.about.macros);
    let lines = parse(&format!("c := {text}"), &macros)?;
    let mut compiler =
        Compiler { isa, fields: &[], locals: Vec::new(), count: 0, effects: Effects::default() };
    let found = match lines.as_slice() {
        [Line::Local(_, ast)] => compiler.value(ast, Some(1)),
        _ => Err("it is not one expression".into()),
    };
    match found {
        Ok((expression, 1)) => Ok(expression),
        Ok((_, width)) => Err(Mistake { at: 0, what: format!("it has {width} bits, a condition has one") }),
        Err(what) => Err(Mistake { at: 0, what }),
    }
}
