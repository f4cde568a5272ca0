//! Prints a graph, with one wire per value.

use std::collections::HashMap;
use std::fmt::Write;

use aesmith_cipher::block::gf_mul;
use aesmith_isa::values::{Binary, Shift};

use crate::code::Functions;
use crate::verilog::choose::signal;
use crate::verilog::linear::sums;
use crate::verilog::node::{Id, Net, Node, Set, Term};

/// The printer of a unit's wires.
pub struct Printer<'a> {
    net: &'a Net,
    functions: &'a [Functions],
    /// Names of the register ports.
    ports: &'a [String],
    /// The lines printed so far.
    pub text: String,
    wires: usize,
    known: HashMap<Id, String>,
    signals: HashMap<(Set, Set), String>,
}

impl<'a> Printer<'a> {
    /// An empty printer.
    pub fn new(net: &'a Net, functions: &'a [Functions], ports: &'a [String]) -> Printer<'a> {
        let (known, signals) = (HashMap::new(), HashMap::new());
        Printer { net, functions, ports, text: String::new(), wires: 0, known, signals }
    }

    fn wire(&mut self, width: u8, value: &str) -> String {
        let name = format!("w{}", self.wires);
        self.wires += 1;
        let range = if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) };
        let _ = writeln!(self.text, "  wire {range}{name} = {value};");
        name
    }

    /// The wire that is 1 if an instruction of `set` is executed, among those of `care`.
    pub fn signal(&mut self, set: Set, care: Set) -> String {
        if let Some(name) = self.signals.get(&(set, care)) {
            return name.clone();
        }
        let text = signal(self.functions, set, care);
        let name = if text.starts_with("1'b") { text } else { self.wire(1, &text) };
        self.signals.insert((set, care), name.clone());
        name
    }

    /// The expression for a bit of a wire.
    fn bit(&self, name: &str, width: u8, bit: u8) -> String {
        if width == 1 { name.to_owned() } else { format!("{name}[{bit}]") }
    }

    /// The name of a value; prints its wires if necessary.
    pub fn value(&mut self, id: Id) -> String {
        if let Some(name) = self.known.get(&id) {
            return name.clone();
        }
        let name = self.made(id);
        self.known.insert(id, name.clone());
        name
    }

    fn made(&mut self, id: Id) -> String {
        let net = self.net;
        let width = net.width(id);
        match net.node(id) {
            Node::Constant(n) => self.wire(width, &format!("{width}'d{n}")),
            Node::Register(port) => self.ports[*port].to_owned(),
            Node::Selector(low) => self.wire(width, &format!("operation[{}:{low}]", low + width - 1)),
            Node::Slot(k) => format!("slot{k}"),
            Node::Not(a) => {
                let a = self.value(*a);
                self.wire(width, &format!("~{a}"))
            }
            Node::Sum(of) => {
                let of: Vec<String> = of.iter().map(|&x| self.value(x)).collect();
                self.wire(width, &of.join(" ^ "))
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (self.value(*a), self.value(*b));
                self.wire(width, &binary(*op, &a, &b))
            }
            Node::Shift(op, a, count) => {
                let (a, count) = (self.value(*a), self.value(*count));
                let value = match op {
                    Shift::Left => format!("{a} << {count}"),
                    Shift::Right | Shift::Rotate => format!("{a} >> {count}"),
                    Shift::Arithmetic => format!("$signed({a}) >>> {count}"),
                };
                self.wire(width, &value)
            }
            Node::Turn(of, count) => self.turn(*of, *count),
            Node::Slice(of, low) => {
                let of_width = net.width(*of);
                let of = self.value(*of);
                let range = if width == 1 { format!("{low}") } else { format!("{}:{low}", low + width - 1) };
                if of_width == 1 { of } else { self.wire(width, &format!("{of}[{range}]")) }
            }
            Node::Join(of) => {
                let of: Vec<String> = of.iter().rev().map(|&x| self.value(x)).collect();
                self.wire(width, &format!("{{{}}}", of.join(", ")))
            }
            Node::Select(question, yes, no) => {
                let (question, yes, no) = (self.value(*question), self.value(*yes), self.value(*no));
                self.wire(width, &format!("{question} ? {yes} : {no}"))
            }
            Node::At(index, items) => {
                let bits = net.width(*index);
                let index = self.value(*index);
                let items: Vec<String> = items.iter().map(|&x| self.value(x)).collect();
                let text = self.look_up(&index, bits, bits, &items);
                self.wire(width, &text)
            }
            Node::Times(k, of) => {
                let of = self.value(*of);
                self.wire(8, &times(*k, &of))
            }
            Node::Sbox(inverse, of) => {
                let of = self.value(*of);
                let name = format!("w{}", self.wires);
                self.wires += 1;
                let module = if *inverse { "aes_isbox" } else { "aes_sbox" };
                let _ = writeln!(
                    self.text,
                    "  wire [7:0] {name};\n  {module} {name}_box(.in({of}), .out({name}));"
                );
                name
            }
            Node::Choice(of) => self.choice(width, of),
            Node::Linear(terms) => self.linear(terms),
        }
    }

    fn look_up(&self, index: &str, bits: u8, left: u8, items: &[String]) -> String {
        if left == 0 || items.iter().all(|i| *i == items[0]) {
            return items[0].clone();
        }
        let (low, high) = items.split_at(items.len() / 2);
        let question = self.bit(index, bits, left - 1);
        let (high, low) =
            (self.look_up(index, bits, left - 1, high), self.look_up(index, bits, left - 1, low));
        format!("({question} ? {high} : {low})")
    }

    /// Prints a rotation, with one stage per bit of the count.
    fn turn(&mut self, of: Id, count: Id) -> String {
        let mut word = self.value(of);
        let parts = match self.net.node(count) {
            Node::Join(parts) => parts.clone(),
            _ => vec![count],
        };
        let mut at = 0;
        for part in parts {
            let bits = self.net.width(part);
            if self.net.number(part) != Some(0) {
                let name = self.value(part);
                for bit in 0..bits {
                    let by = 1u8 << (at + bit);
                    let question = self.bit(&name, bits, bit);
                    word = self.wire(
                        32,
                        &format!("{question} ? {{{word}[{}:0], {word}[31:{}]}} : {word}", 31 - by, 32 - by),
                    );
                }
            }
            at += bits;
        }
        word
    }

    fn choice(&mut self, width: u8, of: &[(Set, Id)]) -> String {
        let mut care = of.iter().fold(0, |sum, (set, _)| sum | set);
        // Zeros come last: a choice against zero needs only an AND.
        let mut of = of.to_vec();
        of.sort_by_key(|(_, id)| self.net.number(*id) == Some(0));
        let mut text = String::new();
        let last = of.len() - 1;
        let zero = self.net.number(of[last].1) == Some(0);
        for (place, (set, id)) in of.iter().enumerate() {
            let value = self.value(*id);
            if place == last {
                text.push_str(&value);
                break;
            }
            let question = self.signal(*set, care);
            if zero && place + 1 == last {
                text.push_str(&format!("{{{width}{{{question}}}}} & {value}"));
                break;
            }
            let _ = write!(text, "{question} ? {value} : ");
            care &= !set;
        }
        self.wire(width, &text)
    }

    /// Prints a word of bytes: bytes are gated by their instructions and then added bitwise, because a multiplication
    /// by a constant adds bits of a byte to others.
    fn linear(&mut self, terms: &[Term]) -> String {
        let mut columns: Vec<(usize, u8, Set)> = Vec::new();
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); 32];
        for (t, term) in terms.iter().enumerate() {
            let care = term.places.iter().fold(0, |sum, (set, _)| sum | set);
            for lane in 0..4 {
                for power in 0..8u8 {
                    let wanting = term.places.iter().filter(|(_, p)| p[lane] >> power & 1 == 1);
                    let gate = wanting.fold(0, |sum, (set, _)| sum | set);
                    if gate == 0 {
                        continue;
                    }
                    for bit in 0..8u8 {
                        // The product contains this bit of the byte in these bits.
                        let product = gf_mul(1 << power, 1 << bit);
                        if self.net.number(term.atom).is_some_and(|n| n >> bit & 1 == 0) {
                            continue;
                        }
                        let key = (t, bit, if gate == care { Set::MAX } else { gate });
                        let column = columns.iter().position(|c| *c == key).unwrap_or_else(|| {
                            columns.push(key);
                            columns.len() - 1
                        });
                        for to in (0..8).filter(|to| product >> to & 1 == 1) {
                            let row = &mut rows[8 * lane + to];
                            match row.iter().position(|c| *c == column) {
                                Some(at) => {
                                    row.swap_remove(at);
                                }
                                None => row.push(column),
                            }
                        }
                    }
                }
            }
        }
        let mut names: Vec<String> = Vec::new();
        for &(t, bit, gate) in &columns {
            let term = &terms[t];
            let care = term.places.iter().fold(0, |sum, (set, _)| sum | set);
            let value = self.value(term.atom);
            let name = if gate == Set::MAX {
                format!("{value}[{bit}]")
            } else {
                let signal = self.signal(gate, care);
                self.wire(1, &format!("{value}[{bit}] & {signal}"))
            };
            names.push(name);
        }
        let found = sums(columns.len(), &rows);
        for [a, b] in &found.gates {
            let name = self.wire(1, &format!("{} ^ {}", names[*a], names[*b]));
            names.push(name);
        }
        let bits: Vec<String> =
            found.outputs.iter().rev().map(|o| o.map_or("1'b0".to_owned(), |w| names[w].clone())).collect();
        self.wire(32, &format!("{{{}}}", bits.join(", ")))
    }
}

fn binary(op: Binary, a: &str, b: &str) -> String {
    let sign = match op {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Equal => "==",
        Binary::Below => "<",
        Binary::Less => return format!("$signed({a}) < $signed({b})"),
        Binary::Divide => "/",
        Binary::Remainder => "%",
    };
    format!("{a} {sign} {b}")
}

/// Prints a product with a constant: each bit is a sum of bits.
fn times(k: u8, of: &str) -> String {
    let bits: Vec<String> = (0..8)
        .rev()
        .map(|i| {
            let from = (0..8u8).filter(|bit| gf_mul(k, 1 << bit) >> i & 1 == 1);
            let from: Vec<String> = from.map(|bit| format!("{of}[{bit}]")).collect();
            if from.is_empty() { "1'b0".into() } else { from.join(" ^ ") }
        })
        .collect();
    format!("{{{}}}", bits.join(", "))
}
