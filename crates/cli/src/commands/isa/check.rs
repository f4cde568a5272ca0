//! `aesmith isa check`: the meaning of an extension's instructions, and the parts of AES that they can compute.

use crate::arguments::isa::{Check, bases};
use crate::failure::Failure;
use crate::output::{Output, Table};
use aesmith_cipher::problem::Direction;
use aesmith_extension::file::{Extension, Instruction, Mistake};
use aesmith_extension::form::{Form, Term, Via};
use aesmith_extension::meaning;
use aesmith_extension::program::{Goal, Program};
use aesmith_extension::verilog::Unit;
use aesmith_isa::Isa;
use aesmith_processor::attach::{Attached, fitted};
use aesmith_processor::core::Core;
use serde_json::{Value, json};

/// An extension on a processor, or the reason why it does not fit.
struct Fit {
    core: &'static Core,
    attached: Result<&'static Attached, Mistake>,
}

/// Checks an extension by itself and on processors.
pub fn run(options: &Check, output: &mut Output) -> Result<(), Failure> {
    let extension = super::read(&options.extension)?;
    let asked = !options.base.is_empty();
    let names = if asked { options.base.clone() } else { bases() };
    let fit = |core: &'static Core| Fit { core, attached: fitted(core, extension, Unit::default()) };
    let fits: Vec<Fit> = super::bases(&names, &options.extension, extension)?.into_iter().map(fit).collect();
    let of_file = |what: String| Failure::Other(format!("{}: {what}", options.extension));
    let isa = meaning::table(extension).map_err(|m| of_file(m.to_string()))?;
    if output.json {
        for instruction in &extension.instructions {
            output.object(&object(&isa, instruction, &fits).map_err(of_file)?)?;
        }
        for fit in &fits {
            output.object(&goals_object(fit))?;
        }
    } else {
        print(extension, &isa, &fits, output)?;
    }
    // If no processors were named, the extension must fit only one.
    let refused = fits.iter().find_map(|f| f.attached.as_ref().err());
    match refused {
        Some(m) if asked || fits.iter().all(|f| f.attached.is_err()) => {
            Err(Failure::Other(format!("{}, {m}", options.extension)))
        }
        _ => Ok(()),
    }
}

fn print(extension: &Extension, isa: &Isa, fits: &[Fit], output: &mut Output) -> Result<(), Failure> {
    let of_file = |what: String| Failure::Other(format!("{}: {what}", extension.name));
    output.line(&extension.name)?;
    output.sentence(&extension.about, "    ")?;
    for instruction in &extension.instructions {
        output.line("")?;
        output.line(format!("{} {}", instruction.name, meaning::operands(instruction).join(", ")))?;
        let mut lines = vec![instruction.about.clone(), operands(instruction)];
        lines.push(format!("latency {}, occupancy {}", instruction.latency, instruction.occupancy));
        let first = instruction.choices().next().unwrap_or_default();
        let form = Form::find(isa, instruction, &first).map_err(of_file)?;
        lines.push(match &form {
            Some(form) => {
                format!("{} = {}{}", instruction.writes, chosen(instruction, &first), sum(instruction, form))
            }
            None => "it is no sum over bytes: rounds are not made of it".into(),
        });
        for line in lines.iter().filter(|l| !l.is_empty()) {
            output.sentence(line, "    ")?;
        }
        for fit in fits {
            if let Some(pattern) = encoding(fit, instruction) {
                output.line(format!("    {:<12} {pattern}", fit.core.name))?;
            }
        }
    }
    output.line("")?;
    goals(fits, output)
}

