//! The functional unit of an extension as plain Verilog: one wire a step of each instruction's
//! meaning. The S-boxes are shared among the instructions: in any cycle one of them is computed.

pub mod sbox;
pub mod testbench;
pub mod wrapper;

use std::fmt::Write;

use aesmith_cipher::block::gf_mul;
use aesmith_isa::Isa;
use aesmith_isa::meaning::{Expression, Place, Step};
use aesmith_isa::values::{Binary, ByteFunction, Shift};

pub use sbox::SboxForm;

use crate::code::{BITS, functions};
use crate::file::{Extension, Instruction, Mistake};

/// How a unit is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    /// How an S-box is written; `None` for the smaller, by measurement.
    pub form: Option<SboxForm>,
    /// How many S-boxes it has at most: with fewer than an instruction uses, it takes more cycles.
    pub sboxes: u8,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit { form: None, sboxes: 4 }
    }
}

impl Unit {
    /// The extension with the cycles that its instructions take in this unit.
    pub fn timed(&self, extension: &Extension) -> Extension {
        extension.clone()
    }
}

/// The most registers that an instruction reads.
pub fn ports(extension: &Extension) -> usize {
    extension.instructions.iter().map(|i| i.reads.len()).max().unwrap_or(1).max(1)
}

/// The registers that the unit is wired to, in the order of their first use.
pub fn wired(extension: &Extension) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in extension.instructions.iter().flat_map(|i| &i.fixed) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// A name as Verilog allows it.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The modules of an extension: S-boxes and `NAME_unit`. Registers read are its ports `a`, `b`, `c` in
/// the order of the instruction's reads, registers that it is wired to have their own names;
/// `operation` is a function's number ([`crate::code`]). `valid` stays until `ready`.
pub fn unit(extension: &Extension, unit: Unit) -> Result<String, Mistake> {
    let isa = crate::meaning::table(extension)?;
    let numbers = functions(extension)?;
    let form = unit.form.unwrap_or(SboxForm::Circuit);
    let mut writer = Writer { text: String::new(), wires: 0, boxes: [Vec::new(), Vec::new()] };
    let mut results = Vec::new();
    for (number, instruction) in extension.instructions.iter().enumerate() {
        let result = writer.instruction(&isa, instruction, number);
        results.push(result.map_err(|what| Mistake { line: instruction.lines.meaning, what })?);
    }
    let mut text = String::new();
    let inputs: String = ["a", "b", "c"][..ports(extension)]
        .iter()
        .copied()
        .chain(wired(extension))
        .map(|p| format!("  input [31:0] {p},\n"))
        .collect();
    let _ = write!(
        text,
        "// {}: {}\n// Source: {}\nmodule {}_unit(\n  input clk,\n  input reset,\n  input valid,\n  input [{}:0] operation,\n{inputs}  output ready,\n  output [31:0] result\n);\n",
        extension.name,
        extension.about,
        extension.source,
        identifier(&extension.name),
        BITS - 1,
    );
    for (kind, name) in [(0, "sbox"), (1, "isbox")] {
        for k in 0..writer.boxes[kind].len() {
            let _ = writeln!(text, "  wire [7:0] {name}{k}_out;");
        }
    }
    for (number, (instruction, functions)) in extension.instructions.iter().zip(&numbers).enumerate() {
        let low = functions.selector_bits;
        let _ = writeln!(
            text,
            "  wire is{number} = operation[{}:{low}] == {}'d{}; // {}",
            BITS - 1,
            BITS - low,
            functions.first >> low,
            instruction.name
        );
    }
    text.push_str(&writer.text);
    for (kind, name) in [(0, "sbox"), (1, "isbox")] {
        for (k, users) in writer.boxes[kind].iter().enumerate() {
            let _ = writeln!(text, "  wire [7:0] {name}{k}_in = {};", chosen(users));
            let _ = writeln!(text, "  aes_{name} {name}{k}(.in({name}{k}_in), .out({name}{k}_out));");
        }
    }
    let results: Vec<(usize, String)> = results.into_iter().enumerate().collect();
    let _ = writeln!(text, "  assign ready = valid;\n  assign result = {};\nendmodule\n", chosen(&results));
    for (kind, inverse) in [(0, false), (1, true)] {
        if !writer.boxes[kind].is_empty() {
            text.push_str(&sbox::module(inverse, form));
        }
    }
    Ok(text)
}

