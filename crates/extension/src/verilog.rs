//! The functional unit of an extension as plain Verilog. Instructions share common computations (`merge.rs`) and the
//! S-boxes, over several cycles if there are fewer S-boxes than an instruction needs.

pub mod choose;
pub mod linear;
mod lower;
mod merge;
pub mod node;
mod print;
pub mod sbox;
mod slots;
pub mod testbench;
pub mod wrapper;

use std::fmt::Write;

pub use sbox::SboxForm;

use crate::code::{BITS, Functions, functions};
use crate::file::{Extension, Instruction, Mistake};
use merge::Merger;
use node::{Id, Net, Node, Set};
use print::Printer;
use slots::{Plan, Slot};

/// The configuration of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Unit {
    /// The form of an S-box; `None` for the smaller one, by measurement.
    pub form: Option<SboxForm>,
    /// The maximum number of S-boxes: an instruction that uses more takes more cycles.
    pub sboxes: u8,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit { form: None, sboxes: 4 }
    }
}

impl Unit {
    /// The extension with the cycles that its instructions take in this unit, or the reason why it cannot be built. The
    /// unit processes one instruction at a time, so latency and occupancy are equal.
    pub fn timed(&self, extension: &Extension) -> Result<Extension, Mistake> {
        let mut timed = extension.clone();
        for (instruction, cycles) in timed.instructions.iter_mut().zip(self.cycles(extension)?) {
            instruction.latency = cycles;
            instruction.occupancy = cycles;
        }
        Ok(timed)
    }

    /// The occupancy of the unit by each instruction in cycles, or the reason why it cannot be built.
    pub fn cycles(&self, extension: &Extension) -> Result<Vec<u8>, Mistake> {
        let (net, results) = lowered(extension)?;
        self.taken(extension, &net, &results)
    }

    /// The cycles of each instruction: as many as its S-boxes need, and at least the number in the file.
    fn taken(&self, extension: &Extension, net: &Net, results: &[Id]) -> Result<Vec<u8>, Mistake> {
        let boxes = usize::from(self.sboxes.max(1));
        let one = |(instruction, &result): (&Instruction, &Id)| {
            let calls = slots::boxes(net, result).len();
            if calls > boxes && slots::chained(net, result) {
                let what = format!(
                    "{}: an S-box is applied to what another gives: the unit needs all {calls} at once, {boxes} are too few",
                    instruction.name
                );
                return Err(Mistake { line: instruction.lines.meaning, what });
            }
            let cycles = calls.div_ceil(boxes).min(255) as u8;
            Ok(cycles.max(instruction.latency).max(instruction.occupancy).max(1))
        };
        extension.instructions.iter().zip(results).map(one).collect()
    }
}

/// The maximum number of registers that an instruction reads.
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

/// The names of the unit's register ports: `a`, `b`, `c`, and `s0` on for those that it is wired to.
fn port_names(extension: &Extension) -> Vec<String> {
    let wired = (0..wired(extension).len()).map(|k| format!("s{k}"));
    ["a", "b", "c"][..ports(extension)].iter().map(|p| (*p).to_owned()).chain(wired).collect()
}

/// Converts a name to a Verilog identifier.
pub fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The graph of all instructions, and the result of each.
fn lowered(extension: &Extension) -> Result<(Net, Vec<Id>), Mistake> {
    let isa = crate::meaning::table(extension)?;
    let mut net = Net::default();
    let (named, wired) = (ports(extension), wired(extension));
    if extension.instructions.len() > Set::BITS as usize {
        let line = extension.instructions[Set::BITS as usize].lines.start;
        return Err(Mistake { line, what: format!("a unit computes {} instructions at most", Set::BITS) });
    }
    let one = |instruction| {
        lower::lower(&mut net, &isa, instruction, named, &wired)
            .map_err(|what| Mistake { line: instruction.lines.meaning, what })
    };
    let results = extension.instructions.iter().map(one).collect::<Result<_, _>>()?;
    Ok((net, results))
}