/// Prints a table of the covered parts of AES; processors with the same coverage share a column.
fn goals(fits: &[Fit], output: &mut Output) -> Result<(), Failure> {
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    let mut reasons: Vec<String> = Vec::new();
    for fit in fits {
        let attached = match &fit.attached {
            Ok(attached) => attached,
            Err(mistake) => {
                reasons.push(format!("{}: {mistake}", fit.core.name));
                continue;
            }
        };
        let cells = Goal::ALL.map(|goal| match attached.program(goal) {
            Ok(p) if others(p) + p.looks() == 0 => p.customs().to_string(),
            Ok(p) if p.looks() > 0 => format!("{} + {} + {}", p.customs(), others(p), p.looks()),
            Ok(p) => format!("{} + {}", p.customs(), others(p)),
            Err(why) => {
                if !reasons.contains(&why) {
                    reasons.push(why);
                }
                "-".into()
            }
        });
        match columns.iter_mut().find(|(_, known)| *known == cells) {
            Some((names, _)) => names.push_str(&format!(", {}", fit.core.name)),
            None => columns.push((fit.core.name.to_owned(), cells.to_vec())),
        }
    }
    if !columns.is_empty() {
        let headings: Vec<String> = columns.iter().map(|(names, _)| format!(">{names}")).collect();
        let headings: Vec<&str> = ["added instructions + others + look-ups"]
            .into_iter()
            .chain(headings.iter().map(String::as_str))
            .collect();
        let mut table = Table::with(&headings);
        for (k, goal) in Goal::ALL.into_iter().enumerate() {
            let cells = columns.iter().map(|(_, cells)| cells[k].clone());
            table.row([goal.describe().to_owned()].into_iter().chain(cells));
        }
        output.table(&table)?;
    }
    for reason in reasons.into_iter().chain(beside(fits)) {
        output.line("")?;
        output.sentence(&reason, "")?;
    }
    Ok(())
}

/// Reasons why rounds need other instructions, each once with its processors.
fn beside(fits: &[Fit]) -> Vec<String> {
    let mut known: Vec<(String, Vec<&str>)> = Vec::new();
    for fit in fits {
        let Ok(attached) = &fit.attached else { continue };
        for why in [Direction::Encrypt, Direction::Decrypt].into_iter().filter_map(|d| attached.beside(d)) {
            match known.iter_mut().find(|(of, _)| *of == why) {
                Some((_, names)) => names.push(fit.core.name),
                None => known.push((why, vec![fit.core.name])),
            }
        }
    }
    known.into_iter().map(|(why, names)| format!("{}: {why}.", names.join(", "))).collect()
}

/// The number of plain steps in a program, without look-ups.
fn others(program: &Program) -> usize {
    program.steps.len() - program.customs() - program.looks()
}

/// The operands of an instruction: reads, writes and selectors.
fn operands(instruction: &Instruction) -> String {
    let reads = match instruction.reads.as_slice() {
        [] => "reads no operand".to_owned(),
        reads => format!("reads {}", reads.join(", ")),
    };
    let wired = match instruction.fixed.as_slice() {
        [] => String::new(),
        fixed => format!(", is wired to {}", fixed.join(", ")),
    };
    let selectors: Vec<String> =
        instruction.selectors.iter().map(|(n, bits)| format!("selector {n} of {bits} bits")).collect();
    let selectors = if selectors.is_empty() { String::new() } else { format!("; {}", selectors.join(", ")) };
    format!("{reads}{wired}, writes {}{selectors}", instruction.writes)
}

/// The selector values of a sum.
fn chosen(instruction: &Instruction, values: &[u8]) -> String {
    let each: Vec<String> =
        instruction.selectors.iter().zip(values).map(|((n, _), v)| format!("{n} = {v}")).collect();
    if each.is_empty() { String::new() } else { format!("(with {}) ", each.join(", ")) }
}

/// The names of an instruction's input words.
fn inputs(instruction: &Instruction) -> impl Iterator<Item = &String> {
    instruction.reads.iter().chain(&instruction.fixed)
}

/// Renders a form as a sum: first words that are added whole, then bytes.
fn sum(instruction: &Instruction, form: &Form) -> String {
    let accumulator = form.accumulator();
    let mut parts = Vec::new();
    for (k, (name, terms)) in inputs(instruction).zip(&form.inputs).enumerate() {
        if accumulator == Some(k) {
            parts.push(name.clone());
            continue;
        }
        for (byte, term) in terms.iter().enumerate().filter(|(_, t)| !t.is_nothing()) {
            let of = format!("{name}[{byte}]");
            let of = match term.via {
                Via::Same => of,
                Via::Sbox => format!("sbox {of}"),
                Via::InverseSbox => format!("isbox {of}"),
            };
            parts.push(format!("{of} * {}", places(term)));
        }
    }
    if form.constant != 0 {
        parts.push(format!("{:#010x}", form.constant));
    }
    parts.join(" + ")
}

/// The factors of a byte, from the lowest byte of the result.
fn places(term: &Term) -> String {
    let each: Vec<String> = term.places.iter().map(|p| format!("{p:02x}")).collect();
    format!("({})", each.join(" "))
}

