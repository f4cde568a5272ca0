//! The goals of processors other than this machine: what is to be reached, in one table, and what is reached.

mod lines;

use aesmith_cipher::Problem;
use aesmith_judge::judge::ExactJudge;
use aesmith_processor::core::{Core, IN_REGISTERS};
use aesmith_processor::interpreter::Interpreter;
use aesmith_wisdom::Store;
use serde::Serialize;

use crate::confirm::judge_of;
use crate::error::TuneError;
use crate::exact::handout::made;
use crate::exact::{Winner, tune};
use crate::options::{Event, RunRequest};
use crate::request::Request;
use aesmith_processor::cost::BuiltKernel;
use aesmith_processor::timing::Timing;
use lines::line;
pub use lines::{LINES, Line, Target, Unit};

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
    /// `aim reached`, `must reached`, `missed` (with a reason where nothing keeps the limits), `shown`, or `not
    /// measured` with a reason.
    pub verdict: String,
    /// The variant.
    pub variant: String,
    /// Bytes of flash: code, tables, and the initial contents of tables in RAM.
    pub flash: Option<u64>,
    /// Bytes of RAM for tables.
    pub ram: Option<u64>,
    /// Bytes of stack.
    pub stack: Option<u64>,
    /// Whether its time depends on secrets: `yes` where it does not, `here` where it does not on this processor,
    /// whose memory takes the same time at any address, `no` where it may.
    pub constant_time: &'static str,
    /// The published code whose figure must be reached, and how that is counted; empty where the goal is ours.
    pub source: &'static str,
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
        flash: None,
        ram: None,
        stack: None,
        constant_time: "",
        source: line.source,
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
        // Nothing keeps the limits within which it must be reached.
        Err(TuneError::NoResult(why)) if reached.must.is_some() => {
            reached.verdict = format!("missed: {why}");
            return Ok(reached);
        }
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
    (reached.flash, reached.ram, reached.stack) = (Some(c.cost.flash), Some(c.cost.ram), Some(c.cost.stack));
    reached.constant_time = c.short_time();
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
         judge that counts cycles is there. Where cycles depend on data, they are the mean over 1,000 random blocks. The \
         bound is that of the kernel's dataflow. Flash is code with all tables, RAM is that of tables. Constant time: \
         `yes` if no secret decides an address or a branch, `here` if secrets decide addresses alone and the \
         processor's memory takes the same time at any, `no` otherwise. The source is the published code whose figure \
         must be reached.\n\n",
    ));
    out.push_str(
        "| processor | problem | must | aim | measured | bound | flash | RAM | stack | constant time | by | | source |\n\
         |---|---|---:|---:|---:|---:|---:|---:|---:|---|---|---|---|\n",
    );
    let number = |n: Option<f64>| {
        n.map_or("-".into(), |n| if n.fract() == 0.0 { format!("{n:.0}") } else { format!("{n:.1}") })
    };
    let bytes = |n: Option<u64>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
    for r in all {
        let what = if r.what.is_empty() { r.problem.clone() } else { format!("{}, {}", r.problem, r.what) };
        let unit = if r.unit == "cycles" { "" } else { " c/B" };
        out.push_str(&format!(
            "| {} | {what} | {} | {} | {}{unit} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            r.processor,
            number(r.must),
            number(r.aim),
            number(r.measured),
            number(r.bound),
            bytes(r.flash),
            bytes(r.ram),
            bytes(r.stack),
            r.constant_time,
            r.by,
            r.verdict,
            r.source
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
