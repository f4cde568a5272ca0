//! Rows of PTX instructions: their operands and what they do, over any values.
//!
//! A row is `NAME OPERANDS | EFFECT`. Operands are written as in PTX; a letter with a number of bits is a register: `d` to `g`
//! are written, all others are read, and may be numbers; `1` is a predicate. `s32` and `s64` are special registers and
//! addresses of the module's memory, `m32` and `m64` registers plus a number, `m` a parameter plus a number, `n` a number, `L` a label.
//!
//! | statement | meaning |
//! |---|---|
//! | `d = E` | a register gets a value; `cc` is the carry |
//! | `load SPACE`, `store SPACE` | registers from and to following places of memory |
//! | `jump`, `barrier`, `return` | to the label; all threads of a block wait for each other; the end of the thread |
//!
//! Values are natural numbers modulo two to the number of bits of the row's widest operand, and the result is one modulo that of
//! its register. `shl` and `shr` by that number of bits or more give 0. `prmt` and `lop3` are those of PTX without a mode; `lt` and `eq`
//! compare, and give a predicate.

use crate::rows::tokens;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

/// The rows.
const ROWS: &str = include_str!("rows.txt");

/// A special register, or an address of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// The number of a thread in its block.
    Thread,
    /// The number of a block of threads in the grid.
    Block,
    /// The number of blocks of threads.
    Blocks,
    /// The address of shared memory.
    Shared,
    /// The address of the constants.
    Constants,
}

/// Kinds of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Parameters.
    Param,
    /// Constants of the module.
    Const,
    /// Memory of a block of threads.
    Shared,
    /// The device's memory.
    Global,
}

/// An operand of an instruction. Registers are numbered in each of three files: of 1, 32 and 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A register.
    Register(usize),
    /// A number.
    Number(u64),
    /// A special register, or an address.
    Special(Special),
    /// A register plus a number.
    Place(usize, i64),
    /// A parameter, by its number, plus a number.
    Parameter(usize, i64),
    /// The place of an instruction.
    Label(usize),
}

/// A computation.
#[derive(Clone, Debug)]
enum Expression {
    Operand(usize),
    Number(u64),
    Carry,
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Function {
    Add,
    Carry,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Prmt,
    Lop3,
    Lt,
    Eq,
    Not,
    If,
}

/// Functions with their names and numbers of arguments.
const FUNCTIONS: [(&str, Function, usize); 15] = [
    ("add", Function::Add, 2),
    ("carry", Function::Carry, 2),
    ("sub", Function::Sub, 2),
    ("mul", Function::Mul, 2),
    ("and", Function::And, 2),
    ("or", Function::Or, 2),
    ("xor", Function::Xor, 2),
    ("shl", Function::Shl, 2),
    ("shr", Function::Shr, 2),
    ("prmt", Function::Prmt, 3),
    ("lop3", Function::Lop3, 4),
    ("lt", Function::Lt, 2),
    ("eq", Function::Eq, 2),
    ("not", Function::Not, 1),
    ("if", Function::If, 3),
];

/// A statement of an effect.
#[derive(Clone, Debug)]
enum Statement {
    Set(usize, Expression),
    SetCarry(Expression),
    Load(Space),
    Store(Space),
    Jump,
    Barrier,
    Return,
}

/// An operand's kind, by its name in the row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    /// The letter.
    pub letter: u8,
    /// Bits, or 0.
    pub bits: u32,
}

impl Kind {
    fn read(text: &str) -> Option<Kind> {
        let (letter, bits) = text.split_at_checked(1)?;
        let bits = if bits.is_empty() { 0 } else { bits.parse().ok()? };
        Some(Kind { letter: letter.as_bytes()[0], bits })
    }