/// The value of the instruction that is asked for; the last without a question.
fn chosen(users: &[(usize, String)]) -> String {
    let mut text = String::new();
    for (place, (number, wire)) in users.iter().enumerate() {
        if place + 1 == users.len() {
            text.push_str(wire);
        } else {
            let _ = write!(text, "is{number} ? {wire} : ");
        }
    }
    text
}

struct Writer {
    text: String,
    wires: usize,
    /// For the S-box and its inverse, for each instance: who gives its input.
    boxes: [Vec<Vec<(usize, String)>>; 2],
}

struct Scope<'a> {
    instruction: &'a Instruction,
    number: usize,
    fields: Vec<String>,
    registers: Vec<String>,
    locals: Vec<(u8, String)>,
    /// S-boxes and inverse ones that this instruction uses so far.
    used: [usize; 2],
}

impl Writer {
    fn wire(&mut self, width: u8, value: &str) -> String {
        let name = format!("w{}", self.wires);
        self.wires += 1;
        let _ = writeln!(self.text, "  wire [{}:0] {name} = {value};", width - 1);
        name
    }

    fn instruction(&mut self, isa: &Isa, instruction: &Instruction, number: usize) -> Result<String, String> {
        let row = &isa.rows[usize::from(isa.row(&instruction.name))];
        let fields = row.fields.iter().map(|f| f.name.clone()).collect();
        let registers = isa.about.registers.iter().map(|(n, _)| (*n).to_owned()).collect();
        let mut scope = Scope { instruction, number, fields, registers, locals: Vec::new(), used: [0, 0] };
        let mut result = None;
        for step in &row.steps {
            match step {
                Step::Local(local, value) => {
                    let wire = self.value(&mut scope, value)?;
                    scope.locals.push((*local, wire));
                }
                Step::Set(Place::Field(_), value) => result = Some(self.value(&mut scope, value)?),
                _ => return Err(format!("{}: only registers are computed in hardware", instruction.name)),
            }
        }
        result.ok_or_else(|| format!("{}: it writes nothing", instruction.name))
    }

