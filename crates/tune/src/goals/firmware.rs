//! The goals of processors other than this machine: what is to be reached, in one table, and what is reached.

use aesmith_cipher::Problem;
use aesmith_judge::judge::ExactJudge;
use aesmith_processor::core::{Core, IN_REGISTERS};
use aesmith_processor::interpreter::Interpreter;
use aesmith_wisdom::Store;
use serde::Serialize;

use crate::confirm::judge_of;
use crate::error::TuneError;
use crate::exact::costing::Point;
use crate::exact::handout::made;
use crate::exact::{Winner, tune};
use crate::front::Budgets;
use crate::options::{Event, RunRequest};
use crate::request::Request;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::timing::Timing;

/// What must be reached, and what is aimed at.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Cycles, or cycles a byte.
    Cycles(f64, f64),
    /// Shares above the bound.
    AboveBound(f64, f64),
    /// Nothing: the figure is shown with its bound.
    Shown,
}

/// What the figure is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A block, or a key, as the function is called.
    Call,
    /// A block in registers, without call and return.
    Registers,
    /// A byte.
    Byte,
}

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The processor.
    pub processor: &'static str,
    /// The problem.
    pub problem: &'static str,
    /// What is meant besides.
    pub what: &'static str,
    /// What is to be reached.
    pub target: Target,
    /// What the figure is of.
    pub unit: Unit,
    /// Only kernels of constant time.
    pub constant_time: bool,
    /// Hard limits.
    pub budgets: Budgets,
    /// Which kernels count.
    pub only: Option<fn(&Point) -> bool>,
}

const NONE: Budgets = Budgets { flash: None, ram: None, stack: None };

const fn line(processor: &'static str, problem: &'static str, what: &'static str, target: Target) -> Line {
    Line {
        processor,
        problem,
        what,
        target,
        unit: Unit::Call,
        constant_time: false,
        budgets: NONE,
        only: None,
    }
}

fn registers(point: &Point) -> bool {
    point.variant.text_of("convention") == Some("registers") && point.cost.ram > 0
}

fn keys_of_encryption(point: &Point) -> bool {
    point.variant.text_of("keys") == Some("forward")
}

fn registers_and_keys_of_encryption(point: &Point) -> bool {
    registers(point) && keys_of_encryption(point)
}

fn registers_and_flash(point: &Point) -> bool {
    point.variant.text_of("convention") == Some("registers") && point.cost.ram == 0
}

fn single(point: &Point) -> bool {
    point.blocks == 1
}

fn two(point: &Point) -> bool {
    point.blocks == 2
}

/// Tables in flash, none in RAM.
const FLASH: Budgets = Budgets { flash: None, ram: Some(0), stack: None };
/// What encryption, decryption and key schedule take of a package with tables in flash, a table each.
const PARTS: [Budgets; 3] = [within(868), within(768), within(462)];

const fn within(flash: u64) -> Budgets {
    Budgets { flash: Some(flash), ..FLASH }
}

/// The smallest loop.
const SMALL: Budgets = Budgets { flash: Some(700), ram: None, stack: None };