/// The module's header, up to its wires.
fn head(extension: &Extension, functions: &[Functions]) -> String {
    let inputs: String = port_names(extension).iter().map(|p| format!("  input [31:0] {p},\n")).collect();
    // A comment ends with its line, so the file's control characters are replaced.
    let flat = |text: &str| text.replace(char::is_control, " ");
    let (about, source) = (flat(&extension.about), flat(&extension.source));
    let mut text = format!("// {}: {about}\n// Source: {source}\n", extension.name);
    for (instruction, functions) in extension.instructions.iter().zip(functions) {
        let last = functions.first + (1 << functions.selector_bits) - 1;
        let _ = writeln!(text, "// Operations {} to {last}: {}", functions.first, instruction.name);
    }
    let _ = write!(
        text,
        "module {}_unit(\n  input clk,\n  input reset,\n  input valid,\n  input [{}:0] operation,\n{inputs}  output ready,\n  output [31:0] result\n);\n",
        identifier(&extension.name),
        BITS - 1,
    );
    text
}

/// The modules of an extension: S-boxes and `NAME_unit`. Registers that are read are its ports `a`, `b`, `c` in the
/// order of the instruction's reads; registers that it is wired to are `s0` on, in the order of the file. `operation`
/// is a function code ([`crate::code`]). `valid` and the operands must stay until `ready`, which comes after the cycles
/// of the file, or after those that the S-boxes need if they are more.
pub fn unit(extension: &Extension, unit: Unit) -> Result<String, Mistake> {
    let functions = functions(extension)?;
    let (mut net, results) = lowered(extension)?;
    let taken = unit.taken(extension, &net, &results)?;
    let plan = slots::plan(&mut net, &results);
    let boxes = usize::from(unit.sboxes.max(1)).min(plan.slots.len().max(1));
    let mut merger = Merger::default();
    let inputs: Vec<Id> = plan.slots.iter().map(|s| merger.merge(&mut net, s.inputs.clone())).collect();
    let result = merger.merge(&mut net, plan.results.clone());

    let names = port_names(extension);
    let mut printer = Printer::new(&net, &functions, &names);
    let mut text = head(extension, &functions);
    let ends: Vec<usize> = taken.into_iter().map(|cycles| usize::from(cycles) - 1).collect();
    let cycles = ends.iter().max().map_or(1, |last| last + 1);
    let instances = Instances { plan: &plan, boxes, cycles, ends };
    instances.declare(&mut text);
    let inputs: Vec<String> = inputs.into_iter().map(|id| printer.value(id)).collect();
    let modules = instances.put(&mut printer, &inputs);
    let result = printer.value(result);
    instances.control(&mut printer);
    let _ = writeln!(printer.text, "  assign result = {result};\nendmodule\n");
    text.push_str(&printer.text);
    for module in modules {
        let form = unit.form.unwrap_or_else(|| crate::area::smaller(module));
        text.push_str(&sbox::module(module, form));
    }
    Ok(text)
}

/// The unit with separate instructions and no sharing, which answers at once: the reference for the shared one.
pub fn apart(extension: &Extension, form: SboxForm) -> Result<String, Mistake> {
    let functions = functions(extension)?;
    let (mut net, results) = lowered(extension)?;
    let all = results.iter().enumerate().map(|(k, &id)| (1 << k, id)).collect();
    let result = net.make(Node::Choice(all), 32);
    let names = port_names(extension);
    let mut printer = Printer::new(&net, &functions, &names);
    let result = printer.value(result);
    let mut text = head(extension, &functions);
    text.push_str(&printer.text);
    let _ = writeln!(text, "  assign ready = valid;\n  assign result = {result};\nendmodule\n");
    for kind in [sbox::Kind::Forward, sbox::Kind::Inverse] {
        text.push_str(&sbox::module(kind, form));
    }
    Ok(text)
}

/// The S-boxes of a unit and the slots of each, one per cycle.
struct Instances<'a> {
    plan: &'a Plan,
    boxes: usize,
    cycles: usize,
    /// The last cycle of each instruction, counted from 0.
    ends: Vec<usize>,
}

