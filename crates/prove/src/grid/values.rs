//! Values of a thread: data is handled by the domain of bits, and values of the launch are sums.

use aesmith_cipher::mode::Role;
use aesmith_isa::values::{Binary, ByteFunction, Shift, Space, Values};

use crate::bits::symbols;
use crate::bits::value::Value as Data;
use crate::grid::domain::{Domain, Phase, Trouble, Value};
use crate::grid::facts::{Facts, Question};
use crate::grid::index::{Form, MOST_LEFT_OUT, Symbol};

impl Values for Domain<'_> {
    type V = Value;
    type Error = Trouble;

    fn constant(&mut self, _: u8, value: u64) -> Value {
        Value::number(value)
    }

    fn binary(&mut self, op: Binary, width: u8, a: &Value, b: &Value) -> Result<Value, Trouble> {
        if let Some(value) = self.bitwise(op, width, a, b) {
            return Ok(value);
        }
        if let Some((a, b)) = self.as_bits(a, b) {
            return self.binary(op, width, &a, &b);
        }
        if let (Value::Data(x), Value::Data(y)) = (a, b) {
            // A multiple of the thread's number is a sum, unless its bits are only moved.
            let moves = match (x, y) {
                (Data::Number(_), Data::Number(_)) => true,
                (Data::Number(n), _) | (_, Data::Number(n)) => n.is_power_of_two(),
                _ => true,
            };
            // A difference is a sum, too, such as the number of the block before a thread's first.
            let numbers = matches!((x, y), (Data::Number(_), Data::Number(_)));
            let may_be =
                op == Binary::Multiply && !moves || op == Binary::Subtract && width == 64 && !numbers;
            let is_sum = may_be && self.form(width, a).is_some() && self.form(width, b).is_some();
            if !is_sum {
                return Ok(Value::Data(self.symbols.binary(op, width, x, y)?));
            }
        }
        // An address and an offset.
        let moved = match (a, b, op) {
            (
                Value::Shared(at) | Value::Constant(at) | Value::Key(at),
                Value::Data(by),
                Binary::Add | Binary::Subtract,
            )
            | (Value::Data(by), Value::Shared(at) | Value::Constant(at) | Value::Key(at), Binary::Add) => {
                Some(self.symbols.binary(op, width, at, by)?)
            }
            _ => None,
        };
        if let Some(moved) = moved {
            let of = if matches!(a, Value::Data(_)) { b } else { a };
            return Ok(match of {
                Value::Shared(_) => Value::Shared(moved),
                Value::Constant(_) => Value::Constant(moved),
                _ => Value::Key(moved),
            });
        }
        let text = match (a, b, op) {
            (Value::Text(role, at), by, Binary::Add) | (by, Value::Text(role, at), Binary::Add) => {
                self.form(width, by).map(|by| Value::Text(*role, at.plus(&by, 1)))
            }
            (Value::Array(role, at), by, Binary::Add) | (by, Value::Array(role, at), Binary::Add) => {
                self.form(width, by).map(|by| Value::Array(*role, at.plus(&by, 1)))
            }
            _ => None,
        };
        if let Some(text) = text {
            return Ok(text);
        }
        if let (Value::Data(of), Value::Carry(sum)) | (Value::Carry(sum), Value::Data(of)) = (a, b)
            && op == Binary::Add
        {
            return Ok(self.upper(of, sum).unwrap_or_else(|| self.unknown(&[a, b])));
        }
        let (Some(x), Some(y)) = (self.form(width, a), self.form(width, b)) else {
            return Ok(self.unknown(&[a, b]));
        };
        if (op, width) == (Binary::Add, 65) {
            return Ok(Domain::counted(&x, &y).unwrap_or(Value::unknown(false)));
        }
        let number =
            |form: &Form| (*form == Form::number(form.factor(Symbol::One))).then(|| form.factor(Symbol::One));
        Ok(match op {
            Binary::Add => self.index(width, x.plus(&y, 1)),
            Binary::Subtract => self.index(width, x.minus(&y)),
            // The rows of PTX multiply by a number as the second operand.
            Binary::Multiply => match number(&y) {
                Some(by) => self.index(width, x.times(by)),
                None => Value::unknown(false),
            },
            Binary::Below if width == 64 => {
                let question = Question { low: x, high: y };
                match self.path.facts.answer(&question) {
                    Some(answer) => Value::number(answer.into()),
                    None => Value::Asked(question, true),
                }
            }
            _ => Value::unknown(false),
        })
    }

    fn shift(&mut self, op: Shift, width: u8, a: &Value, by: u8, count: &Value) -> Result<Value, Trouble> {
        if let Some((a, count)) = self.as_bits(a, count) {
            return self.shift(op, width, &a, by, &count);
        }
        match (a, count) {
            (Value::Data(x), Value::Data(y)) => Ok(Value::Data(self.symbols.shift(op, width, x, by, y)?)),
            (Value::Index(form), Value::Data(Data::Number(n))) if op == Shift::Left && *n < width.into() => {
                Ok(self.index(width, form.times(1 << n)))
            }
            // A part of the blocks of text.
            (Value::Index(form), Value::Data(Data::Number(n)))
                if op == Shift::Right
                    && width == 64
                    && *form == Form::of(Symbol::Count, 1)
                    && (1..=u128::from(MOST_LEFT_OUT)).contains(n) =>
            {
                Ok(Value::Index(Form::of(Symbol::Part(*n as u8), 1)))
            }
            _ => Ok(self.unknown(&[a, count])),
        }
    }

    fn not(&mut self, width: u8, a: &Value) -> Result<Value, Trouble> {
        match a {
            Value::Data(data) => Ok(Value::Data(self.symbols.not(width, data)?)),
            Value::Bitwise(function) => Ok(Value::Bitwise(function ^ 1)),
            Value::Asked(question, yes) => Ok(Value::Asked(question.clone(), !yes)),
            _ => Ok(self.unknown(&[a])),
        }
    }

    fn slice(&mut self, width: u8, a: &Value, low: u8, count: u8) -> Result<Value, Trouble> {
        match a {
            Value::Data(data) => Ok(Value::Data(self.symbols.slice(width, data, low, count)?)),
            whole if low == 0 && count == width => Ok(whole.clone()),
            Value::Bitwise(function) => {
                let word = self.word(*function);
                self.slice(width, &word, low, count)
            }
            Value::Sum(sum) if (low, count) == (0, 64) => Ok(Value::Index(sum.clone())),
            Value::Sum(sum) if (low, count) == (64, 1) => Ok(Value::Carry(sum.clone())),
            Value::Index(_) | Value::Upper(_) if width == 64 => {
                Ok(self.counter_part(a, low, count).unwrap_or(Value::unknown(false)))
            }
            _ => Ok(self.unknown(&[a])),
        }
    }

    fn join(&mut self, high: (u8, &Value), low: (u8, &Value)) -> Result<Value, Trouble> {
        if let Some((h, l)) = self.as_bits(high.1, low.1) {
            return self.join((high.0, &h), (low.0, &l));
        }
        match (self.data(high.1), self.data(low.1)) {
            (Some(h), Some(l)) => Ok(Value::Data(self.symbols.join((high.0, h), (low.0, l))?)),
            _ => Ok(self.unknown(&[high.1, low.1])),
        }
    }

    fn extend(&mut self, signed: bool, from: u8, to: u8, a: &Value) -> Result<Value, Trouble> {
        match a {
            Value::Data(data) => Ok(Value::Data(self.symbols.extend(signed, from, to, data)?)),
            Value::Index(_) | Value::Shared(_) | Value::Carry(_) if !signed => Ok(a.clone()),
            whole if from == to => Ok(whole.clone()),
            Value::Bitwise(function) => {
                let word = self.word(*function);
                self.extend(signed, from, to, &word)
            }
            _ => Ok(self.unknown(&[a])),
        }
    }

    fn select(&mut self, width: u8, condition: &Value, yes: &Value, no: &Value) -> Result<Value, Trouble> {
        if let Value::Data(Data::Bits(_)) = condition
            && let Some((yes, no)) = self.as_bits(yes, no)
        {
            return self.select(width, condition, &yes, &no);
        }
        match (condition, yes, no) {
            (Value::Data(Data::Number(n)), ..) => Ok(if *n == 0 { no.clone() } else { yes.clone() }),
            (Value::Data(c), Value::Data(y), Value::Data(n)) => {
                Ok(Value::Data(self.symbols.select(width, c, y, n)?))
            }
            (Value::Asked(..), ..) => Ok(if self.decide(condition)? { yes.clone() } else { no.clone() }),
            _ => Ok(self.unknown(&[condition, yes, no])),
        }
    }

    fn undefined(&mut self, _: u8, of: &Value) -> Value {
        self.unknown(&[of])
    }

    fn function(&mut self, f: ByteFunction, a: &Value) -> Result<Value, Trouble> {
        match a {
            Value::Data(data) => Ok(Value::Data(self.symbols.function(f, data)?)),
            _ => Ok(self.unknown(&[a])),
        }
    }

    fn pick(&mut self, high: &Value, low: &Value, index: &Value) -> Result<Value, Trouble> {
        match (high, low, index) {
            (Value::Data(h), Value::Data(l), Value::Data(i)) => Ok(Value::Data(self.symbols.pick(h, l, i)?)),
            _ => Ok(self.unknown(&[high, low, index])),
        }
    }

    fn load(&mut self, space: Space, bytes: u8, _: u8, address: &Value) -> Result<Value, Trouble> {
        match (space, address) {
            // A number in a register is not a parameter's address: the location of parameters is unknown.
            (Space::Parameter, Value::Data(Data::Number(at))) if self.names => {
                self.parameter(*at as u64, bytes)
            }
            (Space::Parameter, Value::Key(Data::Number(at))) => self.key_at(*at as u64, bytes),
            (Space::Program, Value::Constant(offset)) => self.constant_at(offset, bytes),
            (Space::Shared, Value::Shared(offset)) => self.shared_at(offset, bytes),
            (Space::Data, Value::Array(role, offset)) if self.phase == Phase::Behind => {
                self.element(*role, offset, bytes)
            }
            (Space::Data, Value::Text(Role::Input, offset)) if self.phase == Phase::Behind => {
                let (number, at) = self.block(Role::Input, offset, bytes)?;
                // If the block is not there, registers keep their values, which differ from load to load.
                let place = at..at + usize::from(bytes);
                if self.assumed.is_some() && !self.path.read_unsure(&number, place) {
                    return Err(format!(
                        "block `{number}` of the text, which may not be there, is read twice"
                    )
                    .into());
                }
                if self.in_place && self.path.written.contains_key(&number) {
                    return Err(format!(
                        "block `{number}` of the text is read after it was written, which is wrong in place"
                    )
                    .into());
                }
                self.path.read.insert(number.clone());
                if self.sketches {
                    return Ok(Value::unknown(true));
                }
                let text = self.text(&number)[at..at + usize::from(bytes)].concat();
                Ok(Value::Data(self.symbols.value(text)))
            }
            _ => Err("memory is read at an address outside its own memory".into()),
        }
    }

    fn store(
        &mut self,
        space: Space,
        bytes: u8,
        _: u8,
        address: &Value,
        value: &Value,
    ) -> Result<(), Trouble> {
        match (space, address, self.phase) {
            (Space::Shared, Value::Shared(Data::Number(at)), Phase::Filling) => match value {
                Value::Data(Data::Number(number)) => Ok(self.shared.write(*at as u64, bytes, *number)?),
                _ => Err("what is written to shared memory is no constant".into()),
            },
            (Space::Shared, Value::Shared(_), Phase::Before) => Ok(()),
            (Space::Shared, _, Phase::Behind) => {
                Err("shared memory is written behind the barrier, where others read it".into())
            }
            (Space::Data, Value::Text(Role::Output, offset), Phase::Behind) => {
                let (number, at) = self.block(Role::Output, offset, bytes)?;
                let bits = match value {
                    Value::Data(data) => self.symbols.bits_of(8 * bytes, data),
                    // A sketch is not compared with anything.
                    Value::Bitwise(_) if self.sketches => None,
                    Value::Bitwise(function) => match self.word(*function) {
                        Value::Data(word) => self.symbols.bits_of(8 * bytes, &word),
                        _ => None,
                    },
                    _ => None,
                };
                let size = self.elements[1];
                let cells = self.path.written.entry(number.clone()).or_insert_with(|| vec![None; size]);
                for (k, cell) in cells[at..at + usize::from(bytes)].iter_mut().enumerate() {
                    let byte = bits.as_ref().map(|bits| std::array::from_fn(|i| bits[8 * k + i]));
                    if cell.replace(byte).is_some() {
                        return Err(format!("byte {} of block `{number}` is written twice", at + k).into());
                    }
                }
                Ok(())
            }
            _ => Err("memory is written at an address outside its own memory".into()),
        }
    }

    fn decide(&mut self, condition: &Value) -> Result<bool, Trouble> {
        match condition {
            Value::Data(data) => self.symbols.decide(data).map_err(|trouble| {
                if let symbols::Trouble::Fork(bit) = trouble {
                    self.divides = self.bit_of_thread(bit);
                }
                trouble.into()
            }),
            Value::Asked(question, yes) => {
                if !Facts::asked(question) {
                    return Err(format!(
                        "control hangs on whether `{}` is below `{}`",
                        question.low, question.high
                    )
                    .into());
                }
                let by = question.low.pace();
                if by != 0 && *self.turns.get_or_insert(by) != by {
                    return Err("numbers of blocks of text move on by different steps".into());
                }
                match self.path.facts.answer(question) {
                    Some(answer) => Ok(answer == *yes),
                    None if *yes && self.assumed.as_ref() == Some(question) => Ok(true),
                    None => Err(Trouble::Fork(question.clone())),
                }
            }
            _ => Err("control hangs on an address".into()),
        }
    }

    fn number(&mut self, width: u8, a: &Value) -> Result<u64, Trouble> {
        match a {
            Value::Data(data) => Ok(self.symbols.number(width, data)?),
            _ => Err("control goes to an address that is not a number".into()),
        }
    }
}