/// The table.
pub const LINES: &[Line] = &[
    Line {
        unit: Unit::Registers,
        only: Some(registers),
        ..line("avr", "aes128-ecb", "block in registers, tables in RAM", Target::Cycles(1570.0, 1500.0))
    },
    Line {
        unit: Unit::Registers,
        only: Some(registers),
        ..line("avr", "aes128-ecb-dec", "block in registers, tables in RAM", Target::Cycles(2074.0, 2000.0))
    },
    Line {
        unit: Unit::Registers,
        only: Some(registers_and_keys_of_encryption),
        ..line(
            "avr",
            "aes128-ecb-dec",
            "block in registers, round keys of encryption",
            Target::Cycles(2074.0, 1800.0),
        )
    },
    Line {
        unit: Unit::Registers,
        budgets: FLASH,
        only: Some(registers_and_flash),
        ..line("avr", "aes128-ecb", "block in registers, tables in flash", Target::Cycles(1950.0, 1900.0))
    },
    Line { budgets: SMALL, ..line("avr", "aes128-ecb", "under 700 bytes", Target::Cycles(2400.0, 2200.0)) },
    Line {
        budgets: PARTS[0],
        ..line("avr", "aes128-ecb", "of a package in 2098 bytes of flash", Target::Cycles(2243.0, 2000.0))
    },
    Line {
        budgets: PARTS[1],
        only: Some(keys_of_encryption),
        ..line("avr", "aes128-ecb-dec", "of a package in 2098 bytes of flash", Target::Cycles(2829.0, 2500.0))
    },
    Line {
        budgets: PARTS[2],
        ..line("avr", "aes128-key", "of a package in 2098 bytes of flash", Target::Cycles(851.0, 800.0))
    },
    line("avr", "aes128-ctr", "a block of a message", Target::Cycles(1400.0, 1300.0)),
    line("avr", "aes128-key", "key schedule", Target::Cycles(700.0, 650.0)),
    line("arm9tdmi", "aes128-ecb", "encrypt", Target::Cycles(544.0, 532.0)),
    line("strongarm", "aes128-ecb", "encrypt", Target::Cycles(544.0, 532.0)),
    line("cortex-m3", "aes128-ecb", "encrypt, unrolled", Target::Cycles(599.0, 580.0)),
    line("cortex-m4", "aes128-ecb", "encrypt, unrolled", Target::Cycles(599.0, 580.0)),
    line("cortex-m3", "aes128-ctr", "a block of a message", Target::Cycles(489.0, 470.0)),
    line("cortex-m4", "aes128-ctr", "a block of a message", Target::Cycles(489.0, 470.0)),
    Line {
        unit: Unit::Byte,
        constant_time: true,
        only: Some(two),
        ..line("cortex-m4", "aes128-ecb", "constant time, 2 blocks", Target::Cycles(84.0, 80.0))
    },
    Line {
        constant_time: true,
        only: Some(single),
        ..line("cortex-m4", "aes128-ecb", "constant time, single block", Target::Cycles(844.0, 800.0))
    },
    line("cortex-m0", "aes128-ecb", "encrypt", Target::Cycles(1138.0, 1080.0)),
    line("fe310", "aes128-ecb", "T-tables", Target::Cycles(912.0, 912.0)),
    line("picorv32", "aes128-ecb", "T-tables", Target::Cycles(3133.0, 3133.0)),
    line("ibex", "aes128-ecb", "T-tables", Target::Cycles(1120.0, 1120.0)),
    line("vexriscv", "aes128-ecb", "T-tables", Target::Cycles(1096.0, 1096.0)),
    line("rv32-zkn", "aes128-ecb", "AES instructions", Target::Cycles(275.0, 260.0)),
    line("microblaze-5", "aes128-ecb", "tables, LMB", Target::AboveBound(0.08, 0.03)),
    line("microblaze-3", "aes128-ecb", "tables, LMB", Target::Shown),
    line("microblaze-v", "aes128-ecb", "tables, LMB", Target::Shown),
];

/// Other problems that are shown for every processor, with their bounds.
const SHOWN: [&str; 5] = ["aes128-ecb-dec", "aes192-ecb", "aes192-ecb-dec", "aes256-ecb", "aes256-ecb-dec"];

/// What was reached.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reached {
    /// The processor.
    pub processor: String,
    /// The problem.
    pub problem: String,
    /// What is meant besides.
    pub what: String,
    /// `cycles` or `cycles/byte`.
    pub unit: String,
    /// What must be reached, in the unit.
    pub must: Option<f64>,
    /// What is aimed at.
    pub aim: Option<f64>,
    /// What was found.
    pub measured: Option<f64>,
    /// Who counted: a judge or the model.
    pub by: String,
    /// The bound of its dataflow, in the unit, for a whole call.
    pub bound: Option<f64>,
    /// `aim reached`, `must reached`, `missed`, `shown`, or `not measured` with a reason.
    pub verdict: String,
    /// The variant.
    pub variant: String,
}