    fn value(&mut self, scope: &mut Scope, expression: &Expression) -> Result<String, String> {
        Ok(match expression {
            Expression::Number(width, n) => self.wire(*width, &format!("{width}'d{n}")),
            Expression::Field(f, width) => {
                let name = &scope.fields[usize::from(*f)];
                let before = scope.instruction.selectors.iter().take_while(|(n, _)| n != name);
                let low: u8 = before.map(|(_, bits)| bits).sum();
                self.wire(*width, &format!("operation[{}:{low}]", low + width - 1))
            }
            Expression::Register(Place::Field(f)) => {
                let name = &scope.fields[usize::from(*f)];
                let port = scope.instruction.reads.iter().position(|r| r == name);
                ["a", "b", "c"][port.ok_or_else(|| format!("{name} is not read"))?].to_owned()
            }
            Expression::Register(Place::Fixed(r)) => scope.registers[usize::from(*r)].clone(),
            Expression::Local(n) => {
                let known = scope.locals.iter().find(|(l, _)| l == n);
                known.map(|(_, wire)| wire.clone()).ok_or("a local name without a value")?
            }
            Expression::Binary(op, width, a, b) => {
                let (a, b) = (self.value(scope, a)?, self.value(scope, b)?);
                let (sign, bits) = match op {
                    Binary::Add => ("+", *width),
                    Binary::Subtract => ("-", *width),
                    Binary::Multiply => ("*", *width),
                    Binary::And => ("&", *width),
                    Binary::Or => ("|", *width),
                    Binary::Xor => ("^", *width),
                    Binary::Equal => ("==", 1),
                    Binary::Below => ("<", 1),
                    Binary::Less => return Ok(self.wire(1, &format!("$signed({a}) < $signed({b})"))),
                    Binary::Divide | Binary::Remainder => {
                        return Err("division is no single unit here".into());
                    }
                };
                self.wire(bits, &format!("{a} {sign} {b}"))
            }
            Expression::Shift(op, width, a, _, count) => {
                let (a, count) = (self.value(scope, a)?, self.value(scope, count)?);
                match op {
                    Shift::Left => self.wire(*width, &format!("{a} << {count}")),
                    Shift::Right => self.wire(*width, &format!("{a} >> {count}")),
                    Shift::Arithmetic => self.wire(*width, &format!("$signed({a}) >>> {count}")),
                    Shift::Rotate => {
                        let count = self.wire(8, &format!("{count} % 8'd{width}"));
                        self.wire(*width, &format!("({a} >> {count}) | ({a} << (8'd{width} - {count}))"))
                    }
                }
            }
            Expression::Not(width, a) => {
                let a = self.value(scope, a)?;
                self.wire(*width, &format!("~{a}"))
            }
            Expression::Slice(width, a, low, count) => {
                let a = self.value(scope, a)?;
                if *width == 1 { a } else { self.wire(*count, &format!("{a}[{}:{low}]", low + count - 1)) }
            }
            Expression::Join(high_width, high, low_width, low) => {
                let (high, low) = (self.value(scope, high)?, self.value(scope, low)?);
                self.wire(high_width + low_width, &format!("{{{high}, {low}}}"))
            }
            Expression::Extend(signed, from, to, a) => {
                let a = self.value(scope, a)?;
                let more = to - from;
                match (more, signed) {
                    (0, _) => a,
                    (_, false) => self.wire(*to, &format!("{{{more}'d0, {a}}}")),
                    (_, true) => self.wire(*to, &format!("{{{{{more}{{{a}[{}]}}}}, {a}}}", from - 1)),
                }
            }
            Expression::Select(width, of) => {
                let [condition, yes, no] = &**of;
                let (condition, yes) = (self.value(scope, condition)?, self.value(scope, yes)?);
                let no = self.value(scope, no)?;
                self.wire(*width, &format!("{condition} ? {yes} : {no}"))
            }
            Expression::Function(f, a) => {
                let a = self.value(scope, a)?;
                self.function(scope, *f, a)
            }
            Expression::Register(_)
            | Expression::Count(..)
            | Expression::Address(_)
            | Expression::Load(..) => {
                return Err(format!("{}: only its own registers can be read", scope.instruction.name));
            }
        })
    }

    fn function(&mut self, scope: &mut Scope, f: ByteFunction, a: String) -> String {
        let (kind, name) = match f {
            ByteFunction::Sbox => (0, "sbox"),
            ByteFunction::InverseSbox => (1, "isbox"),
            ByteFunction::Times(n) => {
                // Linear: each bit of the product is a sum of bits.
                let bits: Vec<String> = (0..8)
                    .rev()
                    .map(|i| {
                        let of = (0..8u8).filter(|k| gf_mul(n, 1 << k) >> i & 1 == 1);
                        let of: Vec<String> = of.map(|k| format!("{a}[{k}]")).collect();
                        if of.is_empty() { "1'b0".into() } else { of.join(" ^ ") }
                    })
                    .collect();
                return self.wire(8, &format!("{{{}}}", bits.join(", ")));
            }
        };
        let k = scope.used[kind];
        scope.used[kind] += 1;
        if self.boxes[kind].len() == k {
            self.boxes[kind].push(Vec::new());
        }
        self.boxes[kind][k].push((scope.number, a));
        format!("{name}{k}_out")
    }
}
