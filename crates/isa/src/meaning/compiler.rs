//! The compiler of statements and expressions.

use super::{Expression, Place, Step};
use crate::language::{Ast, Line};
use crate::table::{Effects, Field, Isa, Kind};
use crate::values::{Binary, ByteFunction, Shift, Space};

/// The state of the compilation of a row's text.
pub(super) struct Compiler<'a> {
    pub isa: &'a Isa,
    pub fields: &'a [Field],
    pub locals: Vec<(String, u8, u8)>,
    pub count: u8,
    pub effects: Effects,
}

/// True if the expression has no width of its own and takes that of the other operand.
fn is_free(ast: &Ast) -> bool {
    match ast {
        Ast::Number(_) => true,
        Ast::Operator("?", of) => is_free(&of[1]) && is_free(&of[2]),
        Ast::Operator("==" | "!=" | "<u" | "<s", _) => false,
        Ast::Operator("<<" | ">>" | ">>>", of) => is_free(&of[0]),
        Ast::Operator(_, of) => of.iter().all(is_free),
        Ast::Call(name, of) if name == "ror" => is_free(&of[0]),
        _ => false,
    }
}

/// The memory space of a letter of the language.
fn space_of(letter: char) -> Space {
    match letter {
        'p' => Space::Program,
        's' => Space::Shared,
        'a' => Space::Parameter,
        _ => Space::Data,
    }
}

fn number(ast: &Ast) -> Result<u8, String> {
    match ast {
        Ast::Number(n @ 0..=255) => Ok(*n as u8),
        _ => Err("a plain number is wanted here, 0 to 255".into()),
    }
}