/// Measures all lines; `wanted` gives time, seeds and so on of each search.
pub fn goals(
    store: &mut Store,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Vec<Reached>, TuneError> {
    let shown: Vec<Line> = aesmith_processors::cores()
        .flat_map(|core| SHOWN.map(|problem| line(core.name, problem, "", Target::Shown)))
        .collect();
    let mut all = Vec::new();
    for line in LINES.iter().chain(&shown) {
        if wanted.interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
        observer(Event::Stage(&format!("{} on {} {}", line.problem, line.processor, line.what)));
        all.push(reach(store, line, wanted, observer)?);
    }
    Ok(all)
}

fn reach(
    store: &mut Store,
    line: &Line,
    wanted: &RunRequest,
    observer: &mut dyn FnMut(Event),
) -> Result<Reached, TuneError> {
    let mut reached = Reached {
        processor: line.processor.into(),
        problem: line.problem.into(),
        what: line.what.into(),
        unit: if line.unit == Unit::Byte { "cycles/byte" } else { "cycles" }.into(),
        must: None,
        aim: None,
        measured: None,
        by: String::new(),
        bound: None,
        verdict: String::new(),
        variant: String::new(),
    };
    if let Target::Cycles(must, aim) = line.target {
        (reached.must, reached.aim) = (Some(must), Some(aim));
    }
    let problem: Problem = line.problem.parse().map_err(|e| TuneError::Usage(format!("{e}")))?;
    let winner = aesmith_processors::core(line.processor).map_err(TuneError::Usage).and_then(|core| {
        let timing = if line.constant_time { Timing::Proved } else { Timing::Variable };
        let request = Request { budgets: line.budgets, timing, ..Request::default() };
        let wanted = RunRequest { problem, keep: line.only, ..wanted.clone() };
        let tuned = tune(core, store, (&request, &wanted), &mut |event| {
            if matches!(event, Event::Step(..)) {
                observer(event);
            }
        })?;
        Ok((core, tuned))
    });
    let (core, winner) = match winner {
        Ok((core, mut tuned)) => match tuned.result.winners.pop() {
            Some(winner) => (core, winner),
            None => {
                reached.verdict = "not measured: nothing was confirmed".into();
                return Ok(reached);
            }
        },
        Err(TuneError::Wisdom(error)) => return Err(TuneError::Wisdom(error)),
        Err(error) => {
            reached.verdict = format!("not measured: {error}");
            return Ok(reached);
        }
    };
    fill(&mut reached, core, line, &winner).map_err(TuneError::NoResult)?;
    Ok(reached)
}

fn fill(reached: &mut Reached, core: &'static Core, line: &Line, winner: &Winner) -> Result<(), String> {
    let c = &winner.certificate;
    let per = if line.unit == Unit::Byte { 16.0 } else { 1.0 };
    let measured = match line.unit {
        Unit::Registers => {
            let problem = line.problem.parse::<Problem>().map_err(|e| e.to_string())?;
            in_registers(core, &made(core, problem, &c.variant)?)?
        }
        _ => c.cycles() / per,
    };
    reached.measured = Some(measured);
    reached.bound = winner.bound.map(|b| b / per);
    reached.variant.clone_from(&c.variant);
    reached.by = if c.judged_cycles.is_some() { c.judge.clone() } else { "machine model".into() };
    if let (Target::AboveBound(must, aim), Some(bound)) = (line.target, reached.bound) {
        (reached.must, reached.aim) = (Some(bound * (1.0 + must)), Some(bound * (1.0 + aim)));
    }
    let holds = |goal: Option<f64>| goal.is_some_and(|g| measured <= g);
    reached.verdict = match (holds(reached.aim), holds(reached.must), reached.must) {
        (true, ..) => "aim reached",
        (_, true, _) => "must reached",
        (.., Some(_)) => "missed",
        _ => "shown",
    }
    .into();
    Ok(())
}

/// Cycles of the subroutine on a block in registers, without its call and return: what a call of the
/// function takes, less what it takes when the subroutine returns at once. By the judge that counts,
/// else by the model.
fn in_registers(core: &'static Core, made: &BuiltKernel) -> Result<f64, String> {
    let inner = made.image.symbol(&format!("{}{IN_REGISTERS}", made.kernel.symbol))?;
    let isa = (core.isa)();
    let back = isa.encode(&isa.insn("ret", &[]))?;
    let mut empty = made.image.clone();
    for segment in &mut empty.segments {
        if (segment.address..segment.end()).contains(&inner) {
            let at = (inner - segment.address) as usize;
            segment.bytes[at..at + back.len()].copy_from_slice(&back);
        }
    }
    let judge: Box<dyn ExactJudge> = match judge_of(core) {
        Ok(judge) if judge.counts_cycles() => judge,
        _ => Box::new(Interpreter::new(core)),
    };
    let cycles = |image| {
        let calls = made.timed(1).into_iter().map(|(_, call)| call).collect();
        let mut question = made.question(calls);
        question.image = image;
        let answers = judge.answer(&question)?;
        let counted = answers.first().and_then(|a| a.cycles);
        counted.ok_or_else(|| format!("{} counts no cycles", judge.name()))
    };
    Ok(cycles(&made.image)? as f64 - cycles(&empty)? as f64)
}

/// The table as a Markdown document.
pub fn markdown(all: &[Reached]) -> String {
    let mut out = String::from(concat!(
        "# Processors other than this machine\n\nWritten by `aesmith bench --goals processors --markdown docs/PROCESSORS.md` (aesmith ",
        env!("CARGO_PKG_VERSION"),
        ").\n\nCycles are of a block, or of a key, as the C function is called, save and return included, unless the \
         line says otherwise; of messages, what one more block costs. Every kernel is proved, and right in its judge \
         on NIST vectors, a Monte-Carlo chain and 1,000 random keys and blocks. `machine model` means modelled: no \
         judge that counts cycles is there. The bound is that of the kernel's dataflow.\n\n",
    ));
    out.push_str(
        "| processor | problem | must | aim | measured | bound | by | |\n|---|---|---:|---:|---:|---:|---|---|\n",
    );
    let number = |n: Option<f64>| {
        n.map_or("-".into(), |n| if n.fract() == 0.0 { format!("{n:.0}") } else { format!("{n:.1}") })
    };
    for r in all {
        let what = if r.what.is_empty() { r.problem.clone() } else { format!("{}, {}", r.problem, r.what) };
        let unit = if r.unit == "cycles" { "" } else { " c/B" };
        out.push_str(&format!(
            "| {} | {what} | {} | {} | {}{unit} | {} | {} | {} |\n",
            r.processor,
            number(r.must),
            number(r.aim),
            number(r.measured),
            number(r.bound),
            r.by,
            r.verdict
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_problems_and_aim_below_what_must_be() {
        for line in LINES {
            assert!(line.problem.parse::<Problem>().is_ok(), "{}", line.problem);
            if let Target::Cycles(must, aim) | Target::AboveBound(must, aim) = line.target {
                assert!(aim <= must, "{line:?}");
            }
        }
    }
}