impl Instances<'_> {
    fn slots(&self, instance: usize) -> impl Iterator<Item = (usize, &Slot)> {
        self.plan.slots.iter().enumerate().skip(instance).step_by(self.boxes)
    }

    /// Two flags: an instruction needs a slot's result after its cycle, and one needs it in its cycle. The last slot of
    /// an S-box needs no register, because the operands stay until the unit is ready.
    fn needed(&self, slot: usize) -> (bool, bool) {
        if slot + self.boxes >= self.plan.slots.len() {
            return (false, true);
        }
        let cycle = slot / self.boxes;
        let users = self.plan.slots[slot].users();
        let ends = || self.ends.iter().enumerate().filter(move |(k, _)| users >> k & 1 == 1).map(|(_, e)| *e);
        (ends().any(|e| e > cycle), ends().any(|e| e == cycle))
    }

    fn count_bits(&self) -> u32 {
        usize::BITS - (self.cycles - 1).leading_zeros()
    }

    fn declare(&self, text: &mut String) {
        for instance in 0..self.boxes.min(self.plan.slots.len()) {
            let _ = writeln!(text, "  wire [7:0] box{instance};");
        }
        for slot in 0..self.plan.slots.len() {
            let _ = writeln!(text, "  wire [7:0] slot{slot};");
        }
        if self.cycles > 1 {
            let _ = writeln!(text, "  reg [{}:0] count;", self.count_bits() - 1);
        }
    }

    /// Prints the S-boxes; returns the kinds of their modules.
    fn put(&self, printer: &mut Printer, inputs: &[String]) -> Vec<sbox::Kind> {
        let mut modules = Vec::new();
        for instance in 0..self.boxes.min(self.plan.slots.len()) {
            let by_cycle = |values: Vec<String>| -> String {
                if values.iter().all(|v| *v == values[0]) {
                    return values[0].clone();
                }
                let last = values.len() - 1;
                let one = |(cycle, value): (usize, &String)| {
                    if cycle == last { value.clone() } else { format!("count == {cycle} ? {value} : ") }
                };
                values.iter().enumerate().map(one).collect()
            };
            let input = by_cycle(self.slots(instance).map(|(slot, _)| inputs[slot].clone()).collect());
            let inverse: Vec<String> =
                self.slots(instance).map(|(_, s)| printer.signal(s.inverse, s.users())).collect();
            let constant = |value: &str| inverse.iter().all(|i| i == value);
            let kind = match (constant("1'b0"), constant("1'b1")) {
                (true, _) => sbox::Kind::Forward,
                (_, true) => sbox::Kind::Inverse,
                _ => sbox::Kind::Both,
            };
            let inverse = match kind {
                sbox::Kind::Both => format!(".inverse({}), ", by_cycle(inverse)),
                _ => String::new(),
            };
            let _ = writeln!(
                printer.text,
                "  {} instance{instance}({inverse}.in({input}), .out(box{instance}));",
                kind.module()
            );
            if !modules.contains(&kind) {
                modules.push(kind);
            }
        }
        for slot in 0..self.plan.slots.len() {
            let (instance, cycle) = (slot % self.boxes, slot / self.boxes);
            let value = match self.needed(slot) {
                (false, _) => format!("box{instance}"),
                (true, live) => {
                    let _ = writeln!(
                        printer.text,
                        "  reg [7:0] kept{slot};\n  always @(posedge clk) if (count == {cycle}) kept{slot} <= box{instance};"
                    );
                    if live {
                        format!("count == {cycle} ? box{instance} : kept{slot}")
                    } else {
                        format!("kept{slot}")
                    }
                }
            };
            let _ = writeln!(printer.text, "  assign slot{slot} = {value};");
        }
        modules
    }

    /// Prints the control logic of `ready`.
    fn control(&self, printer: &mut Printer) {
        if self.cycles == 1 {
            printer.text.push_str("  assign ready = valid;\n");
            return;
        }
        let mut care: Set = (1 << self.ends.len()) - 1;
        let mut last = String::new();
        for cycle in 0..self.cycles {
            let of = self.ends.iter().enumerate().filter(|(_, e)| **e == cycle);
            let set = of.fold(0, |sum: Set, (k, _)| sum | 1 << k) & care;
            if set == care {
                let _ = write!(last, "{cycle}");
                break;
            }
            if set != 0 {
                let _ = write!(last, "{} ? {cycle} : ", printer.signal(set, care));
                care &= !set;
            }
        }
        let _ = writeln!(
            printer.text,
            "  wire [{high}:0] last = {last};\n  assign ready = valid && count == last;\n  always @(posedge clk)\n    if (reset || !valid || ready) count <= 0;\n    else count <= count + 1'b1;",
            high = self.count_bits() - 1,
        );
    }
}