impl Compiler<'_> {
    fn general(&self) -> u8 {
        self.isa.about.registers[0].1
    }

    fn width_of(&self, place: Place) -> u8 {
        match place {
            Place::Field(f) | Place::Next(f) => match self.fields[usize::from(f)].kind {
                Kind::Register { base, .. } => self.isa.about.registers[usize::from(base)].1,
                _ => self.general(),
            },
            Place::Fixed(r) => self.isa.about.registers[r as usize].1,
        }
    }

    pub(super) fn steps(&mut self, lines: &[Line], inner: bool) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        for line in lines {
            match line {
                Line::Local(name, ast) => {
                    let (value, width) = self.value(ast, None)?;
                    self.locals.push((name.clone(), self.count, width));
                    steps.push(Step::Local(self.count, value.into()));
                    self.count =
                        self.count.checked_add(1).ok_or("it has more than 255 local names; join some")?;
                }
                Line::Assign(place, ast) => self.assign(place, ast, inner, &mut steps)?,
                Line::If(condition, then, otherwise) => {
                    let (condition, width) = self.value(condition, Some(1))?;
                    if width != 1 {
                        return Err(format!("a condition has one bit, this one has {width}"));
                    }
                    let known = self.locals.len();
                    let then = self.steps(then, true)?;
                    self.locals.truncate(known);
                    let otherwise = self.steps(otherwise, true)?;
                    self.locals.truncate(known);
                    steps.push(Step::If(condition.into(), then, otherwise));
                }
                Line::Jump(to, delayed) => {
                    self.effects.jumps = true;
                    steps.push(Step::Jump(self.address(to)?.0.into(), *delayed));
                }
                Line::Skip => {
                    self.effects.jumps = true;
                    steps.push(Step::Skip);
                }
                Line::Multiple(list, address, store) => {
                    let field = match list {
                        Ast::Name(name) => self.fields.iter().position(|f| f.name == *name),
                        _ => None,
                    };
                    let field = field.ok_or("a list of registers is the name of a field")?;
                    let (address, _) = self.address(address)?;
                    self.effects.loads |= !store;
                    self.effects.stores |= store;
                    self.effects.conditional = true;
                    self.effects.accesses = self.effects.accesses.saturating_add(2);
                    let effects = &mut self.effects;
                    let lists = if *store { &mut effects.stored_lists } else { &mut effects.loaded_lists };
                    lists.push(field as u8);
                    steps.push(Step::Multiple(field as u8, address.into(), *store));
                }
            }
        }
        Ok(steps)
    }

    fn address(&mut self, ast: &Ast) -> Result<(Expression, u8), String> {
        let wanted = self.isa.about.address;
        let (address, width) = self.value(ast, Some(wanted))?;
        if width == wanted {
            Ok((address, width))
        } else {
            Err(format!("an address has {wanted} bits, this one has {width}"))
        }
    }

    fn write(&mut self, place: Place, inner: bool) {
        self.effects.conditional |= inner;
        match place {
            Place::Fixed(r) => self.effects.writes.push(r),
            Place::Field(f) => self.effects.written_fields.push((f, false)),
            Place::Next(f) => self.effects.written_fields.push((f, true)),
        }
    }

    /// The low and high registers of a pair, if the expression is one.
    fn pair(&self, ast: &Ast) -> Option<(Place, Place)> {
        match ast {
            Ast::Call(name, of) if name == "pair" => match of.as_slice() {
                [Ast::Name(field)] => {
                    let f = self.fields.iter().position(|f| f.name == *field)? as u8;
                    Some((Place::Field(f), Place::Next(f)))
                }
                _ => None,
            },
            Ast::Name(name) => {
                let (_, high, low) = self.isa.about.pairs.iter().find(|(n, _, _)| n == name)?;
                Some((Place::Fixed(self.isa.register(low)?), Place::Fixed(self.isa.register(high)?)))
            }
            _ => None,
        }
    }

    fn place(&self, name: &str) -> Option<Place> {
        if let Some(f) = self.fields.iter().position(|f| f.name == name) {
            return matches!(self.fields[f].kind, Kind::Register { .. }).then_some(Place::Field(f as u8));
        }
        self.isa.register(name).map(Place::Fixed)
    }

    fn assign(&mut self, place: &Ast, ast: &Ast, inner: bool, steps: &mut Vec<Step>) -> Result<(), String> {
        if let Ast::Memory(letter, bits, address) = place {
            let space = space_of(*letter);
            if !space.is_written() {
                return Err("program memory and parameters cannot be written".into());
            }
            let (address, width) = self.address(address)?;
            let value = self.of_width(ast, *bits)?;
            self.effects.stores = true;
            self.effects.accesses = self.effects.accesses.saturating_add(1);
            steps.push(Step::Store(space, bits / 8, width, address.into(), value.into()));
            return Ok(());
        }
        if let Some((low, high)) = self.pair(place) {
            let (low_width, high_width) = (self.width_of(low), self.width_of(high));
            let value = self.of_width(ast, low_width + high_width)?;
            let local = self.count;
            self.count += 1;
            steps.push(Step::Local(local, value.into()));
            let part = |at, count| {
                Expression::Slice(low_width + high_width, Box::new(Expression::Local(local)), at, count)
            };
            steps.push(Step::Set(low, part(0, low_width).into()));
            steps.push(Step::Set(high, part(low_width, high_width).into()));
            self.write(low, inner);
            self.write(high, inner);
            return Ok(());
        }
        let Ast::Name(name) = place else {
            return Err("only a register, a pair or memory can be written".into());
        };
        let place =
            self.place(name).ok_or_else(|| format!("there is no register or register field '{name}'"))?;
        let value = self.of_width(ast, self.width_of(place)).map_err(|e| format!("{name}: {e}"))?;
        self.write(place, inner);
        steps.push(Step::Set(place, value.into()));
        Ok(())
    }

    fn of_width(&mut self, ast: &Ast, wanted: u8) -> Result<Expression, String> {
        let (value, width) = self.value(ast, Some(wanted))?;
        if width == wanted {
            Ok(value)
        } else {
            Err(format!("{wanted} bits are wanted, the value has {width}"))
        }
    }

    fn read(&mut self, place: Place) -> (Expression, u8) {
        match place {
            Place::Fixed(r) => self.effects.reads.push(r),
            Place::Field(f) => self.effects.read_fields.push((f, false)),
            Place::Next(f) => self.effects.read_fields.push((f, true)),
        }
        (Expression::Register(place), self.width_of(place))
    }

    fn both(&mut self, a: &Ast, b: &Ast, expect: Option<u8>) -> Result<(Expression, Expression, u8), String> {
        let (first, second, swapped) = if is_free(a) { (b, a, true) } else { (a, b, false) };
        let (x, width) = self.value(first, expect)?;
        let (y, other) = self.value(second, Some(width))?;
        if width != other {
            return Err(format!(
                "operands of {width} and {other} bits are combined; extend one with zx or sx"
            ));
        }
        Ok(if swapped { (y, x, width) } else { (x, y, width) })
    }

    pub(super) fn value(&mut self, ast: &Ast, expect: Option<u8>) -> Result<(Expression, u8), String> {
        match ast {
            Ast::Number(n) => {
                let width = expect
                    .ok_or_else(|| format!("the width of {n} cannot be told here; write zx({n}, bits)"))?;
                if width < 64 && *n >> width != 0 {
                    return Err(format!("{n:#x} does not fit into {width} bits"));
                }
                Ok((Expression::Number(width, *n), width))
            }
            Ast::Name(name) => self.name(name),
            Ast::Slice(of, high, low) => {
                let (value, width) = self.value(of, None)?;
                if *high >= width {
                    return Err(format!("bit {high} of a value of {width} bits"));
                }
                let count = high - low + 1;
                Ok((Expression::Slice(width, Box::new(value), *low, count), count))
            }
            Ast::Memory(letter, bits, address) => {
                let (address, width) = self.address(address)?;
                let space = space_of(*letter);
                self.effects.loads |= space.is_written();
                self.effects.accesses = self.effects.accesses.saturating_add(1);
                Ok((Expression::Load(space, bits / 8, width, Box::new(address)), *bits))
            }
            Ast::Call(name, of) => self.call(ast, name, of, expect),
            Ast::Operator(operator, of) => self.operator(operator, of, expect),
        }
    }

    fn name(&mut self, name: &str) -> Result<(Expression, u8), String> {
        if let Some((_, local, width)) = self.locals.iter().rev().find(|(n, _, _)| n == name) {
            return Ok((Expression::Local(*local), *width));
        }
        if let Some(f) = self.fields.iter().position(|f| f.name == name) {
            return Ok(match self.fields[f].kind {
                Kind::Register { .. } => self.read(Place::Field(f as u8)),
                Kind::Number { width, .. }
                | Kind::Relative { width, .. }
                | Kind::Names { width, .. }
                | Kind::Coded { width, .. } => (Expression::Field(f as u8, width), width),
            });
        }
        if name == "pc" || name == "next" {
            return Ok((Expression::Address(name == "next"), self.isa.about.address));
        }
        if let Some((low, high)) = self.pair(&Ast::Name(name.to_owned())) {
            return Ok(self.joined(low, high));
        }
        match self.isa.register(name) {
            Some(r) => Ok(self.read(Place::Fixed(r))),
            None => Err(format!("'{name}' is no field, register or local name")),
        }
    }

    fn joined(&mut self, low: Place, high: Place) -> (Expression, u8) {
        let ((h, hw), (l, lw)) = (self.read(high), self.read(low));
        (Expression::Join(hw, Box::new(h), lw, Box::new(l)), hw + lw)
    }

    fn call(
        &mut self,
        ast: &Ast,
        name: &str,
        of: &[Ast],
        expect: Option<u8>,
    ) -> Result<(Expression, u8), String> {
        match (name, of) {
            ("pair", _) => {
                let (low, high) = self.pair(ast).ok_or("pair takes the name of a register field")?;
                Ok(self.joined(low, high))
            }
            ("zx" | "sx", [value, to]) => {
                let to = number(to)?;
                if is_free(value) {
                    return self.value(value, Some(to));
                }
                let (value, from) = self.value(value, None)?;
                if to < from {
                    return Err(format!(
                        "{from} bits are extended to {to}; a slice [{}:0] is shorter",
                        to - 1
                    ));
                }
                Ok((Expression::Extend(name == "sx", from, to, Box::new(value)), to))
            }
            ("count", [Ast::Name(field), width]) => {
                let f = self.fields.iter().position(|f| f.name == *field);
                let f = f.ok_or("count takes the name of a field and a number of bits")?;
                let width = number(width)?;
                Ok((Expression::Count(f as u8, width), width))
            }
            ("cat", [first, rest @ ..]) => {
                let parts: Vec<_> =
                    rest.iter().map(|part| self.value(part, None)).collect::<Result<_, _>>()?;
                let below = parts.iter().fold(0u8, |all, (_, bits)| all.saturating_add(*bits));
                // A number in the highest place takes the rest of the requested width.
                let left = expect.and_then(|width| width.checked_sub(below)).filter(|_| is_free(first));
                let (mut all, mut width) = self.value(first, left)?;
                for (low, bits) in parts {
                    all = Expression::Join(width, Box::new(all), bits, Box::new(low));
                    width = width.saturating_add(bits);
                }
                if width > 128 {
                    Err(format!("{width} bits joined, 128 are the most"))
                } else {
                    Ok((all, width))
                }
            }
            ("pick", [high, low, index]) => {
                let [high, low] = [self.of_width(high, 128)?, self.of_width(low, 128)?];
                Ok((Expression::Pick(Box::new([high, low, self.of_width(index, 8)?])), 8))
            }
            ("undefined", [of]) => {
                let (of, width) = self.value(of, expect)?;
                Ok((Expression::Undefined(width, Box::new(of)), width))
            }
            ("ror", [value, count]) => self.shift(Shift::Rotate, value, count, expect),
            ("divu" | "remu", [a, b]) => {
                let (a, b, width) = self.both(a, b, expect)?;
                let op = if name == "divu" { Binary::Divide } else { Binary::Remainder };
                Ok((Expression::Binary(op, width, Box::new(a), Box::new(b)), width))
            }
            ("sbox", [a]) => self.function(ByteFunction::Sbox, a),
            ("isbox", [a]) => self.function(ByteFunction::InverseSbox, a),
            ("xtime", [a]) => self.function(ByteFunction::Times(2), a),
            ("times", [n, a]) => {
                let n = number(n)?;
                self.function(ByteFunction::Times(n), a)
            }
            _ => Err(format!("there is no function '{name}' of {} arguments", of.len())),
        }
    }

    fn function(&mut self, f: ByteFunction, of: &Ast) -> Result<(Expression, u8), String> {
        Ok((Expression::Function(f, Box::new(self.of_width(of, 8)?)), 8))
    }

    fn shift(
        &mut self,
        op: Shift,
        of: &Ast,
        by: &Ast,
        expect: Option<u8>,
    ) -> Result<(Expression, u8), String> {
        let (value, width) = self.value(of, expect)?;
        let (count, count_width) = self.value(by, Some(8))?;
        Ok((Expression::Shift(op, width, Box::new(value), count_width, Box::new(count)), width))
    }

    fn operator(
        &mut self,
        operator: &str,
        of: &[Ast],
        expect: Option<u8>,
    ) -> Result<(Expression, u8), String> {
        let simple = |op| Some((op, true));
        let compared = |op| Some((op, false));
        let binary = match operator {
            "+" => simple(Binary::Add),
            "-" => simple(Binary::Subtract),
            "*" => simple(Binary::Multiply),
            "&" => simple(Binary::And),
            "|" => simple(Binary::Or),
            "^" => simple(Binary::Xor),
            "==" | "!=" => compared(Binary::Equal),
            "<u" => compared(Binary::Below),
            "<s" => compared(Binary::Less),
            _ => None,
        };
        if let Some((op, keeps)) = binary {
            self.effects.multiplies |= op == Binary::Multiply;
            let (a, b, width) = self.both(&of[0], &of[1], if keeps { expect } else { None })?;
            let value = Expression::Binary(op, width, Box::new(a), Box::new(b));
            if operator == "!=" {
                return Ok((Expression::Not(1, Box::new(value)), 1));
            }
            return Ok((value, if keeps { width } else { 1 }));
        }
        match operator {
            "~" => {
                let (value, width) = self.value(&of[0], expect)?;
                Ok((Expression::Not(width, Box::new(value)), width))
            }
            "?" => {
                let condition = self.of_width(&of[0], 1).map_err(|e| format!("a condition: {e}"))?;
                let (yes, no, width) = self.both(&of[1], &of[2], expect)?;
                Ok((Expression::Select(width, Box::new([condition, yes, no])), width))
            }
            "<<" => self.shift(Shift::Left, &of[0], &of[1], expect),
            ">>" => self.shift(Shift::Right, &of[0], &of[1], expect),
            _ => self.shift(Shift::Arithmetic, &of[0], &of[1], expect),
        }
    }
}