/// The encoding of an instruction on a processor, if it fits.
fn encoding(fit: &Fit, instruction: &Instruction) -> Option<String> {
    let attached = fit.attached.as_ref().ok()?;
    let row = &attached.isa.rows[usize::from(attached.isa.find(&instruction.name)?)];
    let pattern = &row.pattern;
    // Operands have their names from the file.
    let named = |field: &str| match field {
        "xd" => instruction.writes.clone(),
        "xa" => instruction.reads[0].clone(),
        "xb" => instruction.reads[1].clone(),
        field => {
            let place = field.chars().last().and_then(|c| c.to_digit(10));
            let selector = place.and_then(|k| instruction.selectors.get(k as usize));
            selector.map_or_else(|| field.to_owned(), |(name, _)| name.clone())
        }
    };
    let bit = |k: u8| {
        let of = pattern.fields.iter().find_map(|(name, pieces)| {
            let piece = pieces.iter().find(|p| (p.code_low..p.code_low + p.bits).contains(&k))?;
            Some((name.as_str(), piece.field_low + k - piece.code_low))
        });
        of.map_or_else(
            || (if pattern.value >> k & 1 == 1 { "1" } else { "0" }, None),
            |(n, at)| (n, Some(at)),
        )
    };
    // Runs of bits of one field, and of fixed bits.
    let mut runs: Vec<(String, Option<(u8, u8)>)> = Vec::new();
    for k in (0..pattern.bits).rev() {
        let (name, at) = bit(k);
        match (runs.last_mut(), at) {
            (Some((text, None)), None) => text.push_str(name),
            (Some((text, Some((_, low)))), Some(at)) if text == name && *low == at + 1 => *low = at,
            (_, at) => runs.push((name.to_owned(), at.map(|at| (at, at)))),
        }
    }
    let shown = runs.iter().map(|(text, range)| match range {
        Some((high, low)) if high == low => format!("{}[{high}]", named(text)),
        Some((high, low)) => format!("{}[{high}:{low}]", named(text)),
        None => text.clone(),
    });
    Some(shown.collect::<Vec<_>>().join(" "))
}

fn object(isa: &Isa, instruction: &Instruction, fits: &[Fit]) -> Result<Value, String> {
    let mut sums = Vec::new();
    for selectors in instruction.choices().take(64) {
        let form = Form::find(isa, instruction, &selectors)?;
        let terms = form.map(|form| {
            let words = inputs(instruction).zip(&form.inputs).flat_map(|(name, terms)| {
                let added = terms.iter().enumerate().filter(|(_, t)| !t.is_nothing());
                added.map(move |(byte, t)| {
                    let via = match t.via {
                        Via::Same => "same",
                        Via::Sbox => "sbox",
                        Via::InverseSbox => "isbox",
                    };
                    json!({ "word": name, "byte": byte, "via": via, "times": t.places })
                })
            });
            json!({ "adds": words.collect::<Vec<_>>(), "constant": form.constant })
        });
        sums.push(json!({ "selectors": selectors, "sum": terms }));
    }
    let encodings: serde_json::Map<String, Value> = fits
        .iter()
        .filter_map(|f| Some((f.core.name.to_owned(), encoding(f, instruction)?.into())))
        .collect();
    Ok(json!({
        "instruction": instruction.name,
        "about": instruction.about,
        "reads": instruction.reads,
        "wired": instruction.fixed,
        "writes": instruction.writes,
        "selectors": instruction.selectors.iter().map(|(n, b)| json!({ "name": n, "bits": b })).collect::<Vec<_>>(),
        "latency": instruction.latency,
        "occupancy": instruction.occupancy,
        "computes": sums,
        "encodings": encodings,
    }))
}

fn goals_object(fit: &Fit) -> Value {
    let goals = |attached: &&'static Attached| {
        let each = Goal::ALL.into_iter().map(|goal| match attached.program(goal) {
            Ok(p) => json!({ "goal": goal.describe(), "added": p.customs(), "others": others(p), "looked_up": p.looks() }),
            Err(why) => json!({ "goal": goal.describe(), "missing": why }),
        });
        each.collect::<Vec<Value>>()
    };
    match &fit.attached {
        Ok(attached) => {
            let beside =
                [Direction::Encrypt, Direction::Decrypt].into_iter().filter_map(|d| attached.beside(d));
            let beside: Vec<String> = beside.collect();
            json!({ "processor": fit.core.name, "goals": goals(attached), "beside": beside })
        }
        Err(m) => json!({ "processor": fit.core.name, "line": m.line, "error": m.what }),
    }
}