    /// True if it is a register that is written.
    pub fn is_written(self) -> bool {
        matches!(self.letter, b'd'..=b'g')
    }
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name of the instruction.
    pub name: String,
    /// Words and symbols of its operands.
    pub syntax: Vec<String>,
    /// The operands in order.
    pub kinds: Vec<Kind>,
    effect: Vec<Statement>,
}

/// All rows.
///
/// # Errors
/// The line that is wrong.
pub fn rows() -> Result<Vec<Row>, String> {
    let lines = ROWS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| Row::read(line).ok_or_else(|| format!("this row has no meaning: {line}"))).collect()
}

impl Row {
    fn read(line: &str) -> Option<Row> {
        let (head, effect) = line.split_once('|')?;
        let (name, operands) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
        let syntax = tokens(operands);
        let is_operand = |word: &&String| word.as_bytes()[0].is_ascii_alphabetic();
        let kinds: Option<Vec<Kind>> =
            syntax.iter().filter(is_operand).map(|word| Kind::read(word)).collect();
        let mut row = Row { name: name.to_string(), kinds: kinds?, syntax, effect: Vec::new() };
        for statement in effect.split(';') {
            let words = tokens(statement);
            let mut rest = words.iter().map(String::as_str).collect::<Vec<_>>();
            let space = match rest.get(1) {
                Some(&"param") => Some(Space::Param),
                Some(&"const") => Some(Space::Const),
                Some(&"shared") => Some(Space::Shared),
                Some(&"global") => Some(Space::Global),
                _ => None,
            };
            let statement = match (&rest[..], space) {
                (["load", _], Some(space)) => Statement::Load(space),
                (["store", _], Some(space)) => Statement::Store(space),
                (["jump"], _) => Statement::Jump,
                (["barrier"], _) => Statement::Barrier,
                (["return"], _) => Statement::Return,
                (&[place, "=", ..], _) => {
                    rest.drain(..2);
                    rest.reverse();
                    let value = row.expression(&mut rest).filter(|_| rest.is_empty())?;
                    match row.operand(place) {
                        Some(operand) if row.kinds[operand].is_written() => Statement::Set(operand, value),
                        None if place == "cc" => Statement::SetCarry(value),
                        _ => return None,
                    }
                }
                _ => return None,
            };
            row.effect.push(statement);
        }
        Some(row)
    }

    /// The number of the operand with a letter.
    fn operand(&self, name: &str) -> Option<usize> {
        self.kinds.iter().position(|kind| name.as_bytes() == [kind.letter])
    }

    /// The expression whose words, from the last to the first, are at the end of a list.
    fn expression(&self, rest: &mut Vec<&str>) -> Option<Expression> {
        let word = rest.pop()?;
        if let Some(&(_, function, count)) = FUNCTIONS.iter().find(|function| function.0 == word) {
            let mut arguments = Vec::new();
            for separator in core::iter::once("(").chain(core::iter::repeat_n(",", count - 1)) {
                rest.pop().filter(|&found| found == separator)?;
                arguments.push(self.expression(rest)?);
            }
            rest.pop().filter(|&found| found == ")")?;
            return Some(Expression::Call(function, arguments));
        }
        if word == "cc" {
            return Some(Expression::Carry);
        }
        let operand = self.operand(word).map(Expression::Operand);
        operand.or_else(|| Some(Expression::Number(crate::certificate::number(word)?.try_into().ok()?)))
    }

    /// Bits of the widest operand.
    fn bits(&self) -> u32 {
        self.kinds.iter().map(|kind| kind.bits).max().unwrap_or(0)
    }
}

/// Values and memory.
pub trait Domain {
    /// A number of 32 or 64 bits; those are given where they matter.
    type Value: Clone + Debug;
    /// A reason not to go on.
    type Stop;
    /// A constant.
    fn number(&mut self, value: u64) -> Self::Value;
    /// The number modulo two to fewer bits, or the same with more.
    ///
    /// # Errors
    /// If it is not known enough.
    fn resized(&mut self, a: &Self::Value, from: u32, to: u32) -> Result<Self::Value, Self::Stop>;
    /// The sum.
    fn sum(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Self::Value;
    /// The carry of the sum.
    ///
    /// # Errors
    /// If it is not known enough.
    fn carry(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Result<Self::Value, Self::Stop>;
    /// The difference.
    fn difference(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Self::Value;
    /// The product.
    fn product(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Self::Value;
    /// The AND.
    ///
    /// # Errors
    /// If it is not known enough.
    fn and(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Result<Self::Value, Self::Stop>;
    /// The XOR.
    fn xor(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Self::Value;
    /// The bits moved up or down.
    ///
    /// # Errors
    /// If it is not allowed, or not known enough.
    fn moved(
        &mut self,
        a: &Self::Value,
        by: &Self::Value,
        is_up: bool,
        bits: u32,
    ) -> Result<Self::Value, Self::Stop>;
    /// The bytes of two words of 32 bits by selectors of four bits, with copies of a byte's highest bit if the highest is 1.
    ///
    /// # Errors
    /// If the selectors are not known.
    fn permuted(
        &mut self,
        a: &Self::Value,
        b: &Self::Value,
        selectors: &Self::Value,
    ) -> Result<Self::Value, Self::Stop>;
    /// True if a number is less than another.
    ///
    /// # Errors
    /// If it is not known, or secret.
    fn is_less(&mut self, a: &Self::Value, b: &Self::Value, bits: u32) -> Result<bool, Self::Stop>;
    /// A special register.
    fn special(&mut self, special: Special) -> Self::Value;
    /// The value of a parameter.
    ///
    /// # Errors
    /// If there is none at this place.
    fn parameter(&mut self, number: usize, at: i64, bits: u32) -> Result<Self::Value, Self::Stop>;
    /// Values of these bits one after another at an address.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn load(
        &mut self,
        space: Space,
        address: &Self::Value,
        bits: &[u32],
    ) -> Result<Vec<Self::Value>, Self::Stop>;
    /// Stores values of 32 bits one after another.
    ///
    /// # Errors
    /// If the access is not allowed.
    fn store(
        &mut self,
        space: Space,
        address: &Self::Value,
        values: &[Self::Value],
    ) -> Result<(), Self::Stop>;
    /// A refusal.
    fn refused(&self, why: &str) -> Self::Stop;
}

/// The registers of a thread.
#[derive(Clone, Debug)]
pub struct Registers<V> {
    /// The registers of 32 bits, and those of 64.
    pub words: [Vec<V>; 2],
    /// Predicates, if they are known.
    pub predicates: Vec<Option<bool>>,
    /// The carry.
    pub carry: Option<V>,
}

impl<V> Registers<V> {
    /// The registers of 32 or 64 bits.
    pub fn file(&mut self, bits: u32) -> &mut Vec<V> {
        &mut self.words[usize::from(bits == 64)]
    }
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The predicate on which it is executed, and its value then.
    pub guard: Option<(usize, bool)>,
    /// The row.
    pub row: usize,
    /// Operands in the order of the row.
    pub operands: Vec<Operand>,
    /// The line in the text, for messages.
    pub line: usize,
}

/// The way on behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The next instruction.
    Next,
    /// Another one.
    Jump(usize),
    /// The next one, when all threads of the block are here.
    Barrier,
    /// None.
    Return,
}

/// Executes an instruction.
///
/// # Errors
/// If it is refused.
pub fn execute<D: Domain>(
    domain: &mut D,
    row: &Row,
    instruction: &Instruction,
    registers: &mut Registers<D::Value>,
) -> Result<Flow, D::Stop> {
    let mut e = Execution { domain, row, operands: &instruction.operands, registers };
    if let Some((predicate, value)) = instruction.guard
        && e.predicate(predicate)? != value
    {
        return Ok(Flow::Next);
    }
    let mut flow = Flow::Next;
    let mut results = Vec::new();
    for statement in &row.effect {
        match statement {
            Statement::Set(operand, value) if row.kinds[*operand].bits == 1 => {
                let value = e.condition(value)?;
                let number = e.register(*operand)?;
                e.registers.predicates[number] = Some(value);
            }
            Statement::Set(operand, value) => {
                let value = e.value(value)?;
                let value = e.domain.resized(&value, row.bits(), row.kinds[*operand].bits)?;
                results.push((*operand, value));
            }
            Statement::SetCarry(value) => e.registers.carry = Some(e.value(value)?),
            Statement::Load(space) => {
                let written: Vec<usize> =
                    (0..row.kinds.len()).filter(|&k| row.kinds[k].is_written()).collect();
                let bits: Vec<u32> = written.iter().map(|&k| row.kinds[k].bits).collect();
                let values = if let Some(&Operand::Parameter(number, at)) = e.operands.last() {
                    Vec::from([e.domain.parameter(number, at, bits[0])?])
                } else {
                    let address = e.address()?;
                    e.domain.load(*space, &address, &bits)?
                };
                results.extend(written.into_iter().zip(values));
            }
            Statement::Store(space) => {
                let address = e.address()?;
                let read = (0..row.kinds.len()).filter(|&k| row.kinds[k].letter != b'm');
                let values: Result<Vec<_>, _> = read.map(|k| e.operand(k)).collect();
                let values = values?;
                e.domain.store(*space, &address, &values)?;
            }
            Statement::Jump => match e.operands[0] {
                Operand::Label(to) => flow = Flow::Jump(to),
                _ => return Err(e.domain.refused("a jump has no label")),
            },
            Statement::Barrier => match e.operands[0] {
                Operand::Number(0) => flow = Flow::Barrier,
                _ => return Err(e.domain.refused("a barrier is not number 0")),
            },
            Statement::Return => flow = Flow::Return,
        }
    }
    // All operands are read before one is written.
    for (operand, value) in results {
        let number = e.register(operand)?;
        e.registers.file(row.kinds[operand].bits)[number] = value;
    }
    Ok(flow)
}

struct Execution<'e, D: Domain> {
    domain: &'e mut D,
    row: &'e Row,
    operands: &'e [Operand],
    registers: &'e mut Registers<D::Value>,
}

impl<D: Domain> Execution<'_, D> {
    fn predicate(&self, number: usize) -> Result<bool, D::Stop> {
        self.registers.predicates[number].ok_or_else(|| self.domain.refused("a predicate is not known"))
    }

    fn register(&self, operand: usize) -> Result<usize, D::Stop> {
        match self.operands[operand] {
            Operand::Register(number) => Ok(number),
            _ => Err(self.domain.refused("an operand is no register")),
        }
    }

    /// The value of an operand with its own bits.
    fn operand(&mut self, operand: usize) -> Result<D::Value, D::Stop> {
        let bits = self.row.kinds[operand].bits;
        match self.operands[operand] {
            Operand::Register(number) => Ok(self.registers.file(bits)[number].clone()),
            Operand::Number(number) => Ok(self.domain.number(number)),
            Operand::Special(special) => Ok(self.domain.special(special)),
            _ => Err(self.domain.refused("an operand has no value")),
        }
    }

    /// The address of an access.
    fn address(&mut self) -> Result<D::Value, D::Stop> {
        let place = (0..self.operands.len()).find_map(|k| match self.operands[k] {
            Operand::Place(register, offset) => Some((register, offset, self.row.kinds[k].bits)),
            _ => None,
        });
        let Some((register, offset, bits)) = place else {
            return Err(self.domain.refused("an access has no address"));
        };
        let base = self.registers.file(bits)[register].clone();
        let number = self.domain.number(offset.unsigned_abs());
        Ok(if offset < 0 {
            self.domain.difference(&base, &number, bits)
        } else {
            self.domain.sum(&base, &number, bits)
        })
    }

    fn condition(&mut self, expression: &Expression) -> Result<bool, D::Stop> {
        let bits = self.row.bits();
        match expression {
            Expression::Call(Function::Not, arguments) => Ok(!self.condition(&arguments[0])?),
            Expression::Call(function @ (Function::Lt | Function::Eq), arguments) => {
                let (a, b) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
                let is_less = self.domain.is_less(&a, &b, bits)?;
                Ok(match function {
                    Function::Lt => is_less,
                    _ => !is_less && !self.domain.is_less(&b, &a, bits)?,
                })
            }
            Expression::Operand(operand) => {
                let number = self.register(*operand)?;
                self.predicate(number)
            }
            _ => Err(self.domain.refused("a row has no meaning")),
        }
    }

    /// The value of an expression, with the bits of the row.
    fn value(&mut self, expression: &Expression) -> Result<D::Value, D::Stop> {
        let bits = self.row.bits();
        let (function, arguments) = match expression {
            Expression::Number(number) => return Ok(self.domain.number(*number)),
            Expression::Carry => {
                let carry = self.registers.carry.clone();
                return carry.ok_or_else(|| self.domain.refused("there is no carry"));
            }
            Expression::Operand(operand) => {
                let value = self.operand(*operand)?;
                return self.domain.resized(&value, self.row.kinds[*operand].bits.max(32), bits);
            }
            Expression::Call(Function::If, arguments) => {
                let is_first = self.condition(&arguments[0])?;
                return self.value(&arguments[if is_first { 1 } else { 2 }]);
            }
            Expression::Call(function, arguments) => (*function, arguments),
        };
        let (a, b) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
        let domain = &mut *self.domain;
        Ok(match function {
            Function::Add => domain.sum(&a, &b, bits),
            Function::Carry => domain.carry(&a, &b, bits)?,
            Function::Sub => domain.difference(&a, &b, bits),
            Function::Mul => domain.product(&a, &b, bits),
            Function::And => domain.and(&a, &b, bits)?,
            Function::Xor => domain.xor(&a, &b, bits),
            Function::Or => {
                let both = domain.and(&a, &b, bits)?;
                let one = domain.xor(&a, &b, bits);
                domain.xor(&one, &both, bits)
            }
            Function::Shl | Function::Shr => domain.moved(&a, &b, function == Function::Shl, bits)?,
            Function::Prmt => {
                let selectors = self.value(&arguments[2])?;
                self.domain.permuted(&a, &b, &selectors)?
            }
            Function::Lop3 => {
                let c = self.value(&arguments[2])?;
                let table = match arguments[3] {
                    Expression::Operand(operand) => self.operands[operand],
                    _ => Operand::Label(0),
                };
                let Operand::Number(table @ 0..=255) = table else {
                    return Err(self.domain.refused("the function of `lop3` is not known"));
                };
                self.function_of_three([a, b, c], table as u8)?
            }
            _ => return Err(self.domain.refused("a row has no meaning")),
        })
    }

    /// The function of three words by its table, bit 4a + 2b + c: a sum of products, each of which it has if the entries of all
    /// parts of the product have an odd sum.
    fn function_of_three(&mut self, words: [D::Value; 3], table: u8) -> Result<D::Value, D::Stop> {
        let mut sum = self.domain.number(0);
        for product in 0..8_u8 {
            let entries = (0..8).filter(|part| part & !product == 0 && table >> part & 1 == 1);
            if entries.count() % 2 == 0 {
                continue;
            }
            let mut all = self.domain.number(u32::MAX.into());
            for (place, word) in [4, 2, 1].into_iter().zip(&words) {
                if product & place != 0 {
                    all = self.domain.and(&all, word, 32)?;
                }
            }
            sum = self.domain.xor(&sum, &all, 32);
        }
        Ok(sum)
    }
}
